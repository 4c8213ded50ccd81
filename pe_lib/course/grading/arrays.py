"""How wrong arrays are related to the right ones: a name, and a sentence that is true of them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.relation import Relation, of_each

Array = NDArray[np.float64]
Pair = tuple[Array, Array]  # yours, and what is right
DIFFERS = Relation("differs", "")  # nothing simple is true
OF_ONE = ("sign", "degrees", "radians", "rounded")  # what isn't true of a single number by chance
MOST = 2_000  # entries that are looked at one by one


def of_arrays(pairs: list[Pair], tolerance: float) -> Relation:
    """What is true of every pair of finite arrays that differ, of any shape: one a case.

    >>> of_arrays([(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]))], 1e-5).text
    'The order is reversed along axis 0.'
    >>> of_arrays([(np.zeros((2, 3)), np.zeros((3, 2)))], 1e-5).name
    'transposed'
    """

    def alike(one: Array, other: Array) -> bool:
        return one.shape == other.shape and np.allclose(one, other, tolerance, tolerance)

    def is_so(text: str, pair: Pair) -> bool:
        return any(text == said and alike(*both) for _, said, *both in _put_right(*pair))

    first, *others = pairs
    for name, text, mine, wanted in _put_right(*first):
        if alike(mine, wanted) and all(is_so(text, pair) for pair in others):
            return Relation(name, text)
    shaped = [yours.shape == right.shape for yours, right in pairs]
    if not all(shaped):
        in_order = all(alike(yours.ravel(), right.ravel()) for yours, right in pairs)
        text = "The entries are right, in their order." if in_order else ""
        return DIFFERS if any(shaped) else Relation("shape", text)
    if all(right.size > 2 and np.ptp(yours) == 0 < np.ptp(right) for yours, right in pairs):
        return Relation("constant", f"All entries of yours are {first[0].flat[0] + 0:.6g}.")
    found = _of_entries(pairs, tolerance)
    if found == DIFFERS and all(alike(np.sort(y, None), np.sort(r, None)) for y, r in pairs):
        return Relation("elsewhere", "These are the right entries, in other places.")
    return found


def _of_entries(pairs: list[Pair], tolerance: float) -> Relation:
    """What is true of all entries that differ, each from the right one in its place."""
    wrong = [~np.isclose(yours, right, tolerance, tolerance) for yours, right in pairs]
    cases = [(yours[off], right[off]) for (yours, right), off in zip(pairs, wrong, strict=True)]
    yours, right = (np.concatenate([case[n] for case in cases]) for n in (0, 1))
    if set(np.unique(np.append(yours, right))) <= {0, 1}:  # verdicts: nothing is one too large
        return DIFFERS
    to_whole = (np.trunc, np.rint, np.ceil)
    if len(right) > 1 and any(
        np.allclose(yours, to(right), tolerance, tolerance) for to in to_whole
    ):
        text = "Whole numbers only: is there an array of integers, a `//` or a rounding?"
        return Relation("whole", text)
    which = "Each entry" if all(map(np.all, wrong)) else "Each that differs"
    which = "In each case, yours" if len(cases) > 1 else "Yours" if wrong[0].size == 1 else which
    found = of_each(which, yours[:MOST].tolist(), right[:MOST].tolist(), tolerance)
    if found and (len(right) > 1 or found.name in OF_ONE):
        return found
    for name, what, spec, undone, done in (
        ("offset", "amount", "+.6g", np.subtract, np.add),
        ("scaled", "factor", ".6g", np.divide, np.multiply),
    ):
        with np.errstate(all="ignore"):
            by = np.array([undone(mine[0], wanted[0]) for mine, wanted in cases])
        one = np.allclose(by, by[0], tolerance)
        tells = np.unique(right).size > 1 if one else all(np.unique(r).size > 1 for _, r in cases)
        if tells and all(
            np.isfinite(n) and n and np.allclose(mine, done(wanted, n), tolerance, 1e-12)
            for n, (mine, wanted) in zip(by, cases, strict=True)
        ):
            how = f"the same {what}, {by[0]:{spec}}" if one else f"one {what}, another in each case"
            return Relation(name, f"{which} is off by {how}.")
    if len(right) > 1 and np.allclose(yours, right, 2e-3, 2e-3 * np.abs(right).max()):
        text = "Right to some three digits: was something rounded on the way?"
        return Relation("imprecise", text)
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
        if yours.ndim > right.ndim and len(mine) == 1:
            yield "too_many", f"Axis {axis}, of length 1, is one too many.", mine[0], right
        elif yours.ndim > right.ndim and len(mine):
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
