"""Rotate queries and keys by their positions, as in RoPE (Su et al. 2021, arXiv 2104.09864).

Pair i of a query or key at position t, [x, y], is rotated by the angle w_i t, where w_i is
base^(-2i/width) radians per position (section 3.2.2):

    [x cos(w_i t) - y sin(w_i t),  x sin(w_i t) + y cos(w_i t)]

This rotation is counter-clockwise if x points to the right and y points up. On the course's clocks,
x points up, so the rotation is clockwise. In the layout "interleaved" (the paper, Meta's Llama),
pair i is entries 2i and 2i + 1 of a head. In the layout "halves" (GPT-NeoX, and Llama in
transformers), pair i is entries i and i + width/2.
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
    """Rotate queries or keys (..., length, d_head) by their positions.

    `positions` broadcasts with the leading axes. Give shape (length,) if all heads have the same
    positions, and (batch, 1, length) if the texts of a batch differ. To undo the rotation, give
    -positions. The last leading axis is taken for the length. If heads stand behind the length, as
    in (batch, length, heads, d_head), give positions one more axis: `np.arange(length)[:, None]`.

    With `turned`, an even number, only the first `turned` entries are rotated, and the pairs are
    formed among them, as in GPT-NeoX. Without it, all entries are rotated. `frequencies`,
    (turned/2,) radians per position, replaces base^(-2i/turned), and `base` is not used then.
    `amplitude` multiplies cos and sin, and so the rotated entries only. For YaRN, pass
    `yarn_amplitude` both for queries and for keys. Their score then grows by its square.

    Angles and products are float64, and are rounded once to the precision of `vectors` (integers
    become float64). If you give an array `out` of the result's shape, which may be `vectors`
    itself, it is filled and returned. An array from PyTorch or JAX stays in its library, on its
    device, with its dtype and its gradients. Its products have its own precision, but at least
    float32, and it may hold numbers that are not finite. In a graph of torch.compile, `positions`
    must be a tensor or a `range`, and the last bit may differ.

    Source: Su et al. (2021), sections 3.2.2 and 3.4.2. Raises TypeError or ValueError for input
    that is not real and finite, an odd or too large width, shapes that do not fit, any other
    layout, and an amplitude that is negative.

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
    xp, x = _arrays.read_array("vectors", vectors)
    _checks.require_pairs("vectors", x.shape)
    width = _width(turned, x.shape[-1])
    result: NDArray[np.floating[Any]]
    torch: Any = sys.modules.get("torch")
    if xp and xp is torch and torch.compiler.is_compiling():
        # Computing with numpy would interrupt the graph of torch.compile.
        cos, sin = _cos_sin_by_torch(xp, positions, width, base, frequencies)
        if amplitude != 1:
            cos, sin = amplitude * cos, amplitude * sin
        result = _arrays.rotate_pairs_elsewhere(xp, x, cos, sin, halves, out)
        return result
    t = _checks.positions("positions", positions)
    _checks.broadcast_shape("positions", t, tuple(x.shape[:-1]))
    w = sinusoidal.choose_frequencies(width, base, frequencies)
    result = _arrays.rotate_pairs(xp, x, _rotations(t, w, amplitude), halves, out)
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
    """Return the cosines and the sines with which `rotate` multiplies, as two numpy arrays.

    Both arrays have shape np.shape(positions) + (d_head/2,). They have one entry for each
    pair, cos(w_i t) and sin(w_i t), times `amplitude`. They are computed in float64 and rounded
    once to `dtype`. If only the first `turned` entries of a head are rotated, give that number for
    `d_head`. `frequencies` and `amplitude` are those of `rotate`. For each layer of a published
    model, `pe_lib.checkpoints.Layer` gives the same from the model's configuration.

    Programs often keep a number for each entry of a head instead of each pair. For the layout
    "halves", as in transformers, that is np.concatenate([cos, cos], axis=-1); for "interleaved" it
    is np.repeat(cos, 2, axis=-1). Source: Su et al. (2021), section 3.4.2. Raises TypeError or
    ValueError for a dtype that is not numpy's float64, float32 or float16, and as `rotate` does.

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
    w = sinusoidal.choose_frequencies(width, base, frequencies)
    rotations = _rotations(t, w, amplitude)
    return rotations.real.astype(kind), rotations.imag.astype(kind)


def score(
    query: ArrayLike,
    key: ArrayLike,
    offset: ArrayLike,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
) -> NDArray[np.float64] | np.float64:
    """Return the score rotate(query, t) · rotate(key, t - offset), which is equal for all t.

    `query` and `key`, (d_head,), are not yet rotated. `offset` is the query's
    position minus the key's: a number, an array or a `range`, and the result has its shape. The
    score is not divided by √d_head. `layout` and `frequencies` are those of `rotate`. If only
    `turned` entries are rotated, compute rotate(query, offset, …) @ key instead. Source: Su et al.
    (2021), equation 16. Raises as `rotate` does.

    >>> score([3, 0], [0, 2], 1).round(4)  # 6 sin(1): the key is a quarter of a turn ahead
    np.float64(5.0488)
    """
    q, k = _checks.reals("query", query), _checks.reals("key", key)
    _checks.require_pairs("query", q.shape)
    _checks.require_pairs("key", k.shape)
    fits = q.ndim == 1 and q.shape == k.shape
    _checks.require(fits, "query and key must have the same shape (d_head,)", (q.shape, k.shape))
    offset = _checks.positions("offset", offset)
    rotated_query = rotate(q.astype(np.float64), offset, base, layout, frequencies)
    return np.array(rotated_query @ k)[()]


def to_halves(d_head: int, turned: int | None = None) -> NDArray[np.intp]:
    """Return the indices that reorder an interleaved vector x to halves: x[..., indices].

    Their shape is (d_head,). Entries from `turned` on stay where they are. Reordering twice gives
    the original only up to width 4; for the way back use `to_interleaved`. Raises TypeError or
    ValueError unless d_head and `turned` are positive and even, and `turned` <= d_head.

    >>> to_halves(6)
    array([0, 2, 4, 1, 3, 5])
    """
    width = _width(turned, d_head)
    return np.concatenate([*np.arange(width).reshape(-1, 2).T, np.arange(width, d_head)])


def to_interleaved(d_head: int, turned: int | None = None) -> NDArray[np.intp]:
    """Return the indices that reorder halves to an interleaved vector, which undoes `to_halves`.

    Use them as x[..., to_interleaved(d_head)]. Shape and errors are those of `to_halves`.

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
    """Reorder the weights of queries or keys to fit the layout `to`.

    The weights were trained with the other layout. `axis` is the axis that holds `heads` · `d_head`
    entries, head after head. It is -1 in x @ weights, and 0 in a bias and in a weight (out, in) of
    PyTorch's `nn.Linear`. Each head is reordered within its block, and the rest of the array stays.
    Scores don't change if you convert queries and keys (each with the number of *their* heads),
    their biases, and the gains of a norm between weights and rotation (with `heads=1` if all heads
    share one). The weights of values stay as they are. If the input is a PyTorch or JAX array, so
    is the result. Raises TypeError or ValueError unless the axis has that length, and as
    `to_halves` does.

    >>> convert_weights([[0, 1, 2, 3, 10, 11, 12, 13]], "halves", heads=2, d_head=4, axis=-1)
    array([[ 0,  2,  1,  3, 10, 12, 11, 13]])
    """
    _, array = _arrays.read_array("weights", weights)
    axis = _checks.integer("axis", axis, -sys.maxsize)
    reorder = to_halves if _checks.is_halves("to", to) else to_interleaved
    n, order = _checks.integer("heads", heads, 1), reorder(d_head, turned)
    size = n * order.size
    if not -array.ndim <= axis < array.ndim or array.shape[axis] != size:
        raise ValueError(
            f"weights must have heads · d_head = {n} · {order.size} = {size} entries "
            f"along axis {axis}, got shape {tuple(array.shape)}"
        )
    indices = np.arange(size).reshape(n, -1)[:, order].ravel()
    result: NDArray[Any] = array[(slice(None),) * (axis % array.ndim) + (indices,)]
    return result


