"""Tables and caches of turning pairs: measured on rows that seem good, and proven on all.

    order of columns (`_orders`) x spacing and scaling (`_spacing`) x start x rounding (`_proof`)

How far a pair turns in 1, 2, 4 … rows is the median of what its angle grows by: half of the rows
may be damaged. Each lag doubles the lever, and the one before says how many whole turns lie in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pe_lib.doctor import _formats, _numbers, _spacing
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import Proof, Waves, best_proof, read_rounding
from pe_lib.doctor._spacing import Spacing

TURN = 2 * np.pi
UNEVEN = 0.35  # pairs whose radii differ by more than this share do not turn
ROWS = 256  # compared for a lag: enough to be rid of noise
FASTEST = 3.2  # radians a row; a pair that turns faster looks like a slower one
FEW = 8  # rules tried for one order of columns
COPIED = 0.1  # a share of the array: where so much is excepted, rows may be copies


def search_waves(x: Floats, orders: list[Order], rows: Indices) -> Proof | None:
    """The best hypothesis about x (T, columns), of which `rows` seem good."""
    if rows.size < 2:
        return None
    values = read_rounding(x[rows])
    unit = _formats.UNIT[values.form]
    unit = unit if "digits" in values.digits else max(unit, values.printed)

    def best(some: Indices) -> Proof | None:
        guesses = (
            one for order in orders for one in islice(_propose_waves(x, some, order, unit), FEW)
        )
        return best_proof(guesses, x, values, some)

    found, y = best(rows), x[rows]
    if found is None or found.cost >= COPIED:  # rows copied: those before the first copy may do
        again = np.flatnonzero((y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1))
        if again.size and again[0] >= 7:
            found = best(rows[: again[0] + 1]) or found
    return found


def _propose_waves(x: Floats, rows: Indices, order: Order, unit: float) -> Iterator[Waves]:
    """What the longest run of these rows suggests."""
    run = max(np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1), key=len)
    if order.alone:
        yield from _propose_single_waves(x, run[:8], order)
        return
    y, cosine = x[run], order.cosine
    turns = measure_turns(y[:, order.places(~cosine)], y[:, order.places(cosine)], unit)
    if turns is None:
        return
    known = (turns.w > 0) & (turns.doubt < 0.1)
    backwards = bool(known.sum() > 1 and (np.diff(turns.w[known]) > 0).mean() > 0.5)
    way = slice(None, None, -1 if backwards else 1)
    for spacing in _spacing.propose_spacings(turns.w[way], turns.doubt[way]):
        rule = spacing.w[way]
        if rule.max() <= FASTEST:
            seen = known & (rule > 0)
            place, sign = _find_start(turns.phase[seen], rule[seen])
            first, amplitude = place - float(run[0]), sign * turns.amplitude
            yield Waves(order, spacing, first, turns.direction, amplitude, backwards)


def _propose_single_waves(x: Floats, rows: Indices, order: Order) -> Iterator[Waves]:
    """Of columns that are each one wave, from position 0: the usual bases that come nearest."""
    n, own = int(order.pair.max()) + 1, order.problem == "own_frequencies"
    powers = ((1, "2i/d", "j/d"), (2, "4i/d", "2j/d"))
    kinds = [(base, *kind) for base in _numbers.BASES if rows[0] == 0 for kind in powers]
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
                                   details=details, seen=rules[k]))  # fmt: skip


@dataclass
class Turns:
    """What n pairs do from row to row, as measured."""

    w: Floats  # (n,) radians per row
    doubt: Floats  # (n,) the share by which w may be off
    phase: Floats  # (n,) where row 0 stands
    direction: int  # -1 if most turn clockwise: then w and phase count that way
    amplitude: float


def measure_turns(sines: Floats, cosines: Floats, unit: float) -> Turns | None:
    """The turns of pairs (T, n) in a format whose rounding is `unit`, if they turn."""
    rows, n = sines.shape
    few = slice(None, None, max(1, rows // 512))
    radius = np.sqrt(sines[few] ** 2 + cosines[few] ** 2)
    amplitude = float(np.median(radius))
    uneven = 1.5 * np.median(np.abs(radius / (amplitude or 1.0) - 1), axis=0)
    rough = float(np.median(uneven))
    if rows < 2 or rough > UNEVEN:
        return None
    if abs(amplitude - 1) < 2 * unit + 0.5 * rough + 1e-9:
        amplitude = 1.0
    angle, lag, w, reach = np.arctan2(sines, cosines), 1, np.zeros(n), np.ones(n)
    while lag < rows:
        m = min(rows - lag, ROWS)
        off = angle[lag : lag + m] - angle[:m] - w * lag
        off = off - TURN * np.floor(off / TURN + 0.5)
        middle = np.median(off, axis=0)
        good = (np.median(np.abs(off - middle), axis=0) < 0.3) | (lag == 1)
        w = np.where(good, w + middle / lag, w)
        reach = np.where(good, lag * m**0.5, reach)
        lag *= 2
    share = (2 * uneven + unit * 1e-3 + 1e-16) / np.maximum(np.abs(w) * reach, 1e-300)
    doubt = 2 * max(unit, 1e-14) + share
    direction = -1 if float(np.sign(w[doubt < 0.1]).sum()) < 0 else 1
    back = direction * (angle[:64] - np.arange(len(angle[:64]))[:, None] * w)
    phase = np.arctan2(np.median(np.sin(back), axis=0), np.median(np.cos(back), axis=0))
    w, still = direction * w, ~angle.any(axis=0)
    doubt = np.where(w > 0, doubt, np.where(still, 0.0, 1.0))
    return Turns(w, doubt, phase, direction, amplitude) if (doubt < 0.1).any() else None


def _find_start(phase: Floats, w: Floats) -> tuple[float, float]:
    """The whole position of row 0 on which phases (n,) of frequencies w agree, near ones first; and
    -1 if all are half a turn off, which negates everything."""
    few, place, agree = slice(None, None, max(1, w.size // 24)), 0.0, 0.0
    for most in (16, 1 << 14):
        places = np.asarray(sorted(range(-most, most), key=abs))
        near = np.cos(phase[few] - places[:, None] * w[few]).mean(axis=1)
        at = int(np.argmax(np.abs(near)))
        place, agree = float(places[at]), float(near[at])
        if abs(agree) > 0.99:
            break
    return place, float(np.sign(agree))
