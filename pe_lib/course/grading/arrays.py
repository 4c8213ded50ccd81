"""Describe how the arrays in a wrong answer are related to the arrays in the correct answer."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, relate_each

Array = NDArray[np.float64]
Pair = tuple[Array, Array]  # the learner's array, and the correct array
# says that the arrays differ, but that no simple relation holds between them
DIFFERS = Relation("differs", "")
# A wrong number rarely has one of these relations to the right number by chance. So feedback may
# mention them even if only one number is wrong.
OF_ONE = ("sign", "degrees", "radians", "rounded")
MOST = 2_000  # in larger arrays, only this many wrong entries are compared one by one
# np.roll must move the entries by this many places to undo the shift
SHIFTS = {"late": -1, "early": 1}


class Repair(NamedTuple):
    """A relation that two arrays may have, and both arrays after a change that tests this relation.

    The relation holds if the changed arrays are equal.

    `yours` is the learner's array after a change that undoes the relation.
    """

    relation: Relation
    yours: Array
    right: Array


def relate_arrays(pairs: list[Pair], tolerance: float) -> Relation:
    """Return a relation that each of the learner's arrays has to its correct array.

    All arrays are finite, and each pair comes from one case on which an answer was tried.

    >>> relate_arrays([(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]))], 1e-5).text
    'The order is reversed along axis 0.'
    >>> relate_arrays([(np.zeros((2, 3)), np.zeros((3, 2)))], 1e-5).name
    'transposed'
    """

    def is_alike(yours: Array, right: Array) -> bool:
        return yours.shape == right.shape and np.allclose(yours, right, tolerance, tolerance)

    def is_repaired(text: str, pair: Pair) -> bool:
        repairs = (repair for repair in _repairs(*pair) if repair.relation.text == text)
        return any(is_alike(repair.yours, repair.right) for repair in repairs)

    first, *others = pairs
    for relation, yours, right in _repairs(*first):
        if is_alike(yours, right) and all(is_repaired(relation.text, pair) for pair in others):
            return relation
    has_shape = [yours.shape == right.shape for yours, right in pairs]
    if not all(has_shape):
        in_order = all(is_alike(yours.ravel(), right.ravel()) for yours, right in pairs)
        text = "Its entries are right and in the right order." if in_order else ""
        return DIFFERS if any(has_shape) else Relation("shape", text)
    if all(right.size > 2 and np.ptp(yours) == 0 < np.ptp(right) for yours, right in pairs):
        return Relation("constant", f"All of your entries are {first[0].flat[0] + 0:.6g}.")
    relation = _relate_entries(pairs, tolerance)
    if relation == DIFFERS and all(is_alike(np.sort(y, None), np.sort(r, None)) for y, r in pairs):
        return Relation(
            "elsewhere", "You have the right entries, but they are in the wrong places."
        )
    return relation


def _relate_entries(pairs: list[Pair], tolerance: float) -> Relation:
    """Relate each wrong entry of the arrays to the correct entry at the same place."""
    wrong = [~np.isclose(yours, right, tolerance, tolerance) for yours, right in pairs]
    cases = [(yours[off], right[off]) for (yours, right), off in zip(pairs, wrong, strict=True)]
    yours, right = (np.concatenate([case[n] for case in cases]) for n in (0, 1))
    # if all entries are 0 or 1, remarks about size or rounding would make no sense
    if set(np.unique(np.append(yours, right))) <= {0, 1}:
        return DIFFERS
    roundings = (np.trunc, np.rint, np.ceil)
    # If an answer also has entries with fractions, its zeros may be entries that were never filled
    # in. So the learner is told about rounding only if all entries are whole numbers.
    are_whole = all(np.allclose(mine, np.round(mine), 0, 1e-9) for mine, _ in pairs)
    if (
        are_whole
        and len(right) > 1
        and any(np.allclose(yours, rounding(right), tolerance, tolerance) for rounding in roundings)
    ):
        text = (
            "Your entries are whole numbers. Did you use `//`, round, or fill an array of integers?"
        )
        return Relation("whole", text)
    which = "Each of your entries" if all(map(np.all, wrong)) else "Each of your wrong entries"
    which = "Your value" if wrong[0].size == 1 else which
    which = "In each case, your value" if len(cases) > 1 else which
    relation = relate_each(which, yours[:MOST].tolist(), right[:MOST].tolist(), tolerance)
    if relation and (len(right) > 1 or relation.name in OF_ONE):
        return relation
    if relation := _relate_by_one_number(which, cases, right, tolerance):
        return relation
    if len(right) > 1 and np.allclose(yours, right, 2e-3, 2e-3 * np.abs(right).max()):
        text = "Your entries are right to about three digits. Did you round too early?"
        return Relation("imprecise", text)
    return DIFFERS


def _relate_by_one_number(
    which: str, cases: list[Pair], right: Array, tolerance: float
) -> Relation | None:
    """Return a relation if one common amount or factor explains all wrong entries of each array."""
    for name, what, spec, undo, apply in (
        ("offset", "amount", "+.6g", np.subtract, np.add),
        ("scaled", "factor", ".6g", np.divide, np.multiply),
    ):
        with np.errstate(all="ignore"):
            by = np.array([undo(mine[0], expected[0]) for mine, expected in cases])
        is_same = np.allclose(by, by[0], tolerance)
        spread = [right] if is_same else [expected for _, expected in cases]
        # if all correct entries are equal, every wrong array with equal entries would fit
        if any(np.unique(values).size < 2 for values in spread):
            continue
        if all(
            np.isfinite(n) and n and np.allclose(mine, apply(expected, n), tolerance, 1e-12)
            for n, (mine, expected) in zip(by, cases, strict=True)
        ):
            number = f"the same {what}, {by[0]:{spec}}"
            how = number if is_same else f"one {what}, which is different in each case"
            return Relation(name, f"{which} is off by {how}.")
    return None


def _repairs(yours: Array, right: Array) -> Iterator[Repair]:
    """For each relation that two whole arrays may have, yield the change that would undo it."""
    if yours.ndim > 1:
        swapped = np.swapaxes(yours, -1, -2)
        yield Repair(
            Relation("transposed", "Rows and columns have changed places."), swapped, right
        )
    for axis in range(yours.ndim):
        yield from _repairs_along(axis, yours, right)
    if yours.ndim and yours.shape[-1] % 2 == 0 and yours.shape[-1] > 2:
        yield from _repairs_of_pairs(yours, right)


def _repairs_along(axis: int, yours: Array, right: Array) -> Iterator[Repair]:
    """Test whether the learner's array is reversed, shifted, too short or too long along an axis.

    Yield a repair for each of these relations. If the array has too many axes, also yield repairs
    that remove this axis.
    """
    mine = np.moveaxis(yours, axis, 0)
    has_same_axes = yours.ndim == right.ndim
    expected = np.moveaxis(right, axis, 0) if has_same_axes else right
    text = f"The order is reversed along axis {axis}."
    yield Repair(Relation("reversed", text), mine[::-1], expected)
    for way, by in SHIFTS.items():
        text = f"Your entries are one place too {way} along axis {axis}"
        yield Repair(
            Relation(
                "moved",
                f"{text}, and the entries that were pushed out came in again at the other end.",
            ),
            np.roll(mine, by, 0),
            expected,
        )
        if has_same_axes and len(mine) > 2 and np.ptp(expected) > 0:
            pair = (mine[1:], expected[:-1]) if way == "late" else (mine[:-1], expected[1:])
            yield Repair(Relation("moved", f"{text}."), *pair)
    for keep, end in ((slice(1, None), "start"), (slice(-1), "end")):
        text = f"Along axis {axis}, there is one entry too many at the {end}."
        yield Repair(Relation("cut", text), mine[keep], expected)
        if has_same_axes:
            text = f"Along axis {axis}, one entry is missing at the {end}."
            yield Repair(Relation("cut", text), mine, expected[keep])
    if yours.ndim > right.ndim:
        yield from _repairs_of_axis(axis, mine, right)


def _repairs_of_axis(axis: int, mine: Array, right: Array) -> Iterator[Repair]:
    """Yield repairs that remove the first axis of `mine`, in case the correct array lacks it."""
    if len(mine) == 1:
        text = f"Your array has one axis too many: axis {axis}, of length 1."
        yield Repair(Relation("too_many", text), mine[0], right)
    elif len(mine):
        for name in ("max", "min", "sum", "mean"):
            text = f"Your array becomes right if you take its `{name}` along axis {axis}."
            yield Repair(Relation("aggregate", text), getattr(mine, name)(0), right)
        for n, entry in enumerate(mine[:MOST]):
            text = (
                f"The right result is only the part at index {n} along axis {axis} of your array."
            )
            yield Repair(Relation("too_many", text), entry, right)


def _repairs_of_pairs(yours: Array, right: Array) -> Iterator[Repair]:
    """Test whether the learner has put sines and cosines, or other pairs, in the wrong order.

    Yield repairs that swap the two entries of each pair, or that change between the layout in
    alternating entries and the layout in two halves.
    """
    *rest, width = yours.shape
    pairs = yours.reshape(*rest, width // 2, 2)
    halves = yours.reshape(*rest, 2, width // 2)
    for name, text, rearranged in (
        ("pairs_swapped", "In each pair, the two entries have changed places.", pairs[..., ::-1]),
        (
            "halves",
            "Your entries alternate, but they should be in two halves.",
            pairs.swapaxes(-1, -2),
        ),
        (
            "halves",
            "Your entries are in two halves, but they should alternate.",
            halves.swapaxes(-1, -2),
        ),
    ):
        yield Repair(Relation(name, text), rearranged.reshape(yours.shape), right)
