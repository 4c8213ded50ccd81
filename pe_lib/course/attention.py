"""Compute softmax attention in numpy, for one head and without gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks


def attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, *, causal: bool = False
) -> NDArray[np.float64]:
    """Return the output of scaled dot-product attention, `softmax(Q Kᵀ / √d) V`.

    `queries` has shape (n, d), `keys` (m, d) and `values` (m, v). The result has shape (n, v) and
    no unit. The softmax of each row runs over the keys. With `causal=True`, query t sees only the
    keys 0 to t, and n must equal m.

    Raises TypeError or ValueError, naming the argument, if an array has another shape, is not
    real, or holds numbers beyond ±1e140, whose products could overflow float64.
    Source: Vaswani et al. (2017), section 3.2.1.

    >>> attention([[1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    arguments = {"queries": queries, "keys": keys, "values": values}
    arrays = {name: _checks.reals(name, rows) for name, rows in arguments.items()}
    for name, rows in arrays.items():
        if rows.ndim != 2 or 0 in rows.shape:
            raise ValueError(f"{name} must be a non-empty matrix, got shape {rows.shape}")
        _checks.require_summable(name, rows)
    q, k, v = (rows.astype(np.float64) for rows in arrays.values())
    if q.shape[1] != k.shape[1]:
        raise ValueError(f"keys must be as wide as queries, got {k.shape[1]} and {q.shape[1]}")
    if len(v) != len(k):
        raise ValueError(f"values must have as many rows as keys, got {len(v)} and {len(k)}")
    if causal and len(q) != len(k):
        raise ValueError(f"causal needs as many queries as keys, got {len(q)} and {len(k)}")
    scores = q @ k.T / np.sqrt(q.shape[1])
    if causal:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True) @ v
    return result
