"""The proof behind every diagnosis: a recipe computes the array again, and each entry is compared.

A recipe is a rule with a few numbers. How far an entry may be from its rule is decided here and
nowhere else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pe_lib.doctor import _formats
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._spacing import Spacing

EXACT = 4e-15  # the error of a float64 angle, for each radian of it
SMALLEST_ANGLE = 8.0  # radians that are added, since sines of small angles are rounded, too
SINGLE = 4e-7  # the relative error of a float32 angle: of a frequency, a product and a sine
SINGLE_SINE = 1.2e-7  # the error of a float32 sine, whatever its angle
ROUNDINGS = 3.1  # to one format, of a frequency, a position and their product; and a little more
NUDGES = (0.0, 3e-7, -3e-7)  # this near a tie between two numbers of a format, either is accepted
BLIND = 0.25  # an entry that may be off by this share of the amplitude proves nothing
FARTHEST = 1e4  # a table that starts further from 0 is believed only if nothing else is as good
HALVES = ("float16", "bfloat16")
ANY_FORMAT = "any format"  # a rounding coarser than all others: what it doesn't explain, none does

SAMPLE = 1 << 16  # entries that are compared while roundings are tried
BLOCK = 1 << 18  # entries that are compared at once, so that long arrays need little memory

# What may be excepted from a rule: a pair if this share of a column is off, as long as such pairs
# have at most a fourth of the columns; a row if more than an eighth of it, and more than two
# entries, are off; and a twentieth of all entries.
PAIR_OFF = 0.3
COLUMNS_PER_EXCEPTION = 4
ROW_PER_EXCEPTION = 8
ENTRIES_PER_EXCEPTION = 20

# --- Roundings ---


@dataclass(frozen=True)
class Rounding:
    """How an array was rounded: its format, and what was rounded on the way to its values."""

    form: str  # the format that holds the values
    where: str = "values"  # what was in format `rough`: "frequencies", "positions" or "angles"
    rough: str = ""
    digits: str = ""  # such as "4 decimals", if the numbers were printed
    printed: float = 0.0  # half a unit of the last decimal, or of the last digit as a share

    def slack(self, size: Floats | float, theta: Floats | float) -> Floats:
        """Return how far entries may be off before the format that holds them rounds them.

        `size` is their amplitude, and `theta` the angle in radians that they come from.
        """
        error = EXACT * (theta + SMALLEST_ANGLE)
        if self.rough:
            error = error + SINGLE * theta + SINGLE_SINE
        if self.rough == ANY_FORMAT:
            error = error + ROUNDINGS * _formats.UNIT["bfloat16"] * (theta + 1.0)
        last = self.printed * (size if "digits" in self.digits else 1.0)
        return np.asarray(error * size + last, np.float64)

    def explains(self, x: Floats, expected: Floats, slack: Floats) -> Booleans:
        """Tell which entries of x lie between the rounded ends of what is expected."""
        low, high = (_formats.round_to(expected + end * slack, self.form) for end in (-1, 1))
        return np.asarray((low <= x) & (x <= high))

    @property
    def half(self) -> bool:
        """Whether something was in half precision before the values."""
        return self.rough in HALVES


def read_rounding(x: Floats) -> Rounding:
    """Return the format of an array, or the digits with which it was printed."""
    numbers = x[np.isfinite(x)]
    form = _formats.narrowest_format(numbers)
    if form == "float64" and numbers.size > 3 and (how := _formats.printed_digits(numbers)):
        return Rounding(form, digits=how[1], printed=how[0])
    for k in range(2, 7) if form == "float32" else ():  # printed, and read as float32
        if np.array_equal(_formats.round_to(np.round(numbers, k), form), numbers):
            return Rounding(form, digits=f"{k} decimals", printed=0.5 * 10.0**-k)
    return Rounding(form)


# --- Recipes: each computes an array of rows and columns ---


@dataclass
class Waves:
    """The recipe of everything that turns. Column c of row r, which is position t = r + first, is

        amplitude · sin(direction · t · w[pair[c]]), or the cosine where cosine[c]

    On a grid r counts patches, and t is a patch's row for the pairs of one axis, and its column for
    those of the other.
    """

    order: Order
    spacing: Spacing
    first: float = 0.0
    direction: int = 1
    amplitude: float = 1.0  # negative if the array is negated
    backwards: bool = False  # whether the slowest pair comes first
    columns: int = 0  # of a grid
    before: int = 0  # rows before the first patch of a grid
    rows_first: bool = False  # whether the first half of a grid's columns is a patch's row
    transposed: bool = False  # whether rows and columns of the array are exchanged

    @property
    def pair(self) -> Indices:
        return self.order.pair

    @property
    def size(self) -> Floats:
        return np.full(self.pair.size, abs(self.amplitude))

    @property
    def w(self) -> Floats:
        """The frequency of each pair (n,), in radians per position."""
        axis = self.spacing.w[:: -1 if self.backwards else 1]
        return np.concatenate([axis, axis]) if self.columns else axis

    @property
    def doubts(self) -> tuple[bool, bool, bool]:
        """Properties that are believed only if no other recipe is as good."""
        return abs(self.first) > FARTHEST, self.backwards, self.direction < 0

    def roundings(self, values: Rounding) -> list[Rounding]:
        """List what may have been rounded before the values, which were rounded as `values`."""
        ways = [("float32", "values" if values.form in HALVES else "angles")]
        ways += [(form, where) for form in HALVES
                 for where in ("frequencies", "positions", "angles")]  # fmt: skip
        return [values, *(replace(values, where=where, rough=form) for form, where in ways)]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """Compute the numbers of some rows, and how far each may be off before it is rounded."""
        w, where, form = self.w, rounding.where, rounding.rough
        t = np.asarray(rows, np.float64)[:, None] - self.before
        if self.columns:
            down = (np.arange(w.size) < w.size // 2) == self.rows_first
            t = np.where(down, t // self.columns, t % self.columns)
        t = t + self.first
        theta = np.abs(t) * w
        if where in ("frequencies", "angles") and rounding.half:
            w = _formats.round_to(w * (1 + nudge), form)
        if where in ("positions", "angles") and rounding.half:
            t = _formats.round_to(t, form)
        with np.errstate(invalid="ignore"):
            angle = t * w
            if where == "angles" and rounding.half:
                angle = _formats.round_to(angle * (1 + nudge), form)
        angle = np.where(np.isfinite(angle), angle, np.nan)  # float16 ends at 65,504
        waves = np.concatenate([self.direction * np.sin(angle), np.cos(angle)], axis=1)
        expected = waves[:, self.pair + w.size * self.order.cosine]
        slack = rounding.slack(1.0, theta)
        unit = _formats.UNIT[rounding.form]  # what was measured is known no better
        if abs(self.amplitude) != 1:
            slack = slack + unit
        elif self.spacing.measured:  # a base hardly changes small angles
            slack = slack + unit * np.minimum(theta, 1.0)
        return self.amplitude * expected, abs(self.amplitude) * slack[:, self.pair]

    def shaped(self, x: Floats) -> Any:
        """Return rows and columns in the shape of the array that was diagnosed."""
        if self.order.cache:
            return tuple(np.split(x, 2, axis=1))
        return x.T if self.transposed else x


@dataclass
class FixedValues:
    """The recipe of values that stand for themselves: a list, rows, or the heads of a bias."""

    expected: Floats  # (rows, columns): of a list one row, of a bias its heads side by side
    source: Any = None  # the rule that they come from
    heads: int | None = None  # of a bias
    listed: bool = False  # whether they are a list of frequencies or slopes
    doubts: tuple[bool, ...] = ()

    @property
    def pair(self) -> Indices:
        """The unit that a column belongs to: a head of a bias, or the column itself."""
        width: int = self.expected.shape[1]
        return np.arange(width) // (width // (self.heads or width))

    @property
    def size(self) -> Floats:
        size = np.abs(self.expected)
        size = size[0] if self.listed else np.full(size.shape[1], float(size.max()))
        return np.where(size == 0, 1.0, size)

    def roundings(self, values: Rounding) -> list[Rounding]:
        """List how the values may have been rounded.

        A list may be exact, or computed in float32 or in half precision. Other values may be exact,
        rounded as they are stored, or products of numbers that were rounded before.
        """
        exact = replace(values, form="float64")
        if not self.listed:
            return [exact, values, replace(values, rough="float32"),
                    replace(values, rough=values.form)]  # fmt: skip
        is_half = values.form in HALVES
        forms = (values.form,) if is_half else ("float32", *HALVES)
        computed = [replace(values, where="frequencies", rough=form) for form in forms]
        return [exact, *computed, *([values] if is_half else [])]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """Compute the numbers of some rows, and how far each may be off before it is rounded."""
        expected = self.expected[rows]
        if not self.listed:
            more = 3 * _formats.UNIT[rounding.rough] if rounding.half else 0.0
            return expected, rounding.slack(np.abs(expected), 0.0) + more * np.abs(expected)
        if rounding.half:
            expected = _formats.round_to(expected * (1 + nudge), rounding.rough)
            rounding = replace(rounding, form="float32")
        # A power, a factor and a ramp have the errors of an angle of four radians.
        return expected, rounding.slack(np.abs(expected), 4.0)

    def shaped(self, x: Floats) -> Any:
        """Return rows and columns in the shape of the array that was diagnosed."""
        if self.listed:
            return x[0]
        return np.stack(np.split(x, self.heads, axis=1)) if self.heads else x


Recipe = Waves | FixedValues

# --- The proof ---


@dataclass
class Proof:
    """How well a recipe explains an array.

    `kind` is 0 if rounding explains every entry, 1 if it does so with few exceptions, and 2 if the
    recipe explains too little to be believed.
    """

    recipe: Any  # Waves or FixedValues
    kind: int
    rounding: Rounding
    cost: float  # the share of the array that is excepted
    rows: list[int] = field(default_factory=list)  # excepted, as are these pairs and entries
    pairs: list[int] = field(default_factory=list)
    entries: list[list[int]] = field(default_factory=list)
    residual: float = 0.0  # the largest distance of what is not excepted, as a share of the size

    @property
    def order(self) -> tuple[Any, ...]:
        """What makes one proof better than another: the smaller comes first."""
        return self.kind, self.rounding.half, round(self.cost, 3), *self.recipe.doubts


def prove(recipe: Recipe, x: Floats, values: Rounding, rows: Indices) -> Proof:
    """Find the rounding with which a recipe explains some rows of x with the fewest exceptions.

    x is the whole array (T, columns), rounded as `values`; all other rows count as exceptions.
    """
    most = max(32, SAMPLE // x.shape[1])
    step = 2 * (rows.size // (2 * most)) + 1  # odd, since multiples of 2^k hide half precision
    sample = rows[::step]

    def prove_sample(rounding: Rounding) -> Proof:
        _, _, over = _measure_distance(recipe, x, rounding, sample)
        return _list_exceptions(over, recipe, rounding)

    coarsest, proofs = prove_sample(replace(values, rough=ANY_FORMAT)), list[Proof]()
    for rounding in recipe.roundings(values) if coarsest.kind < 2 else ():
        proofs.append(prove_sample(rounding))
        if proofs[-1].cost <= coarsest.cost:  # no other rounding explains more
            break
    best = min(proofs, key=lambda proof: (proof.kind, proof.cost), default=coarsest)
    if best.kind == 2:
        return best
    off, slack, over = _measure_distance(recipe, x, best.rounding, rows)
    proof = _list_exceptions(over, recipe, best.rounding)
    proof.entries = [[int(rows[row]), column] for row, column in proof.entries]
    proof.residual = float((np.where(over, 0.0, off) / recipe.size).max())
    kept = np.delete(rows, proof.rows)
    proof.rows = np.setdiff1d(np.arange(len(x)), kept).tolist()  # with those left out before
    if float((slack > BLIND * recipe.size).mean()) > 0.5:
        proof.kind = 2  # with so much slack any numbers would pass
    return proof


def best_proof(recipes: Iterable[Any], x: Floats, values: Rounding, rows: Indices) -> Proof | None:
    """Return the proof of the recipe that explains x best, or None if none explains it."""
    best: Proof | None = None
    for recipe in recipes:
        proof = prove(recipe, x, values, rows)
        if best is None or proof.order < best.order:
            best = proof
        if not any(best.order):  # nothing can be better
            break
    return best if best and best.kind < 2 else None


def is_explained(recipe: Recipe, x: Floats, rounding: Rounding, exceptions: dict[str, Any]) -> bool:
    """Tell whether a recipe gives back every entry of x that is not listed as an exception.

    This is the gate that every sure diagnosis passes.
    """
    _, _, over = _measure_distance(recipe, x, rounding, np.arange(len(x)))
    over[np.asarray(exceptions["rows"], np.int64)] = False
    over[:, np.isin(recipe.pair, exceptions["pairs"])] = False
    for row, column in exceptions["entries"]:
        over[row, column] = False
    return not over.any()


def _measure_distance(
    recipe: Recipe, x: Floats, rounding: Rounding, rows: Indices
) -> tuple[Floats, Floats, Booleans]:
    """Return how far entries are off, their slack, and which are off by more than that."""
    count = max(1, BLOCK // x.shape[1])
    parts = []
    for block in (rows[k : k + count] for k in range(0, rows.size, count)):
        off, slack = np.full((block.size, x.shape[1]), np.inf), np.zeros(0)
        over = np.ones(off.shape, np.bool_)
        for nudge in NUDGES if rounding.half else (0.0,):
            expected, slack = recipe.entries(block, rounding, nudge)
            apart = np.abs(x[block] - expected)
            off = np.fmin(off, np.where(np.isfinite(apart), apart, np.inf))
            over &= ~rounding.explains(x[block], expected, slack)
        parts.append((off, slack, over))
    off, slack, over = (np.concatenate([part[k] for part in parts]) for k in (0, 1, 2))
    return off, slack, over


def _list_exceptions(over: Booleans, recipe: Recipe, rounding: Rounding) -> Proof:
    """List pairs, rows and single entries that are off; with too many, there is no proof."""
    length, width = over.shape
    pairs = np.unique(recipe.pair[over.mean(axis=0) > PAIR_OFF])
    columns = np.isin(recipe.pair, pairs)
    if columns.sum() > width // COLUMNS_PER_EXCEPTION:
        pairs, columns = pairs[:0], columns & False
    rest = over & ~columns
    count = rest.sum(axis=1)
    whole = count > max(2, int((~columns).sum()) // ROW_PER_EXCEPTION)
    entries = np.argwhere(rest & ~whole[:, None])
    cost = columns.sum() / width + whole.sum() / length + len(entries) / over.size
    few_entries = len(entries) <= max(1, over.size // ENTRIES_PER_EXCEPTION)
    kind = 2
    if not over.any():
        kind = 0
    elif whole.sum() <= length // 2 and few_entries:
        kind = 1
    return Proof(recipe, kind, rounding, float(cost), np.flatnonzero(whole).tolist(),
                 pairs.tolist(), entries.tolist())  # fmt: skip
