"""Softmax attention in numpy: one head, forward only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks


def attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, *, causal: bool = False
) -> NDArray[np.float64]:
    """Scaled dot-product attention: `softmax(Q Kᵀ / √d) V`, each row's softmax over the keys.

    `queries` is (n, d), `keys` (m, d), `values` (m, v); the result is (n, v), without a unit. With
    `causal`, query t sees keys 0 to t alone, and n must equal m. Raises TypeError or ValueError,
    which names the argument, unless all is real, within ±1e140 (larger scores could leave float64)
    and of these shapes. Source: Vaswani et al. (2017), section 3.2.1.

    >>> attention([[1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[2.0], [4.0]])
    array([[3.]])
    """
    given = {"queries": queries, "keys": keys, "values": values}
    arrays = {name: _checks.reals(name, rows) for name, rows in given.items()}
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
