"""Positions on a grid: two numbers, a row and a column, in place of one.

Of the d_model/2 pairs each has a frequency *vector*, radians per row and radians per column, and a
patch at (r, c) turns it by

    angle = f_row r + f_column c

Axial vectors lie along one axis each: the first half of the pairs sees the row, the other half the
column, each half an encoding of its own, of width d_model/2, on a line. Turned by an `angle`, the
same vectors look along other directions, as in RoPE-Mixed of Heo et al. (2024), arXiv 2403.13298.
Angles are linear in r and c: a dot product depends on both offsets and on nothing else.
"""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _arrays, _checks, _hands, sinusoidal


def grid_frequencies(
    d_model: int, base: float = 10_000.0, angle: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """How fast each pair turns along the grid: shape (d_model/2, 2), radians per row, per column.

    Pair i of the first half has length base^(-2i/(d_model/2)) and points along the rows, pair i of
    the other half has the same length and points along the columns. `angle`, in radians, a number
    or one for each i, (d_model/4,), turns both from rows to columns. With one random angle a head
    and base 10 it is where the learning of RoPE-Mixed begins (`init_random_2d_freqs` in the
    authors' program, github.com/naver-ai/rope-vit; their axial models have base 100).

    Raises TypeError or ValueError unless d_model is a positive multiple of 4, base finite and above
    1, and angle real, finite and of one of these shapes.

    >>> grid_frequencies(8, base=100)
    array([[1. , 0. ],
           [0.1, 0. ],
           [0. , 1. ],
           [0. , 0.1]])
    """
    d_model = _checks.integer("d_model", d_model, 1)
    if d_model % 4:
        raise ValueError(
            f"d_model must be a multiple of 4 (two axes of sines and cosines), got {d_model}"
        )
    w, turn = sinusoidal.frequencies(d_model // 2, base), _checks.reals("angle", angle)
    if turn.shape not in ((), w.shape):
        raise ValueError(f"angle must be a number or have shape {w.shape}, got {turn.shape}")
    along, across = w * np.cos(turn), w * np.sin(turn)
    rows = np.concatenate([along, -across])
    return np.stack([rows, np.concatenate([across, along])], axis=1) + 0.0  # no negative zero


def encode_grid(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
    dtype: DTypeLike = np.float64,
) -> NDArray[np.floating[Any]]:
    """The encoding of each patch: sine, cosine, sine, cosine … of its angles.

    `rows` and `columns` are numbers, arrays or ranges of integers or floats that broadcast, and the
    result has their shape + (d_model,). Without `angle` it is the axial encoding: the first half is
    `encode(rows, d_model // 2, base)`, the other half `encode(columns, d_model // 2, base)`.
    `dtype` is that of `encode`. Built in chapter 10; raises as `encode` and `grid_frequencies` do,
    and for rows and columns that do not broadcast.

    >>> encode_grid(5, 0, 8)[:4].round(4)  # the row
    array([-0.9589,  0.2837,  0.05  ,  0.9988])
    >>> encode_grid(np.arange(14)[:, None], range(14), 64).shape  # a whole grid
    (14, 14, 64)
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, shape = _places(rows, columns)
    result = np.empty((*shape, d_model), _checks.precision(dtype))
    n = d_model // 2
    if not per_row[n // 2 :].any() and not per_column[: n // 2].any():  # an axis for each half
        w = per_row[: n // 2]
        result[..., :n] = sinusoidal.encode(r, n, dtype=dtype, frequencies=w)
        result[..., n:] = sinusoidal.encode(c, n, dtype=dtype, frequencies=w)
    else:
        turn = _turns(r, c, per_row, per_column)
        result[..., 0::2], result[..., 1::2] = turn.imag, turn.real
    return result


def rotate_grid(
    vectors: ArrayLike,
    rows: ArrayLike,
    columns: ArrayLike,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
) -> NDArray[np.floating[Any]]:
    """Queries or keys, turned by their places: shape (..., patches, d_head) in and out.

    `rows` and `columns` broadcast with the leading axes; pairs are interleaved and turn
    counter-clockwise, as in `rotate`.
    Two turns of one pair add up, so that turning by the row and then by the column is turning by
    both. Heo et al. (2024); built in chapter 10. Raises as `grid_frequencies` and
    `pe_lib.rotary.rotate` do.

    >>> rotate_grid([[1.0, 0.0, 1.0, 0.0]] * 2, [1, 0], [0, 1]).round(4)
    array([[0.5403, 0.8415, 1.    , 0.    ],
           [1.    , 0.    , 0.5403, 0.8415]])
    """
    xp, x = _arrays.read("vectors", vectors)
    if not x.shape or x.shape[-1] == 0 or x.shape[-1] % 4:
        raise ValueError(f"vectors must have shape (..., multiple of 4), got {tuple(x.shape)}")
    per_row, per_column = grid_frequencies(x.shape[-1], base, angle).T
    r, c, _ = _places(rows, columns)
    for name, places in (("rows", r), ("columns", c)):
        _checks.broadcastable(name, places, tuple(x.shape[:-1]))
    turn = _turns(r, c, per_row, per_column)
    result: NDArray[np.floating[Any]] = _arrays.turned(xp, x, turn, halves=False)
    return result


@overload
def grid_kernel(
    rows: _checks.Number,
    columns: _checks.Number,
    d_model: int,
    base: float = ...,
    angle: ArrayLike = ...,
) -> np.float64: ...
@overload
def grid_kernel(
    rows: ArrayLike, columns: ArrayLike, d_model: int, base: float = ..., angle: ArrayLike = ...
) -> NDArray[np.float64]: ...
def grid_kernel(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
) -> NDArray[np.float64] | np.float64:
    """The dot product of two patches' encodings that are `rows` and `columns` apart.

    It is the sum of the cosines of the angles, the same wherever the first patch is: shape of
    `rows` and `columns`, which broadcast. For axial vectors it is the kernel of the rows plus the
    kernel of the columns. Built in chapter 10; raises as `encode_grid` does.

    >>> (grid_kernel([0, 0, 3, 3], [0, 3, 0, 3], 64, base=100) / 32).round(3)
    array([1.   , 0.8  , 0.8  , 0.599])
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, _ = _places(rows, columns)
    return np.array(_turns(r, c, per_row, per_column).real.sum(axis=-1))[()]


def _places(
    rows: ArrayLike, columns: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], tuple[int, ...]]:
    """Rows and columns, and the shape that they broadcast to."""
    r, c = _checks.positions("rows", rows), _checks.positions("columns", columns)
    return r, c, _checks.broadcastable("columns", c, r.shape)


def _turns(
    r: NDArray[Any], c: NDArray[Any], per_row: NDArray[Any], per_column: NDArray[Any]
) -> NDArray[np.complex128]:
    """e^(i (f_row r + f_column c)) for each patch and pair: their shape + (d_model/2,)."""
    return _hands.turns(r, per_row) * _hands.turns(c, per_column)
