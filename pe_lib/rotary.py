"""Rotary embeddings: queries and keys turned by their positions (Su et al. 2021, arXiv 2104.09864).

Pair i of a query or key at position t, [x, y], turns by w_i t, with w_i = base^(-2i/width) radians
per position (section 3.2.2), counter-clockwise; on the course's clocks, where x is up, clockwise:

    [x cos(w_i t) - y sin(w_i t),  x sin(w_i t) + y cos(w_i t)]

Pair i is entries 2i and 2i + 1 of a head in the layout "interleaved" (the paper, Meta's Llama),
and entries i and i + width/2 in the layout "halves" (GPT-NeoX, and Llama in transformers).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _arrays, _checks, _hands, sinusoidal
from pe_lib._checks import Layout

__all__ = ["convert_weights", "cos_sin", "rotate", "score", "to_halves", "to_interleaved"]


def __dir__() -> list[str]:
    return __all__


def rotate(
    vectors: ArrayLike,
    positions: ArrayLike,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
    turned: int | None = None,
    *,
    amplitude: float = 1.0,
    out: NDArray[np.floating[Any]] | None = None,
) -> NDArray[np.floating[Any]]:
    """Rotate queries or keys (..., length, d_head) by their positions; tensors stay tensors.

    `positions` broadcasts with the leading axes: (length,) for all heads alike, (batch, 1, length)
    where the texts of a batch differ; -positions turns back. Where heads stand behind the length,
    (batch, length, heads, d_head), give them an axis, `np.arange(length)[:, None]`: without it,
    the last leading axis is taken for the length. `frequencies`, (turned/2,) radians per position,
    takes the place of base^(-2i/turned), and `base` is not used then. Only the first `turned`
    entries (even; all unless given) are turned and hold the pairs, as in GPT-NeoX. `amplitude`
    multiplies cos and sin, and so the turned entries alone: with YaRN it is `yarn_amplitude`, for
    queries and for keys, and the score grows by its square. Angles and products are float64,
    rounded once to the precision of `vectors` (integers: float64). An array `out` of the result's
    shape, `vectors` itself if you like, is filled and returned.

    An array of PyTorch or JAX stays one, on its device, of its dtype and with its gradients; its
    products have its own precision, float32 at least, and it may hold what is not finite. In a
    graph of torch.compile, `positions` is a tensor or a `range`, and the last bit may differ.

    Su et al. (2021), sections 3.2.2 and 3.4.2. Raises TypeError or ValueError for input that is
    not real and finite, an odd or too large width, shapes that do not fit, and any other layout.

    >>> rotate([[1.0, 0.0, 1.0, 0.0]] * 2, range(2), base=100).round(4)
    array([[1.    , 0.    , 1.    , 0.    ],
           [0.5403, 0.8415, 0.995 , 0.0998]])
    >>> rotate([1, 1, 0, 0, 7, 7], 1, 100, "halves", turned=4).round(4)
    array([0.5403, 0.995 , 0.8415, 0.0998, 7.    , 7.    ])
    >>> from pe_lib.context import yarn, yarn_amplitude
    >>> rotate([1, 0, 1, 0], 7, frequencies=yarn(4, 8, 4096), amplitude=yarn_amplitude(8)).round(4)
    array([0.9107, 0.7936, 1.207 , 0.0476])
    """
    halves = _checks.is_halves("layout", layout)
    xp, x = _arrays.read("vectors", vectors)
    _checks.even("vectors", x.shape)
    width = _width(turned, x.shape[-1])
    result: NDArray[np.floating[Any]]
    torch: Any = sys.modules.get("torch")
    if xp and xp is torch and torch.compiler.is_compiling():  # numpy's work would end the graph
        cos, sin = _in_a_graph(xp, positions, width, base, frequencies)
        if amplitude != 1:
            cos, sin = amplitude * cos, amplitude * sin
        result = _arrays.turned_elsewhere(xp, x, cos, sin, halves, out)
        return result
    t = _checks.positions("positions", positions)
    _checks.broadcastable("positions", t, tuple(x.shape[:-1]))
    turn = _rotations(t, sinusoidal.spacing(width, base, frequencies), amplitude)
    result = _arrays.turned(xp, x, turn, halves, out)
    return result


def cos_sin(
    positions: ArrayLike,
    d_head: int,
    base: float = 10_000.0,
    *,
    dtype: DTypeLike = np.float64,
    frequencies: ArrayLike | None = None,
    amplitude: float = 1.0,
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Return the cosines and the sines that `rotate` multiplies by, in numpy.

    These are two arrays of shape np.shape(positions) + (d_head/2,), with one entry for each pair,
    fastest first: cos(w_i t) and sin(w_i t), times `amplitude`. They are computed in float64 and
    rounded once to `dtype`. Where only the first `turned` entries of a head are turned, give that
    number for `d_head`. `frequencies` and `amplitude` are those of `rotate`. For each layer of a
    published model, `cos_sin` of `pe_lib.checkpoints.Layer` gives the same from its configuration.

    Programs often keep a number for each entry of a head instead of each pair. For the layout
    "halves", as in transformers, that is np.concatenate([cos, cos], axis=-1); for "interleaved" it
    is np.repeat(cos, 2, axis=-1). Su et al. (2021), section 3.4.2. Raises TypeError or ValueError
    for a dtype that is not numpy's float64, float32 or float16, and as `rotate` does.

    >>> cos, sin = cos_sin(range(3), 4, base=100)
    >>> cos.round(4)
    array([[ 1.    ,  1.    ],
           [ 0.5403,  0.995 ],
           [-0.4161,  0.9801]])
    >>> x, y, c, s = 3.0, 4.0, cos[2, 0], sin[2, 0]  # one pair at position 2, by hand
    >>> np.allclose([x * c - y * s, x * s + y * c], rotate([x, y], 2))
    True
    """
    width, kind = _width(None, d_head), _checks.precision(dtype)
    t = _checks.positions("positions", positions)
    turn = _rotations(t, sinusoidal.spacing(width, base, frequencies), amplitude)
    return turn.real.astype(kind), turn.imag.astype(kind)


