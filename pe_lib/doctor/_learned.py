"""Tables that no rule made: how smooth, which rows are alike, and how they were resized."""

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
    if not _wrapped(d, y) and not _stretched(d, y):
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


def _stretched(d: Diagnosis, y: Floats) -> bool:
    """Made longer by a whole factor: rows on straight lines between those of a shorter table.

    Each line holds as many rows as the factor; the first and the last of them give its ends. Lines
    must bend at most of their ends, or else one line is all there is.
    """
    count, values = len(y), _proof.held(y)
    near = max(4 * _formats.UNIT[values.form], 1e-13) * float(np.abs(y).max())
    for factor in range(2, 17):
        rows, begin = count // factor, factor // 2
        if count % factor or rows < 4 or d.seen is None or count < len(d.seen):
            continue
        place = ((np.arange(count) + 0.5) / factor - 0.5).clip(0, rows - 1)
        lines = y[begin : begin + (rows - 1) * factor].reshape(rows - 1, factor, -1)
        slope = (lines[:, -1] - lines[:, 0]) * factor / (factor - 1)
        knots = lines[:, 0] - slope * place[begin]
        bends = np.abs(np.diff(np.diff(knots, axis=0), axis=0)) > 40 * near
        recipe = Knots(np.concatenate([knots, knots[-1:] + slope[-1:]]), place)
        proof = _proof.prove(recipe, y, values, np.arange(count))
        if proof.kind == 0 and bends.mean() > 0.8:
            d.recipe, d.rounding, d.residual = recipe, proof.rounding, proof.residual
            d.problem("resized", rows=told(rows), count=told(count))
            d.details["resized_from"], d.sure = rows, True
            return True
    return False


def _copies(d: Diagnosis, y: Floats, good: NDArray[np.int64]) -> None:
    """Rows that are another row to the last bit."""
    before: dict[bytes, int] = {}
    first = [before.setdefault(row.tobytes(), k) for k, row in enumerate(y[:8192])]
    copies = [k for k in range(len(first)) if first[k] != k]
    if copies:
        row, same = (told(int(good[k])) for k in (copies[0], first[copies[0]]))
        d.problem("same_rows_of_table", count=told(len(copies)), row=row, other=same)


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
