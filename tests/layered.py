"""Compute from masks and scores which distances a published model's layers see and distinguish."""

from collections import Counter
from typing import Any

import numpy as np

from pe_lib.biases import t5_buckets
from pe_lib.course.explorers.layers import MODELS

KINDS = [kind for one in MODELS.values() for kind in one["kinds"].values()]


def find_reach(kind: dict[str, Any], query: int) -> int:
    """Return the largest distance at which the mask still shows a key."""
    keys = np.arange(query + 1)
    mask = np.ones(query + 1, bool)
    if kind["window"]:
        mask &= query - keys < kind["window"]
    if kind["chunk"]:
        mask &= query // kind["chunk"] == keys // kind["chunk"]
    return int(mask.sum()) - 1


def verdict(kind: dict[str, Any], query: int, key: int) -> tuple[str, int]:
    """Return the explorer's verdict, and how many pairs or heads can tell the distance."""
    scheme, values, n = kind["scheme"], np.array(kind["values"]), query - key
    if scheme == "recurrent":
        return "apart", 0
    if n > find_reach(kind, query):
        return "unseen", 0
    if scheme == "t5":  # in T5 small, only the first kind of layer has buckets
        buckets = np.asarray(t5_buckets(-np.arange(512)))
        alike = np.flatnonzero(buckets == buckets[min(n, 511)])
        return "tells" if len(alike) == 1 else "seen" if alike[-1] == 511 else "roughly", 0
    telling = {
        "rotary": values * n <= np.pi,  # the cosine falls at each step until half a turn
        "alibi": np.exp(-values * n) >= 1e-3,
    }.get(scheme, np.zeros(1, bool))
    return "tells" if telling.any() else "seen", int(telling.sum())


def count_verdicts(model: str, query: int, key: int) -> Counter[str]:
    """Return for how many of the model's layers the explorer gives each verdict."""
    about = MODELS[model]
    return Counter(verdict(about["kinds"][name], query, key)[0] for name in about["order"])
