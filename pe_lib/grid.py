"""Positions on a grid: two numbers, a row and a column, in place of one.

Of the d_model/2 pairs each has a frequency *vector*, radians per row and radians per column, and a
patch at (r, c) turns it by

    angle = f_row r + f_column c

Axial vectors lie along one axis each: the first half of the pairs sees the row, the other half the
column, each half an encoding of its own, of width d_model/2, on a line. Turned by an `angle`, the
same vectors look along other directions, as in RoPE-Mixed of Heo et al. (2024), arXiv 2403.13298.
Angles are linear in r and c: a dot product depends on both offsets and on nothing else.
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
    """How fast each pair turns along rows and columns, in numpy: shape (d_model/2, 2).

    In radians per row and per column. Pair i of the first half has length base^(-2i/(d_model/2))
    and points along the rows, pair i of the other half has the same length and points along the
    columns. `angle`, in radians, a number or one for each i, (d_model/4,), turns both from rows to
    columns. With one random angle a head and base 10 it is where the learning of RoPE-Mixed begins
    (`init_random_2d_freqs` in the authors' program, github.com/naver-ai/rope-vit; their axial
    models have base 100).

    Raises TypeError or ValueError unless d_model is a positive multiple of 4, base finite and above
    1, and angle real, finite and of one of these shapes.

    >>> grid_frequencies(8, base=100)
    array([[1. , 0. ],
           [0.1, 0. ],
           [0. , 1. ],
           [0. , 0.1]])
    """
    d_model = _checks.integer("d_model", d_model, 1)
    said = "d_model must be a multiple of 4 (two axes of sines and cosines)"
    _checks.require(d_model % 4 == 0, said, d_model)
    w, turn = sinusoidal.frequencies(d_model // 2, base), _checks.reals("angle", angle)
    fits = turn.shape in ((), w.shape)
    _checks.require(fits, f"angle must be a number or have shape {w.shape}", turn.shape)
    along, across = w * np.cos(turn), w * np.sin(turn)
    rows = np.concatenate([along, -across])
    return np.stack([rows, np.concatenate([across, along])], axis=1) + 0.0  # no negative zero


def encode_grid(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
    *,
    dtype: DTypeLike = np.float64,
) -> NDArray[np.floating[Any]]:
    """The encoding of each patch, in numpy: sine, cosine, sine, cosine … of its angles.

    `rows` and `columns` are numbers, arrays or ranges of integers or floats that broadcast, and the
    result has their shape + (d_model,). Without `angle` it is the axial encoding: the first half is
    `encode(rows, d_model // 2, base)`, the other half `encode(columns, d_model // 2, base)`.
    `dtype` is that of `encode`. Built in chapter 11; raises as `encode` and `grid_frequencies` do,
    and for rows and columns that do not broadcast.

    >>> encode_grid(5, 0, 8)[:4].round(4)  # the row
    array([-0.9589,  0.2837,  0.05  ,  0.9988])
    >>> encode_grid(np.arange(14)[:, None], range(14), 64).shape  # a whole grid
    (14, 14, 64)
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, shape = _places(rows, columns)
    result, n = np.empty((*shape, d_model), _checks.precision(dtype)), d_model // 2
    if np.any(angle):
        turn = _turns(r, c, per_row, per_column)
        result[..., 0::2], result[..., 1::2] = turn.imag, turn.real
    else:  # an axis for each half
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
    """Queries or keys (..., patches, d_head), turned by their places; tensors stay tensors.

    `rows` and `columns` broadcast with the leading axes; pairs are interleaved and turn as in
    `rotate`. Two turns of one pair add up: turning by the row and then by the column is turning by
    both. Heo et al. (2024); built in chapter 11. Raises as
    `grid_frequencies` and `pe_lib.rotary.rotate` do.

    >>> rotate_grid([[1.0, 0.0, 1.0, 0.0]] * 2, [1, 0], [0, 1]).round(4)
    array([[0.5403, 0.8415, 1.    , 0.    ],
           [1.    , 0.    , 0.5403, 0.8415]])
    """
    xp, x = _arrays.read("vectors", vectors)
    _checks.even("vectors", x.shape, 4)
    per_row, per_column = grid_frequencies(x.shape[-1], base, angle).T
    r, c, _ = _places(rows, columns)
    for name, places in (("rows", r), ("columns", c)):
        _checks.broadcastable(name, places, tuple(x.shape[:-1]))
    turn = _turns(r, c, per_row, per_column)
    result: NDArray[np.floating[Any]] = _arrays.turned(xp, x, turn, halves=False)
    return result


