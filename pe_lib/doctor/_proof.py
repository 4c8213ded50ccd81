"""The one proof: an array computed again from a recipe, and every entry compared.

Here, and nowhere else, stands how far an entry may be from its rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

EXACT = 4e-15  # how much a float64 angle of 1 may be off
SINGLE = 4e-7  # how much a float32 angle may be off, as a share: a frequency, a product, a sine
NUDGE = 3e-7  # so far from the middle between two numbers of a format, either may be taken
BLIND = 0.25  # an entry that may be this far off proves nothing
SAMPLE = 1 << 16  # entries compared while roundings are tried
HALVES = ("float16", "bfloat16")


@dataclass(frozen=True)
class Rounding:
    """What was rounded, and to what."""

    form: str  # the format that holds the values
    where: str = "values"  # or "frequencies", "positions", "angles": what was in `rough` before
    rough: str = ""
    digits: str = ""  # in words, if the numbers were printed
    printed: float = 0.0  # half of the last decimal
    relative: bool = False  # if it is a share

    def slack(self, size: Floats | float, theta: Floats | float) -> Floats:
        """How far entries of this size, from angles theta (radians), may be off before they are
        rounded to the format that holds them."""
        turned = EXACT * (theta + 8.0)
        if self.rough:
            turned = turned + SINGLE * theta + 1.2e-7
        last = self.printed * (size if self.relative else 1.0)
        return np.asarray(turned * size + last, np.float64)

    def explains(self, x: Floats, wanted: Floats, slack: Floats) -> NDArray[np.bool_]:
        """Which entries of x lie between what the ends of the slack are rounded to."""
        low, high = (_formats.rounded(wanted + end * slack, self.form) for end in (-1, 1))
        return np.asarray((low <= x) & (x <= high))

    @property
    def half(self) -> bool:
        """Whether what came before the values was in half precision."""
        return self.rough in HALVES


class Recipe:
    """A rule of few numbers that gives an array (rows, columns)."""

    pair: Rows  # (columns,) which pair or item each column belongs to
    size: Floats  # (columns,) by which a residual is measured
    given: str = ""  # what the array is of what is rebuilt: "negated", "transposed"

    def roundings(self, values: Rounding) -> list[Rounding]:
        """What may have been rounded before the values were, which were as `values` has it."""
        raise NotImplementedError

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """The numbers of these rows, and how far each may be off before it is rounded."""
        raise NotImplementedError

    def shaped(self, x: Floats) -> Any:
        """Rows and columns, as the array was given."""
        return x


@dataclass
class Proof:
    """How a recipe explains an array: 0 by rounding, 1 but for exceptions, 2 not."""

    kind: int
    rounding: Rounding
    cost: float = 0.0  # share of the array that is excepted
    rows: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    entries: list[list[int]] = field(default_factory=list)
    residual: float = 0.0  # the largest distance of what is not excepted, as a share of the size

    @property
    def order(self) -> tuple[int, bool, float]:
        """Less is better: explained, not by half precision, few exceptions."""
        return self.kind, self.rounding.half, round(self.cost, 3)


def held(x: Floats) -> Rounding:
    """In which format an array is, or with how many digits it was printed."""
    numbers = x[np.isfinite(x)]
    form = _formats.held(numbers)
    if form == "float64" and numbers.size > 3 and (how := _formats.printed(numbers)):
        return Rounding(form, digits=how[1], printed=how[0], relative="digits" in how[1])
    for k in range(2, 7) if form == "float32" else ():  # printed, and read as float32
        if np.array_equal(_formats.rounded(np.round(numbers, k), form), numbers):
            return Rounding(form, digits=f"{k} decimals", printed=0.5 * 10.0**-k)
    return Rounding(form)


def prove(recipe: Recipe, x: Floats, values: Rounding, rows: Rows) -> Proof:
    """The rounding that explains these rows of x (all, columns), with the fewest exceptions."""
    some = rows[_some(rows.size, max(32, SAMPLE // x.shape[1]))]
    tried: list[Proof] = []
    for rounding in recipe.roundings(values):
        _, _, over = _distance(recipe, x, rounding, some)
        tried.append(_but_for(over, recipe, rounding))
        if tried[-1].kind == 0:
            break
    best = min(tried, key=lambda proof: (proof.kind, proof.cost))
    if best.kind == 2:
        return best
    off, slack, over = _distance(recipe, x, best.rounding, rows)
    proof = _but_for(over, recipe, best.rounding)
    proof.entries = [[int(rows[row]), column] for row, column in proof.entries]
    proof.residual = float((np.where(over, 0.0, off) / recipe.size).max())
    kept = np.delete(rows, proof.rows)
    proof.rows = np.setdiff1d(np.arange(len(x)), kept).tolist()  # those left out before, too
    if float((slack > BLIND * recipe.size).mean()) > 0.5:
        proof.kind = 2  # any numbers would do
    return proof


def best_of(
    guesses: Iterable[tuple[Recipe, Any]], x: Floats, values: Rounding, rows: Rows
) -> tuple[Proof, Any, Any]:
    """The proof of the recipe that explains x best, the recipe, and what belongs to it."""
    best: tuple[Proof, Any, Any] = Proof(2, values), None, None
    for recipe, more in guesses:
        proof = prove(recipe, x, values, rows)
        if proof.order < best[0].order:
            best = proof, recipe, more
        if proof.order[:2] == (0, False):
            break
    return best


def explained(recipe: Recipe, x: Floats, rounding: Rounding, exceptions: dict[str, Any]) -> bool:
    """The gate: whether every entry that is not excepted is its rule's, to the rounding."""
    _, _, over = _distance(recipe, x, rounding, np.arange(len(x)))
    over[np.asarray(exceptions["rows"], np.int64)] = False
    over[:, np.isin(recipe.pair, exceptions["pairs"])] = False
    for row, column in exceptions["entries"]:
        over[row, column] = False
    return not over.any()


