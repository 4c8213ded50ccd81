"""Tables that no rule made: how smooth, which rows are alike, and how they were resized."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _numbers
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told

Floats = NDArray[np.float64]


def table(d: Diagnosis, x: Floats, bad: NDArray[np.bool_]) -> None:
    """Fill d for a table (T, d) that is no wave: learned, for all that can be seen."""
    good = np.flatnonzero(~bad)
    y = x[good]
    length, width = x.shape
    d.scheme, d.width, d.sure = "learned", width, False
    d.precision, d.where = _formats.held(y), "values"
    norms = np.sqrt((y * y).sum(axis=1))
    middle = float(np.median(norms))
    near, far = smoothness(y)
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    notes = [
        f"Rows have norm {told(_numbers.significant(middle, 3) if middle else 0.0)}, neighbours "
        f"a cosine of {told(round(near, 2))}, strangers {told(round(far, 2))}: "
        + ("smooth." if near > far + 0.2 else "not smooth.")
    ]
    d.details["notes"] = notes
    d.alternatives.append("Random numbers of one size look like a table before training.")
    _lengthened(d, y, good)
    _copies(d, y, good)
    _untrained(d, norms, good)
    if length in (32, 64) and width <= 128:
        d.alternatives.append(
            f"T5's table of {told(length)} buckets for {told(width)} heads: its shape fits."
        )


def smoothness(y: Floats) -> tuple[float, float]:
    """The mean cosine of neighbouring rows, and of rows half a table apart."""
    some = y[:2048]
    size = np.sqrt((some * some).sum(axis=1))
    unit = some / np.where(size > 0, size, 1.0)[:, None]
    half = max(1, len(unit) // 2)
    near = float((unit[1:] * unit[:-1]).sum(axis=1).mean())
    far = float((unit[half:] * unit[:-half]).sum(axis=1).mean())
    return near, far


def _lengthened(d: Diagnosis, y: Floats, good: NDArray[np.int64]) -> None:
    """Made longer by straight lines between rows, or by copying all of them."""
    count = len(y)
    scale = float(np.abs(y).max())
    for times in range(2, 17):
        if count % times == 0 and count // times > 1:
            rows = count // times
            if np.abs(y[rows:] - y[:-rows]).max() <= 1e-6 * scale:
                d.problem("wrapped", rows=told(rows), times=told(times))
                d.sure = True
                return
    bend = np.abs(y[2:] - 2 * y[1:-1] + y[:-2]).max(axis=1)
    unit = _formats.UNIT[_formats.held(y)]
    near = 8 * unit * scale + 1e-12
    straight = (bend <= near) & (np.abs(y[2:] - y[:-2]).max(axis=1) > 1000 * near)
    share = float(straight.mean())
    if count >= 8 and 0.2 < share < 0.999:
        kept = int(count - straight.sum())
        factor = count / max(1, kept)
        ends = np.flatnonzero(~straight)
        if ends.size > 1 and np.ptp(np.diff(ends)) <= max(2, factor):
            rows = _resized_rows(y, near) or max(2, round(count / _step(ends)))
            d.problem("resized", rows=told(rows), factor=_nth(count / rows))
            d.details["resized_from"] = rows
            d.sure = True


def _step(ends: NDArray[np.int64]) -> float:
    return float(ends[-1] - ends[0]) / max(1, ends.size - 1)


def _resized_rows(y: Floats, near: float) -> int:
    """The number of rows from which straight lines give this table, with ends kept; or 0."""
    count = len(y)
    for rows in range(2, count):
        if (count - 1) % (rows - 1) == 0:
            step = (count - 1) // (rows - 1)
            if step < 2:
                break
            knots = y[::step]
            t = np.arange(count) / step
            k = np.minimum(t.astype(np.int64), rows - 2)
            share = (t - k)[:, None]
            if np.abs(knots[k] * (1 - share) + knots[k + 1] * share - y).max() <= near:
                return rows
    return 0


def _nth(factor: float) -> str:
    return "second" if 1.5 <= factor < 2.5 else "further"


def _copies(d: Diagnosis, y: Floats, good: NDArray[np.int64]) -> None:
    """Rows that are another row to the last bit."""
    if "wrapped" in d.problems:
        return
    _, first, back = np.unique(y[:8192], axis=0, return_index=True, return_inverse=True)
    origin = first[back.reshape(-1)]
    copies = np.flatnonzero(origin != np.arange(origin.size))
    if copies.size:
        row = int(copies[0])
        d.problem(
            "same_rows_of_table",
            count=told(copies.size),
            row=told(int(good[row])),
            other=told(int(good[origin[row]])),
        )


def _untrained(d: Diagnosis, norms: Floats, good: NDArray[np.int64]) -> None:
    """A place from which on rows are of another size, and much smaller or larger than before."""
    count = norms.size
    if count < 32:
        return
    low, high = np.log(np.maximum(norms, 1e-300)), 0.0
    at = 0
    sums = np.cumsum(low)
    for k in range(8, count - 8):
        apart = abs(float(sums[k - 1]) / k - float(sums[-1] - sums[k - 1]) / (count - k))
        weight = apart * (k * (count - k)) ** 0.5 / count
        if weight > high:
            high, at = weight, k
    before, after = low[:at], low[at:]
    if at and abs(before.mean() - after.mean()) > 1 + 3 * (before.std() + after.std()):
        d.problem(
            "rows_untrained",
            row=told(int(good[at])),
            small=told(_numbers.significant(float(np.exp(after.mean())), 2)),
            large=told(_numbers.significant(float(np.exp(before.mean())), 2)),
        )
