"""The sinusoidal encoding of Vaswani et al. (2017), "Attention Is All You Need", section 3.5.

Pair i of d_model/2 turns with frequency w_i = base^(-2i/d_model) radians per position:

    PE(t, 2i) = sin(w_i t)        PE(t, 2i + 1) = cos(w_i t)
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _checks

_BLOCK = 1 << 16  # angles held at a time: 512 kB, which a second-level cache can hold


def frequencies(d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """How fast each pair turns: shape (d_model/2,), radians per position, fastest first.

    Vaswani et al. (2017), section 3.5; built in chapter 3. Raises TypeError or ValueError
    unless d_model is a positive even integer and base a finite number greater than 1.

    >>> frequencies(8)
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    d_model, base = _checks.width(d_model), _checks.scale(base)
    return base ** (-np.arange(0, d_model, 2) / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """How many positions each pair takes for one turn: shape (d_model/2,), shortest first.

    The last is 2π base^((d_model - 2)/d_model), always shorter than 2π base. Built in
    chapter 3; raises as `frequencies` does.

    >>> wavelengths(512)[-1].round(1)
    np.float64(60611.5)
    """
    return 2 * np.pi / frequencies(d_model, base)


def encode(
    positions: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    dtype: DTypeLike = np.float64,
) -> NDArray[np.floating[Any]]:
    """The encoding of each position: shape np.shape(positions) + (d_model,), sin, cos, sin, cos …

    `positions` is a number, an array of integers or floats, or a `range`; negative and
    fractional positions are welcome. `dtype` is float64, float32 or float16. Angles are always
    computed in float64, so that an entry is within 4·eps·max(1, |position|) of the truth
    (eps = 2.2e-16); the lower precisions are that result, rounded once.

    Vaswani et al. (2017), section 3.5; built in chapter 2. Raises TypeError or ValueError for
    positions that are not real and finite, any other dtype, and as `frequencies` does.

    >>> encode(5, 8).round(4)
    array([-0.9589,  0.2837,  0.4794,  0.8776,  0.05  ,  0.9988,  0.005 ,
            1.    ])
    >>> encode(range(50), 512, dtype=np.float32).shape
    (50, 512)
    """
    w = frequencies(d_model, base)
    t = _checks.reals("positions", positions)
    result = np.empty((*t.shape, 2 * w.size), _checks.precision(dtype))
    rows = result.reshape(-1, 2 * w.size)
    for some, angles in _angles(t, w):
        np.sin(angles, out=rows[some, 0::2], casting="same_kind")
        np.cos(angles, out=rows[some, 1::2], casting="same_kind")
    return result


def _angles(t: NDArray[Any], w: NDArray[np.float64]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The angles w_i t a block of positions at a time: which of the flattened t, and (n, d/2)."""
    t = t.reshape(-1)
    step = max(1, _BLOCK // w.size)
    for start in range(0, t.size, step):
        some = slice(start, start + step)
        yield some, np.multiply.outer(t[some].astype(np.float64), w)