def sections(shares: Sequence[int]) -> NDArray[np.intp]:
    """The axis of each pair if each axis gets a run of pairs: shape (sum of shares,).

    `shares` holds a number of pairs for each axis, in the order of the axes: the first gets the
    fastest pairs, the last the slowest. With [16, 24, 24], for frame, row and column, it is the
    `mrope_section` of Qwen2-VL (P. Wang et al. 2024, arXiv 2409.12191, section 2.1). Raises
    TypeError or ValueError unless there are one or more shares, integers of at least 0, that are
    not all 0.

    >>> sections([2, 3, 3])
    array([0, 0, 1, 1, 1, 2, 2, 2])
    """
    counts = _shares(shares)
    return np.repeat(np.arange(len(counts)), counts)


def round_robin(shares: Sequence[int]) -> NDArray[np.intp]:
    """The axis of each pair if pairs are dealt to the axes one by one: shape (sum of shares,).

    With n axes, axis a > 0 has the pairs a, a + n, a + 2n and so on, `shares[a]` of them; axis 0
    has all others, `shares[0]`. With [24, 20, 20] it is the `mrope_interleaved` of Qwen3-VL in
    transformers. Raises as `sections`, and ValueError if an axis would take pairs from beyond the
    last.

    >>> round_robin([4, 2, 2])
    array([0, 1, 2, 0, 1, 2, 0, 0])
    """
    counts = _shares(shares)
    axes, n = np.zeros(sum(counts), np.intp), len(counts)
    for axis, count in enumerate(counts[1:], start=1):
        fits = not count or axis + (count - 1) * n < axes.size
        said = f"shares must give axis {axis} only pairs up to the last, {axes.size - 1}"
        _checks.require(fits, said, counts)
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
    """Queries or keys (..., length, d_head), each pair turned by its axis; tensors stay tensors.

    `places`, (..., length, number of axes), holds a place on each axis; pair i turns by w_i times
    the place on axis `axes[i]`, an integer for each of the d_head/2 pairs, as `sections` and
    `round_robin` give. A word has the same place on every axis, and is turned as by `rotate`. w_i
    is base^(-2i/d_head), or `frequencies`, (d_head/2,) radians per position.

    M-RoPE: P. Wang et al. (2024), arXiv 2409.12191, section 2.1. Built in chapter 12. Raises
    TypeError or ValueError as `rotate` does, and for axes that are no integers or that `places`
    does not have.

    >>> x = [[1.0, 0.0, 1.0, 0.0]]
    >>> rotate_axes(x, [[2, 5]], [0, 1], frequencies=[0.1, 0.1]).round(4)
    array([[0.9801, 0.1987, 0.8776, 0.4794]])
    """
    halves = _checks.is_halves("layout", layout)
    xp, x = _arrays.read("vectors", vectors)
    _checks.even("vectors", x.shape)
    w = sinusoidal.spacing(x.shape[-1], base, frequencies)
    at, axis = _checks.positions("places", places), _checks.reals("axes", axes)
    if axis.shape != w.shape or axis.dtype.kind not in "iu":
        got = f"{axis.dtype} of shape {axis.shape}"
        raise ValueError(f"axes must be {w.size} integers, one a pair, got {got}")
    named = at.shape and axis.min() >= 0 and axis.max() < at.shape[-1]
    said = f"places must have an axis for each of 0 to {axis.max()}"
    _checks.require(bool(named), said, at.shape)
    _checks.broadcastable("places[..., 0]", at[..., 0], tuple(x.shape[:-1]))
    turn = np.empty((*at.shape[:-1], w.size), complex)
    for one in {*axis.tolist()}:  # integers stay integers, whatever stands on the other axes
        turn[..., axis == one] = _hands.turns(at[..., one], w[axis == one])
    result: NDArray[np.floating[Any]] = _arrays.turned(xp, x, turn, halves)
    return result


def _shares(shares: Sequence[int]) -> list[int]:
    """Return the number of pairs of each axis, checked."""
    try:
        numbers = list(shares)
    except TypeError:
        got = _checks.shown(shares)
        message = f"shares must be a list with an integer for each axis, got {got}"
        raise TypeError(message) from None
    counts = [_checks.integer("shares", number, 0) for number in numbers]
    _checks.require(sum(counts) > 0, "shares must hold at least one pair", counts)
    return counts


def grid_kernel(
    rows: ArrayLike,
    columns: ArrayLike,
    d_model: int,
    base: float = 10_000.0,
    angle: ArrayLike = 0.0,
) -> NDArray[np.float64] | np.float64:
    """The dot product of two patches' encodings, `rows` and `columns` apart, in numpy.

    It is the sum of the cosines of the angles, the same wherever the first patch is: shape of
    `rows` and `columns`, which broadcast. For axial vectors it is the kernel of the rows plus the
    kernel of the columns. Built in chapter 11; raises as `encode_grid` does.

    >>> (grid_kernel([0, 0, 3, 3], [0, 3, 0, 3], 64, base=100) / 32).round(3)
    array([1.   , 0.8  , 0.8  , 0.599])
    """
    per_row, per_column = grid_frequencies(d_model, base, angle).T
    r, c, _ = _places(rows, columns)
    turn = _turns(r, c, per_row, per_column)
    return np.array(turn.real.sum(axis=-1))[()]


