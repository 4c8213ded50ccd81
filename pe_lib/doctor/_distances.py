"""Diagnose a matrix that holds the relative position of each key from each query.

Models with relative positions, such as Shaw et al. (2018), Transformer-XL or DeBERTa, look up a row
of a table for each entry of such a matrix. The matrix itself holds whole numbers.
"""

from dataclasses import dataclass

import numpy as np

from pe_lib.doctor import _fill
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._proof import FixedValues

LEAST_TOKENS = 4  # in a smaller matrix, whole numbers of any other meaning may look the same
LEAST_STEPS = 3  # the number must change between at least this many pairs of neighbouring offsets


@dataclass
class Count:
    """How the entries of a matrix count offsets."""

    name: str  # the name of the note that says what is counted
    numbers: Indices  # (offsets,) the entries of a matrix without limits, one for each offset


def diagnose_distances(x: Floats) -> Diagnosis | None:
    """Diagnose whole numbers (T, T) that count the offsets of keys from queries, or return None.

    An offset is the key's position minus the query's. Beyond a largest distance, the numbers may
    stay the same, and the same number may have been added to all of them.
    """
    if len(x) != x.shape[1] or len(x) < LEAST_TOKENS or (x[1:, 1:] != x[:-1, :-1]).any():
        return None
    # The first column holds the offsets -(T - 1) to 0, and the first row the offsets from 0 on.
    values = np.concatenate([x[:0:-1, 0], x[0]])
    offsets = np.arange(values.size) - len(x) + 1
    for count in (
        Count("counts_forward", offsets),
        Count("counts_back", -offsets),
        Count("counts_distance", np.abs(offsets)),
        Count("counts_past", np.maximum(-offsets, 0)),
    ):
        if d := _describe_count(count, values, len(x)):
            d.recipe, d.seen = FixedValues(x), x
            return d
    return None


def _describe_count(count: Count, values: Floats, tokens: int) -> Diagnosis | None:
    """Return a diagnosis if the values (offsets,) are the counted numbers between two limits."""
    middle = tokens - 1  # the place of offset 0
    added = values[middle]
    plain = values - added
    low, high = float(plain.min()), float(plain.max())
    if not np.array_equal(plain, np.clip(count.numbers, low, high)):
        return None
    steps = np.flatnonzero(np.diff(plain))
    is_one_sided = count.name in ("counts_forward", "counts_back") and 0 in (low, high)
    if steps.size < LEAST_STEPS or is_one_sided:
        return None
    d = Diagnosis()
    _fill.fill_literal(d, "relative", FixedValues(values), values)
    d.note(count.name)
    if added:
        d.note("count_moved", added=float(added))
    if low > count.numbers.min() or high < count.numbers.max():
        d.note("count_limited", low=low + float(added), high=high + float(added))
    return d
