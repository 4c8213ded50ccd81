"""How a wrong array is related to the right one: a name, and a sentence that is true of the two."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, of_each
from pe_lib.course.texts import many, say

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
        return Relation("flipped", say("Each 1 is a 0, and each 0 a 1.")) if flipped else DIFFERS
    if right.ndim:
        if np.ptp(yours) == 0 and np.ptp(right) > tolerance and right.size > 2:
            value = f"{yours.flat[0] + 0:.6g}"
            return Relation("constant", say("All entries of yours are {value}.", value=value))
        for axis in (0, 1) if right.ndim == 2 else ():
            if np.ptp(yours, axis).max() == 0 and np.ptp(right, axis).max() > tolerance:
                if axis == 0:
                    return Relation("same_rows", say("All rows of yours are the same."))
                return Relation("same_columns", say("All columns of yours are the same."))
        if moved := _moved(yours, right, tolerance):
            return moved
    off = ~np.isclose(yours, right, rtol=tolerance, atol=tolerance).reshape(right.shape)
    if right.size == 1:
        which = say("Yours")
    else:
        which = say("Each entry") if off.all() else say("Each that differs")
    mine, wanted = yours[off][:_MOST].tolist(), right[off][:_MOST].tolist()
    found = of_each(which, mine, wanted, tolerance) if off.all() or len(wanted) > 1 else None
    if found and found.name == "scaled":
        by = f"{mine[0] / wanted[0]:.6g}"
        text = say("{which} is off by the same factor, {by}.", which=which, by=by)
        return Relation("scaled", text)
    if found and not (right.size == 1 and found.name in _BY_CHANCE):
        return found
    if len(mine) > 1 and not any(mine):
        return Relation("zeros", say("{which} is 0 in yours.", which=which))
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
        return Relation("reshaped", say("The entries are right, in their order."))
    if yours.ndim != right.ndim or not yours.ndim or yours.shape[1:] != right.shape[1:]:
        return Relation("shape", "")
    few, more = sorted((yours, right), key=len)
    gap, entry = len(more) - len(few), "entry" if right.ndim == 1 else "row"
    what = "missing" if len(yours) < len(right) else "extra"
    for end, rest in (("first", more[gap:]), ("last", more[:-gap])):
        if len(few) and _fits(tolerance, rest, few):
            return Relation(f"{end}_{what}", _gap(f"{end} {entry} {what}", gap))
    return Relation("shape", "")


def _gap(what: str, n: int) -> str:
    return {
        "first entry missing":
            many("The first entry is missing.", "The first {n} entries are missing.", n),
        "last entry missing":
            many("The last entry is missing.", "The last {n} entries are missing.", n),
        "first row missing":
            many("The first row is missing.", "The first {n} rows are missing.", n),
        "last row missing":
            many("The last row is missing.", "The last {n} rows are missing.", n),
        "first entry extra":
            many("The first entry is too many.", "The first {n} entries are too many.", n),
        "last entry extra":
            many("The last entry is too many.", "The last {n} entries are too many.", n),
        "first row extra":
            many("The first row is too many.", "The first {n} rows are too many.", n),
        "last row extra":
            many("The last row is too many.", "The last {n} rows are too many.", n),
    }[what]  # fmt: skip


def _transposed() -> Relation:
    return Relation("transposed", say("Rows and columns have changed places."))


def _moved(yours: Array, right: Array, tolerance: float) -> Relation | None:
    """The right entries in other places."""
    fits = partial(_fits, tolerance, right)
    if right.ndim > 1 and fits(np.swapaxes(yours, -1, -2)):
        return _transposed()
    for axis in range(right.ndim):
        if fits(np.flip(yours, axis)) and right.shape[axis] > 2:
            text = say("The order is reversed along axis {axis}.", axis=axis)
            return Relation("reversed", text)
    width = right.shape[-1]
    if width % 2 == 0 and width > 1:
        pairs = yours.reshape(*yours.shape[:-1], width // 2, 2)
        if fits(pairs[..., ::-1].reshape(right.shape)):
            return Relation("pairs_swapped", say("In each pair the two have changed places."))
        if fits(np.roll(yours, width // 2, -1)):
            return Relation("halves_swapped", say("The two halves have changed places."))
        if fits(np.swapaxes(pairs, -1, -2).reshape(right.shape)):
            text = say("Yours alternate; they should stand in halves.")
            return Relation("alternating", text)
        halves = yours.reshape(*yours.shape[:-1], 2, width // 2)
        if fits(np.swapaxes(halves, -1, -2).reshape(right.shape)):
            return Relation("halves", say("Yours stand in halves; they should alternate."))
    for axis in range(right.ndim):
        mine, wanted = np.moveaxis(yours, axis, 0), np.moveaxis(right, axis, 0)
        for step in range(1, min(4, len(wanted) - 1)):
            if np.ptp(wanted[step:]) > tolerance and _fits(tolerance, wanted[step:], mine[:-step]):
                return Relation("early", _early(step, axis))
            if np.ptp(wanted[:-step]) > tolerance and _fits(tolerance, wanted[:-step], mine[step:]):
                return Relation("late", _late(step, axis))
    if right.size > 2 and _fits(tolerance, np.sort(right, None), np.sort(yours, None)):
        return Relation("order", say("These are the right entries, in other places."))
    return None


def _early(step: int, axis: int) -> str:
    return many(
        "The entries stand one place too early along axis {axis}.",
        "The entries stand {n} places too early along axis {axis}.", step, axis=axis,
    )  # fmt: skip


def _late(step: int, axis: int) -> str:
    return many(
        "The entries stand one place too late along axis {axis}.",
        "The entries stand {n} places too late along axis {axis}.", step, axis=axis,
    )  # fmt: skip


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
            text = say("Only entries above the diagonal differ.")
            return Relation("above_diagonal", text)
        if not (off & ~np.tril(np.ones_like(off), -1)).any():
            text = say("Only entries below the diagonal differ.")
            return Relation("below_diagonal", text)
        if not (off & ~np.eye(len(off), dtype=bool)).any():
            return Relation("diagonal", say("Only entries on the diagonal differ."))
    names = ["entry"] if off.ndim == 1 else ["row", "column"]
    for axis, name in reversed(list(enumerate(names))):
        lines = np.array([line.any() for line in np.moveaxis(off, axis, 0)])
        if len(lines) > 1 and lines.sum() == 1 and (lines[0] or lines[-1]):
            end = "first" if lines[0] else "last"
            return Relation(f"{end}_{name}", _only(f"{end} {name}"))
        for lead, end in ((int(lines.argmax()), "first"), (int(lines[::-1].argmax()), "last")):
            if lead and lead == (~lines).sum() and len(lines) > 2:
                return Relation(f"{end}_right", _right(f"{end} {name}", lead))
        if off.ndim == 1 and len(lines) > 3:
            if lines[::2].all() and not lines[1::2].any():
                text = say("Only the entries at even places differ.")
                return Relation("even_entries", text)
            if lines[1::2].all() and not lines[::2].any():
                return Relation("odd_entries", say("Only the entries at odd places differ."))
    return DIFFERS


def _only(which: str) -> str:
    return {
        "first entry": say("Only the first entry differs."),
        "last entry": say("Only the last entry differs."),
        "first row": say("Only the first row differs."),
        "last row": say("Only the last row differs."),
        "first column": say("Only the first column differs."),
        "last column": say("Only the last column differs."),
    }[which]


def _right(which: str, n: int) -> str:
    return {
        "first entry": many("The first entry is right, and no other.",
                            "The first {n} entries are right, and no other.", n),
        "last entry": many("The last entry is right, and no other.",
                           "The last {n} entries are right, and no other.", n),
        "first row": many("The first row is right, and no other.",
                          "The first {n} rows are right, and no other.", n),
        "last row": many("The last row is right, and no other.",
                         "The last {n} rows are right, and no other.", n),
        "first column": many("The first column is right, and no other.",
                             "The first {n} columns are right, and no other.", n),
        "last column": many("The last column is right, and no other.",
                            "The last {n} columns are right, and no other.", n),
    }[which]  # fmt: skip
