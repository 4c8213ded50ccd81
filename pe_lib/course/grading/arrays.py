"""How a wrong array is related to the right one: a name, and a sentence that is true of the two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, of_each

Array = NDArray[np.float64]
DIFFERS = Relation("differs", "")  # nothing simple is true
OF_ONE = (
    "sign",
    "degrees",
    "radians",
    "rounded",
)  # what is said of a single number, else true by chance
MOST = 2_000  # entries that are looked at one by one


def of_arrays(yours: Array, right: Array, tolerance: float) -> Relation:
    """Of finite arrays that differ, of any shape.

    >>> of_arrays(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]), 1e-5).text
    'The order is reversed along axis 0.'
    >>> of_arrays(np.zeros((2, 3)), np.zeros((3, 2)), 1e-5).name
    'transposed'
    """
    for name, text, moved in _moved(yours):
        if moved.shape == right.shape and np.allclose(moved, right, tolerance, tolerance):
            return Relation(name, text)
    if yours.shape != right.shape:
        same = yours.size == right.size and np.allclose(
            yours.ravel(), right.ravel(), tolerance, tolerance
        )
        if cut := _cut(yours, right, tolerance):
            return Relation("cut", cut)
        return Relation("shape", "The entries are right, in their order." if same else "")
    if right.size > 2 and np.ptp(yours) == 0 and np.ptp(right) > tolerance:
        return Relation("constant", f"All entries of yours are {yours.flat[0] + 0:.6g}.")
    for axis in range(right.ndim):
        mine, wanted = np.moveaxis(yours, axis, 0), np.moveaxis(right, axis, 0)
        for one, other, way in ((mine[1:], wanted[:-1], "late"), (mine[:-1], wanted[1:], "early")):
            if len(one) > 1 and np.ptp(other) > tolerance and np.allclose(one, other, 0, tolerance):
                return Relation(
                    "moved", f"The entries stand one place too {way} along axis {axis}."
                )
    off = ~np.isclose(yours, right, rtol=tolerance, atol=tolerance).reshape(right.shape)
    which = "Yours" if right.size == 1 else "Each entry" if off.all() else "Each that differs"
    mine, wanted = yours[off][:MOST], right[off][:MOST]
    found = of_each(which, mine.tolist(), wanted.tolist(), tolerance)
    if found and (len(wanted) > 1 or (right.size == 1 and found.name in OF_ONE)):
        return found
    plus = float(mine[0] - wanted[0])
    if len(wanted) > 1 and np.allclose(mine, wanted + plus, tolerance, 1e-12):
        return Relation("offset", f"{which} is off by the same amount, {plus:+.6g}.")
    by = mine[0] / wanted[0] if wanted.all() else 0.0
    if len(wanted) > 1 and by and np.allclose(mine, by * wanted, tolerance, 1e-12):
        return Relation("scaled", f"{which} is off by the same factor, {by:.6g}.")
    entries = np.sort(yours.ravel()), np.sort(right.ravel())
    if len(wanted) > 1 and np.allclose(entries[0], entries[1], tolerance, tolerance):
        return Relation("elsewhere", "These are the right entries, in other places.")
    return DIFFERS


def _cut(yours: Array, right: Array, tolerance: float) -> str:
    """Where one row or column is missing, or too many, at one end of an axis."""
    for axis in range(right.ndim if yours.ndim == right.ndim else 0):
        more = yours.shape[axis] - right.shape[axis]
        for first in (0, 1) if abs(more) == 1 else ():
            there = [yours, right]
            longer = np.moveaxis(there[more < 0], axis, 0)
            there[more < 0] = np.moveaxis(longer[1:] if first else longer[:-1], 0, axis)
            if there[0].shape == there[1].shape and np.allclose(
                there[0], there[1], tolerance, tolerance
            ):
                how = "too many" if more > 0 else "missing"
                return f"One is {how} at the {'start' if first else 'end'} of axis {axis}."
    return ""


def _moved(yours: Array) -> Iterator[tuple[str, str, Array]]:
    """The entries in other places: the arrays that would be right then."""
    if yours.ndim > 1:
        swapped = np.swapaxes(yours, -1, -2)
        yield "transposed", "Rows and columns have changed places.", swapped
    for axis in range(yours.ndim):
        yield "reversed", f"The order is reversed along axis {axis}.", np.flip(yours, axis)
        for by, way in ((-1, "late"), (1, "early")):
            text = f"The entries stand one place too {way} along axis {axis}, round its end."
            yield "moved", text, np.roll(yours, by, axis)
    if yours.ndim and yours.shape[-1] % 2 == 0 and yours.shape[-1] > 2:
        *rest, width = yours.shape
        pairs = yours.reshape(*rest, width // 2, 2)
        halves = yours.reshape(*rest, 2, width // 2)
        text = "In each pair the two have changed places."
        yield "pairs_swapped", text, pairs[..., ::-1].reshape(yours.shape)
        text = "Yours alternate; they should stand in halves."
        yield "halves", text, np.swapaxes(pairs, -1, -2).reshape(yours.shape)
        text = "Yours stand in halves; they should alternate."
        yield "halves", text, np.swapaxes(halves, -1, -2).reshape(yours.shape)
