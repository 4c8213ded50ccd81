"""What an encoding says about offsets: a shift is a rotation, and only the offset shows in a dot.

With s = sin(w_i k) and c = cos(w_i k), moving every position by the offset k turns each pair:

    sin(w_i (t + k)) =  c sin(w_i t) + s cos(w_i t)
    cos(w_i (t + k)) = -s sin(w_i t) + c cos(w_i t)

A hand that starts straight up and points sine to the right, cosine up, turns clockwise. In these
coordinates `rotary.rotate`, which turns [x, y] counter-clockwise, is `shift` by the offset -k.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import _angles, encode, frequencies


def rotation(offset: float, d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """The matrix that moves every position by `offset`: shape (d_model, d_model).

    encode(t + offset) == rotation(offset) @ encode(t) for every t: the matrix does not know t.
    `offset` is one real number of positions, of either sign.

    The linear map of Vaswani et al. (2017), section 3.5; built in chapter 5. Raises TypeError or
    ValueError for an offset that is not real and finite, and as `frequencies` does.

    >>> rotation(3, 2).round(4)
    array([[-0.99  ,  0.1411],
           [-0.1411, -0.99  ]])
    >>> np.allclose(rotation(3, 8) @ encode(4, 8), encode(7, 8))
    True
    """
    angles = _checks.real("offset", offset) * frequencies(d_model, base)
    sin, cos = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[sin, sin] = matrix[cos, cos] = np.cos(angles)
    matrix[sin, cos] = np.sin(angles)
    matrix[cos, sin] = -matrix[sin, cos]
    return matrix


def shift(
    encoding: ArrayLike, offset: ArrayLike, base: float = 10_000.0
) -> NDArray[np.floating[Any]]:
    """`rotation` applied without a matrix: encodings of t in, encodings of t + offset out.

    `encoding` has shape (..., d_model); `offset`, in positions, broadcasts with the leading axes.
    The result keeps the precision of `encoding` (integers become float64); the arithmetic is
    float64. Built in chapter 5. Raises TypeError or ValueError for input that is not real and
    finite, an odd last axis, shapes that do not broadcast, and a base that is not above 1.

    >>> np.allclose(shift(encode(4, 8), 3), encode(7, 8))
    True
    >>> shift(encode(range(5), 8), [[1], [2]]).shape
    (2, 5, 8)
    """
    pe, k = _checks.encodings("encoding", encoding), _checks.reals("offset", offset)
    shape = _checks.broadcastable("offset", k, pe.shape[:-1])
    turn = encode(k, pe.shape[-1], base)
    s, c = turn[..., 0::2], turn[..., 1::2]
    sin, cos = pe[..., 0::2], pe[..., 1::2]
    result = np.empty((*shape, pe.shape[-1]), pe.dtype if pe.dtype.kind == "f" else np.float64)
    result[..., 0::2] = c * sin + s * cos
    result[..., 1::2] = c * cos - s * sin
    return result


def kernel(
    offsets: ArrayLike, d_model: int, base: float = 10_000.0
) -> NDArray[np.float64] | np.float64:
    """encode(t) · encode(t + offset), the same for every t: shape np.shape(offsets).

    It is the sum of cos(w_i offset) over the pairs: d_model/2 at offset 0, and even, so it tells
    how far apart two positions are and not which comes first. `offsets` is a number, an array or
    a `range`. Built in chapter 5; raises as `encode` does.

    >>> (kernel([0, 1, 10, 100], 512) / 256).round(5)
    array([1.     , 0.97306, 0.67887, 0.43731])
    """
    w, k = frequencies(d_model, base), _checks.reals("offsets", offsets)
    result = np.empty(k.shape)
    sums = result.reshape(-1)
    for some, angles in _angles(k, w):
        np.cos(angles, out=angles).sum(axis=-1, out=sums[some])
    return result[()]