def score(
    query: ArrayLike,
    key: ArrayLike,
    offset: ArrayLike,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.float64] | np.float64:
    """rotate(query, t) · rotate(key, t - offset), the same for every t, in numpy.

    `query` and `key`, (d_head,), are not turned yet; `offset`, a number, an array or a `range`, is
    the query's position minus the key's; the result has its shape. The score is not divided by
    √d_head. `layout` and `frequencies` are those of `rotate`; with `turned` it is
    rotate(query, offset, …) @ key. Su et al. (2021), equation 16. Raises as `rotate` does.

    >>> score([3, 0], [0, 2], 1).round(4)  # the key is a quarter turn ahead: 6 sin(1)
    np.float64(5.0488)
    """
    q, k = _checks.reals("query", query), _checks.reals("key", key)
    _checks.even("query", q.shape)
    _checks.even("key", k.shape)
    one = q.ndim == 1 and q.shape == k.shape
    _checks.require(one, "query and key must have one shape (d_head,)", (q.shape, k.shape))
    offset = _checks.positions("offset", offset)
    apart = rotate(q.astype(np.float64), offset, base, layout, frequencies)
    return np.array(apart @ k)[()]


def to_halves(d_head: int, turned: int | None = None) -> NDArray[np.intp]:
    """The order that brings an interleaved vector into halves: x[..., to_halves(d_head)].

    Shape (d_head,); entries from `turned` on stay. Its own inverse up to width 4 only. Raises
    TypeError or ValueError unless d_head and `turned` are positive and even, `turned` <= d_head.

    >>> to_halves(6)
    array([0, 2, 4, 1, 3, 5])
    """
    width = _width(turned, d_head)
    return np.concatenate([*np.arange(width).reshape(-1, 2).T, np.arange(width, d_head)])


def to_interleaved(d_head: int, turned: int | None = None) -> NDArray[np.intp]:
    """The way back from `to_halves`: x[..., to_interleaved(d_head)]; raises as it does.

    >>> to_interleaved(6)
    array([0, 3, 1, 4, 2, 5])
    """
    return np.argsort(to_halves(d_head, turned))


def convert_weights(
    weights: ArrayLike,
    to: Layout,
    *,
    heads: int,
    d_head: int,
    axis: int,
    turned: int | None = None,
) -> NDArray[Any]:
    """Weights of queries or keys, reordered for the layout `to`; tensors stay tensors.

    They were trained with the other layout. `axis` holds `heads` · `d_head` entries, head after
    head: -1 in x @ weights, 0 in a weight (out, in) of PyTorch's `nn.Linear` and in a bias. Each
    head is reordered within its block, the rest of the array stays. Convert queries and keys (with
    the number of *their* heads), their biases, and the gains of a norm between weights and rotation
    (`heads=1` where all heads share one), and no score changes; values stay. Raises TypeError or
    ValueError unless the axis has that length, and as `to_halves` does.

    >>> convert_weights([[0, 1, 2, 3, 10, 11, 12, 13]], "halves", heads=2, d_head=4, axis=-1)
    array([[ 0,  2,  1,  3, 10, 12, 11, 13]])
    """
    _, array = _arrays.read("weights", weights)
    axes = _checks.integer("axis", axis, -sys.maxsize)
    order = to_halves if _checks.is_halves("to", to) else to_interleaved
    n, one = _checks.integer("heads", heads, 1), order(d_head, turned)
    size = n * one.size
    if not -array.ndim <= axes < array.ndim or array.shape[axes] != size:
        said = f"weights must have heads · d_head = {n} · {one.size} = {size} entries"
        raise ValueError(f"{said} along axis {axes}, got shape {tuple(array.shape)}")
    moved = np.arange(size).reshape(n, -1)[:, one].ravel()
    reordered: NDArray[Any] = array[(slice(None),) * (axes % array.ndim) + (moved,)]
    return reordered


def _rotations(
    positions: NDArray[Any], frequencies: NDArray[np.float64], amplitude: float
) -> NDArray[np.complex128]:
    """Return amplitude · e^(i w t) for each position and pair."""
    size = _checks.strength("amplitude", amplitude)
    turn = _hands.turns(positions, frequencies)
    if size != 1:
        turn *= size
    return turn


def _width(turned: int | None, d_head: int) -> int:
    """How many of the first entries hold pairs: all unless given."""
    even = _checks.integer("d_head", d_head, 2) % 2 == 0
    _checks.require(even, "d_head must be even (a rotation takes pairs)", d_head)
    width = d_head if turned is None else _checks.integer("turned", turned, 2)
    fits = width % 2 == 0 and width <= d_head
    _checks.require(fits, f"turned must be even and at most d_head = {d_head}", width)
    return width


def _in_a_graph(
    torch: Any, positions: Any, width: int, base: float, frequencies: Any
) -> tuple[Any, Any]:
    """The cosines and the sines, of the positions' shape + (pairs,), by PyTorch's float64."""
    exact = {"dtype": torch.float64, "device": "cpu"}  # which not every device has
    if isinstance(positions, range):
        positions = torch.arange(positions.start, positions.stop, positions.step)
    if frequencies is None:
        frequencies = base ** (-torch.arange(0, width, 2, **exact) / width)
    angles = torch.as_tensor(positions, **exact)[..., None] * torch.as_tensor(frequencies, **exact)
    return torch.cos(angles), torch.sin(angles)
