"""Describe what an array resembles, if no recipe reproduces it.

A table with noise, with few different values, or with its entries cut off follows no rule. But it
is near one, and a reader wants to know which. Everything in this module is a guess, so no diagnosis
that comes from here is certain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import exp

import numpy as np

from pe_lib.doctor import _formats, _numbers, _orders, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._numbers import format_number, round_significant
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import FixedValues, Rounding, Waves
from pe_lib.doctor._spacing import Spacing
from pe_lib.doctor._turning import measure_turns, propose_waves

# A table resembles a rule if its mean error, as a share of the amplitude, is below this. The mean
# error between unrelated sines is about 1.
RESEMBLES = 0.4
LEAST_ROWS, LEAST_WIDTH = 8, 4
MAX_ROWS = 512  # at most this many rows are compared with a rule
MAX_RULES = 3  # at most this many rules are tried for each order of columns
# Tables are taken to be cut off only if at least this share of the entries has an extreme value.
CUT_SHARE = 0.02
CUT_ROWS, CUT_COLUMNS = 96, 96  # at most this many rows and columns are compared after a cut
NEAR_CUT = 1e-3  # entries that were cut off differ from the rule by less than this
MOST_LEVELS = 256  # a table with more different values than this is not called quantised
ZEROS = 0.01  # fewer scattered zeros than this share are taken for noise
# A pair turns steadily if its steps from row to row, as unit vectors, have a mean of at least this
# length. Most pairs of a table must turn steadily, and some must turn by a radian or more.
STEADY, STEADY_PAIRS, TURNING_PAIRS = 0.999, 0.75, 0.2
# Frequencies resemble a rule if the median error of their logarithms is below NEAR_LINE, while the
# logarithms fall by at least LEAST_FALL.
NEAR_LINE, LEAST_FALL, LEAST_FREQUENCIES = 0.12, 2.0, 8
EXACT = 1e-5  # smaller errors than this, as a share of the largest entry, are rounding
# After a cast to integers, fewer entries than this share are the cosines of very small angles.
MOST_ONES = 0.5
MAYBE = 0.2  # a base may explain the integers if fewer of the first rows' than this share differ
STRAY = 0.01  # fewer integers than this share may differ, because programs round differently
ON_LINE = 1e-6  # with smaller errors than this, frequencies do not merely resemble a rule


@dataclass
class _Likeness:
    """A rule that a table resembles, and how it does."""

    waves: Waves
    centre: float  # the number that was added to all entries
    error: float  # the mean error, as a share of the amplitude


def describe_table(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Fill in the sinusoidal table that x (T, width) resembles, and return whether there is one."""
    if rows.size < LEAST_ROWS or x.shape[1] < LEAST_WIDTH:
        return False
    kept = rows[:MAX_ROWS]
    if _describe_cut(d, x[kept], kept):
        return True
    best = _find_likeness(x, kept)
    if best is None:
        return _describe_steady(d, x[kept])
    waves, spacing = best.waves, best.waves.spacing
    d.scheme, d.layout, d.order = "sinusoidal", waves.order.layout, waves.order.order
    d.width, d.amplitude = x.shape[1], round_significant(abs(waves.amplitude), 2)
    d.first_position, d.direction = waves.first, waves.direction
    base, d.exponent = _choose_reading(spacing)
    d.base, d.scaling, d.factor = round_significant(base, 3), spacing.scaling, spacing.factor
    d.picture = {"frequencies": spacing.w.tolist(), "rule": spacing.w.tolist()}
    d.details["resembles"] = True
    d.seen, d.precision, d.where = x, _formats.narrowest_format(x[rows]), "values"
    if best.centre:
        d.problem("shifted_values", centre=best.centre)
    if abs(d.amplitude - 1) < 0.1:
        d.amplitude = 1.0
    expected, _ = waves.entries(kept, Rounding("float64"), 0.0)
    _note_errors(d, x[kept], expected + best.centre)
    return True