def _rotations(
    positions: NDArray[Any], frequencies: NDArray[np.float64], amplitude: float
) -> NDArray[np.complex128]:
    """Return amplitude · e^(i w t) for each position t and each pair of frequency w."""
    scale = _checks.nonnegative("amplitude", amplitude)
    rotations = _hands.rotations(positions, frequencies)
    if scale != 1:
        rotations *= scale
    return rotations


def _width(turned: int | None, d_head: int) -> int:
    """Return how many entries of a head are rotated: `turned` or, if that is None, all entries."""
    is_even = _checks.integer("d_head", d_head, 2) % 2 == 0
    _checks.require(is_even, "d_head must be even (a rotation takes pairs)", d_head)
    if turned is None:
        return d_head
    width = _checks.integer("turned", turned, 2)
    fits = width % 2 == 0 and width <= d_head
    _checks.require(fits, f"turned must be even and at most d_head = {d_head}", width)
    return width


def _cos_sin_by_torch(
    torch: Any, positions: Any, width: int, base: float, frequencies: Any
) -> tuple[Any, Any]:
    """Compute cosines and sines with PyTorch, each of shape positions.shape + (pairs,)."""
    exact = {"dtype": torch.float64, "device": "cpu"}  # Some GPUs do not support float64.
    if isinstance(positions, range):
        positions = torch.arange(positions.start, positions.stop, positions.step)
    if frequencies is None:
        frequencies = base ** (-torch.arange(0, width, 2, **exact) / width)
    angles = torch.as_tensor(positions, **exact)[..., None] * torch.as_tensor(frequencies, **exact)
    return torch.cos(angles), torch.sin(angles)