def resized(
    table: ArrayLike,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    method: Literal["bicubic", "bilinear"] = "bicubic",
    *,
    extra: int = 0,
) -> NDArray[np.floating[Any]]:
    """A learned table of patches, interpolated for another grid; tensors stay tensors.

    `table`, (extra + rows · columns, d_model), holds the patches of `old_grid`, (rows, columns),
    row after row, behind `extra` rows (of a class token, say), which stay. So is the result, with
    `new_grid`, in the precision of the table (integers become float64). Both grids cover the same
    picture, so that centre j of n lies at (j + 1/2) · old/n - 1/2, and the border goes on beyond
    itself: `align_corners=False` in PyTorch, whose cubic this is (a = -3/4), without antialiasing.

    Dosovitskiy et al. (2021), section 3.2; built in chapter 11. Raises TypeError or ValueError
    unless the grids are two positive integers each and the table has as many rows, and for any
    other method.

    >>> resized([[0.0], [1.0]], (1, 2), (1, 4), "bilinear").ravel()
    array([0.  , 0.25, 0.75, 1.  ])
    >>> resized(np.ones((1 + 14 * 14, 768)), (14, 14), (24, 24), extra=1).shape
    (577, 768)
    """
    xp, x = _arrays.read("table", table)
    old, new = _sides("old_grid", old_grid), _sides("new_grid", new_grid)
    first = _checks.integer("extra", extra, 0)
    if len(x.shape) != 2 or x.shape[0] != first + old[0] * old[1]:
        raise ValueError(
            f"table must have shape (extra + rows · columns, d_model) with {first} + {old[0]} · "
            f"{old[1]} rows (extra, of a class token say, is {first}), got shape {tuple(x.shape)}"
        )
    down, along = (_between(*sizes, method) for sizes in zip(old, new, strict=True))
    if xp is not None:
        down, along = (_arrays.beside(xp, x, matrix) for matrix in (down, along))
    width = x.shape[1]
    patches = _arrays.cast(xp, x[first:], down.dtype).reshape(old[0], old[1] * width)
    tall = (down @ patches).reshape(new[0], old[1], width)
    grown = (along @ tall).reshape(new[0] * new[1], width)
    if xp is None and x.dtype.kind != "f":
        x = x.astype(np.float64)
    result: NDArray[np.floating[Any]]
    result = (xp or np).concat([x[:first], _arrays.cast(xp, grown, x.dtype)])
    return result


def _sides(name: str, grid: tuple[int, int]) -> tuple[int, int]:
    """A number of rows and one of columns."""
    try:
        rows, columns = grid
    except (TypeError, ValueError):
        got = _checks.shown(grid)
        raise TypeError(f"{name} must be two integers, (rows, columns), got {got}") from None
    return _checks.integer(name, rows, 1), _checks.integer(name, columns, 1)


def _between(old: int, new: int, method: str) -> NDArray[np.float64]:
    """What each of `new` places takes of each of `old` ones along a line: shape (new, old)."""
    at = (np.arange(new)[:, None] + 0.5) * old / new - 0.5
    places = np.floor(at) + np.arange(-1, 3)
    x = np.abs(at - places)
    known = isinstance(method, str) and method in ("bicubic", "bilinear")
    _checks.require(known, "method must be 'bicubic' or 'bilinear'", method)
    if method == "bilinear":
        weights = np.maximum(1 - x, 0)
    else:
        near, far = (1.25 * x - 2.25) * x * x + 1, -0.75 * (((x - 5) * x + 8) * x - 4)
        weights = np.where(x < 1, near, far)
    matrix = np.zeros((new, old))
    np.add.at(matrix, (np.arange(new)[:, None], places.astype(int).clip(0, old - 1)), weights)
    return matrix


def _places(rows: ArrayLike, columns: ArrayLike) -> tuple[NDArray[Any], NDArray[Any], Any]:
    """Rows and columns, and the shape that they broadcast to."""
    r, c = _checks.positions("rows", rows), _checks.positions("columns", columns)
    try:
        return r, c, np.broadcast_shapes(r.shape, c.shape)
    except ValueError:
        message = f"rows and columns must broadcast, got shapes {r.shape} and {c.shape}"
        if r.ndim == c.ndim == 1:
            message += "; for every row with every column give np.asarray(rows)[:, None]"
        raise ValueError(message) from None


def _turns(
    r: NDArray[Any], c: NDArray[Any], per_row: NDArray[Any], per_column: NDArray[Any]
) -> NDArray[np.complex128]:
    """e^(i (f_row r + f_column c)) for each patch and pair: their shape + (d_model/2,)."""
    return _hands.turns(r, per_row) * _hands.turns(c, per_column)
