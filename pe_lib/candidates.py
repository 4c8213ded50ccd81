"""Every position that one value, or one pair of an encoding, can come from.

A pair is the hand of a clock, at the angle w_i t. One value fixes a hand up to a reflection and
whole turns, one pair up to whole turns.
"""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import encode, spacing

__all__ = ["positions_from_pair", "positions_from_value"]

_EPS = float(np.finfo(np.float64).eps)
_TAU = 2 * np.pi
_BLOCK = 1 << 18  # entries held at a time: 2 MB, which the caches can hold
_MAX_LOOKED_AT = 1 << 25  # positions, for one value or pair: two seconds, and 600 MB


def positions_from_value(
    value: float,
    dim: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float = 5e-7,
    *,
    layout: _checks.Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Every position k with 0 <= k < max_position and |encode(k)[dim] - value| <= atol, sorted.

    One value never fixes a position: arcsin or arccos gives two angles, and each recurs with
    every turn. All of them are returned. `atol` is half a unit of the last digit of `value`; the
    default suits six decimals, and a float32. `layout` and `frequencies` are those of `encode`.
    The work grows with the turns below `max_position` and the positions found, not with
    `max_position`; at most 2^25 positions are looked at, which takes about two seconds.

    Built in chapter 4. Raises TypeError or ValueError for a dim outside 0 <= dim < d_model, a
    value outside [-1, 1] by more than atol, a negative atol, a max_position below 1 or so far out
    that more than 2^25 positions would have to be looked at, frequencies that are not positive,
    and as `encode` does.

    >>> positions_from_value(-0.99999, dim=0, d_model=8, max_position=400, atol=5e-6)
    array([ 11, 344])
    >>> positions_from_value(0.5403, dim=4, d_model=8, layout="halves", max_position=9, atol=5e-5)
    array([1])
    """
    w = speeds(d_model, base, frequencies)
    dim = _checks.below("dim", dim, d_model, d_model)
    stop, atol = _checks.limit(max_position), _checks.tolerance(atol)
    value = _checks.cosine("value", value, atol)

    # Both entries are cosines, cos(angle - crest); so the angle is crest ± arccos(value).
    halves = _checks.is_halves("layout", layout)
    is_cos, pair = divmod(dim, w.size) if halves else (dim % 2, dim // 2)
    crest, slack = (0.0 if is_cos else np.pi / 2), atol + 16 * _EPS
    near, far = np.arccos(np.clip([value + slack, value - slack], -1, 1))
    arcs = [(crest - far, crest - near), (crest + near, crest + far)]
    column = slice(is_cos, is_cos + 1)
    return _matching(arcs, w[pair], stop, atol, column, [value], f"dim = {dim}")


def positions_from_pair(
    sin: float,
    cos: float,
    pair: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float = 5e-7,
    *,
    frequencies: ArrayLike | None = None,
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
    w = speeds(d_model, base, frequencies)
    pair = _checks.below("pair", pair, d_model // 2, d_model)
    stop, atol = _checks.limit(max_position), _checks.tolerance(atol)
    sin, cos = _checks.cosine("sin", sin, atol), _checks.cosine("cos", cos, atol)
    reach = sqrt(2) * atol + 16 * _EPS  # the half diagonal of the square of side 2·atol
    if abs(np.hypot(sin, cos) - 1) > reach:
        raise ValueError(
            f"sin and cos must lie on the unit circle within atol = {atol:g}, "
            f"got sin² + cos² = {sin * sin + cos * cos:g}"
        )

    # Seen from the origin, a point of the circle no further than `reach` away.
    angle, spread = np.arctan2(sin, cos), np.arcsin(reach) if reach < 1 else np.pi
    arcs = [(angle - spread, angle + spread)]
    return _matching(arcs, w[pair], stop, atol, slice(2), [sin, cos], f"pair = {pair}")


def speeds(d_model: int, base: float, chosen: ArrayLike | None) -> NDArray[np.float64]:
    """The frequency of each pair, (d_model/2,), of which one can divide."""
    w = spacing(_checks.width(d_model), base, chosen)
    if not (w >= 1e-300).all():
        raise ValueError(f"frequencies must be positive, at least 1e-300, got {w.min()}")
    return w


def _matching(
    arcs: Sequence[tuple[float, float]],
    w_i: float,
    stop: int,
    atol: float,
    columns: slice,
    wanted: Sequence[float],
    which: str,
) -> NDArray[np.int64]:
    """The k of range(stop) whose hand is on one of the arcs and (sin, cos)[columns] as wanted."""
    if _looked_at(arcs, w_i, stop) > _MAX_LOOKED_AT:
        most = greatest(stop, lambda n: _looked_at(arcs, w_i, n) <= _MAX_LOOKED_AT)
        raise ValueError(
            f"max_position must be at most {most} for {which} and atol = {atol:g} (beyond, more "
            f"than {_MAX_LOOKED_AT} positions would have to be looked at), got {stop}"
        )
    first, count = _runs(arcs, w_i, stop)
    end = np.cumsum(count)
    shift = first - (end - count)  # from the number of a candidate to its position
    found = [np.empty(0, np.int64)]
    for begin in range(0, int(end[-1]), _BLOCK):
        number = np.arange(begin, min(begin + _BLOCK, int(end[-1])))
        k = shift.take(np.searchsorted(end, number, side="right")) + number
        entries = encode(k, 2, frequencies=[w_i])[:, columns]
        found.append(k[(np.abs(entries - wanted) <= atol).all(axis=1)])
    return np.concatenate(found)


def greatest(stop: int, possible: Callable[[int], bool]) -> int:
    """The greatest n < stop that is possible; what is possible for n is so for all before."""
    n = 0
    while stop - n > 1:
        middle = (n + stop) // 2
        n, stop = (middle, stop) if possible(middle) else (n, middle)
    return n


def _looked_at(arcs: Sequence[tuple[float, float]], w_i: float, stop: int) -> int:
    """How many candidates `_runs` gives: exactly where the turns are few, at most otherwise."""
    if w_i * stop < 4096 * _TAU:
        return int(_runs(arcs, w_i, stop)[1].sum())
    per_turn = sum((high - low) / w_i + 4 * _EPS * stop + 3 for low, high in arcs)
    return stop if _crowded(arcs, w_i) else int((w_i * stop / _TAU + 2) * per_turn)


def _crowded(arcs: Sequence[tuple[float, float]], w_i: float) -> bool:
    """Whether the runs would hold a quarter of all positions: to look at all is faster then."""
    return sum(high - low + 3 * w_i for low, high in arcs) >= _TAU / 4


def _runs(
    arcs: Sequence[tuple[float, float]], w_i: float, stop: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Runs of range(stop), first k and how many, that cover all with w_i k on one of the arcs.

    An arc is [low, high] in radians, modulo 2π; they come in the order in which the hand meets
    them. A neighbour at each end is for the rounding of the division, and the slack for that of k
    near 2^53: the caller sifts. The runs are disjoint and rising.
    """
    if _crowded(arcs, w_i):
        return np.array([0], np.int64), np.array([stop], np.int64)
    slack = 2 * _EPS * stop * w_i
    low, high = np.add(np.transpose(arcs), [[-slack], [slack]])
    turns = np.arange(np.floor(-high.max() / _TAU), np.ceil((w_i * stop - low.min()) / _TAU) + 1)
    begin = np.floor(np.add.outer(_TAU * turns, low).ravel() / w_i)
    final = np.ceil(np.add.outer(_TAU * turns, high).ravel() / w_i)
    first = np.clip(begin, 0, stop).astype(np.int64)
    last = np.maximum.accumulate(np.clip(final, -1, stop - 1).astype(np.int64))
    first[1:] = np.maximum(first[1:], last[:-1] + 1)
    return first, np.maximum(last - first + 1, 0)
