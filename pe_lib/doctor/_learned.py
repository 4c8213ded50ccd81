"""Tables that no rule made: how smooth, and which rows are alike."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _numbers
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
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
    # the mean cosine of neighbouring rows, and of rows half a table apart
    unit = (y / np.where(norms > 0, norms, 1.0)[:, None])[:2048]
    half = max(1, len(unit) // 2)
    near, far = (float((unit[k:] * unit[:-k]).sum(axis=1).mean()) for k in (1, half))
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    smooth = "smooth" if near > far + 0.2 else "not smooth"
    norm = told(_numbers.significant(middle, 3) if middle else 0.0)
    near_by, away = told(round(near, 2)), told(round(far, 2))
    d.details["notes"] = [note("learned", norm=norm, near=near_by, far=away, smooth=smooth)]
    d.alternatives.append(other("random"))
    _copies(d, y, good)
    if length in (32, 64) and width <= 128:
        d.alternatives.append(other("t5_table", rows=told(length), heads=told(width)))


def _copies(d: Diagnosis, y: Floats, good: NDArray[np.int64]) -> None:
    """Rows that are another row to the last bit."""
    before: dict[bytes, int] = {}
    first = [before.setdefault(row.tobytes(), k) for k, row in enumerate(y[:8192])]
    copies = [k for k in range(len(first)) if first[k] != k]
    if copies:
        row, same = (told(int(good[k])) for k in (copies[0], first[copies[0]]))
        d.problem("same_rows_of_table", count=told(len(copies)), row=row, other=same)
