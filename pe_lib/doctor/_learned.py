"""Tables that no rule made: how smooth, which rows are alike, and how they were resized."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _numbers, _proof
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._recipes import Knots
from pe_lib.doctor._sentences import note, other

Floats = NDArray[np.float64]


def table(d: Diagnosis, x: Floats, bad: NDArray[np.bool_]) -> None:
    """Fill d for a table (T, d) that is no wave: learned, for all that can be seen."""
    good = np.flatnonzero(~bad)
    y, (length, width) = x[good], x.shape
    d.scheme, d.width, d.sure, d.seen = "learned", width, False, x
    d.precision, d.where = _formats.held(y), "values"
    norms = np.sqrt((y * y).sum(axis=1))
    middle = float(np.median(norms))
    some = y[:2048]  # the mean cosine of neighbouring rows, and of rows half a table apart
    size = np.sqrt((some * some).sum(axis=1))
    unit = some / np.where(size > 0, size, 1.0)[:, None]
    half = max(1, len(unit) // 2)
    near, far = (float((unit[k:] * unit[:-k]).sum(axis=1).mean()) for k in (1, half))
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    smooth = "smooth" if near > far + 0.2 else "not smooth"
    norm = told(_numbers.significant(middle, 3) if middle else 0.0)
    near_by, away = told(round(near, 2)), told(round(far, 2))
    d.details["notes"] = [note("learned", norm=norm, near=near_by, far=away, smooth=smooth)]
    d.alternatives.append(other("random"))
    if not _wrapped(d, y):
        _stretched(d, y)
        _copies(d, y, good)
    _untrained(d, norms, good)
    if length in (32, 64) and width <= 128:
        d.alternatives.append(other("t5_table", rows=told(length), heads=told(width)))


def _wrapped(d: Diagnosis, y: Floats) -> bool:
    """Made longer by copying all rows."""
    count, scale = len(y), float(np.abs(y).max())
    for times in range(2, 17):
        rows = count // times
        if count % times == 0 and rows > 1 and np.abs(y[rows:] - y[:-rows]).max() <= 1e-6 * scale:
            d.problem("wrapped", rows=told(rows), times=told(times))
            return True
    return False


def _stretched(d: Diagnosis, y: Floats) -> None:
    """Made longer by straight lines between rows."""
    count, values = len(y), _proof.held(y)
    for recipe, rows in _shorter(y) if d.seen is not None and count == len(d.seen) else ():
        proof = _proof.prove(recipe, y, values, np.arange(count))
        if proof.kind == 0:
            d.recipe, d.rounding, d.residual = recipe, proof.rounding, proof.residual
            d.problem("resized", rows=told(rows), count=told(count))
            d.details["resized_from"], d.sure = rows, True
            return


def _shorter(y: Floats) -> Iterator[tuple[Knots, int]]:
    """Shorter tables of which straight lines may make this one, and how many rows they have.

    Ends are kept, or pixels halved. Two rows on one line give both of its ends, and the end of each
    line must begin the next: so a table at least twice as long is known. Lines must bend at most
    of their ends, or else one line is all there is.
    """
    count = len(y)
    near = max(4 * _formats.UNIT[_formats.held(y)], 1e-13) * float(np.abs(y).max())
    if count < 8 or not near:
        return
    lengths: Sequence[int] = range(4, count // 2 + 2)
    if count > 1024:  # whole factors, and usual lengths
        usual = {count // k for k in range(2, 17)} | {256, 512, 1024, 2048, 4096}
        lengths = [n for n in sorted(usual) if 3 < n <= count // 2 + 1]
    for rows in lengths:
        for whole in (True, False):
            if whole:
                place = np.arange(count) * ((rows - 1) / (count - 1))
            else:
                place = ((np.arange(count) + 0.5) * (rows / count) - 0.5).clip(0, rows - 1)
            at = np.asarray(place, np.float64)
            few = slice(0, min(count, 12 * (count // rows + 1)))
            if _lines(y[few, :8], at[few], near) is not None:
                knots = _lines(y, at, near)
                if knots is not None and _bends(knots, near):
                    yield Knots(knots, at), rows


def _lines(y: Floats, place: Floats, near: float) -> Floats | None:
    """The rows at whole places, if those between lie on lines; one on no line is continued."""
    k = np.floor(place + 1e-9)
    # the first row of each line, and the last one, which the next line may begin with
    first = np.flatnonzero(np.diff(k, prepend=-1.0) > 0)
    last = np.append(first[1:], len(k)) - 1
    after = np.minimum(last + 1, len(k) - 1)
    last = np.where(place[after] - k[first] <= 1 + 1e-9, after, last)
    width = place[last] - place[first]
    good = width > 0.2
    slope = (y[last] - y[first]) / np.where(good, width, 1.0)[:, None]
    begin = y[first] - slope * (place[first] - k[first])[:, None]
    end = begin + slope
    both = good[:-1] & good[1:] & (np.diff(k[first]) == 1)
    if both.sum() < max(3, 0.6 * len(first)):
        return None
    if (np.abs(end[:-1] - begin[1:])[both].max(axis=1) > near / 0.2).any():
        return None
    knots = np.zeros((int(k[-1]) + 2, y.shape[1]))
    at = k[first].astype(np.int64)
    knots[at[good] + 1] = end[good]
    knots[at[good]] = begin[good]
    knots[at[~good]] = y[first[~good]]
    return knots


def _bends(knots: Floats, near: float) -> bool:
    """Whether lines change their direction at most knots, in most columns."""
    turns = np.abs(np.diff(knots[:-1], 2, axis=0))
    return bool(turns.size and (turns > 40 * near).mean() > 0.8)


def _copies(d: Diagnosis, y: Floats, good: NDArray[np.int64]) -> None:
    """Rows that are another row to the last bit."""
    _, first, back = np.unique(y[:8192], axis=0, return_index=True, return_inverse=True)
    origin = first[back.reshape(-1)]
    copies = np.flatnonzero(origin != np.arange(origin.size))
    if copies.size:
        row, same = (told(int(good[k])) for k in (copies[0], origin[copies[0]]))
        d.problem("same_rows_of_table", count=told(copies.size), row=row, other=same)


def _untrained(d: Diagnosis, norms: Floats, good: NDArray[np.int64]) -> None:
    """A place from which on rows are of another size, and much smaller or larger than before."""
    count = norms.size
    if count < 32:
        return
    low, high, at = np.log(np.maximum(norms, 1e-300)), 0.0, 0
    sums = np.cumsum(low)
    for k in range(8, count - 8):
        apart = abs(float(sums[k - 1]) / k - float(sums[-1] - sums[k - 1]) / (count - k))
        weight = apart * (k * (count - k)) ** 0.5 / count
        if weight > high:
            high, at = weight, k
    before, after = low[:at], low[at:]
    if at and abs(before.mean() - after.mean()) > 1 + 3 * (before.std() + after.std()):
        large, small = (told(_numbers.significant(float(np.exp(part.mean())), 2))
                        for part in (before, after))  # fmt: skip
        d.problem("rows_untrained", row=told(int(good[at])), small=small, large=large)
