"""Check a diagnosis by recomputing the array from the diagnosed rule and comparing every entry.

A recipe is a rule together with the few numbers that the rule needs. Only this module decides how
far an entry may be from the value that a recipe gives.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pe_lib.doctor import _formats
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._spacing import Spacing

EXACT = 4e-15  # the error of an angle in float64, per radian
# Even the sine of a small angle is rounded, so error bounds are computed as if every angle were
# larger by this many radians.
SMALLEST_ANGLE = 8.0
# The relative error of an angle in float32, where the frequency, product and sine are rounded. The
# logarithm of a frequency is near 10, and its own rounding is as large as the others together.
SINGLE = 7e-7
SINGLE_SINE = 1.2e-7  # the absolute error of a float32 sine, for any angle
# Rounding the frequency, the position and their product adds up to about three rounding errors.
ROUNDINGS = 3.1
# A number close to halfway between two float16 values may be rounded either way, so the expected
# numbers are also tried with these small relative changes.
NUDGES = (0.0, 3e-7, -3e-7)
BLIND = 0.25  # if the allowed error exceeds this share of the amplitude, agreement proves nothing
# A recipe whose first position is further from 0 than this wins only if no other fits as well.
FARTHEST = 1e4
HALVES = ("float16", "bfloat16")
# This rounding allows the largest errors, so it fits whenever any other rounding fits.
ANY_FORMAT = "any format"

# While roundings are tried, only about this many entries are compared.
SAMPLE = 1 << 16
# Entries are compared in blocks of about this many, so that long arrays need little memory.
BLOCK = 1 << 18

# The following limits decide how many exceptions a rule may have.
# A pair of columns is an exception if more than this share of one column's entries is wrong.
# At most a fourth of all columns may belong to exceptional pairs.
# A row is an exception if more than an eighth of its entries, and at least three, are wrong.
# At most a twentieth of all entries may be single exceptions.
PAIR_OFF = 0.3
COLUMNS_PER_EXCEPTION = 4
ROW_PER_EXCEPTION = 8
ENTRIES_PER_EXCEPTION = 20

# --- Roundings ---


@dataclass(frozen=True)
class Rounding:
    """How an array was rounded: its storage format, and any coarser rounding before storage."""

    form: str  # the number format that stores the values
    # The step that was rounded to half precision: "frequencies", "positions", "angles" if both of
    # these and their product were rounded, or "angle" if only the exact product was rounded.
    where: str = "values"
    rough: str = ""  # the format to which that step was rounded, or "" if no step was
    # For printed numbers, a text such as "4 decimals".
    digits: str = ""
    # The largest printing error: absolute for decimals, and relative for significant digits.
    printed: float = 0.0

    def slack(self, size: Floats | float, theta: Floats | float) -> Floats:
        """Return how far off an entry may be before it is rounded for storage.

        `size` is the amplitude of the entries, and `theta` is their angle in radians.
        """
        error = EXACT * (theta + SMALLEST_ANGLE)
        if self.rough:
            error = error + SINGLE * theta + SINGLE_SINE
        if self.rough == ANY_FORMAT:
            error = error + ROUNDINGS * _formats.UNIT["bfloat16"] * (theta + 1.0)
        last = self.printed * (size if "digits" in self.digits else 1.0)
        return np.asarray(error * size + last, np.float64)

    def explains(self, x: Floats, expected: Floats, slack: Floats) -> Booleans:
        """Return which entries of x lie within `slack` of the expected values, after rounding."""
        low, high = (_formats.round_to(expected + end * slack, self.form) for end in (-1, 1))
        return np.asarray((low <= x) & (x <= high))

    @property
    def half(self) -> bool:
        """Return whether an intermediate result was rounded to half precision."""
        return self.rough in HALVES


def read_rounding(x: Floats) -> Rounding:
    """Return the format of an array, or the digits with which its numbers were printed."""
    numbers = x[np.isfinite(x)]
    form = _formats.narrowest_format(numbers)
    if form == "float64" and numbers.size > 3 and (how := _formats.printed_digits(numbers)):
        return Rounding(form, digits=how[1], printed=how[0])
    # Numbers with few decimals may have been printed and later read back as float32.
    for k in range(2, 7) if form == "float32" else ():
        if np.array_equal(_formats.round_to(np.round(numbers, k), form), numbers):
            return Rounding(form, digits=f"{k} decimals", printed=0.5 * 10.0**-k)
    return Rounding(form)


def list_readings_of_digits(values: Rounding) -> list[Rounding]:
    """List two roundings for numbers with few digits: exact numbers first, then printed numbers.

    Even exact numbers may have few digits, such as the frequencies 1, 0.1 and 0.01.
    """
    return [replace(values, digits="", printed=0.0), values] if values.digits else [values]


# --- Recipes, which compute the entries of an array ---


@dataclass
class Waves:
    """The recipe for an array of sines and cosines.

    In row r, at position t = r + first, column c is

        amplitude · sin(direction · t · w[pair[c]]), or the cosine where cosine[c]

    On a grid, r counts patches. There t is a patch's row for the pairs of one axis, and the patch's
    column for the pairs of the other axis.
    """

    order: Order
    spacing: Spacing
    first: float = 0.0
    direction: int = 1
    amplitude: float = 1.0  # negative if the whole array is negated
    backwards: bool = False  # whether the columns begin with the slowest pair
    columns: int = 0  # the number of columns of a grid
    before: int = 0  # the number of rows before the first patch of a grid
    # Whether the first half of the columns encodes each patch's row on the grid.
    rows_first: bool = False
    # The positions of all rows on each axis (T, axes), and the axis of each pair. Both are None if
    # the row number gives the position.
    places: Floats | None = None
    axis: Indices | None = None
    transposed: bool = False  # whether the recipe gives the transpose of the array
    ahead: int = 0  # how many positions the sines of a row are ahead of its cosines

    @property
    def pair(self) -> Indices:
        return self.order.pair

    @property
    def size(self) -> Floats:
        return np.full(self.pair.size, abs(self.amplitude))

    @property
    def w(self) -> Floats:
        """Return the frequency of each pair (n,), in radians per position."""
        axis = self.spacing.w[:: -1 if self.backwards else 1]
        return np.concatenate([axis, axis]) if self.columns else axis

    @property
    def doubts(self) -> tuple[bool, bool, bool]:
        """Return which unlikely properties the recipe has, because likely recipes are preferred."""
        return abs(self.first) > FARTHEST, self.backwards, self.direction < 0

    def roundings(self, values: Rounding) -> list[Rounding]:
        """List the ways in which an earlier step may have been rounded before storage."""
        ways = [("float32", "values" if values.form in HALVES else "angles")]
        ways += [(form, where) for form in HALVES
                 for where in ("frequencies", "positions", "angles", "angle")]  # fmt: skip
        return [values, *(replace(values, where=where, rough=form) for form, where in ways)]

    def positions(self, rows: Any) -> Floats:
        """Return each pair's position in some rows: (rows, n), or (rows, 1) if all pairs agree."""
        if self.places is not None:
            return np.asarray(self.places[rows][:, self.axis], np.float64)
        t = np.asarray(rows, np.float64)[:, None] - self.before
        if self.columns:
            n = self.w.size
            down = (np.arange(n) < n // 2) == self.rows_first
            t = np.where(down, t // self.columns, t % self.columns)
        return t + self.first

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """Compute some rows of the array, and the largest error of each entry before rounding."""
        w, where, form = self.w, rounding.where, rounding.rough
        t = self.positions(rows)
        theta = np.abs(t) * w
        if where in ("frequencies", "angles") and rounding.half:
            w = _formats.round_to(w * (1 + nudge), form)
        if where in ("positions", "angles") and rounding.half:
            t = _formats.round_to(t, form)
        angles = []
        for place in (t + self.ahead, t):
            with np.errstate(invalid="ignore"):
                angle = place * w
                if where in ("angles", "angle") and rounding.half:
                    angle = _formats.round_to(angle * (1 + nudge), form)
            # Angles above 65,504, the largest float16, overflow to infinity and become NaN.
            angles.append(np.where(np.isfinite(angle), angle, np.nan))
        waves = np.concatenate([self.direction * np.sin(angles[0]), np.cos(angles[1])], axis=1)
        expected = waves[:, self.pair + w.size * self.order.cosine]
        slack = rounding.slack(1.0, theta)
        unit = _formats.UNIT[rounding.form]  # the relative uncertainty of a measured amplitude
        if abs(self.amplitude) != 1:
            slack = slack + unit
        # A measured base is uncertain, too. Small angles hardly depend on the base, so their bound
        # grows by less.
        elif self.spacing.measured:
            slack = slack + unit * np.minimum(theta, 1.0)
        return self.amplitude * expected, abs(self.amplitude) * slack[:, self.pair]

    def reshape_entries(self, x: Floats) -> Any:
        """Reshape a matrix of entries to the shape of the diagnosed array."""
        if self.order.cache:
            parts = np.split(x, 2, axis=1)
            return tuple(part.T if self.transposed else part for part in parts)
        return x.T if self.transposed else x


@dataclass
class FixedValues:
    """The recipe for an array whose values are stored, such as a list, a mask or a bias."""

    # The values have shape (rows, columns). A list has a single row, and a bias has its heads side
    # by side.
    expected: Floats
    source: Any = None  # the rule that produced the values
    heads: int | None = None  # the number of heads of a bias
    # Whether the values form a list of frequencies or slopes.
    listed: bool = False
    doubts: tuple[bool, ...] = ()

    @property
    def pair(self) -> Indices:
        """For each column, return its head's number in a bias, or otherwise its own number."""
        width: int = self.expected.shape[1]
        return np.arange(width) // (width // (self.heads or width))

    @property
    def size(self) -> Floats:
        size = np.abs(self.expected)
        size = size[0] if self.listed else np.full(size.shape[1], float(size.max()))
        return np.where(size == 0, 1.0, size)

    def roundings(self, values: Rounding) -> list[Rounding]:
        """List the ways in which the stored values may have been rounded.

        A list may be exact, or computed in float32 or in half precision. Other values may be exact,
        or rounded when they were stored, or products of numbers that were already rounded.
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
        """Compute some rows of the array, and the largest error of each entry before rounding."""
        expected = self.expected[rows]
        if not self.listed:
            more = 3 * _formats.UNIT[rounding.rough] if rounding.half else 0.0
            return expected, rounding.slack(np.abs(expected), 0.0) + more * np.abs(expected)
        if rounding.half:
            expected = _formats.round_to(expected * (1 + nudge), rounding.rough)
            rounding = replace(rounding, form="float32")
        # Computing a frequency as a power with a factor and a ramp may cause as much error as
        # computing a sine at four radians.
        return expected, rounding.slack(np.abs(expected), 4.0)

    def reshape_entries(self, x: Floats) -> Any:
        """Reshape a matrix of entries to the shape of the diagnosed array."""
        if self.listed:
            return x[0]
        return np.stack(np.split(x, self.heads, axis=1)) if self.heads else x


Recipe = Waves | FixedValues

# --- The proof ---


@dataclass
class Proof:
    """The result of comparing an array with a recipe: rounding, exceptions and largest error.

    `kind` is 0 if rounding explains every entry, 1 if it does so with few exceptions, and 2 if the
    recipe explains too little to be believed.
    """

    recipe: Any  # an object of type Waves or FixedValues
    kind: int
    rounding: Rounding
    cost: float  # the share of entries that are exceptions
    # The indices of the exceptional rows, pairs and entries.
    rows: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    entries: list[list[int]] = field(default_factory=list)
    # the largest error among entries that are no exceptions, as a share of the amplitude
    residual: float = 0.0

    @property
    def exact(self) -> bool:
        """Return whether every entry follows the rule as closely as the array's format allows."""
        return self.kind == 0 and self.rounding.rough in ("", self.rounding.form)

    @property
    def order(self) -> tuple[Any, ...]:
        """Return a sorting key that puts the best proof first."""
        return self.kind, self.rounding.half, round(self.cost, 3), *self.recipe.doubts


def prove(recipe: Recipe, x: Floats, values: Rounding, rows: Indices) -> Proof:
    """Compare some rows of an array x with a recipe, and return the best proof for this recipe.

    Each way in which the recipe's numbers may have been rounded gives a proof, and the best proof
    has the fewest exceptions. x is the whole array (T, columns), stored with the rounding `values`.
    Its rows that are not among `rows` count as exceptions.
    """
    most = max(32, SAMPLE // x.shape[1])
    # The step is odd, because positions that are multiples of a power of two would be exact even in
    # half precision, and so hide that positions were rounded.
    step = 2 * (rows.size // (2 * most)) + 1
    sample = rows[::step]

    def prove_sample(rounding: Rounding) -> Proof:
        _, _, over = _measure_distance(recipe, x, rounding, sample)
        return _list_exceptions(over, recipe, rounding)

    coarsest, proofs = prove_sample(replace(values, rough=ANY_FORMAT)), list[Proof]()
    for rounding in recipe.roundings(values) if coarsest.kind < 2 else ():
        proofs.append(prove_sample(rounding))
        # No rounding explains more entries than the coarsest rounding, so the search can stop here.
        if proofs[-1].cost <= coarsest.cost:
            break
    best = min(proofs, key=lambda proof: (proof.kind, proof.cost), default=coarsest)
    if best.kind == 2:
        return best
    off, slack, over = _measure_distance(recipe, x, best.rounding, rows)
    proof = _list_exceptions(over, recipe, best.rounding)
    proof.entries = [[int(rows[row]), column] for row, column in proof.entries]
    proof.residual = float((np.where(over, 0.0, off) / recipe.size).max())
    kept = np.delete(rows, proof.rows)
    # Rows of x that are not among `rows` also count as exceptions.
    proof.rows = np.setdiff1d(np.arange(len(x)), kept).tolist()
    if float((slack > BLIND * recipe.size).mean()) > 0.5:
        proof.kind = 2  # with errors this large, any numbers would be accepted
    return proof


def best_proof(recipes: Iterable[Any], x: Floats, values: Rounding, rows: Indices) -> Proof | None:
    """Return the proof of the recipe that explains x best, or None if no recipe explains x."""
    best: Proof | None = None
    for recipe in recipes:
        proof = prove(recipe, x, values, rows)
        if best is None or proof.order < best.order:
            best = proof
        if not any(best.order):  # no other recipe can have a better proof
            break
    return best if best and best.kind < 2 else None


def is_explained(recipe: Recipe, x: Floats, rounding: Rounding, exceptions: dict[str, Any]) -> bool:
    """Return whether a recipe reproduces every entry of x that is not listed as an exception.

    Every certain diagnosis has passed this check.
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
    """For each entry, return the error, its bound, and whether the error exceeds the bound."""
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
    """List the pairs, rows and entries of an array that contradict a recipe."""
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
