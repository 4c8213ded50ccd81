"""Rules of few numbers, and the one proof: an array computed again, and every entry compared.

Here, and nowhere else, stands how far an entry may be from its rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pe_lib.doctor import _formats
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._spacing import Spacing

EXACT = 4e-15  # how much a float64 angle of 1 may be off
SINGLE = 4e-7  # how much a float32 angle may be off, as a share: a frequency, a product, a sine
NUDGES = (0.0, 3e-7, -3e-7)  # so near the middle between two numbers of a format, either is taken
BLIND = 0.25  # an entry that may be this far off proves nothing
SAMPLE = 1 << 16  # entries compared while roundings are tried
HALVES = ("float16", "bfloat16")
ANY_FORMAT = "any format"  # coarser than all that is tried, to see at once what none explains

# roundings


@dataclass(frozen=True)
class Rounding:
    """What was rounded, and to what."""

    form: str  # the format that holds the values
    where: str = "values"  # or "frequencies", "positions", "angles": what was in `rough` before
    rough: str = ""
    digits: str = ""  # in words, if the numbers were printed
    printed: float = 0.0  # half of the last decimal; of so many digits, as a share

    def slack(self, size: Floats | float, theta: Floats | float) -> Floats:
        """How far entries of this size, from angles theta (radians), may be off before they are
        rounded to the format that holds them."""
        turned = EXACT * (theta + 8.0)
        if self.rough:
            turned = turned + SINGLE * theta + 1.2e-7
        if (
            self.rough == ANY_FORMAT
        ):  # three roundings: of a frequency, a position, and their product
            turned = turned + 3.1 * _formats.UNIT["bfloat16"] * (theta + 1.0)
        last = self.printed * (size if "digits" in self.digits else 1.0)
        return np.asarray(turned * size + last, np.float64)

    def explains(self, x: Floats, wanted: Floats, slack: Floats) -> Booleans:
        """Which entries of x lie between what the ends of the slack are rounded to."""
        low, high = (_formats.round_to(wanted + end * slack, self.form) for end in (-1, 1))
        return np.asarray((low <= x) & (x <= high))

    @property
    def half(self) -> bool:
        """Whether what came before the values was in half precision."""
        return self.rough in HALVES


def read_rounding(x: Floats) -> Rounding:
    """In which format an array is, or with how many digits it was printed."""
    numbers = x[np.isfinite(x)]
    form = _formats.narrowest_format(numbers)
    if form == "float64" and numbers.size > 3 and (how := _formats.printed_digits(numbers)):
        return Rounding(form, digits=how[1], printed=how[0])
    for k in range(2, 7) if form == "float32" else ():  # printed, and read as float32
        if np.array_equal(_formats.round_to(np.round(numbers, k), form), numbers):
            return Rounding(form, digits=f"{k} decimals", printed=0.5 * 10.0**-k)
    return Rounding(form)


# rules: each gives an array of rows and columns


@dataclass
class Waves:
    """Everything that turns: column c of row r, which is position t = r + first, is

        amplitude · sin(direction · t · w[pair[c]]), or the cosine where cosine[c]

    On a grid r counts patches, and t is a patch's row for the pairs of one axis, and its column for
    those of the other.
    """

    order: Order
    spacing: Spacing
    first: float = 0.0
    direction: int = 1
    amplitude: float = 1.0  # negative of an array that is negated
    backwards: bool = False  # whether the slowest pair comes first
    columns: int = 0  # of a grid
    before: int = 0  # rows before a grid's first patch
    rows_first: bool = False  # of a grid, whether the first half of the columns is a patch's row
    transposed: bool = False  # whether the array has rows for columns

    @property
    def pair(self) -> Indices:
        return self.order.pair

    @property
    def size(self) -> Floats:
        return np.full(self.pair.size, abs(self.amplitude))

    @property
    def w(self) -> Floats:
        """(n,) radians per position."""
        one = self.spacing.w[:: -1 if self.backwards else 1]
        return np.concatenate([one, one]) if self.columns else one

    @property
    def odd(self) -> tuple[bool, bool, bool]:
        """What is believed only where nothing else is as good."""
        return abs(self.first) > 1e4, self.backwards, self.direction < 0

    def roundings(self, values: Rounding) -> list[Rounding]:
        """What may have been rounded before the values were, which were as `values` has it."""
        ways = [("float32", "values" if values.form in HALVES else "angles")]
        ways += [(form, where) for form in HALVES
                 for where in ("frequencies", "positions", "angles")]  # fmt: skip
        return [values, *(replace(values, where=where, rough=form) for form, where in ways)]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """The numbers of these rows, and how far each may be off before it is rounded."""
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
        angle = np.where(np.isfinite(angle), angle, np.nan)  # beyond float16
        waves = np.concatenate([self.direction * np.sin(angle), np.cos(angle)], axis=1)
        wanted = waves[:, self.pair + w.size * self.order.cosine]
        slack = rounding.slack(1.0, theta)
        unit = _formats.UNIT[rounding.form]  # what was measured is known no better
        if abs(self.amplitude) != 1:
            slack = slack + unit
        elif self.spacing.measured:  # slow pairs hardly see a base
            slack = slack + unit * np.minimum(theta, 1.0)
        return self.amplitude * wanted, abs(self.amplitude) * slack[:, self.pair]

    def shaped(self, x: Floats) -> Any:
        """Rows and columns, as the array was given."""
        if self.order.cache:
            return tuple(np.split(x, 2, axis=1))
        return x.T if self.transposed else x


@dataclass
class FixedValues:
    """Numbers by themselves: a list of frequencies or slopes; rows; the heads of a bias."""

    wanted: Floats  # (rows, columns): of a list one row, of a bias its heads side by side
    source: Any = None  # what they were made of
    heads: int | None = None  # of a bias
    listed: bool = False
    odd: tuple[bool, ...] = ()

    @property
    def pair(self) -> Indices:
        """A bias' head, or one number."""
        width: int = self.wanted.shape[1]
        return np.arange(width) // (width // (self.heads or width))

    @property
    def size(self) -> Floats:
        size = np.abs(self.wanted)
        size = size[0] if self.listed else np.full(size.shape[1], float(size.max()))
        return np.where(size == 0, 1.0, size)

    def roundings(self, values: Rounding) -> list[Rounding]:
        """Numbers that any format holds; of a list computed in float32, or in half precision; of
        others as kept, or products of rounded numbers."""
        if not self.listed:
            ways = [values, replace(values, rough="float32"), replace(values, rough=values.form)]
            return [replace(values, form="float64"), *ways]
        halves = values.form in HALVES
        forms = (values.form,) if halves else ("float32", *HALVES)
        out = [replace(values, where="frequencies", rough=form) for form in forms]
        return [replace(values, form="float64"), *out, *([values] if halves else [])]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        """As those of `Waves`."""
        wanted = self.wanted[rows]
        if not self.listed:
            more = 3 * _formats.UNIT[rounding.rough] if rounding.half else 0.0
            return wanted, rounding.slack(np.abs(wanted), 0.0) + more * np.abs(wanted)
        if rounding.half:
            wanted = _formats.round_to(wanted * (1 + nudge), rounding.rough)
            rounding = replace(rounding, form="float32")
        # a power, a factor and a ramp are as an angle of four radians
        return wanted, rounding.slack(np.abs(wanted), 4.0)

    def shaped(self, x: Floats) -> Any:
        if self.listed:
            return x[0]
        return np.stack(np.split(x, self.heads, axis=1)) if self.heads else x


