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
from pe_lib.doctor._waves import Turns

FASTEST = 3.2  # radians a row; a pair that turns faster looks like a slower one
FEW = 6  # rules tried for one order of columns


@dataclass
class Found:
    """A recipe that explains an array, and how it was found."""

    recipe: Waves
    proof: _proof.Proof
    spacing: Spacing
    order: Order
    turns: Turns
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
            for guess in islice(_guesses(x, measured, order, unit, rotary), FEW):
                recipe, spacing, turns, backwards = guess
                proof = _proof.prove(recipe, x, values, proven)
                now = Found(recipe, proof, spacing, order, turns, backwards)
                if best is None or (*proof.order, *now.odd) < (*best.proof.order, *best.odd):
                    best = now
                if proof.kind == 0 and not any(now.odd):
                    return now
        if best and best.proof.kind < 2 and best.proof.cost < 0.1:
            return best
    return best if best and best.proof.kind < 3 else None


def _windows(x: Floats, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Rows to measure, one after the other, and rows to prove."""
    run = max(np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1), key=len)  # the longest
    yield run, rows
    y = x[run]
    again = np.flatnonzero((y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1))
    if again.size and again[0] >= 7:  # rows copied: those before the first copy are its rule's
        yield run[: again[0] + 1], rows[rows <= run[again[0]]]
    half = run.size // 2
    if half >= 16:
        yield run[:half], rows
        yield run[half:], rows


def _guesses(
    x: Floats, rows: Rows, order: Order, unit: float, rotary: bool
) -> Iterator[tuple[Waves, Spacing, Turns, bool]]:
    """Recipes that the measured turns suggest."""
    if rows.size < 2 + (order.cosines is None) or order.sines.size == 0:
        return
    y = x[rows]
    if order.cosines is None:
        found = _waves.alone(y[:, order.sines], unit)
        found.phase = found.phase - np.where(order.cosine[order.sines], np.pi / 2, 0.0)
        still = np.zeros(order.sines.size, bool)
    else:
        found = _waves.turns(y[:, order.sines], y[:, order.cosines], unit)
        still = np.asarray(~y[:, order.sines].any(axis=0))
    known = found.doubt < 0.1
    if found.amplitude == 0 or not known.any():
        return
    direction = -1 if float(np.sign(found.w[known]).sum()) < 0 else 1
    w = direction * found.w
    doubt = np.where(w > 0, found.doubt, np.where(known, 0.2, 1.0))
    if still.any() and not still.all():
        w, doubt = np.where(still, 0.0, w), np.where(still, 1e-9, doubt)
    seen = w[known & (w > 0)]
    backwards = bool(seen.size > 1 and (np.diff(seen) > 0).mean() > 0.5)
    way = slice(None, None, -1 if backwards else 1)
    amplitude = found.amplitude
    alone = 0.02 if order.cosines is None else 0.0  # which tells its amplitude less well
    if abs(amplitude - 1) < 2 * unit + 0.5 * found.rough + 1e-6 * (found.rough > 1e-7) + alone:
        amplitude = 1.0
    for spacing in _spacing.explain(w[way], doubt[way], rotary):
        rule, size = spacing.w[way], amplitude
        if rule.max() > FASTEST:
            continue
        first, off = _waves.start(found, rule, direction)
        if off > 0.5:  # half a turn on, and all is negated
            negated = replace(found, phase=found.phase + np.pi)
            other, off = _waves.start(negated, rule, direction)
            if off < 0.1:
                first, size = other, -amplitude
        first -= float(rows[0])
        whole = float(np.floor(first + 0.5))
        first = whole if abs(first - whole) < 0.02 else first
        if order.pair.max() == rule.size:  # an odd width: one sine more
            after = rule[-1] ** 2 / rule[-2] if rule.size > 1 else 0.0
            rule = np.concatenate([rule, [after]])
        recipe = Waves(rule, order.pair, order.cosine, first, direction, size, order.cache,
                       spacing.measured)  # fmt: skip
        if spacing.measured and not backwards:
            for better in _polished(recipe, spacing, x, rows, unit, rotary):
                exact = replace(recipe, w=better.w, measured=better.measured)
                yield exact, better, found, backwards
        else:
            yield recipe, spacing, found, backwards


def _polished(
    recipe: Waves, spacing: Spacing, x: Floats, rows: Rows, unit: float, rotary: bool
) -> Iterator[Spacing]:
    """The measured base again, by least squares (Gauss and Newton) over entries and rows."""
    rows = rows[:: max(1, rows.size // 1024)]
    plain = _proof.Rounding("float64")
    i, n, weight = np.arange(recipe.w.size), spacing.w.size, 1.0
    fall = log(spacing.w[0] / spacing.w[1])
    for _ in range(3):
        wanted, _ = recipe.entries(rows, plain, 0.0)
        slope, _ = replace(recipe, cosine=~recipe.cosine).entries(rows, plain, 0.0)
        turned = (np.asarray(rows, float) + recipe.first)[:, None] * recipe.w * i
        slope = np.where(recipe.cosine, 1.0, -1.0) * slope * turned[:, recipe.pair]
        slope = slope * recipe.direction
        left = x[rows] - wanted
        near = np.isfinite(left) & (np.abs(left) < 0.2 * recipe.amplitude)
        left, slope = left[near], slope[near]
        weight = max(float((slope * slope).sum()), 1e-300)
        more = float((left * slope).sum()) / weight
        if not abs(more) < 1:  # a base that is e times off was not measured
            return
        recipe.w = recipe.w * np.exp(-more * i)
        fall += more
        if not 0 < fall * n < 600:
            return
    doubt = 4 * unit * recipe.amplitude / weight**0.5 * n
    base, digits = _numbers.chosen(exp(fall * n), max(doubt, 1e-12))
    for final in [log(base) / n, fall] if digits <= 3 else [fall]:
        kinds = _spacing.readings(n, final, 1e-9, rotary)
        kinds.sort(key=lambda kind: kind[1] != "2i/d")
        yield replace(spacing, w=recipe.w[0] * np.exp(-final * i), base=kinds[0][0],
                      exponent="2i/d", readings=kinds, measured=final == fall)  # fmt: skip