def _distance(
    recipe: Recipe, x: Floats, rounding: Rounding, rows: Rows
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """How far entries are off, what slack they have, and which are off by more, block by block."""
    count = max(1, (1 << 18) // x.shape[1])
    parts = []
    for block in (rows[k : k + count] for k in range(0, rows.size, count)):
        off, slack = np.full((block.size, x.shape[1]), np.inf), np.zeros(0)
        over = np.ones(off.shape, np.bool_)
        for nudge in (0.0, NUDGE, -NUDGE) if rounding.half else (0.0,):
            wanted, slack = recipe.entries(block, rounding, nudge)
            apart = np.abs(x[block] - wanted)
            off = np.fmin(off, np.where(np.isfinite(apart), apart, np.inf))
            over &= ~rounding.explains(x[block], wanted, slack)
        parts.append((off, slack, over))
    off, slack, over = (np.concatenate([part[k] for part in parts]) for k in (0, 1, 2))
    return off, slack, over


def _but_for(over: NDArray[np.bool_], recipe: Recipe, rounding: Rounding) -> Proof:
    """What is not explained: whole pairs, rows, single entries; too much of it is no proof."""
    length, width = over.shape
    pairs = np.unique(recipe.pair[over.mean(axis=0) > 0.3])
    columns = np.isin(recipe.pair, pairs)
    if columns.sum() > width // 4:
        pairs, columns = pairs[:0], columns & False
    rest = over & ~columns
    count = rest.sum(axis=1)
    whole = count > max(2, int((~columns).sum()) // 8)
    entries = np.argwhere(rest & ~whole[:, None])
    cost = columns.sum() / width + whole.sum() / length + len(entries) / over.size
    fits = whole.sum() <= length // 2 and len(entries) <= max(1, over.size // 20)
    kind = 0 if not over.any() else 1 if fits else 2
    return Proof(kind, rounding, float(cost), np.flatnonzero(whole).tolist(), pairs.tolist(),
                 entries.tolist())  # fmt: skip


def _some(rows: int, many: int) -> Rows:
    """At most `many` of the rows: all, or the first, the last and some evenly between."""
    if rows <= many:
        return np.arange(rows)
    quarter = max(8, many // 4)
    between = quarter + (np.arange(2 * quarter) * (rows - 2 * quarter)) // (2 * quarter)
    found = np.concatenate([np.arange(quarter), between, np.arange(rows - quarter, rows)])
    return np.unique(found)
