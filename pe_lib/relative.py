"""What an encoding says about offsets: a shift is a rotation, and only the offset shows in a dot.

With s = sin(w_i k) and c = cos(w_i k), moving every position by the offset k turns each pair:

    sin(w_i (t + k)) =  c sin(w_i t) + s cos(w_i t)
    cos(w_i (t + k)) = -s sin(w_i t) + c cos(w_i t)

A hand that starts straight up and points sine to the right, cosine up, turns clockwise. In these
coordinates `rotary.rotate`, which turns [x, y] counter-clockwise, is `shift` by the offset -k.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _arrays, _checks, _hands
from pe_lib._checks import Layout
from pe_lib.sinusoidal import encode, spacing  # noqa: F401  the examples encode

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
    """The matrix that moves every position by `offset`, in numpy: shape (d_model, d_model).

    encode(t + offset) == rotation(offset) @ encode(t) for every t: the matrix does not know t.
    `offset` is one real number of positions, of either sign; `layout` and `frequencies` are those
    of `encode`.

    The linear map of Vaswani et al. (2017), section 3.5; built in chapter 5. Raises TypeError or
    ValueError for an offset that is not real and finite, and as `frequencies` does.

    >>> rotation(3, 2).round(4)
    array([[-0.99  ,  0.1411],
           [-0.1411, -0.99  ]])
    >>> np.allclose(rotation(3, 8) @ encode(4, 8), encode(7, 8))
    True
    """
    d_model = _checks.width(d_model)
    _checks.real("offset", offset)  # one number, but not rounded to a float
    columns = shift(np.eye(d_model), offset, base, layout=layout, frequencies=frequencies)
    return np.asarray(columns.T + 0.0, np.float64)  # no negative zero


def shift(
    encoding: ArrayLike,
    offset: ArrayLike,
    base: float = 10_000.0,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.floating[Any]]:
    """`rotation` without a matrix: encodings of t in, of t + offset out; tensors stay tensors.

    `encoding` has shape (..., d_model); `offset`, in positions, broadcasts with the leading axes.
    The result keeps the precision of `encoding` (integers become float64); the arithmetic is
    float64. An array of PyTorch or JAX is treated as in `rotary.rotate`; `layout` and `frequencies`
    are those of `encode`. Built in chapter 5. Raises TypeError or ValueError for input that is not
    real and finite, an odd last axis, shapes that do not broadcast, and a base that is not above 1.

    >>> np.allclose(shift(encode(4, 8), 3), encode(7, 8))
    True
    >>> shift(encode(range(5), 8), [[1], [2]]).shape
    (2, 5, 8)
    """
    k, halves = _checks.positions("offset", offset), _checks.is_halves("layout", layout)
    xp, pe = _arrays.read("encoding", encoding)
    _checks.even("encoding", pe.shape)
    _checks.broadcastable("offset", k, tuple(pe.shape[:-1]))
    turn = _hands.turns(k, -spacing(pe.shape[-1], base, frequencies))
    result: NDArray[np.floating[Any]] = _arrays.turned(xp, pe, turn, halves)
    return result


def kernel(
    offsets: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    *,
    frequencies: ArrayLike | None = None,
) -> NDArray[np.float64] | np.float64:
    """encode(t) · encode(t + offset), the same for every t, in numpy: shape np.shape(offsets).

    It is the sum of cos(w_i offset) over the pairs: d_model/2 at offset 0, and even, so it tells
    how far apart two positions are and not which comes first. `offsets` is a number, an array or
    a `range`; `frequencies` are those of `encode`. Built in chapter 5; raises as `encode` does.

    >>> (kernel([0, 1, 10, 100], 512) / 256).round(5)
    array([1.     , 0.97306, 0.67887, 0.43731])
    """
    k, d_model = _checks.positions("offsets", offsets), _checks.width(d_model)
    w = spacing(d_model, base, frequencies)
    result = np.zeros(k.shape)
    sums = result.reshape(-1)
    for some, _, hands in _hands.blocks(k.reshape(-1), w):
        sums[some] += hands.imag.sum(axis=-1)
    return result[()]
