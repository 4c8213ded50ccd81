"""How a wrong array is related to the right one: a name, and a sentence that is true of the two."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, of_each

Array = NDArray[np.float64]
DIFFERS = Relation("differs", "")  # nothing simple is true
OF_ONE = ("sign", "degrees", "radians", "rounded")  # what isn't true of a single number by chance
MOST = 2_000  # entries that are looked at one by one


def of_arrays(yours: Array, right: Array, tolerance: float) -> Relation:
    """Of finite arrays that differ, of any shape.

    >>> of_arrays(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]), 1e-5).text
    'The order is reversed along axis 0.'
    >>> of_arrays(np.zeros((2, 3)), np.zeros((3, 2)), 1e-5).name
    'transposed'
    """

    def alike(one: Array, other: Array) -> bool:
        return one.shape == other.shape and np.allclose(one, other, tolerance, tolerance)

    for name, text, mine, wanted in _put_right(yours, right):
        if alike(mine, wanted):
            return Relation(name, text)
    if yours.shape != right.shape:
        in_order = yours.size == right.size and alike(yours.ravel(), right.ravel())
        return Relation("shape", "The entries are right, in their order." if in_order else "")
    if right.size > 2 and np.ptp(yours) == 0 and np.ptp(right) > tolerance:
        return Relation("constant", f"All entries of yours are {yours.flat[0] + 0:.6g}.")
    off = ~np.isclose(yours, right, rtol=tolerance, atol=tolerance).reshape(right.shape)
    which = "Yours" if right.size == 1 else "Each entry" if off.all() else "Each that differs"
    found = of_entries(which, yours[off], right[off], tolerance)
    if found == DIFFERS and alike(np.sort(yours.ravel()), np.sort(right.ravel())):
        return Relation("elsewhere", "These are the right entries, in other places.")
    return found


def of_entries(which: str, yours: Array, right: Array, tolerance: float) -> Relation:
    """Of entries that differ, each from the right one in its place."""
    if set(np.unique(np.append(yours, right))) <= {0, 1}:  # verdicts: nothing is one too large
        return DIFFERS
    if len(right) > 1 and np.allclose(yours, np.trunc(right), tolerance, tolerance):
        return Relation("whole", "Cut to whole numbers: is there an array of integers, or a `//`?")
    found = of_each(which, yours[:MOST].tolist(), right[:MOST].tolist(), tolerance)
    if found and (len(right) > 1 or found.name in OF_ONE):
        return found
    if len(np.unique(right)) < 2:
        return DIFFERS
    plus = float(yours[0] - right[0])
    if np.allclose(yours, right + plus, tolerance, 1e-12):
        return Relation("offset", f"{which} is off by the same amount, {plus:+.6g}.")
    by = yours[0] / right[0] if right.all() else 0.0
    if by and np.allclose(yours, by * right, tolerance, 1e-12):
        return Relation("scaled", f"{which} is off by the same factor, {by:.6g}.")
    if np.allclose(yours, right, 2e-3, 2e-3 * np.abs(right).max()):
        return Relation(
            "imprecise", "Right to some three digits: was something rounded on the way?"
        )
    return DIFFERS


def _put_right(yours: Array, right: Array) -> Iterator[tuple[str, str, Array, Array]]:
    """Each thing that may be wrong with an array as a whole: a name, words, and two arrays.

    They are yours with it put right, and what that then is.
    """
    if yours.ndim > 1:
        swapped = np.swapaxes(yours, -1, -2)
        yield "transposed", "Rows and columns have changed places.", swapped, right
    for axis in range(yours.ndim):
        mine = np.moveaxis(yours, axis, 0)
        wanted = np.moveaxis(right, axis, 0) if yours.ndim == right.ndim else right
        yield "reversed", f"The order is reversed along axis {axis}.", mine[::-1], wanted
        for by, way in ((-1, "late"), (1, "early")):
            said = f"The entries stand one place too {way} along axis {axis}"
            yield "moved", f"{said}, round its end.", np.roll(mine, by, 0), wanted
            if right.ndim == yours.ndim and len(mine) > 2 and np.ptp(wanted) > 0:
                pair = (mine[1:], wanted[:-1]) if way == "late" else (mine[:-1], wanted[1:])
                yield "moved", f"{said}.", *pair
        for keep, end in ((slice(1, None), "start"), (slice(-1), "end")):
            yield "cut", f"One is too many at the {end} of axis {axis}.", mine[keep], wanted
            if right.ndim == yours.ndim:
                yield "cut", f"One is missing at the {end} of axis {axis}.", mine, wanted[keep]
        if yours.ndim > right.ndim and len(mine):
            for name in ("max", "min", "sum", "mean"):
                text = f"Only `{name}` along axis {axis} is missing."
                yield "aggregate", text, getattr(mine, name)(0), right
            for n, one in enumerate(mine[:MOST]):
                yield "too_many", f"Index {n} of axis {axis} alone is wanted.", one, right
    if yours.ndim and yours.shape[-1] % 2 == 0 and yours.shape[-1] > 2:
        *rest, width = yours.shape
        pairs = yours.reshape(*rest, width // 2, 2)
        halves = yours.reshape(*rest, 2, width // 2)
        for name, text, moved in (
            ("pairs_swapped", "In each pair the two have changed places.", pairs[..., ::-1]),
            ("halves", "Yours alternate; they should stand in halves.", pairs.swapaxes(-1, -2)),
            ("halves", "Yours stand in halves; they should alternate.", halves.swapaxes(-1, -2)),
        ):
            yield name, text, moved.reshape(yours.shape), right
