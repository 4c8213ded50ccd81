"""Every position that one value, or one pair of an encoding, can come from.

A pair is the hand of a clock, at the angle w_i t. One value fixes a hand up to a reflection and
whole turns, one pair up to whole turns.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import encode, spacing

__all__ = ["positions_from_pair", "positions_from_value"]

_EPS = float(np.finfo(np.float64).eps)
_BLOCK = 1 << 16  # positions looked at at a time: 1 MB of entries, which the caches can hold
_BITS = 24  # of as many positions as are looked at in two seconds


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
    Every position is looked at: the 2^24 that are the most take about two seconds.

    Built in chapter 4. Raises TypeError or ValueError for a dim outside 0 <= dim < d_model, a
    value outside [-1, 1] by more than atol, a negative atol, a max_position below 1 or above 2^24,
    frequencies that are not positive, and as `encode` does.

    >>> positions_from_value(-0.99999, dim=0, d_model=8, max_position=400, atol=5e-6)
    array([ 11, 344])
    >>> positions_from_value(0.5403, dim=4, d_model=8, layout="halves", max_position=9, atol=5e-5)
    array([1])
    """
    w = speeds(d_model, base, frequencies)
    dim = _checks.below("dim", dim, d_model, d_model)
    stop, atol = _checks.limit(max_position, _BITS), _checks.strength("atol", atol)
    value = _checks.cosine("value", value, atol)

    halves = _checks.is_halves("layout", layout)
    is_cos, pair = divmod(dim, w.size) if halves else (dim % 2, dim // 2)
    return _matching(w[pair], stop, atol, slice(is_cos, is_cos + 1), [value])


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
    wavelength apart, and few of those are integers. Takes as long as `positions_from_value`.

    Built in chapter 4. Raises TypeError or ValueError for a pair outside 0 <= pair < d_model/2,
    a point further than atol in both entries from the unit circle, and otherwise as
    `positions_from_value` does.

    >>> positions_from_pair(-0.99999, 0.00443, pair=0, d_model=8, max_position=400, atol=5e-6)
    array([11])
    """
    w = speeds(d_model, base, frequencies)
    pair = _checks.below("pair", pair, d_model // 2, d_model)
    stop, atol = _checks.limit(max_position, _BITS), _checks.strength("atol", atol)
    sin, cos = _checks.cosine("sin", sin, atol), _checks.cosine("cos", cos, atol)
    reach = sqrt(2) * atol + 16 * _EPS  # the half diagonal of the square of side 2·atol
    if abs(np.hypot(sin, cos) - 1) > reach:
        said = f"sin and cos must lie on the unit circle within atol = {atol:g}"
        raise ValueError(f"{said}, got sin² + cos² = {sin * sin + cos * cos:g}")

    return _matching(w[pair], stop, atol, slice(2), [sin, cos])


def speeds(d_model: int, base: float, chosen: ArrayLike | None) -> NDArray[np.float64]:
    """The frequency of each pair, (d_model/2,), of which one can divide."""
    w = spacing(_checks.width(d_model), base, chosen)
    least = float(w.min())
    _checks.require(least >= 1e-300, "frequencies must be positive, at least 1e-300", least)
    return w


def _matching(
    w_i: float, stop: int, atol: float, columns: slice, wanted: Sequence[float]
) -> NDArray[np.int64]:
    """The k of range(stop) whose (sin, cos)[columns] is as wanted."""
    found = []
    for begin in range(0, stop, _BLOCK):
        k = range(begin, min(begin + _BLOCK, stop))
        off = np.abs(encode(k, 2, frequencies=[w_i])[:, columns] - wanted)
        found.append(begin + np.flatnonzero((off <= atol).all(axis=1)))
    return np.concatenate(found).astype(np.int64)
