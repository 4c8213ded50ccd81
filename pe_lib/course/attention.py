"""Softmax attention in numpy: one head, forward only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, *, causal: bool = False
) -> NDArray[np.float64]:
    """Scaled dot-product attention: `softmax(Q Kᵀ / √d) V`, each row's softmax over the keys.

    `queries` is (n, d), `keys` (m, d), `values` (m, v); the result is (n, v), without a unit. With
    `causal`, query t sees keys 0 to t alone, and n must equal m. Raises `ValueError`, which names
    the argument, if shapes do not fit. Source: Vaswani et al. (2017), section 3.2.1.

    >>> attention([[1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    q, k, v = (np.asarray(rows, dtype=np.float64) for rows in (queries, keys, values))
    for name, rows in (("queries", q), ("keys", k), ("values", v)):
        if rows.ndim != 2 or 0 in rows.shape:
            raise ValueError(f"{name} must be a non-empty matrix, got shape {rows.shape}")
    if q.shape[1] != k.shape[1]:
        raise ValueError(f"keys must be as wide as queries, got {k.shape[1]} and {q.shape[1]}")
    if len(v) != len(k):
        raise ValueError(f"values must have a row for each key, got {len(v)} and {len(k)}")
    if causal and len(q) != len(k):
        raise ValueError(f"causal needs as many queries as keys, got {len(q)} and {len(k)}")
    scores = q @ k.T / np.sqrt(q.shape[1])
    if causal:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True) @ v
    return result
