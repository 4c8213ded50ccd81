"""Add position information to attention scores with ALiBi, T5's buckets or Shaw's relative keys.

Entry [t, s] of a score matrix belongs to the query at position t and the key at position s. Its
offset is s - t, key minus query, so it is negative for earlier keys (`rotary.score` counts query
minus key). A score depends on the positions only through this offset.

`alibi_bias`, `t5_bias` and `clipped_offsets` take positions in the same way. If only `length` is
given, queries and keys stand at 0 … length - 1. `queries` and `keys` give other positions: integers
below 2^53 in size, as a number, an array or a `range`. The last axes of the result are then the
shape of the queries and the shape of the keys. A model that decodes with a cache of 1,000 keys has
one query, the newest, and needs one row: `alibi_bias(1000, 8, queries=[999])`, of shape
(8, 1, 1000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _arrays, _checks

__all__ = ["alibi_bias", "alibi_slopes", "clipped_offsets", "shaw_scores", "t5_bias", "t5_buckets"]


def __dir__() -> list[str]:
    return __all__


def alibi_slopes(heads: int) -> NDArray[np.float64]:
    """Return each head's ALiBi slope, by which its scores drop per position: shape (heads,).

    If the number of heads is a power of two, head h has the slope 2^(-8h/heads), where h goes from
    1 to `heads`. Otherwise, let p be the largest power of two below `heads`. The slopes are then
    those for p heads, followed by every other slope for 2p heads, from the first slope on. The
    paper gives the first formula for all numbers of heads, but the authors' program uses this rule,
    in `get_slopes`. Source: Press, Smith and Lewis (2022), section 3. Raises TypeError or
    ValueError unless heads is a positive integer below 2^31.

    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    heads = _size("heads", heads)
    power = 1 << (heads.bit_length() - 1)  # the largest power of two that is not above `heads`
    first = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power, 2) / (2 * power))
    return np.concatenate([first, between[: heads - power]])


