"""Find all positions from which one value, or one pair of values, in an encoding can come.

A pair at position t has the angle w_i t. One value determines the angle up to a reflection and
whole turns. A pair determines the angle up to whole turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib._checks import Layout
from pe_lib.sinusoidal import choose_frequencies, encode

__all__ = ["positions_from_pair", "positions_from_value"]


def __dir__() -> list[str]:
    return __all__


_SIX_DECIMALS = 5e-7  # half a unit in the sixth decimal place
_EPS = float(np.finfo(np.float64).eps)
# How many positions are tried at a time. Their entries take 1 MB and fit into the caches.
_BLOCK = 1 << 16
_BITS = 24  # A search through 2^24 positions takes about two seconds.


def positions_from_value(
    value: float,
    dim: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float | None = None,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Return all positions k < max_position with |encode(k)[dim] - value| <= atol, in order.

    One value never determines a position: arcsin or arccos gives two angles, and each recurs with
    every turn. All of them are returned. `layout` and `frequencies` are those of `encode`. Every
    position is tried, which takes about two seconds for the largest `max_position`, 2^24.

    Without `atol`, the value is assumed to be rounded to the decimals that it shows, and `atol` is
    half a unit of the last decimal: 0.0005 for 0.489. The default is never below 5e-7, half a unit
    of the sixth decimal, which also suits a float32. The values 0, 1 and -1 are assumed to be exact
    and get 5e-7. A float loses trailing zeros, so for 0.490 give atol=0.0005 yourself; without it,
    0.49 matches more positions.

    Built in chapter 4. Raises TypeError or ValueError for a dim outside 0 <= dim < d_model, a
    value outside [-1, 1] by more than atol, a negative atol, a max_position below 1 or above 2^24,
    frequencies that are not positive, and as `encode` does.

    >>> positions_from_value(-0.99999, dim=0, d_model=8, max_position=400)
    array([ 11, 344])
    >>> positions_from_value(0.5403, dim=4, d_model=8, layout="halves", max_position=9)
    array([1])
    >>> positions_from_value(-1, dim=0, d_model=8, max_position=400, atol=5e-5)
    array([ 11, 344])
    """
    w = positive_frequencies(d_model, base, frequencies)
    dim = _checks.index("dim", dim, d_model, d_model)
    stop, atol = _checks.limit_of_positions(max_position, _BITS), _tolerance(atol, value=value)
    value = _checks.sine_or_cosine("value", value, atol)

    halves = _checks.is_halves("layout", layout)
    is_cos, pair = divmod(dim, w.size) if halves else (dim % 2, dim // 2)
    return _search(w[pair], stop, atol, slice(is_cos, is_cos + 1), [value])


def positions_from_pair(
    sin: float,
    cos: float,
    pair: int,
    d_model: int,
    base: float = 10_000.0,
    max_position: int = 10_000,
    atol: float | None = None,
    *,
    frequencies: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Return all positions k < max_position whose pair matches (sin, cos) within atol, in order.

    Both entries must match within `atol`. The pair determines the angle, so the candidates are one
    wavelength apart, and few of these candidates are integers. Without `atol`, both entries are
    assumed to be rounded to as many decimals as the longer entry shows, as explained in
    `positions_from_value`. The search takes as long as there.

    Built in chapter 4. Raises TypeError or ValueError for a pair outside 0 <= pair < d_model/2,
    a point further than atol in both entries from the unit circle, and otherwise as
    `positions_from_value` does.

    >>> positions_from_pair(-0.99999, 0.00443, pair=0, d_model=8, max_position=400)
    array([11])
    """
    w = positive_frequencies(d_model, base, frequencies)
    pair = _checks.index("pair", pair, d_model // 2, d_model)
    stop, atol = _checks.limit_of_positions(max_position, _BITS), _tolerance(atol, sin=sin, cos=cos)
    sin, cos = _checks.sine_or_cosine("sin", sin, atol), _checks.sine_or_cosine("cos", cos, atol)
    # If the sine and the cosine are each off by atol, their point is off by √2 · atol.
    if abs(np.hypot(sin, cos) - 1) > sqrt(2) * atol + 16 * _EPS:
        raise ValueError(
            f"sin and cos must lie on the unit circle within atol = {atol:g}, "
            f"got sin² + cos² = {sin * sin + cos * cos:g}"
        )

    return _search(w[pair], stop, atol, slice(2), [sin, cos])


def _tolerance(atol: float | None, **values: Any) -> float:
    """Return `atol` or, if it is None, half a unit of the last decimal place of the values.

    Values that are printed together have the same number of decimals. A float loses its trailing
    zeros, so the value with the most decimals decides.
    """
    if atol is not None:
        return _checks.nonnegative("atol", atol)
    half_units = [_half_unit(name, value) for name, value in values.items()]
    return max(_SIX_DECIMALS, min((half for half in half_units if half is not None), default=0.0))


def _half_unit(name: str, value: Any) -> float | None:
    """Return half a unit of a number's last decimal place, or None unless 0 < |number| < 1."""
    number = _checks.real(name, value)
    if not 0 < abs(number) < 1:
        return None
    if isinstance(value, np.ndarray):
        value = value[()]
    if not isinstance(value, np.floating):
        return _last_decimal(str(number)) / 2
    # For float32 and float16, numpy prints only the digits that distinguish neighbouring numbers.
    return max(_last_decimal(str(value)) / 2, float(np.finfo(value.dtype).eps) / 4)


def _last_decimal(number: str) -> float:
    """Return the unit of a number's last decimal place, as the number is written.

    >>> _last_decimal("0.489"), _last_decimal("5e-06")
    (0.001, 1e-06)
    """
    return float(Decimal(1).scaleb(int(Decimal(number).as_tuple().exponent)))


def positive_frequencies(
    d_model: int, base: float, custom: ArrayLike | None
) -> NDArray[np.float64]:
    """Return the pairs' frequencies (d_model/2,), each of which must be at least 1e-300."""
    w = choose_frequencies(_checks.width(d_model), base, custom)
    least = float(w.min())
    _checks.require(least >= 1e-300, "frequencies must be positive, at least 1e-300", least)
    return w


def _search(
    w_i: float, stop: int, atol: float, columns: slice, values: Sequence[float]
) -> NDArray[np.int64]:
    """Return the positions below `stop` where (sin, cos)[columns] match the values within atol."""
    matches = []
    for start in range(0, stop, _BLOCK):
        k = range(start, min(start + _BLOCK, stop))
        errors = np.abs(encode(k, 2, frequencies=[w_i])[:, columns] - values)
        matches.append(start + np.flatnonzero((errors <= atol).all(axis=1)))
    return np.concatenate(matches).astype(np.int64)
