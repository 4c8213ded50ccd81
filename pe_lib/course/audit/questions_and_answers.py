"""The question-and-answer page: experiments on its sentences."""

from __future__ import annotations

import math

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, off
from pe_lib.course.model import Transformer
from pe_lib.sinusoidal import encode, frequencies


def one_by_one() -> float:
    """How far nine outputs of attention, computed one by one, the last first, are from those
    computed together."""
    queries, keys, values = np.random.default_rng(0).standard_normal((3, 9, 8))
    alone = [attention(queries[[t]], keys, values)[0] for t in reversed(range(9))]
    return off(attention(queries, keys, values), alone[::-1])


def who_bites(scheme: str, *, causal: bool = False) -> list[float]:
    """By how much the answers of ten random layers to dog bites man and man bites dog differ."""
    found = []
    for seed in range(10):
        model = Transformer(3, 2, scheme, causal=causal, pooled=True, seed=seed, dtype="float64")
        found.append(off(model([[0, 2, 1]]), model([[1, 2, 0]])))
    return found


def speeds() -> Array:
    """The frequencies for d_model 64: after one position a hand stands at its frequency."""
    step = encode(1, 64)
    result: Array = np.arctan2(step[0::2], step[1::2])
    return result


def quarter_later() -> float:
    """How far the cosines of d_model 16 are from their sines a quarter of a wavelength later."""
    t = np.arange(50.0)
    return max(
        off(encode(t + math.pi / 2 / w, 16)[:, 2 * i], encode(t, 16)[:, 2 * i + 1])
        for i, w in enumerate(frequencies(16))
    )


def missed(columns: slice, base: float) -> float:
    """How far the best matrix for one step misses, on 200 positions of d_model 8."""
    table = encode(range(200), 8, base)[:, columns]
    matrix = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0]
    return off(table[:-1] @ matrix, table[1:])