def alibi_bias(
    length: int | None = None,
    heads: int | None = None,
    causal: bool = True,
    *,
    queries: ArrayLike | None = None,
    keys: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the biases that ALiBi adds to the scores q · k / √d_head: (heads, queries, keys).

    An entry is -slope · |s - t|. With `causal`, as in the paper, it is -inf for keys after the
    query. `heads` is always needed. Give `length` for a text whose queries and keys stand at
    0 … length - 1. The shape is then (heads, length, length). To replace the positions of the
    queries, give `queries`. To replace the positions of the keys, give `keys` and no `length`.
    Without `queries`, the queries then have the same positions as the keys. The shape is
    (heads,) + np.shape(queries) + np.shape(keys).

    The source is that of `alibi_slopes`. Raises TypeError or ValueError unless heads and length are
    positive integers below 2^31, if both `length` and `keys` are given or both are missing, and for
    positions that are not integers below 2^53 in size.

    >>> alibi_bias(2, heads=8)[0]
    array([[ 0. , -inf],
           [-0.5,  0. ]])
    >>> alibi_bias(4, heads=8, queries=[3])[0]  # the newest of four tokens, as in decoding
    array([[-1.5, -1. , -0.5,  0. ]])
    >>> alibi_bias(heads=8, queries=range(8, 10), keys=[0, 8, 9])[0]  # some keys were dropped
    array([[-4. ,  0. , -inf],
           [-4.5, -0.5,  0. ]])
    """
    slopes, offsets = alibi_slopes(_size("heads", heads)), _offsets(length, queries, keys)
    slopes = slopes.reshape(-1, *[1] * offsets.ndim)
    return np.where((offsets > 0) & bool(causal), -np.inf, slopes * -np.abs(offsets))


def t5_buckets(
    offsets: ArrayLike, buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> NDArray[np.int64] | np.int64:
    """Return T5's bucket number for each offset (key minus query), in the shape of the offsets.

    Buckets are numbered from 0 to buckets - 1. With `bidirectional`, the first n = buckets // 2
    buckets are for offsets up to 0, and n more buckets are for positive offsets. Otherwise, offsets
    up to 0 have all n = buckets buckets, and positive offsets share bucket 0 with offset 0. Let e
    be n // 2. Each distance below e has a bucket of its own. A larger distance has bucket
    e + (n - e) · ln(distance/e) / ln(max_distance/e), rounded down, at most n - 1.

    The published program computes the logarithm in float32, so it can be one bucket off close to a
    border. This function decides with integers. For T5's 32 buckets and maximum distance of 128,
    PyTorch gives the same buckets. Source: Raffel et al. (2020), section 2.1, and
    `_relative_position_bucket` of Mesh TensorFlow. Raises TypeError or ValueError for offsets that
    are not integers, for fewer than 4 buckets (2 if not `bidirectional`) or more than 1,024 a side,
    and unless e < max_distance ≤ 2^31.

    >>> t5_buckets([-200, -16, -8, -7, -1, 0, 1, 7, 8, 16, 200])
    array([15, 10,  8,  7,  1,  0, 17, 23, 24, 26, 31])
    """
    n = _checks.integer("buckets", buckets, 4 if bidirectional else 2) // (1 + bool(bidirectional))
    # The integers in `_borders` grow with n, so n is limited. Published models have up to 320
    # buckets.
    _checks.require(n <= 1024, "buckets must be at most 1,024 a side", buckets)
    e, k = n // 2, _checks.reals("offsets", offsets)
    most = _checks.integer("max_distance", max_distance, e + 1)
    _checks.require(most <= 2**31, "max_distance must be at most 2**31", most)
    if k.dtype.kind == "f":
        raise TypeError(f"offsets must be integers, got {_checks.quote(offsets)}")
    k = np.clip(k, np.int64(-most), np.int64(most)).astype(
        np.int64, copy=False
    )  # The limits are int64 because offsets may have any integer type.
    d = np.abs(k) if bidirectional else np.maximum(-k, 0)
    steps = np.searchsorted(np.array(_borders(e, most, n - e), np.int64), d, side="right")
    is_second_side = bool(bidirectional) & (k > 0)
    result: NDArray[np.int64] = np.where(d < e, d, e + steps) + n * is_second_side
    return result[()]


def t5_bias(
    length: int | None = None,
    weights: ArrayLike | None = None,
    max_distance: int = 128,
    bidirectional: bool = True,
    *,
    queries: ArrayLike | None = None,
    keys: ArrayLike | None = None,
) -> NDArray[np.floating[Any]]:
    """Return the biases that T5 adds to scores: (heads, queries, keys).

    T5 does not divide its scores by √d_head. The learned `weights`, (buckets, heads), are always
    needed. The result has their precision (integers become float64) and no mask. `length`,
    `queries` and `keys` give the positions of queries and keys, as in `alibi_bias`. If `weights` is
    a PyTorch or JAX array, so is the result. Source: Raffel et al. (2020), section 2.1. Raises
    TypeError or ValueError unless weights is a finite matrix, for positions as `alibi_bias` does,
    and for buckets and distances as `t5_buckets` does.

    >>> weights = [[0.0], [1.0], [2.0], [3.0]]
    >>> t5_bias(2, weights)
    array([[[0., 3.],
            [1., 0.]]])
    >>> t5_bias(4, weights, queries=[3])  # the newest of four tokens, as in decoding
    array([[[1., 1., 1., 0.]]])
    """
    offsets, (xp, table) = _offsets(length, queries, keys), _arrays.read_array("weights", weights)
    least = 4 if bidirectional else 2
    fits = table.ndim == 2 and len(table) >= least and table.shape[1]
    requirement = f"weights must have shape (buckets, heads) with {least} buckets or more"
    _checks.require(bool(fits), requirement, tuple(table.shape))
    if xp is None and table.dtype.kind != "f":
        table = table.astype(np.float64)
    bias: NDArray[np.floating[Any]]
    bias = table.T[:, t5_buckets(offsets, len(table), max_distance, bidirectional)]
    return bias


def clipped_offsets(
    length: int | None = None,
    limit: int | None = None,
    *,
    queries: ArrayLike | None = None,
    keys: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Return which of Shaw's relative keys each query uses for each key: integers (queries, keys).

    There are 2 · limit + 1 relative keys. An entry is s - t, clipped to ±limit, plus limit. `limit`
    is always needed. `length`, `queries` and `keys` give the positions of queries and keys, as in
    `alibi_bias`. Source: Shaw, Uszkoreit and Vaswani (2018), section 3.2. Raises TypeError or
    ValueError unless limit is an integer of at least 0 with which all entries fit int64, and for
    positions as `alibi_bias` does.

    >>> clipped_offsets(3, 1)
    array([[1, 2, 2],
           [0, 1, 2],
           [0, 0, 1]])
    """
    offsets, limit = _offsets(length, queries, keys), _checks.integer("limit", limit, 0)
    most = np.iinfo(np.int64).max - max(0, int(offsets.max(initial=0)))  # Sums must fit int64.
    _checks.require(limit <= most, f"limit must be at most {most}", limit)
    return np.asarray(np.clip(offsets, -limit, limit) + limit)


def shaw_scores(
    queries: ArrayLike, keys: ArrayLike, relative_keys: ArrayLike
) -> NDArray[np.float64]:
    """Return Shaw's scores q_t · (k_s + a) / √d_head, where a is the vector for offset s - t.

    The result is a numpy array of shape (..., length, length). `queries` and `keys` have shape
    (..., length, d_head), and `relative_keys` has shape (2 · limit + 1, d_head), for offsets -limit
    … limit. Sums k_s + a are never formed. Instead q_t · a is computed once for each query and
    relative key, and then looked up. Source: Shaw et al. (2018), equation 4 (section 3.1), split in
    two as in section 3.3. Raises TypeError or ValueError unless all numbers are real and within
    ±1e140 (larger scores could overflow), and unless the arrays have these shapes.

    >>> shaw_scores([[1.0], [2.0]], [[3.0], [4.0]], [[-10.0], [0.0], [10.0]])
    array([[  3.,  14.],
           [-14.,   8.]])
    """
    q, k = _checks.reals("queries", queries), _checks.reals("keys", keys)
    a = _checks.reals("relative_keys", relative_keys)
    is_matrix = q.ndim >= 2 and 0 not in q.shape[-2:]
    _checks.require(is_matrix, "queries must have shape (..., length, d_head)", q.shape)
    requirement = f"keys must have the shape of queries, {q.shape}"
    _checks.require(k.shape == q.shape, requirement, k.shape)
    length, d_head = q.shape[-2:]
    fits = a.ndim == 2 and a.shape[0] % 2 == 1 and a.shape[1] == d_head
    _checks.require(fits, f"relative_keys must be (2 · limit + 1, {d_head})", a.shape)
    for name, x in (("queries", q), ("keys", k), ("relative_keys", a)):
        _checks.require_summable(name, x)
    q = q.astype(np.float64) / np.sqrt(d_head)
    pairs = np.arange(length)[:, None], clipped_offsets(length, len(a) // 2)
    scores: NDArray[np.float64] = q @ np.swapaxes(k, -1, -2) + (q @ a.T)[..., *pairs]
    return scores


def _offsets(
    length: int | None, queries: ArrayLike | None = None, keys: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Return the offset (key minus query) of each query and key: queries.shape + keys.shape."""
    if length is None and keys is None:
        raise TypeError("length must be an integer, got None: give it, or the positions of keys")
    if length is not None and keys is not None:
        raise TypeError(f"length must be None where keys have positions, got {length!r}")
    s = np.arange(_size("length", length)) if keys is None else _integers("keys", keys)
    t = s if queries is None else _integers("queries", queries)
    return np.asarray(s - t.reshape((*t.shape, *[1] * s.ndim)))


def _integers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Convert positions to int64, or raise ValueError if their differences could overflow."""
    positions = _checks.positions(name, values)
    if positions.dtype.kind == "f" and positions.size:
        raise TypeError(f"{name} must be integers, got {_checks.quote(values)}")
    limit = _checks.MAX_POSITION
    if positions.size and not (-limit < positions.min() and positions.max() < limit):
        raise ValueError(f"{name} must be below 2**53 in size, got {_checks.quote(values)}")
    return positions.astype(np.int64)


def _size(name: str, value: int | None) -> int:
    """Return a positive integer, or raise an error if it is not below 2^31."""
    number = _checks.integer(name, value, 1)
    _checks.require(number < 2**31, f"{name} must be below 2**31", number)
    return number


def _borders(e: int, most: int, steps: int) -> list[int]:
    """Return the smallest distance in each logarithmic bucket after the first such bucket.

    This is the least d with (d/e)^steps ≥ (most/e)^j, which integers decide exactly.
    """
    borders = []
    for j in range(1, steps):
        # The estimate is either right or too small by 1.
        estimate = round(e * (most / e) ** (j / steps))
        is_too_small = estimate**steps < e ** (steps - j) * most**j
        borders.append(estimate + is_too_small)
    return borders
