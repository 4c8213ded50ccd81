"""From an encoding back to the position: from one value, from one pair, from the whole vector.

A pair is the hand of a clock, at the angle w_i t. One value fixes a hand up to a reflection and
whole turns, one pair up to whole turns; the slower hands say which turn it is.
"""

from bisect import bisect_left
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import frequencies

_EPS = float(np.finfo(np.float64).eps)
_TAU = 2 * np.pi
_BLOCK = 1 << 16  # angles held at a time: 512 kB, which a second-level cache can hold
_MAX_TURNS = 1 << 16  # candidates tried per vector; each costs one pass over the hands


def positions_from_value(
    value: float,
    dim: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float = 5e-7,
) -> NDArray[np.int64]:
    """Every position k with 0 <= k < max_position and |encode(k)[dim] - value| <= atol, sorted.

    One value never fixes a position: arcsin or arccos gives two angles, and each recurs with
    every turn. All of them are returned. `atol` is half a unit of the last digit of `value`; the
    default suits six decimals, and a float32. The work grows with the turns below `max_position`
    and the positions found, not with `max_position`.

    Built in chapter 4. Raises TypeError or ValueError for a dim outside 0 <= dim < d_model, a
    value outside [-1, 1] by more than atol, a negative atol, a max_position below 1, and as
    `frequencies` does.

    >>> positions_from_value(-0.99999, dim=0, d_model=8, max_position=400, atol=5e-6)
    array([ 11, 344])
    """
    w = frequencies(d_model, base)
    dim = _checks.below("dim", dim, d_model, d_model)
    stop, atol = _checks.limit(max_position), _checks.tolerance(atol)
    value = _checks.cosine("value", value, atol)

    # Both entries are cosines, cos(angle - crest); so the angle is crest ± arccos(value).
    entry, crest = (np.cos, 0.0) if dim % 2 else (np.sin, np.pi / 2)
    near, far = np.arccos(np.clip([value + atol + 4 * _EPS, value - atol - 4 * _EPS], -1, 1))
    w_i = w[dim // 2]
    right = _between(crest + near, crest + far, w_i, stop)
    left = _between(crest - far, crest - near, w_i, stop)
    k: NDArray[np.int64] = np.union1d(left, right)
    keep: NDArray[np.bool_] = np.abs(entry(w_i * k) - value) <= atol
    return k[keep]


def positions_from_pair(
    sin: float,
    cos: float,
    pair: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float = 5e-7,
) -> NDArray[np.int64]:
    """Every position k with 0 <= k < max_position whose pair matches (sin, cos), sorted.

    Both entries must match within `atol`. The pair fixes the angle, so the candidates are one
    wavelength apart, and few of those are integers. Costs as `positions_from_value`.

    Built in chapter 4. Raises TypeError or ValueError for a pair outside 0 <= pair < d_model/2,
    a point further than atol in both entries from the unit circle, and otherwise as
    `positions_from_value` does.

    >>> positions_from_pair(-0.99999, 0.00443, pair=0, d_model=8, max_position=400, atol=5e-6)
    array([11])
    """
    w = frequencies(d_model, base)
    pair = _checks.below("pair", pair, d_model // 2, d_model)
    stop, atol = _checks.limit(max_position), _checks.tolerance(atol)
    sin, cos = _checks.cosine("sin", sin, atol), _checks.cosine("cos", cos, atol)
    reach = np.sqrt(2) * atol + 4 * _EPS  # the half diagonal of the square of side 2·atol
    if abs(np.hypot(sin, cos) - 1) > reach:
        raise ValueError(
            f"sin and cos must lie on the unit circle within atol = {atol:g}, "
            f"got sin² + cos² = {sin * sin + cos * cos:g}"
        )

    # Seen from the origin, a point of the circle no further than `reach` away.
    angle, spread = np.arctan2(sin, cos), np.arcsin(reach) if reach < 1 else np.pi
    k: NDArray[np.int64] = np.unique(_between(angle - spread, angle + spread, w[pair], stop))
    off = np.maximum(np.abs(np.sin(w[pair] * k) - sin), np.abs(np.cos(w[pair] * k) - cos))
    keep: NDArray[np.bool_] = off <= atol
    return k[keep]


def _between(low: float, high: float, w_i: float, stop: int) -> NDArray[np.int64]:
    """The integers k of range(stop) with low <= w_i k <= high modulo 2π, and each neighbour.

    The neighbours are for the rounding of low, high and the division: the caller sifts.
    """
    turns = _TAU * np.arange(np.floor(-high / _TAU), np.ceil((w_i * stop - low) / _TAU) + 1)
    first = np.clip(np.floor((low + turns) / w_i), 0, stop).astype(np.int64)
    last = np.clip(np.ceil((high + turns) / w_i), -1, stop - 1).astype(np.int64)
    count = np.maximum(last - first + 1, 0)
    begin = np.cumsum(count) - count
    return np.repeat(first - begin, count) + np.arange(count.sum())


def position_from_encoding(
    encoding: ArrayLike, base: float = 10_000.0, max_position: int | None = None
) -> NDArray[np.int64] | np.int64:
    """The position of each encoding: shape (..., d_model) in, integers of shape (...) out.

    Slow hand first: the slowest pair says roughly where, and each faster hand corrects that guess
    by its own small angle, weighted by its frequency squared (least squares), in O(d_model).

    Without `max_position` (or with a smaller one) the answer is the nearest position below 15/16
    of the longest wavelength, from any precision, under noise too. Noise moves a point off the unit
    circle as much as along it, so that the radii tell how much disagreement of the angles to
    forgive: 0.05 radians and three times the root mean square of (radius - 1), at most 0.5 and at
    most twice the ratio of neighbouring frequencies. At d_model = 64, noise of standard deviation
    0.2 on every entry is decoded right in more than 99.5 % of cases.

    A larger `max_position` needs input as clean as its dtype allows. Two neighbouring hands drift
    apart as slowly as a hand of frequency w_i - w_{i+1} turns, and differences of differences
    are slower still; where that ends (at base 10,000 it takes d_model >= 28 to begin), up to
    65,536 turns of the slowest hand are tried. An answer is proven: the only position below
    `max_position` that agrees with every hand. From float64, d_model = 512 is good past 10^14, 64
    past 10^12, 8 past 10^8 and 4 past 10^7 if no other position looks the same.

    Built in chapter 4. Raises TypeError or ValueError for an input that is not real and finite
    or has an odd last axis, pairs off the unit circle, angles that no position (or more than one)
    below the limit agrees with, a `max_position` below 1 or beyond reach, and a base not above 1.
    With d_model up to 8, the encoding of a position past the limit can pass for a noisy nearer one.

    >>> from pe_lib import encode
    >>> position_from_encoding(encode(range(40_000, 40_003), 64, dtype=np.float16))
    array([40000, 40001, 40002])
    >>> position_from_encoding(encode(10**12, 512), max_position=2 * 10**12)
    np.int64(1000000000000)
    """
    pe = _checks.encodings("encoding", encoding)
    w = frequencies(pe.shape[-1], base)
    near = min(ceil(15 / 16 * _TAU / w[-1]), _checks.MAX_POSITION)
    stop = near if max_position is None else _checks.limit(max_position)
    level, turns = (0, _turns(w[-1], stop)) if stop <= near else _plan(w, stop, pe.dtype)

    rows = pe.reshape(-1, pe.shape[-1])
    result = np.empty(len(rows), np.int64)
    step = max(1, _BLOCK // max(turns, w.size))
    for start in range(0, len(rows), step):
        some = rows[start : start + step].T.astype(np.float64, order="C")
        angles, radii = np.arctan2(some[0::2], some[1::2]), np.hypot(some[0::2], some[1::2])
        off = np.sqrt(np.mean((radii - 1) ** 2, axis=0))
        if stop <= near:
            most = min([0.5, *(2 * w[1:2])])
            forgiven = np.minimum(most, 0.05 + 3 * off)[None]
        else:
            forgiven = _angle_errors(w, stop, pe.dtype)[:, None]
            most = forgiven.min()
        k = np.rint(_slow_first(angles, w, level, turns, stop))
        first, last = _agreeing(k, angles, w, forgiven, stop)
        for wrong, problem in (
            (off > most, f"lies off the unit circle by more than {most:.1e}"),
            (first > last, f"agrees with no position 0 <= k < {stop}"),
            (first < last, f"agrees with more than one position 0 <= k < {stop}"),
        ):
            if wrong.any():
                where = np.unravel_index(start + wrong.argmax(), pe.shape[:-1])
                row = f"[{', '.join(map(str, where))}]" if where else ""
                raise ValueError(
                    f"encoding must hold encodings of positions, but encoding{row} {problem}"
                )
        result[start : start + step] = first
    return result.reshape(pe.shape[:-1])[()]


def _slow_first(
    angles: NDArray[np.float64], w: NDArray[np.float64], level: int, turns: int, stop: int
) -> NDArray[np.float64]:
    """The position each turn of the slowest hand leads to: (d/2, rows) in, (turns, rows) out."""
    slowest, *hands = _slowed(w, level)
    angle, *others = _slowed(angles, level)
    wavelength = _TAU / slowest
    low = (stop - wavelength * (turns - 1)) / 2
    t: NDArray[np.float64] = wavelength * np.arange(turns)[:, None]
    t = t + low + _wrapped(angle - slowest * low) / slowest
    weight = slowest**2
    for angle, v in zip(others, hands, strict=True):
        weight += v**2
        t += _wrapped(angle - v * t) * (v / weight)
    return t


def _agreeing(
    k: NDArray[np.float64],
    angles: NDArray[np.float64],
    w: NDArray[np.float64],
    forgiven: NDArray[np.float64],
    stop: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first and last candidate within `forgiven` radians of the angles; stop, -1 if none."""
    misfit = np.zeros(k.shape)
    for angle, v, most in zip(angles, w, np.broadcast_to(forgiven, angles.shape), strict=True):
        misfit += (_wrapped(angle - v * k) / most) ** 2 / w.size
    agrees = (misfit <= 1) & (k >= 0) & (k < stop)
    return np.where(agrees, k, stop).min(axis=0), np.where(agrees, k, -1).max(axis=0)


def _plan(w: NDArray[np.float64], stop: int, dtype: np.dtype[Any]) -> tuple[int, int]:
    """How many levels of beats, and turns of the slowest, are proven to cover range(stop)."""

    def plan(stop: int) -> tuple[int, int] | None:
        errors, best = _angle_errors(w, stop, dtype), None
        errors[1::2] *= -1  # so that a difference of two errors is their sum, the worst case
        for level in range(w.size):
            hands = _slowed(w, level)
            turns = _turns(hands[0], stop)
            if not _proven(hands, np.abs(_slowed(errors, level))):
                break
            if turns <= _MAX_TURNS and (best is None or turns < best[1]):
                best = level, turns
            if turns == 1:
                break
        return best

    found = plan(stop)
    if found is None:
        reach = bisect_left(range(stop), True, key=lambda n: plan(n + 1) is None)
        raise ValueError(
            f"max_position must be at most {reach} for d_model = {2 * w.size} at this base and "
            f"{dtype} precision, got {stop}"
        )
    return found


def _turns(v: float, stop: int) -> int:
    """How many turns of a hand cover range(stop), with a quarter of a turn to spare at each end."""
    return ceil(stop * v / _TAU + 1 / 2)


def _proven(hands: NDArray[np.float64], errors: NDArray[np.float64]) -> bool:
    """Whether `_slow_first` must find the position if no hand is off by more than its error."""
    doubt, weight = 0.0, 0.0  # in positions
    for v, error in zip(hands, errors, strict=True):
        # Half a turn off, and a hand is read the wrong way; the first has a quarter to spare.
        if v * doubt + error >= (np.pi if weight else np.pi / 2):
            return False
        weight += v * v
        doubt += (error / v - doubt) * (v * v / weight)
    return bool(doubt < 0.5)


def _angle_errors(w: NDArray[np.float64], stop: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """How far an honest encoding of a position up to `stop` can be off in each angle, in radians.

    Half an eps for the rounding of the entries, the rest for w_i t in float64, there and here: the
    rounding of 2i/d_model alone moves a frequency by up to ln(base)/4 eps, 7 at base 10^12.
    """
    eps = float(np.finfo(dtype).eps) if dtype.kind == "f" else _EPS
    return eps / 2 + 4 * _EPS + 8 * _EPS * stop * w


def _slowed(x: NDArray[np.float64], level: int) -> NDArray[np.float64]:
    """Of all hands, slowest first, preceded by the slowest of their beats down to the first level.

    The beat of two hands is a hand too: its frequency is the difference of theirs, and its angle
    the difference of their angles. Level m is m times the difference of neighbours.
    """
    beats = [(-1) ** m * np.diff(x[-1 - m :], m, axis=0)[0] for m in range(level, 0, -1)]
    return np.stack([*beats, *x[::-1]])


def _wrapped(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same angle in [-π, π]."""
    turns: NDArray[np.float64] = np.rint(angle / _TAU)
    return angle - _TAU * turns
