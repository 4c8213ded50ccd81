"""The sinusoidal encoding of Vaswani et al. (2017), "Attention Is All You Need", section 3.5.

Pair i of d_model/2 turns with frequency w_i = base^(-2i/d_model) radians per position:

    PE(t, 2i) = sin(w_i t)        PE(t, 2i + 1) = cos(w_i t)
"""

from collections.abc import Iterator
from math import isqrt
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
    (eps = 2.2e-16); the lower precisions are that result, rounded once. Long rows of evenly
    spaced integers are rotated into place block by block, several times faster and within
    8·eps·max(1, |position|, |positions[0]|).

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
    if _steps_evenly(t):
        _turn_blocks(rows, t, w)
    else:
        _compute(rows, t, w)
    return result


def _compute(rows: NDArray[Any], t: NDArray[Any], w: NDArray[np.float64]) -> None:
    """Fill `rows`, (n, d_model), with the sines and cosines of each of the n positions."""
    for some, angles in _angles(t, w):
        np.sin(angles, out=rows[some, 0::2], casting="same_kind")
        np.cos(angles, out=rows[some, 1::2], casting="same_kind")


def _steps_evenly(t: NDArray[Any]) -> bool:
    """Whether t is a long row of integers at one distance, as a `range` is."""
    if t.ndim != 1 or t.size < 64 or t.dtype != np.int64:
        return False
    step = int(t[1]) - int(t[0])
    if int(t[-1]) - int(t[0]) != step * (t.size - 1):  # no overflow in Python's integers
        return False
    return bool((np.diff(t) == step).all())


def _turn_blocks(rows: NDArray[Any], t: NDArray[Any], w: NDArray[np.float64]) -> None:
    """Fill `rows` with the encodings of evenly spaced positions: one block, turned into the others.

    A position b further on, each pair has turned by w_i b. Read as one complex number, as which it
    lies in memory, a pair is sin + i cos = i e^(-i w_i t), so that turning is a product:

        i e^(-i w_i (t + b)) = i e^(-i w_i t) · e^(-i w_i b)

    Sines and cosines are computed for the first block and for one turn a block, √n of each; all
    else is multiplication. No product is turned again, so that errors do not add up (chapter 5).
    """
    size = min(isqrt(t.size - 1) + 1, max(1, _BLOCK // 4 // w.size))
    first = np.empty((size, 2 * w.size))
    _compute(first, t[:size], w)
    block = np.empty_like(first)
    for start in range(0, t.size, size):
        some = rows[start : start + size]
        angle = float(t[start] - t[0]) * w
        turned = block[: len(some)]
        turn = np.cos(angle) - 1j * np.sin(angle)
        np.multiply(first[: len(some)].view(complex), turn, out=turned.view(complex))
        some[...] = turned


def _angles(t: NDArray[Any], w: NDArray[np.float64]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The angles w_i t a block of positions at a time: which of the flattened t, and (n, d/2)."""
    t = t.reshape(-1)
    step = max(1, _BLOCK // w.size)
    for start in range(0, t.size, step):
        some = slice(start, start + step)
        yield some, np.multiply.outer(t[some].astype(np.float64), w)