def describe_cache(d: Diagnosis, cos: Floats, sin: Floats) -> None:
    """Fill in the rotary cache that cosines and sines (T, columns) resemble, if there is one."""
    width = cos.shape[1]
    layouts = [None, "halves", "interleaved"] if width % 2 == 0 else [None]
    for layout in layouts:
        first = {None: np.arange(width), "halves": np.arange(width // 2),
                 "interleaved": 2 * np.arange(width // 2)}[layout]  # fmt: skip
        other = Diagnosis()
        table = np.concatenate([sin[:, first], cos[:, first]], axis=1)
        is_better = d.scheme == "unknown" or d.base is None
        if not describe_table(other, table, np.arange(len(table))):
            continue
        if is_better and (d.scheme == "unknown" or other.base is not None):
            d.scheme, d.base, d.exponent, d.width = "rotary", other.base, other.exponent, 2 * width
            d.details = other.details
            if layout is not None:
                d.layout, d.order, d.width = layout, "repeated", width


def describe_integers(d: Diagnosis, x: Floats, orders: list[Order]) -> bool:
    """Fill in sines and cosines (T, width) of which a cast to integers left only -1, 0 and 1.

    Returns whether there are any. The rows stand at positions 0, 1, 2 and so on.
    """
    is_whole = bool(((x == 0) | (np.abs(x) == 1)).all() and x.any())
    if not is_whole or len(x) < LEAST_ROWS or x.shape[1] < LEAST_WIDTH or (x == x[0]).all():
        return False
    t, first = np.arange(len(x))[:, None], x[:MAX_ROWS]
    for order in orders:
        if _is_cut_off(x, order):
            _fill_integers(d, x, order, "cut off")
            return True
        for base in _numbers.BASES:
            w = _spacing.plain_frequencies(int(order.pair.max()) + 1, base)[order.pair]
            # A base is tried on the first rows before it is tried on all rows.
            near = np.where(order.cosine, np.cos(t[:MAX_ROWS] * w), np.sin(t[:MAX_ROWS] * w))
            if min((first != y).mean() for y in (np.round(near, 0), np.floor(near))) >= MAYBE:
                continue
            waves = np.where(order.cosine, np.cos(t * w), np.sin(t * w))
            single = _formats.round_to(waves, "float32")
            for how, whole in (("rounded", np.round(waves, 0)), ("rounded down", np.floor(waves)),
                               ("rounded down", np.floor(single))):  # fmt: skip
                if (x != whole).mean() < STRAY:
                    _fill_integers(d, x, order, how)
                    d.base, d.exponent = base, "2i/d"
                    d.recipe, d.sure = FixedValues(np.asarray(whole, np.float64)), True
                    d.exceptions["entries"] = np.argwhere(x != whole).tolist()
                    return True
    return False


def _is_cut_off(x: Floats, order: Order) -> bool:
    """Return whether the decimals of sines and cosines x (T, width) may have been cut off.

    Besides the cosines at position 0, only those of very small angles are then 1. In float32 a few
    others are rounded to 1 or -1, too.
    """
    cosines, sines = x[1:, order.cosine], x[1:, ~order.cosine]
    is_small = np.diff(x[:, order.cosine], axis=0) <= 0
    strays = (~is_small & (cosines != 0)).sum() + (sines != 0).sum()
    is_start = bool((x[0] == order.cosine).all())
    return is_start and bool(strays < STRAY * x.size and cosines.mean() < MOST_ONES)


def _fill_integers(d: Diagnosis, x: Floats, order: Order, how: str) -> None:
    """Fill in sines and cosines that were cast to integers, and report the cast."""
    d.scheme, d.seen = "rotary" if order.cache else "sinusoidal", x
    if not order.cache or how != "cut off":  # a cache that was cut off hides whether it repeats
        d.layout, d.order, d.width = order.layout, order.order, 2 * (int(order.pair.max()) + 1)
    d.drop("zero_rows", "padding_row")
    d.details["resembles"] = True
    d.problem("cast_to_integers", what="sines and cosines", how=how)


def _find_likeness(x: Floats, rows: Indices) -> _Likeness | None:
    """Return the rule that the rows of a table resemble most, or None."""
    y, best = x[rows], None
    unit = _formats.UNIT[_formats.narrowest_format(y)]
    middle = 0.5 * float(y.max() + y.min())
    size = 0.5 * float(y.max() - y.min())
    centres = [0.0, round_significant(abs(middle), 3) * (1 if middle > 0 else -1)] if (
        abs(middle) > 0.1 * size
    ) else [0.0]  # fmt: skip
    for centre in centres:
        for order in _orders.table_orders(x.shape[1]):
            for waves in islice(propose_waves(x - centre, rows, order, unit), MAX_RULES):
                if "turning_pairs" in waves.spacing.details:
                    continue  # noise hides slow pairs, so they may turn all the same
                expected, _ = waves.entries(rows, Rounding("float64"), 0.0)
                off = (y - centre - expected) / abs(waves.amplitude)
                error = float((off * off).mean()) ** 0.5
                if error < RESEMBLES and (best is None or error < 0.98 * best.error):
                    best = _Likeness(waves, centre, error)
    return best


def _choose_reading(spacing: Spacing) -> tuple[float, str]:
    """Return the base and exponent of a rule, with the usual exponent if its base is common."""
    for base, exponent in spacing.readings:
        if exponent == "2i/d" and base in _numbers.BASES:
            return base, exponent
    return spacing.readings[0]


def _note_errors(d: Diagnosis, y: Floats, expected: Floats) -> None:
    """Add a note on how the entries of a table differ from the rule that it resembles."""
    off = y - expected
    size = round_significant(float((off * off).mean()) ** 0.5, 2)
    values = np.unique(y)
    steps = np.diff(values)
    lost = (y == 0) & (np.abs(expected) > 0.1)
    if size < EXACT * float(np.abs(expected).max()):
        return
    if float(lost.mean()) > ZEROS:
        share = format_number(round_significant(100 * float(lost.mean()), 2))
        d.note("scattered_zeros", share=share)
    elif 2 < values.size <= MOST_LEVELS and float(steps.max()) < 2.5 * float(np.median(steps)):
        step = round_significant(float(np.median(steps)), 2)
        d.note("quantised", count=values.size, step=step)
    else:
        d.note("noisy", size=size)


def _describe_cut(d: Diagnosis, y: Floats, rows: Indices) -> bool:
    """Fill in a usual table of which entries were cut off or lost their sign, if y is one."""
    low, high = float(y.min()), float(y.max())
    is_cut = [float((y == end).mean()) > CUT_SHARE for end in (low, high)]
    if not (low >= 0 or (is_cut[0] and is_cut[1])):
        return False
    part, columns = rows[:CUT_ROWS], np.arange(min(CUT_COLUMNS, y.shape[1]))
    z = y[: part.size][:, columns]
    for order in _orders.table_orders(y.shape[1]):
        for base in _numbers.BASES:
            w = _spacing.plain_frequencies(y.shape[1] // 2, base)
            angles = (part[:, None] * w)[:, order.pair[columns]]
            waves = np.where(order.cosine[columns], np.cos(angles), np.sin(angles))
            for name, expected in _list_cuts(waves, low, high):
                if float(np.abs(z - expected).max()) < NEAR_CUT:
                    d.scheme, d.layout, d.order = "sinusoidal", order.layout, order.order
                    d.base, d.exponent, d.width = base, "2i/d", y.shape[1]
                    d.seen = y
                    d.problem(name, low=low, high=high)
                    return True
    return False


def _list_cuts(waves: Floats, low: float, high: float) -> Iterator[tuple[str, Floats]]:
    """Yield what mistakes make of a table whose entries then lie between `low` and `high`."""
    if low >= 0:
        yield "no_sign", np.abs(waves)
        yield "negative_lost", np.maximum(waves, 0.0)
    else:
        yield "clipped", np.minimum(np.maximum(waves, low), high)


def _describe_steady(d: Diagnosis, y: Floats) -> bool:
    """Fill in a table whose pairs of columns turn steadily, but at unusual rates or from angles."""
    unit = _formats.UNIT[_formats.narrowest_format(y)]
    for order in _orders.table_orders(y.shape[1]):
        sines, cosines = (y[:, order.first_columns(order.cosine == k)] for k in (False, True))
        turns = measure_turns(sines, cosines, unit)
        if turns is None or not _are_steady(sines, cosines, order):
            continue
        d.scheme, d.layout, d.order, d.width = "sinusoidal", order.layout, order.order, y.shape[1]
        d.direction, d.seen = turns.direction, y
        for spacing in islice(_spacing.propose_spacings(turns.w, turns.doubt), 1):
            usable = turns.doubt < _spacing.WORST
            off = np.abs(turns.w[usable] / np.maximum(spacing.w[usable], 1e-300) - 1)
            if float(np.median(off)) < 1e-3:
                d.base, d.exponent = round_significant(spacing.base, 4), spacing.exponent
                d.note("own_angles", base=d.base)
                return True
        # A pair that makes more than half a turn in each row looks like a slower one.
        if not report_rates(d, turns.w, np.pi):
            first = ", ".join(format_number(round_significant(abs(float(v)), 3) if v else 0.0)
                              for v in turns.w[:4])  # fmt: skip
            d.note("unusual_frequencies", first=first)
        return True
    return False


def report_rates(d: Diagnosis, w: Floats, fastest: float = np.inf) -> bool:
    """Report frequencies (n,) that are all the same, or that grow, and return whether they are.

    If they were measured from row to row, only those below `fastest` are known.
    """
    if w.size < LEAST_FREQUENCIES or w[0] <= 0:
        return False
    if float(np.abs(w / max(float(w.max()), 1e-300) - 1).max()) < ON_LINE:
        d.problem("one_frequency", w=round_significant(float(w.max()), 6))
        return True
    for base in _numbers.BASES:
        grown = 1 / _spacing.plain_frequencies(w.size, base)
        slow = np.flatnonzero(grown < fastest)
        if slow.size > 2 and float(np.abs(w[slow] / grown[slow] - 1).max()) < EXACT:
            d.details["resembles"] = True
            d.problem("frequencies_grow", base=base)
            return True
    return False


def _are_steady(sines: Floats, cosines: Floats, order: Order) -> bool:
    """Return whether most pairs turn by the same angle from each row to the next."""
    angle = np.arctan2(sines, cosines)
    step = np.diff(angle, axis=0)
    ahead, aside = np.cos(step).mean(axis=0), np.sin(step).mean(axis=0)
    radius = np.hypot(sines, cosines)
    is_even = radius.max(axis=0) - radius.min(axis=0) < 0.1 * np.median(radius)
    steady = (np.hypot(ahead, aside) > STEADY) & is_even
    turning = np.abs(np.arctan2(aside, ahead)) * len(angle) > 1
    is_wide = order.pair.size > LEAST_WIDTH
    are_steady = bool((steady & turning).sum() > STEADY_PAIRS * turning.sum())
    enough = float(turning.mean()) > TURNING_PAIRS and float(steady.mean()) > STEADY_PAIRS
    return is_wide and are_steady and enough


def describe_frequencies(d: Diagnosis, w: Floats) -> bool:
    """Note which frequencies the numbers w (n,) resemble, and return whether there are any."""
    usable = np.flatnonzero(w > 0)
    if usable.size < LEAST_FREQUENCIES or usable.size < 0.75 * w.size:
        return False
    logs, half = np.log(w[usable]), (usable.size + 1) // 2
    fall = float(np.median((logs[:-half] - logs[half:]) / (usable[half:] - usable[:-half])))
    off = np.abs(logs + fall * usable - float(np.median(logs + fall * usable)))
    middle = float(np.median(off))
    if fall * w.size < LEAST_FALL or not ON_LINE < middle < NEAR_LINE:
        return False
    d.details["resembles"] = True
    base = round_significant(exp(fall * w.size), 1)
    share = format_number(round_significant(100 * middle, 1))
    d.note("near_frequencies", base=base, share=share)
    return True


def describe_repeated(d: Diagnosis, w: Floats) -> Floats | None:
    """Return the frequencies that a list w (n,) repeats, and report that it repeats them, or None.

    A list may hold each frequency twice in a row, or the whole list twice.
    """
    n = w.size // 2
    if w.size % 2 or n < LEAST_FREQUENCIES // 2 or not np.isfinite(w).all():
        return None
    halves = {"twice in a row": (w[0::2], w[1::2]), "once, and then all again": (w[:n], w[n:])}
    for how, (one, two) in halves.items():
        if (one == two).all() and len(set(one.tolist())) > n // 2:
            d.problem("frequencies_repeated", how=how)
            return one
    return None
