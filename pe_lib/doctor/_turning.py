"""Tables and caches of turning pairs: the table of hypotheses, each proven on every entry.

    order of columns (`_orders`) x spacing and scaling (`_spacing`) x start (`_waves`)
    x rounding (`_proof`)

A wave is measured on rows that seem good, and proven on all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import exp, log

import numpy as np

from pe_lib.doctor import _formats, _numbers, _proof, _spacing, _waves
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import Floats, Rows
from pe_lib.doctor._recipes import Waves
from pe_lib.doctor._spacing import Spacing

FASTEST = 3.2  # radians a row; a pair that turns faster looks like a slower one
FEW = 8  # rules tried for one order of columns


@dataclass
class Found:
    """A recipe that explains an array, and how it was found."""

    recipe: Waves
    proof: _proof.Proof
    spacing: Spacing
    order: Order
    seen: Floats  # (n,) frequencies as measured
    backwards: bool  # the slowest pair comes first

    @property
    def odd(self) -> tuple[bool, bool, bool]:
        return abs(self.recipe.first) > 1e4, self.backwards, self.recipe.direction < 0


def search(x: Floats, orders: list[Order], rows: Rows, rotary: bool) -> Found | None:
    """The best proven hypothesis about x (T, columns), of which `rows` seem good."""
    values = _proof.held(x[rows])
    unit = max(_formats.UNIT[values.form], 0.0 if values.relative else values.printed)
    best: Found | None = None
    for measured, proven in _windows(x, rows):
        for order in orders:
            for recipe, spacing, seen, backwards in islice(
                _guesses(x, measured, order, unit, rotary), FEW
            ):
                proof = _proof.prove(recipe, x, values, proven)
                now = Found(recipe, proof, spacing, order, seen, backwards)
                if best is None or (*proof.order, *now.odd) < (*best.proof.order, *best.odd):
                    best = now
                if proof.order[:2] == (0, False) and not any(now.odd):
                    return now
        if best and best.proof.kind < 2 and best.proof.cost < 0.1:
            return best
    return best if best and best.proof.kind < 2 else None


def _windows(x: Floats, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Rows to measure, one after the other, and rows to prove."""
    run = max(np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1), key=len)  # the longest
    yield run, rows
    y = x[run]
    again = np.flatnonzero((y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1))
    if again.size and again[0] >= 7:  # rows copied: those before the first copy are its rule's
        yield run[: again[0] + 1], rows[rows <= run[again[0]]]


def _guesses(
    x: Floats, rows: Rows, order: Order, unit: float, rotary: bool
) -> Iterator[tuple[Waves, Spacing, Floats, bool]]:
    """Recipes that the measured turns suggest."""
    y, cosine = x[rows], order.cosine
    if order.alone:
        yield from _usual(x, rows, order)
    if rows.size < 2 or order.alone:
        return
    turns = _waves.turns(y[:, order.places(~cosine)], y[:, order.places(cosine)], unit)
    known = turns.doubt < 0.1
    if turns.amplitude <= 0 or not known.any():
        return
    direction = -1 if float(np.sign(turns.w[known]).sum()) < 0 else 1
    w = direction * turns.w
    known &= w > 0
    still = ~turns.angle.any(axis=0)
    doubt = np.where(w > 0, turns.doubt, np.where(still, 0.0, 1.0))
    backwards = bool(known.sum() > 1 and (np.diff(w[known]) > 0).mean() > 0.5)
    way = slice(None, None, -1 if backwards else 1)
    amplitude = turns.amplitude
    if abs(amplitude - 1) < 2 * unit + 0.5 * turns.rough + 1e-9:
        amplitude = 1.0
    for spacing in _spacing.explain(w[way], doubt[way], rotary):
        rule = spacing.w[way]
        if rule.max() > FASTEST:
            continue
        seen = known & (rule > 0)
        first = _waves.start(direction * turns.phase()[seen], rule[seen])
        recipe = Waves(rule, order.pair, cosine, first - float(rows[0]), direction, amplitude,
                       order.cache, spacing.measured)  # fmt: skip
        if spacing.measured and not backwards:
            t = np.asarray(direction * (np.arange(rows.size) + first), np.float64)
            for better in _polished(spacing, turns.angle, t, unit, rotary):
                exact = replace(recipe, w=better.w, measured=better.measured)
                yield exact, better, w, backwards
        else:
            yield recipe, spacing, w, backwards


def _usual(x: Floats, rows: Rows, order: Order) -> Iterator[tuple[Waves, Spacing, Floats, bool]]:
    """Of columns that are each one wave, from position 0: the usual bases that come nearest."""
    n, few = int(order.pair.max()) + 1, rows[:8]
    fits: list[tuple[float, int, Waves, Spacing]] = []
    own = order.problem == "own_frequencies"
    for base in _numbers.BASES if rows[0] == 0 else ():
        for power, name, dimension in ((1, "2i/d", "j/d"), (2, "4i/d", "2j/d")):
            recipe = Waves(_spacing.plain(n, base**power), order.pair, order.cosine, 0.0, 1, 1.0)
            wanted, _ = recipe.entries(few, _proof.Rounding("float64"), 0.0)
            exponent = "own" if own else name
            spacing = Spacing(recipe.w, base, exponent, [(base, exponent)], evidence=float(n))
            spacing.details = {"own_exponent": dimension} if own else {}
            fits.append((float(np.abs(x[few] - wanted).mean()), len(fits), recipe, spacing))
    for _, _, recipe, spacing in sorted(fits, key=lambda fit: fit[:2])[:3]:
        yield recipe, spacing, recipe.w, False


def _polished(
    spacing: Spacing, angle: Floats, t: Floats, unit: float, rotary: bool
) -> Iterator[Spacing]:
    """The measured base again, by least squares (Gauss and Newton) over the angles of rows t."""
    few = slice(None, None, max(1, t.size // 1024))
    w, n, weight = spacing.w, spacing.w.size, 1.0
    i, fall = np.arange(n), log(w[0] / w[1])
    for _ in range(3):
        theta = t[few, None] * w
        left = _waves.near_zero(angle[few] - theta)
        slope = np.where(np.abs(left) < 0.2, theta * i, 0.0)
        weight = max(float((slope * slope).sum()), 1e-300)
        more = -float((left * slope).sum()) / weight
        if not abs(more) < 1:  # a base that is e times off was not measured
            return
        w = w * np.exp(-more * i)
        fall += more
    if not 0 < fall * n < 600:
        return
    base, digits = _numbers.chosen(exp(fall * n), max(4 * unit / weight**0.5 * n, 1e-12))
    for final in [log(base) / n, fall] if digits <= 3 else [fall]:
        kinds = _spacing.readings(n, final, 1e-9, rotary)
        kinds.sort(key=lambda kind: kind[1] != "2i/d")
        yield replace(spacing, w=w[0] * np.exp(-final * i), base=kinds[0][0],
                      exponent="2i/d", readings=kinds, measured=final == fall)  # fmt: skip
