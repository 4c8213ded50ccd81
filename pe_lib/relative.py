"""Compute how an offset between positions rotates encodings and sets their dot product.

With s = sin(w_i k) and c = cos(w_i k), moving every position by the offset k rotates each pair:

    sin(w_i (t + k)) =  c sin(w_i t) + s cos(w_i t)
    cos(w_i (t + k)) = -s sin(w_i t) + c cos(w_i t)

Draw a pair as the hand of a clock, with the sine to the right and the cosine up. It starts straight
up and moves clockwise. `rotary.rotate` rotates [x, y] counter-clockwise, so in these coordinates it
is `shift` by the offset -k.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _arrays, _checks, _hands
from pe_lib._checks import Layout
from pe_lib.sinusoidal import choose_frequencies, encode  # noqa: F401  the examples use encode

__all__ = ["kernel", "rotation", "shift"]


def __dir__() -> list[str]:
    return __all__


def rotation(
    offset: float,
    d_model: int,
    base: float = 10_000.0,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the matrix that moves each encoding by `offset` positions: shape (d_model, d_model).

    encode(t + offset) == rotation(offset) @ encode(t) holds for every t, because the matrix does
    not depend on t. `offset` is one real number of positions, of either sign; `layout` and
    `frequencies` are those of `encode`.

    This is the linear map of Vaswani et al. (2017), section 3.5; built in chapter 5. Raises
    TypeError or ValueError for an offset that is not real and finite, and as `encode` does.

    >>> rotation(3, 2).round(4)
    array([[-0.99  ,  0.1411],
           [-0.1411, -0.99  ]])
    >>> np.allclose(rotation(3, 8) @ encode(4, 8), encode(7, 8))
    True
    """
    d_model = _checks.width(d_model)
    # The float that this call returns is ignored, because it rounds large integers.
    _checks.real("offset", offset)
    columns = shift(np.eye(d_model), offset, base, layout=layout, frequencies=frequencies)
    # Adding 0.0 turns -0 into 0, which is printed without a sign.
    return np.asarray(columns.T + 0.0, np.float64)


def shift(
    encoding: ArrayLike,
    offset: ArrayLike,
    base: float = 10_000.0,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Turn encodings of t into encodings of t + offset, without building a matrix.

    `encoding` has shape (..., d_model), and `offset`, in positions, broadcasts with its leading
    axes. The result keeps the precision of `encoding` (integers become float64); the arithmetic is
    float64. Arrays of PyTorch and JAX are treated as in `rotary.rotate`; `layout` and `frequencies`
    are those of `encode`. Built in chapter 5. Raises TypeError or ValueError for input that is not
    real and finite, an odd last axis, shapes that do not broadcast, and a base that is not above 1.

    >>> np.allclose(shift(encode(4, 8), 3), encode(7, 8))
    True
    >>> shift(encode(range(5), 8), [[1], [2]]).shape
    (2, 5, 8)
    """
    k, halves = _checks.positions("offset", offset), _checks.is_halves("layout", layout)
    xp, pe = _arrays.read_array("encoding", encoding)
    _checks.require_pairs("encoding", pe.shape)
    _checks.broadcast_shape("offset", k, tuple(pe.shape[:-1]))
    rotations = _hands.rotations(k, -choose_frequencies(pe.shape[-1], base, frequencies))
    result: NDArray[np.floating[Any]] = _arrays.rotate_pairs(xp, pe, rotations, halves)
    return result


def kernel(
    offsets: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    *,
    frequencies: ArrayLike | None = None,
) -> NDArray[np.float64] | np.float64:
    """Return the dot product encode(t) · encode(t + offset), which is equal for all t.

    It is the sum of cos(w_i offset) over the pairs. At offset 0 that is d_model/2. It is the same
    for offset and -offset, so it tells how far apart two positions are, but not which comes first.
    `offsets` is a number, an array or a `range`, and the result has its shape; `frequencies` are
    those of `encode`. Built in chapter 5; raises as `encode` does.

    >>> (kernel([0, 1, 10, 100], 512) / 256).round(5)
    array([1.     , 0.97306, 0.67887, 0.43731])
    """
    k, d_model = _checks.positions("offsets", offsets), _checks.width(d_model)
    w = choose_frequencies(d_model, base, frequencies)
    result = np.zeros(k.shape)
    sums = result.reshape(-1)
    for block, _, hands in _hands.iterate_blocks(k.reshape(-1), w):
        sums[block] += hands.imag.sum(axis=-1)
    return result[()]
