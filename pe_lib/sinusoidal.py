"""Compute the sinusoidal encoding of "Attention Is All You Need" (Vaswani et al. 2017, sec. 3.5).

An encoding has d_model/2 pairs. Pair i has the frequency w_i = base^(-2i/d_model), in radians per
position, and the entries

    PE(t, 2i) = sin(w_i t)        PE(t, 2i + 1) = cos(w_i t)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _checks, _hands
from pe_lib._checks import Layout

__all__ = ["encode", "frequencies", "wavelengths"]


def __dir__() -> list[str]:
    return __all__


def frequencies(d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return the frequency w_i of each pair, in radians per position: shape (d_model/2,).

    The fastest pair comes first. Source: Vaswani et al. (2017), section 3.5; built in chapter 3.
    Raises TypeError or ValueError unless d_model is a positive even integer up to 2^24 and base a
    finite number greater than 1.

    >>> frequencies(8)
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    d_model, base = _checks.width(d_model), _checks.base_of_powers(base)
    return base ** (-np.arange(0, d_model, 2) / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return the wavelength of each pair, in positions per turn: shape (d_model/2,).

    The shortest wavelength comes first. The last is 2π base^((d_model - 2)/d_model), which is
    always shorter than 2π base. Built in chapter 3; raises as `frequencies` does.

    >>> wavelengths(512)[-1].round(1)
    np.float64(60611.5)
    """
    return 2 * np.pi / frequencies(d_model, base)


def encode(
    positions: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    *,
    dtype: DTypeLike = np.float64,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
    out: NDArray[np.floating[Any]] | None = None,
) -> NDArray[np.floating[Any]]:
    """Return a row of d_model numbers for each position. Note that `encode(50, 512)` is *one* row.

    The result is a numpy array of shape np.shape(positions) + (d_model,). `positions` is a number,
    an array of integers or floats, or a `range`, and positions may be negative or fractional. A
    table of 50 rows is `encode(range(50), 512)`. A row holds sin, cos, sin, cos …, but with the
    `layout` "halves" all sines come first and all cosines follow. `frequencies`, (d_model/2,)
    radians per position, replaces base^(-2i/d_model), and `base` is not used then. `dtype` is
    numpy's float64, float32 or float16. If you give an array `out` of the result's shape and one of
    these dtypes, it is filled and returned. Positions may also be a tensor, and
    torch.from_numpy(encode(…)) turns the result into a tensor.

    An entry depends only on its position and its frequency. On one machine it is the same to the
    last bit, whether computed alone or in an array of any shape and dtype. In all our measurements
    it was within
    0.7·eps·max(1, |position|) of the exact value for integers (eps = 2.2e-16; the angle itself is
    not known better), and within 1.5·eps·max(1, |position|) for other positions, times the
    frequency where that is above 1. Lower precisions are the same result, rounded once.

    Source: Vaswani et al. (2017), section 3.5; built in chapter 2. Raises TypeError or ValueError
    for positions that are not real, finite and below 2^64 in size, for another layout or dtype, for
    `out` or `frequencies` of another shape, and as `frequencies` does. Raises MemoryError if the
    result does not fit into memory.

    >>> encode(5, 8).round(4)
    array([-0.9589,  0.2837,  0.4794,  0.8776,  0.05  ,  0.9988,  0.005 ,
            1.    ])
    >>> encode(range(50), 512, dtype=np.float32).shape
    (50, 512)
    >>> spaced = 10_000 ** -np.linspace(0, 1, 4)  # as in tensor2tensor, fairseq and Whisper
    >>> encode(5, 8, layout="halves", frequencies=spaced).round(2)
    array([-0.96,  0.23,  0.01,  0.  ,  0.28,  0.97,  1.  ,  1.  ])
    """
    halves = _checks.is_halves("layout", layout)
    d_model, kind = _checks.width(d_model), _checks.precision(dtype)
    t: range | NDArray[Any]
    if isinstance(positions, range):
        t = _checks.representable_range("positions", positions)
        shape: tuple[int, ...] = (len(t), d_model)
    else:
        t = _checks.positions("positions", positions)
        shape = (*t.shape, d_model)
    result = np.empty(shape, kind) if out is None else _checks.output("out", out, shape)
    w = choose_frequencies(d_model, base, frequencies)
    _hands.sines_and_cosines(t, w, halves, result)  # sin(w_i t) and cos(w_i t) for each t and i
    return result


def choose_frequencies(d_model: int, base: float, custom: ArrayLike | None) -> NDArray[np.float64]:
    """Check and return the custom frequencies or, without any, return base^(-2i/d_model)."""
    if custom is None:
        return frequencies(d_model, base)
    w = _checks.positions("frequencies", custom).astype(np.float64)
    if w.shape != (d_model // 2,):
        raise ValueError(f"frequencies must have shape ({d_model // 2},), got {w.shape}")
    return w
