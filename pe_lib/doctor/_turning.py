"""Measure how pairs of columns rotate over the intact rows, and prove the result on all rows.

    order of columns (`_orders`) × spacing and scaling (`_spacing`) × start × rounding (`_proof`)

To measure how far a pair rotates in 1, 2, 4 … rows, take the median of the change of its angle. So
up to half of the rows may be damaged. Each time the lag doubles, the precision doubles, too. The
result for the previous lag says how many whole turns a pair makes in the new lag.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pe_lib.doctor import _formats, _numbers, _spacing
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import (
    Proof,
    Rounding,
    Waves,
    best_proof,
    list_readings_of_digits,
    read_rounding,
)
from pe_lib.doctor._spacing import Spacing

TURN = 2 * np.pi
# A pair does not rotate if its radius varies by more than this share.
UNEVEN = 0.35
# For each lag, at most this many rows are compared, which suffices to average out noise.
MAX_ROWS = 256
PHASE_ROWS = 64  # the phase of a pair is measured on at most this many rows
# A pair that rotates by more than this, in radians per row, looks like a slower pair.
FASTEST = 3.2
MAX_RULES = 8  # at most this many rules are tried for each order of columns
# If a larger share of entries than this are exceptions, later rows may be copies of earlier rows.
COPIED = 0.1
# A rule is fitted only to frequencies with a smaller relative uncertainty than this.
WELL_KNOWN = 0.1


def search_waves(x: Floats, orders: list[Order], rows: Indices) -> Proof | None:
    """Return the best proof that x (T, columns) holds sines and cosines, measured on `rows`."""
    if rows.size < 2:
        return None
    read = read_rounding(x[rows])
    for values in list_readings_of_digits(read):
        proof = _search_rounded(x, orders, rows, values)
        if values == read or (proof and proof.exact):
            return proof
    return None


def _search_rounded(
    x: Floats, orders: list[Order], rows: Indices, values: Rounding
) -> Proof | None:
    """Return the best proof that x holds sines and cosines that were rounded as `values`."""
    unit = _formats.UNIT[values.form]
    unit = unit if "digits" in values.digits else max(unit, values.printed)

    def search_rows(some: Indices) -> Proof | None:
        proposals = (
            waves
            for order in orders
            for waves in islice(propose_waves(x, some, order, unit), MAX_RULES)
        )
        return best_proof(proposals, x, values, some)

    proof, y = search_rows(rows), x[rows]
    if proof is None or proof.cost >= COPIED:
        # Later rows may be copies, so only the rows before the first copy are used.
        copies = np.flatnonzero((y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1))
        if copies.size and copies[0] >= 7:
            proof = search_rows(rows[: copies[0] + 1]) or proof
    return proof


def propose_waves(x: Floats, rows: Indices, order: Order, unit: float) -> Iterator[Waves]:
    """Propose recipes with frequencies that are measured on the longest run of consecutive rows."""
    run = max(np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1), key=len)
    if order.alone:
        yield from _propose_single_waves(x, run[:8], order)
        return
    y, cosine = x[run], order.cosine
    sines, cosines = y[:, order.first_columns(~cosine)], y[:, order.first_columns(cosine)]
    turns = measure_turns(sines, cosines, unit)
    if turns is None:
        return
    well_known = (turns.w > 0) & (turns.doubt < WELL_KNOWN)
    backwards = bool(well_known.sum() > 1 and (np.diff(turns.w[well_known]) > 0).mean() > 0.5)
    way = slice(None, None, -1 if backwards else 1)
    for spacing in _spacing.propose_spacings(turns.w[way], turns.doubt[way]):
        rule = spacing.w[way]
        # Angles in degrees turn the first pairs so fast that only the slower ones were measured.
        if rule.max() <= FASTEST or spacing.factor == 1 / _spacing.DEGREES:
            usable = well_known & (rule > 0) & (rule <= FASTEST)
            position, sign = _find_start(turns.phase[usable], rule[usable])
            first, amplitude = position - float(run[0]), sign * turns.amplitude
            yield Waves(order, spacing, first, turns.direction, amplitude, backwards)


def _propose_single_waves(x: Floats, rows: Indices, order: Order) -> Iterator[Waves]:
    """Propose the three likeliest common bases for columns that do not form pairs."""
    n, own = int(order.pair.max()) + 1, order.problem == "own_frequencies"
    powers = ((1, "2i/d", "j/d"), (2, "4i/d", "2j/d"))
    kinds = [(base, *power) for base in _numbers.BASES if rows[0] == 0 for power in powers]
    if not kinds:
        return
    rules = np.stack([_spacing.plain_frequencies(n, base**power) for base, power, *_ in kinds])
    angles = (rows[:, None] * rules[:, None, :])[..., order.pair]
    off = np.abs(x[rows] - np.where(order.cosine, np.cos(angles), np.sin(angles)))
    mean = off.reshape(len(kinds), -1).mean(axis=1)
    for k in sorted(range(len(kinds)), key=lambda k: mean[k])[:3]:
        base, _, name, dimension = kinds[k]
        exponent = "own" if own else name
        details = {"own_exponent": dimension} if own else {}
        yield Waves(order, Spacing(rules[k], base, exponent, [(base, exponent)], evidence=float(n),
                                   details=details, explained=rules[k]))  # fmt: skip


@dataclass
class Turns:
    """The measured frequencies and phases of n pairs of columns that rotate from row to row."""

    w: Floats  # (n,) radians per row
    doubt: Floats  # (n,): the relative error of w
    phase: Floats  # (n,): the angle at row 0
    # -1 if most pairs rotate clockwise, and otherwise 1. Then w and phase count clockwise.
    direction: int
    amplitude: float


def measure_turns(sines: Floats, cosines: Floats, unit: float) -> Turns | None:
    """Measure how pairs (T, n) rotate. The entries have a relative rounding error of `unit`.

    Returns None if they do not rotate, because their radii differ or no frequency is well known.
    """
    rows = len(sines)
    sample = slice(None, None, max(1, rows // 512))
    radius = np.sqrt(sines[sample] ** 2 + cosines[sample] ** 2)
    amplitude = float(np.median(radius))
    uneven = 1.5 * np.median(np.abs(radius / (amplitude or 1.0) - 1), axis=0)
    noise = float(np.median(uneven))
    if rows < 2 or noise > UNEVEN:
        return None
    if abs(amplitude - 1) < 2 * unit + 0.5 * noise + 1e-9:
        amplitude = 1.0
    angle = np.arctan2(sines, cosines)
    w, lever = _measure_frequencies(angle)
    share = (2 * uneven + unit * 1e-3 + 1e-16) / np.maximum(np.abs(w) * lever, 1e-300)
    doubt = 2 * max(unit, 1e-14) + share
    direction = -1 if float(np.sign(w[doubt < WELL_KNOWN]).sum()) < 0 else 1
    first_rows = angle[:PHASE_ROWS]
    phases = direction * (first_rows - np.arange(len(first_rows))[:, None] * w)
    phase = np.arctan2(np.median(np.sin(phases), axis=0), np.median(np.cos(phases), axis=0))
    w, is_still = direction * w, ~angle.any(axis=0)
    doubt = np.where(w > 0, doubt, np.where(is_still, 0.0, 1.0))
    return Turns(w, doubt, phase, direction, amplitude) if (doubt < WELL_KNOWN).any() else None


def _measure_frequencies(angle: Floats) -> tuple[Floats, Floats]:
    """Return the frequencies (n,) at which angles (T, n) rise, and the lever (n,) of each.

    The larger its lever, the more precise is a frequency. The lever is the largest lag that agreed,
    times the square root of the number of averaged rows.
    """
    rows, n = angle.shape
    lag, w, lever = 1, np.zeros(n), np.ones(n)
    while lag < rows:
        count = min(rows - lag, MAX_ROWS)
        off = angle[lag : lag + count] - angle[:count] - w * lag
        off = off - TURN * np.floor(off / TURN + 0.5)
        middle = np.median(off, axis=0)
        agrees = (np.median(np.abs(off - middle), axis=0) < 0.3) | (lag == 1)
        w = np.where(agrees, w + middle / lag, w)
        lever = np.where(agrees, lag * count**0.5, lever)
        lag *= 2
    return w, lever


def _find_start(phase: Floats, w: Floats) -> tuple[float, float]:
    """Return the position of row 0, a whole number, and the sign that explain the phases (n,).

    Positions near 0 are tried first. The sign is -1 if all phases are off by half a turn, which
    negates the whole array.
    """
    sample, start, agreement = slice(None, None, max(1, w.size // 24)), 0.0, 0.0
    for most in (16, 1 << 14):
        positions = np.asarray(sorted(range(-most, most), key=abs))
        near = np.cos(phase[sample] - positions[:, None] * w[sample]).mean(axis=1)
        at = int(np.argmax(np.abs(near)))
        start, agreement = float(positions[at]), float(near[at])
        if abs(agreement) > 0.99:
            break
    return start, float(np.sign(agreement))
