"""Rows and entries that cannot be right: not finite, zero, all the same."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told

Floats = NDArray[np.float64]


def corrupt(d: Diagnosis, x: Floats) -> NDArray[np.bool_]:
    """Which rows of x (T, width) are zero or not finite, (T,); problems are added to d."""
    finite = np.isfinite(x)
    bad = ~finite.all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        column = int(np.argmin(finite[row]))
        d.problem("not_finite", count=told(int((~finite).sum())),
                  place=f"row {told(row)}, column {told(column)}")  # fmt: skip
    zero = (x == 0).all(axis=1)
    if zero.any() and not zero.all():
        places = np.flatnonzero(zero)
        if places.size == 1 and int(places[0]) < 4:
            row = int(places[0])
            d.problem("padding_row", row=told(row), next=told(row + 1))
        else:
            d.problem("zero_rows", count=told(places.size), row=told(int(places[0])))
    found: NDArray[np.bool_] = bad | zero
    return found


def longest(good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The longest run of rows that are good, as their numbers."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    starts, stops = edges[0::2], edges[1::2]
    if starts.size == 0:
        return np.zeros(0, np.int64)
    k = int(np.argmax(stops - starts))
    return np.arange(starts[k], stops[k])
