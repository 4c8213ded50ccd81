"""Tables and caches of turning pairs: the table of hypotheses, each proven on every entry.

    order of columns x (spacing x scaling: `_spacing`) x start (`_waves`) x rounding (`_proof`)

A wave is measured on rows that seem good, and proven on all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _numbers, _proof, _spacing, _waves
from pe_lib.doctor._proof import Floats, Rows
from pe_lib.doctor._recipes import Waves

FASTEST = 3.2  # radians a row; a pair that turns faster looks like a slower one
FEW = 6  # rules tried for one order of columns


@dataclass(frozen=True)
class Order:
    """Which column is which: the pair of each, whether it is a cosine, and where to measure."""

    layout: str | None
    order: str | None
    pair: Rows  # (columns,)
    cosine: NDArray[np.bool_]  # (columns,)
    sines: Rows  # (n,) a column of each pair's sine
    cosines: Rows | None  # (n,) of its cosine; None if each is one wave alone, in `sines`
    problem: str = ""
    cache: bool = False


@dataclass
class Found:
    """A recipe that explains an array, and how it was found."""

    recipe: Waves
    proof: _proof.Proof
    spacing: _spacing.Spacing
    order: Order
    turns: _waves.Turns
    backwards: bool  # the slowest pair comes first

    @property
    def badness(self) -> tuple[int, bool, float, float, bool, bool, bool]:
        """Less is better: proven, and then the usual way."""
        odd = abs(self.recipe.first) > 1e4, self.backwards, self.recipe.direction < 0
        return *self.proof.order, *odd


def of_table(width: int) -> list[Order]:
    """Pairs side by side or in halves, either entry first; the last of an odd width is a sine."""
    columns, n = np.arange(width), width // 2
    out = []
    layouts: tuple[str, str] = ("interleaved", "halves")
    for layout in layouts:
        if layout == "interleaved":
            first, second = columns[0::2], columns[1::2]
        else:
            first, second = columns[: width - n], columns[width - n :]
        pair = np.zeros(width, np.int64)
        pair[first], pair[second] = np.arange(first.size), np.arange(n)
        for swapped in (False, True):
            cosine = np.isin(columns, first if swapped else second)
            sines, cosines = (second, first) if swapped else (first, second)
            order = "cosine first" if swapped else "sine first"
            problem = "cosine_before_sine" if swapped and layout == "interleaved" else ""
            out.append(Order(layout, order, pair, cosine, sines[:n], cosines[:n], problem))
    return out if width > 2 else out[:2]


def of_one_wave_each(x: Floats) -> list[Order]:
    """Columns that are each a wave alone: a frequency for each, or cosines without their sines."""
    width = x.shape[1]
    columns, none = np.arange(width), np.zeros(width, bool)
    out = []
    if width >= 4:
        for layout, order, cosine in (
            ("interleaved", "sine first", columns % 2 == 1),
            ("halves", "sine first", columns >= (width + 1) // 2),
            ("halves", "cosine first", columns < width // 2),
        ):
            out.append(Order(layout, order, columns, cosine, columns, None, "own_frequencies"))
    twice = repeats(x)
    pair, where = repeated(width, twice)
    for cosine, problem in ((~none, "Cosines"), (none, "Sines")):
        said = "repeated" if twice else None
        out.append(Order(twice, said, pair, cosine, where, None, problem))
    return out


def repeats(x: Floats) -> str | None:
    """How the columns of a cache (T, width) are repeated, "interleaved" or in "halves", or not."""
    width = x.shape[1]
    if width < 4 or width % 2:
        return None
    x = np.nan_to_num(x)
    near = 1e-3 * max(1e-300, float(np.median(np.abs(x).max(axis=0))))
    halves = np.split(x, 2, axis=1)
    for layout, (a, b) in {"halves": halves, "interleaved": (x[:, 0::2], x[:, 1::2])}.items():
        if (np.abs(a - b) <= near).mean() > 0.9 and not (a[:, :1] == a).all():
            return layout
    return None


def repeated(width: int, layout: str | None) -> tuple[Rows, Rows]:
    """The pair of each column, and one column of each pair."""
    columns = np.arange(width)
    if layout is None:
        return columns, columns
    pair = columns % (width // 2) if layout == "halves" else columns // 2
    return pair, columns[: width // 2] if layout == "halves" else columns[0::2]


def of_cache(cos: Floats, sin: Floats) -> list[Order]:
    """Cosines and sines side by side, or exchanged; each repeated in its own way."""
    width = cos.shape[1]
    one, two = repeats(cos), repeats(sin)
    if (np.nan_to_num(cos) == np.nan_to_num(cos[:, :1])).all():
        one = two  # nothing to see
    if (one is None) != (two is None):
        return []
    parts = repeated(width, one), repeated(width, two)
    pair = np.concatenate([parts[0][0], parts[1][0]])
    first, second = parts[0][1], parts[1][1] + width
    out = []
    for swapped in (False, True):
        cosine = np.repeat([not swapped, swapped], width)
        sines, cosines = (first, second) if swapped else (second, first)
        problem = "swapped" if swapped else "mixed_layouts" if one != two else ""
        layout = one if one == two else None
        order = "repeated" if layout else None
        out.append(Order(layout, order, pair, cosine, sines, cosines, problem, True))
    return out


def search(x: Floats, orders: list[Order], rows: Rows, rotary: bool) -> Found | None:
    """The best proven hypothesis about x (T, columns), of which `rows` seem good."""
    values = _proof.held(x[rows])
    best: Found | None = None
    for measured, proven in _windows(x, rows):
        for order in orders:
            unit = max(_formats.UNIT[values.form], 0.0 if values.relative else values.printed)
            for guess in islice(_guesses(x, measured, order, unit, rotary), FEW):
                recipe, spacing, turns, backwards = guess
                proof = _proof.prove(recipe, x, values, proven)
                now = Found(recipe, proof, spacing, order, turns, backwards)
                if best is None or now.badness < best.badness:
                    best = now
                if proof.kind == 0 and not any(now.badness[4:]):
                    return now
        if best and best.proof.kind < 2 and best.proof.cost < 0.1:
            return best
    return best if best and best.proof.kind < 3 else None


def _windows(x: Floats, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Rows to measure, one after the other, and rows to prove."""
    run = longest(rows)
    yield run, rows
    y = x[run]
    again = np.flatnonzero((y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1))
    if again.size and again[0] >= 7:  # rows copied: those before the first copy are its rule's
        yield run[: again[0] + 1], rows[rows <= run[again[0]]]
    half = run.size // 2
    if half >= 16:
        yield run[:half], rows
        yield run[half:], rows


