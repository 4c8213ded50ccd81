"""Encode positions on a grid, where a position is a row and a column instead of one number.

Each of the d_model/2 pairs has a frequency *vector*, in radians per row and radians per column. For
a patch at (r, c), the pair is rotated by

    angle = f_row r + f_column c

An axial vector points along one axis. The first half of the pairs depends on the row and the other
half on the column, so each half is an encoding of one number, of width d_model/2. Vectors that are
rotated by an `angle` point in other directions, as in RoPE-Mixed of Heo et al. (2024), arXiv
2403.13298. Because angles are linear in r and c, a dot product depends only on the two offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _arrays, _checks, _hands, sinusoidal
from pe_lib._checks import Layout

__all__ = ["encode_grid", "grid_frequencies", "grid_kernel", "resized", "rotate_axes",
           "rotate_grid", "round_robin", "sections"]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def grid_frequencies(
    d_model: int, base: float = 10_000.0, angle: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """Return each pair's frequencies, in radians per row and per column: shape (d_model/2, 2).

    Pair i of the first half has length base^(-2i/(d_model/2)) and points along the rows. Pair i of
    the other half has the same length and points along the columns. `angle`, in radians, rotates
    both from the rows towards the columns; it is a number, or (d_model/4,) numbers, one for each i.
    RoPE-Mixed starts its training with one random angle for each head and base 10
    (`init_random_2d_freqs` in the authors' program, github.com/naver-ai/rope-vit); their axial
    models have base 100.

    Raises TypeError or ValueError unless d_model is a positive multiple of 4, base finite and above
    1, and angle real, finite and of one of these shapes.

    >>> grid_frequencies(8, base=100)
    array([[1. , 0. ],
           [0.1, 0. ],
           [0. , 1. ],
           [0. , 0.1]])
    """
    d_model = _checks.integer("d_model", d_model, 1)
    requirement = "d_model must be a multiple of 4 (two axes of sines and cosines)"
    _checks.require(d_model % 4 == 0, requirement, d_model)
    w, direction = sinusoidal.frequencies(d_model // 2, base), _checks.reals("angle", angle)
    fits = direction.shape in ((), w.shape)
    _checks.require(fits, f"angle must be a number or have shape {w.shape}", direction.shape)
    along, across = w * np.cos(direction), w * np.sin(direction)
    rows, columns = np.concatenate([along, -across]), np.concatenate([across, along])
    return np.stack([rows, columns], axis=1) + 0.0  # Adding 0.0 turns -0 into 0.


def encode_grid(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
    *,
    dtype: DTypeLike = np.float64,
) -> NDArray[np.floating[Any]]:
    """Return the encoding of each patch, as sin, cos, sin, cos … of the patch's angles.

    `rows` and `columns` are numbers, arrays or ranges of integers or floats that broadcast, and the
    result has their shape + (d_model,). For a whole grid, give the rows one more axis, as below.
    Without `angle` it is the axial encoding: the first half is `encode(rows, d_model // 2, base)`,
    the other half `encode(columns, d_model // 2, base)`. `dtype` is that of `encode`. Built in
    chapter 11; raises as `encode` and `grid_frequencies` do, and for rows and columns that do not
    broadcast.

    >>> encode_grid(5, 0, 8)[:4].round(4)  # the row
    array([-0.9589,  0.2837,  0.05  ,  0.9988])
    >>> encode_grid(np.arange(14)[:, None], range(14), 64).shape  # a whole grid
    (14, 14, 64)
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, shape = _rows_and_columns(rows, columns)
    result, n = np.empty((*shape, d_model), _checks.precision(dtype)), d_model // 2
    if np.any(angle):
        rotations = _rotations(r, c, per_row, per_column)
        result[..., 0::2], result[..., 1::2] = rotations.imag, rotations.real
    else:  # Each half of the entries depends on a single axis.
        w = per_row[: n // 2]
        result[..., :n] = sinusoidal.encode(r, n, dtype=dtype, frequencies=w)
        result[..., n:] = sinusoidal.encode(c, n, dtype=dtype, frequencies=w)
    return result


def rotate_grid(
    vectors: ArrayLike,
    rows: ArrayLike,
    columns: ArrayLike,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
) -> NDArray[np.floating[Any]]:
    """Rotate queries or keys (..., patches, d_head) by their row and column.

    `rows` and `columns` broadcast with the leading axes. Pairs are interleaved and rotated as in
    `rotate`. The angles of a row and a column add up, so rotating by one and then by the other is
    the same as rotating by both. If the input is a PyTorch or JAX array, so is the result. Source:
    Heo et al. (2024); built in chapter 11. Raises as `grid_frequencies` and `pe_lib.rotary.rotate`
    do.

    >>> rotate_grid([[1.0, 0.0, 1.0, 0.0]] * 2, [1, 0], [0, 1]).round(4)
    array([[0.5403, 0.8415, 1.    , 0.    ],
           [1.    , 0.    , 0.5403, 0.8415]])
    """
    xp, x = _arrays.read_array("vectors", vectors)
    _checks.require_pairs("vectors", x.shape, 4)
    per_row, per_column = grid_frequencies(x.shape[-1], base, angle).T
    r, c, _ = _rows_and_columns(rows, columns)
    for name, positions in (("rows", r), ("columns", c)):
        _checks.broadcast_shape(name, positions, tuple(x.shape[:-1]))
    rotations = _rotations(r, c, per_row, per_column)
    result: NDArray[np.floating[Any]] = _arrays.rotate_pairs(xp, x, rotations, halves=False)
    return result


def sections(shares: Sequence[int]) -> NDArray[np.intp]:
    """Return the axis of each pair if every axis gets consecutive pairs: shape (sum of shares,).

    `shares` is a list with the number of pairs of each axis, in the order of the axes. The first
    axis gets the fastest pairs and the last the slowest. With [16, 24, 24], for frame, row and
    column, it is the `mrope_section` of Qwen2-VL (P. Wang et al. 2024, arXiv 2409.12191, section
    2.1). Raises TypeError or ValueError unless shares are integers of at least 0, and not all 0.

    >>> sections([2, 3, 3])
    array([0, 0, 1, 1, 1, 2, 2, 2])
    """
    counts = _shares(shares)
    return np.repeat(np.arange(len(counts)), counts)


def round_robin(shares: Sequence[int]) -> NDArray[np.intp]:
    """Return the axis of each pair if pairs are dealt to the axes in turn: shape (sum of shares,).

    With n axes, axis a > 0 gets the first `shares[a]` of the pairs a, a + n, a + 2n and so on.
    Axis 0 gets all other pairs, and their number is `shares[0]`. With [24, 20, 20], the result is
    the `mrope_interleaved` of Qwen3-VL in transformers. Raises as `sections` does, and ValueError
    if an axis would need pairs beyond the last pair.

    >>> round_robin([4, 2, 2])
    array([0, 1, 2, 0, 1, 2, 0, 0])
    """
    counts = _shares(shares)
    axes, n = np.zeros(sum(counts), np.intp), len(counts)
    for axis, count in enumerate(counts[1:], start=1):
        fits = not count or axis + (count - 1) * n < axes.size
        requirement = f"shares must give axis {axis} only pairs up to the last, {axes.size - 1}"
        _checks.require(fits, requirement, counts)
        axes[axis : count * n : n] = axis
    return axes


def rotate_axes(
    vectors: ArrayLike,
    places: ArrayLike,
    axes: ArrayLike,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Rotate each pair of queries or keys (..., length, d_head) by the position on the pair's axis.

    `places`, (..., length, number of axes), holds the positions of a token, one on each axis.
    `axes` holds an integer for each of the d_head/2 pairs, as `sections` and `round_robin` return
    them. Pair i is rotated by w_i times the position on axis `axes[i]`. A word has the same
    position on every axis, and is rotated as by `rotate`. w_i is base^(-2i/d_head), or
    `frequencies`, (d_head/2,) radians per position. If the input is a PyTorch or JAX array, so is
    the result.

    Source: M-RoPE in P. Wang et al. (2024), arXiv 2409.12191, section 2.1; built on
    the Deeper page of chapter 12. Raises TypeError or ValueError as `rotate` does, and for axes
    that are not integers or that `places` does not have.

    >>> x = [[1.0, 0.0, 1.0, 0.0]]
    >>> rotate_axes(x, [[2, 5]], [0, 1], frequencies=[0.1, 0.1]).round(4)
    array([[0.9801, 0.1987, 0.8776, 0.4794]])
    """
    halves = _checks.is_halves("layout", layout)
    xp, x = _arrays.read_array("vectors", vectors)
    _checks.require_pairs("vectors", x.shape)
    w = sinusoidal.choose_frequencies(x.shape[-1], base, frequencies)
    t, axis = _checks.positions("places", places), _checks.reals("axes", axes)
    if axis.shape != w.shape or axis.dtype.kind not in "iu":
        raise ValueError(
            f"axes must be {w.size} integers, one for each pair, "
            f"got {axis.dtype} of shape {axis.shape}"
        )
    exist = t.shape and axis.min() >= 0 and axis.max() < t.shape[-1]
    requirement = f"places must have an axis for each of 0 to {axis.max()}"
    _checks.require(bool(exist), requirement, t.shape)
    _checks.broadcast_shape("places[..., 0]", t[..., 0], tuple(x.shape[:-1]))
    rotations = np.empty((*t.shape[:-1], w.size), complex)
    # Rotate by the axes one after the other, because each has its own positions and pairs.
    for k in {*axis.tolist()}:
        rotations[..., axis == k] = _hands.rotations(t[..., k], w[axis == k])
    result: NDArray[np.floating[Any]] = _arrays.rotate_pairs(xp, x, rotations, halves)
    return result


def grid_kernel(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
) -> NDArray[np.float64] | np.float64:
    """Return the dot product of the encodings of two patches that are `rows` and `columns` apart.

    The dot product is the sum of the cosines of the angles, wherever the first patch is. `rows` and
    `columns` broadcast, and the result is a numpy array of their shape. For axial vectors it is the
    kernel of the rows plus the kernel of the columns. Built in chapter 11; raises as `encode_grid`
    does.

    >>> (grid_kernel([0, 0, 3, 3], [0, 3, 0, 3], 64, base=100) / 32).round(3)
    array([1.   , 0.8  , 0.8  , 0.599])
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, _ = _rows_and_columns(rows, columns)
    return np.array(_rotations(r, c, per_row, per_column).real.sum(axis=-1))[()]


def resized(
    table: ArrayLike,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    method: Literal["bicubic", "bilinear"] = "bicubic",
    *,
    extra: int = 0,
) -> NDArray[np.floating[Any]]:
    """Interpolate a learned table of patch positions to fit another grid.

    `table` has shape (extra + rows · columns, d_model). Its first `extra` rows (of a class token,
    for example) are kept. The other rows belong to the patches of `old_grid`, (rows, columns), row
    after row. The result has the same order for `new_grid`, and the precision of the table
    (integers become float64). If the input is a PyTorch or JAX array, so is the result.

    Both grids cover the same picture, so centre j of n lies at (j + 1/2) · old/n - 1/2. Beyond the
    border, the patches on the border are repeated. PyTorch computes the same with
    `align_corners=False` and without antialiasing, and its cubic has a = -3/4. Source: Dosovitskiy
    et al. (2021), section 3.2; built in chapter 11. Raises TypeError or ValueError unless each grid
    is two positive integers and the table has the right number of rows, and for any other method.

    >>> resized([[0.0], [1.0]], (1, 2), (1, 4), "bilinear").ravel()
    array([0.  , 0.25, 0.75, 1.  ])
    >>> resized(np.ones((1 + 14 * 14, 768)), (14, 14), (24, 24), extra=1).shape
    (577, 768)
    """
    xp, x = _arrays.read_array("table", table)
    old, new = _sides("old_grid", old_grid), _sides("new_grid", new_grid)
    first = _checks.integer("extra", extra, 0)
    if len(x.shape) != 2 or x.shape[0] != first + old[0] * old[1]:
        raise ValueError(
            f"table must have shape (extra + rows · columns, d_model) with {first} + {old[0]} · "
            f"{old[1]} rows (extra, of a class token say, is {first}), got shape {tuple(x.shape)}"
        )
    down, along = (_interpolation_matrix(*sizes, method) for sizes in zip(old, new, strict=True))
    if xp is not None:
        down, along = (_arrays.convert_like(xp, x, matrix) for matrix in (down, along))
    width = x.shape[1]
    patches = _arrays.cast(xp, x[first:], down.dtype).reshape(old[0], old[1] * width)
    new_rows = (down @ patches).reshape(new[0], old[1], width)
    new_patches = (along @ new_rows).reshape(new[0] * new[1], width)
    if xp is None and x.dtype.kind != "f":
        x = x.astype(np.float64)
    result: NDArray[np.floating[Any]]
    result = (xp or np).concat([x[:first], _arrays.cast(xp, new_patches, x.dtype)])
    return result


def _shares(shares: Sequence[int]) -> list[int]:
    """Return how many pairs each axis gets, as a list of integers that are not negative."""
    try:
        numbers = list(shares)
    except TypeError:
        requirement = "shares must be a list with an integer for each axis"
        raise TypeError(f"{requirement}, got {_checks.quote(shares)}") from None
    counts = [_checks.integer("shares", number, 0) for number in numbers]
    _checks.require(sum(counts) > 0, "shares must hold at least one pair", counts)
    return counts


def _sides(name: str, grid: tuple[int, int]) -> tuple[int, int]:
    """Return the number of rows and the number of columns of a grid."""
    try:
        rows, columns = grid
    except (TypeError, ValueError):
        requirement = f"{name} must be two integers, (rows, columns)"
        raise TypeError(f"{requirement}, got {_checks.quote(grid)}") from None
    return _checks.integer(name, rows, 1), _checks.integer(name, columns, 1)


def _interpolation_matrix(old: int, new: int, method: str) -> NDArray[np.float64]:
    """Return the weights that interpolate `old` points on a line at `new` points: (new, old)."""
    is_method = isinstance(method, str) and method in _WEIGHTS
    _checks.require(is_method, "method must be 'bicubic' or 'bilinear'", method)
    centres = (np.arange(new)[:, None] + 0.5) * old / new - 0.5
    neighbours = np.floor(centres) + np.arange(-1, 3)
    weights = _WEIGHTS[method](np.abs(centres - neighbours))
    matrix = np.zeros((new, old))
    columns = neighbours.astype(int).clip(0, old - 1)
    np.add.at(matrix, (np.arange(new)[:, None], columns), weights)
    return matrix


def _linear_weights(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of a point at distance x in linear interpolation."""
    return np.maximum(1 - x, 0)


def _cubic_weights(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of a point at distance x < 2 in cubic interpolation with a = -3/4."""
    near, far = (1.25 * x - 2.25) * x * x + 1, -0.75 * (((x - 5) * x + 8) * x - 4)
    return np.where(x < 1, near, far)


_WEIGHTS = {"bicubic": _cubic_weights, "bilinear": _linear_weights}


def _rows_and_columns(
    rows: ArrayLike, columns: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], tuple[int, ...]]:
    """Return row and column indices as arrays, and the shape to which they broadcast."""
    r, c = _checks.positions("rows", rows), _checks.positions("columns", columns)
    try:
        return r, c, np.broadcast_shapes(r.shape, c.shape)
    except ValueError:
        message = f"rows and columns must broadcast, got shapes {r.shape} and {c.shape}"
        if r.ndim == c.ndim == 1:
            message += "; for every row with every column give np.asarray(rows)[:, None]"
        raise ValueError(message) from None


def _rotations(
    r: NDArray[Any], c: NDArray[Any], per_row: NDArray[Any], per_column: NDArray[Any]
) -> NDArray[np.complex128]:
    """Return e^(i (f_row r + f_column c)) for each patch and pair: grid shape + (d_model/2,)."""
    return _hands.rotations(r, per_row) * _hands.rotations(c, per_column)
