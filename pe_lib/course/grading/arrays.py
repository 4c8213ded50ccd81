"""How a wrong array is related to the right one: a name, and a sentence that is true of the two."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, of_each

Array = NDArray[np.float64]
DIFFERS = Relation("differs", "")  # nothing simple is true
_BY_CHANCE = (
    "one_more",
    "one_less",
    "unrounded",
    "factor",
    "complement",
    "exponential",
)  # of a single number
_MOST = 2_000  # entries that are looked at one by one


def of_arrays(yours: Array, right: Array, tolerance: float) -> Relation:
    """Of finite arrays that differ, of any shape.

    >>> of_arrays(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]), 1e-5).text
    'The order is reversed along axis 0.'
    >>> of_arrays(np.zeros((2, 3)), np.zeros((3, 2)), 1e-5).name
    'transposed'
    """
    fits = partial(_fits, tolerance, right)
    if yours.shape != right.shape:
        return _shapes(yours, right, tolerance)
    if _are_flags(yours) and _are_flags(right):
        flipped = right.size > 1 and fits(1 - yours)
        return Relation("flipped", "Each 1 is a 0, and each 0 a 1.") if flipped else DIFFERS
    if right.ndim:
        if np.ptp(yours) == 0 and np.ptp(right) > tolerance and right.size > 2:
            return Relation("constant", f"All entries of yours are {yours.flat[0] + 0:.6g}.")
        for axis in (0, 1) if right.ndim == 2 else ():
            if np.ptp(yours, axis).max() == 0 and np.ptp(right, axis).max() > tolerance:
                if axis == 0:
                    return Relation("same_rows", "All rows of yours are the same.")
                return Relation("same_columns", "All columns of yours are the same.")
        if moved := _moved(yours, right, tolerance):
            return moved
    off = ~np.isclose(yours, right, rtol=tolerance, atol=tolerance).reshape(right.shape)
    which = "Yours" if right.size == 1 else "Each entry" if off.all() else "Each that differs"
    mine, wanted = yours[off][:_MOST].tolist(), right[off][:_MOST].tolist()
    found = of_each(which, mine, wanted, tolerance) if off.all() or len(wanted) > 1 else None
    if found and found.name == "scaled":
        by = mine[0] / wanted[0]
        return Relation("scaled", f"{which} is off by the same factor, {by:.6g}.")
    if found and not (right.size == 1 and found.name in _BY_CHANCE):
        return found
    if len(mine) > 1 and not any(mine):
        return Relation("zeros", f"{which} is 0 in yours.")
    return _where(off)


def _are_flags(values: Array) -> bool:
    return bool(np.isin(values, (0, 1)).all())


def _fits(tolerance: float, other: Array, one: Array) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=tolerance, atol=tolerance)


def _shapes(yours: Array, right: Array, tolerance: float) -> Relation:
    """The entries are right, or some of them, and the shape is not."""
    fits = partial(_fits, tolerance, right)
    if yours.ndim > 1 and fits(np.swapaxes(yours, -1, -2)):
        return _transposed()
    if yours.size == right.size and fits(yours.reshape(right.shape)):
        return Relation("reshaped", "The entries are right, in their order.")
    if yours.ndim != right.ndim or not yours.ndim or yours.shape[1:] != right.shape[1:]:
        return Relation("shape", "")
    few, more = sorted((yours, right), key=len)
    gap, entry = len(more) - len(few), "entry" if right.ndim == 1 else "row"
    lacks = len(yours) < len(right)
    what, said = ("missing", "missing") if lacks else ("extra", "too many")
    for end, rest in (("first", more[gap:]), ("last", more[:-gap])):
        if len(few) and _fits(tolerance, rest, few):
            return Relation(f"{end}_{what}", f"{_counted(end, entry, gap)} {said}.")
    return Relation("shape", "")


def _counted(end: str, line: str, n: int) -> str:
    """
    >>> _counted("first", "entry", 1), _counted("last", "row", 2)
    ('The first entry is', 'The last 2 rows are')
    """
    if n == 1:
        return f"The {end} {line} is"
    return f"The {end} {n} {'entries' if line == 'entry' else f'{line}s'} are"


def _transposed() -> Relation:
    return Relation("transposed", "Rows and columns have changed places.")


def _moved(yours: Array, right: Array, tolerance: float) -> Relation | None:
    """The right entries in other places."""
    fits = partial(_fits, tolerance, right)
    if right.ndim > 1 and fits(np.swapaxes(yours, -1, -2)):
        return _transposed()
    for axis in range(right.ndim):
        if fits(np.flip(yours, axis)) and right.shape[axis] > 2:
            return Relation("reversed", f"The order is reversed along axis {axis}.")
    width = right.shape[-1]
    if width % 2 == 0 and width > 1:
        pairs = yours.reshape(*yours.shape[:-1], width // 2, 2)
        if fits(pairs[..., ::-1].reshape(right.shape)):
            return Relation("pairs_swapped", "In each pair the two have changed places.")
        if fits(np.roll(yours, width // 2, -1)):
            return Relation("halves_swapped", "The two halves have changed places.")
        if fits(np.swapaxes(pairs, -1, -2).reshape(right.shape)):
            return Relation("alternating", "Yours alternate; they should stand in halves.")
        halves = yours.reshape(*yours.shape[:-1], 2, width // 2)
        if fits(np.swapaxes(halves, -1, -2).reshape(right.shape)):
            return Relation("halves", "Yours stand in halves; they should alternate.")
    for axis in range(right.ndim):
        mine, wanted = np.moveaxis(yours, axis, 0), np.moveaxis(right, axis, 0)
        for step in range(1, min(4, len(wanted) - 1)):
            if np.ptp(wanted[step:]) > tolerance and _fits(tolerance, wanted[step:], mine[:-step]):
                text = f"The entries stand {_places(step)} too early along axis {axis}."
                return Relation("early", text)
            if np.ptp(wanted[:-step]) > tolerance and _fits(tolerance, wanted[:-step], mine[step:]):
                text = f"The entries stand {_places(step)} too late along axis {axis}."
                return Relation("late", text)
    if right.size > 2 and _fits(tolerance, np.sort(right, None), np.sort(yours, None)):
        return Relation("order", "These are the right entries, in other places.")
    return None


def _places(step: int) -> str:
    return "one place" if step == 1 else f"{step} places"


def _where(off: NDArray[np.bool_]) -> Relation:
    """Which part of the array all that is wrong lies in."""
    if off.all() or off.ndim not in (1, 2) or off.size < 3:
        return DIFFERS
    if (
        off.ndim == 2
        and off.shape[0] == off.shape[1]
        and min(off.any(0).sum(), off.any(1).sum()) > 1
    ):
        if not (off & ~np.triu(np.ones_like(off), 1)).any():
            return Relation("above_diagonal", "Only entries above the diagonal differ.")
        if not (off & ~np.tril(np.ones_like(off), -1)).any():
            return Relation("below_diagonal", "Only entries below the diagonal differ.")
        if not (off & ~np.eye(len(off), dtype=bool)).any():
            return Relation("diagonal", "Only entries on the diagonal differ.")
    names = ["entry"] if off.ndim == 1 else ["row", "column"]
    for axis, name in reversed(list(enumerate(names))):
        lines = np.array([line.any() for line in np.moveaxis(off, axis, 0)])
        if len(lines) > 1 and lines.sum() == 1 and (lines[0] or lines[-1]):
            end = "first" if lines[0] else "last"
            return Relation(f"{end}_{name}", f"Only the {end} {name} differs.")
        for lead, end in ((int(lines.argmax()), "first"), (int(lines[::-1].argmax()), "last")):
            if lead and lead == (~lines).sum() and len(lines) > 2:
                return Relation(f"{end}_right", f"{_counted(end, name, lead)} right, and no other.")
        if off.ndim == 1 and len(lines) > 3:
            if lines[::2].all() and not lines[1::2].any():
                return Relation("even_entries", "Only the entries at even places differ.")
            if lines[1::2].all() and not lines[::2].any():
                return Relation("odd_entries", "Only the entries at odd places differ.")
    return DIFFERS