Recipe = Waves | FixedValues

# the proof


@dataclass
class Proof:
    """How a recipe explains an array: 0 by rounding, 1 but for exceptions, 2 not."""

    recipe: Any  # Waves or Given
    kind: int
    rounding: Rounding
    cost: float  # share of the array that is excepted
    rows: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    entries: list[list[int]] = field(default_factory=list)
    residual: float = 0.0  # the largest distance of what is not excepted, as a share of the size

    @property
    def order(self) -> tuple[Any, ...]:
        """Less is better: explained, not by half precision, few exceptions, nothing odd."""
        return self.kind, self.rounding.half, round(self.cost, 3), *self.recipe.odd


def prove(recipe: Recipe, x: Floats, values: Rounding, rows: Indices) -> Proof:
    """The rounding that explains these rows of x (all, columns), with the fewest exceptions."""
    most = max(32, SAMPLE // x.shape[1])
    some = rows[:: 2 * (rows.size // (2 * most)) + 1]  # odd: multiples of 2^k hide half precision

    def but_for(rounding: Rounding) -> Proof:
        _, _, over = _measure_distance(recipe, x, rounding, some)
        return _list_exceptions(over, recipe, rounding)

    least, tried = but_for(replace(values, rough=ANY_FORMAT)), list[Proof]()
    for rounding in recipe.roundings(values) if least.kind < 2 else ():
        tried.append(but_for(rounding))
        if tried[-1].cost <= least.cost:  # none explains more
            break
    best = min(tried, key=lambda proof: (proof.kind, proof.cost), default=least)
    if best.kind == 2:
        return best
    off, slack, over = _measure_distance(recipe, x, best.rounding, rows)
    proof = _list_exceptions(over, recipe, best.rounding)
    proof.entries = [[int(rows[row]), column] for row, column in proof.entries]
    proof.residual = float((np.where(over, 0.0, off) / recipe.size).max())
    kept = np.delete(rows, proof.rows)
    proof.rows = np.setdiff1d(np.arange(len(x)), kept).tolist()  # those left out before, too
    if float((slack > BLIND * recipe.size).mean()) > 0.5:
        proof.kind = 2  # any numbers would do
    return proof


def best_proof(recipes: Iterable[Any], x: Floats, values: Rounding, rows: Indices) -> Proof | None:
    """The proof of the recipe that explains x best, if one does."""
    best: Proof | None = None
    for recipe in recipes:
        proof = prove(recipe, x, values, rows)
        if best is None or proof.order < best.order:
            best = proof
        if not any(best.order):  # nothing is better
            break
    return best if best and best.kind < 2 else None


def is_explained(recipe: Recipe, x: Floats, rounding: Rounding, exceptions: dict[str, Any]) -> bool:
    """The gate: whether every entry that is not excepted is its rule's, to the rounding."""
    _, _, over = _measure_distance(recipe, x, rounding, np.arange(len(x)))
    over[np.asarray(exceptions["rows"], np.int64)] = False
    over[:, np.isin(recipe.pair, exceptions["pairs"])] = False
    for row, column in exceptions["entries"]:
        over[row, column] = False
    return not over.any()


def _measure_distance(
    recipe: Recipe, x: Floats, rounding: Rounding, rows: Indices
) -> tuple[Floats, Floats, Booleans]:
    """How far entries are off, what slack they have, and which are off by more, block by block."""
    count = max(1, (1 << 18) // x.shape[1])
    parts = []
    for block in (rows[k : k + count] for k in range(0, rows.size, count)):
        off, slack = np.full((block.size, x.shape[1]), np.inf), np.zeros(0)
        over = np.ones(off.shape, np.bool_)
        for nudge in NUDGES if rounding.half else (0.0,):
            wanted, slack = recipe.entries(block, rounding, nudge)
            apart = np.abs(x[block] - wanted)
            off = np.fmin(off, np.where(np.isfinite(apart), apart, np.inf))
            over &= ~rounding.explains(x[block], wanted, slack)
        parts.append((off, slack, over))
    off, slack, over = (np.concatenate([part[k] for part in parts]) for k in (0, 1, 2))
    return off, slack, over


def _list_exceptions(over: Booleans, recipe: Recipe, rounding: Rounding) -> Proof:
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
    return Proof(recipe, kind, rounding, float(cost), np.flatnonzero(whole).tolist(),
                 pairs.tolist(), entries.tolist())  # fmt: skip