def longest(rows: Rows) -> Rows:
    """The longest run of rows that follow each other."""
    edges = np.flatnonzero(np.diff(rows) != 1) + 1
    return max(np.split(rows, edges), key=len)


def _guesses(
    x: Floats, rows: Rows, order: Order, unit: float, rotary: bool
) -> Iterator[tuple[Waves, _spacing.Spacing, _waves.Turns, bool]]:
    """Recipes that the measured turns suggest."""
    if rows.size < 2 + (order.cosines is None) or order.sines.size == 0:
        return
    y = x[rows]
    if order.cosines is None:
        found = _waves.alone(y[:, order.sines], unit)
        turned = np.where(order.cosine[order.sines], np.pi / 2, 0.0)
        found = replace(found, phase=found.phase - turned)
        still = np.zeros(order.sines.size, np.bool_)
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
        rule = spacing.w[way]
        if rule.max() > FASTEST:
            continue
        size = amplitude
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
            rule = np.append(rule, rule[-1] ** 2 / rule[-2] if rule.size > 1 else 0.0)
        recipe = Waves(rule, order.pair, order.cosine, first, direction, size, order.cache)
        if spacing.measured and not backwards:
            for better in _polished(recipe, spacing, x, rows, unit, rotary):
                yield replace(recipe, w=better.w), better, found, backwards
        else:
            yield recipe, spacing, found, backwards


def _polished(
    recipe: Waves, spacing: _spacing.Spacing, x: Floats, rows: Rows, unit: float, rotary: bool
) -> Iterator[_spacing.Spacing]:
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
        recipe.w = recipe.w * np.exp(-more * i)
        fall += more
        if not 0 < fall * n < 600:
            return
    doubt = 4 * unit * recipe.amplitude / weight**0.5 * n
    base, digits = _numbers.chosen(exp(fall * n), max(doubt, 1e-12))
    for final in [log(base) / n, fall] if digits <= 3 else [fall]:
        w = recipe.w[0] * np.exp(-final * i)
        kinds = _spacing.readings(n, final, 1e-9, rotary)
        kinds.sort(key=lambda kind: kind[1] != "2i/d")
        yield replace(spacing, w=w, base=kinds[0][0], exponent="2i/d", readings=kinds,
                      measured=final == fall)  # fmt: skip
