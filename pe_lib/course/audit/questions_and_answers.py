"""The question-and-answer page: experiments on its sentences."""

from __future__ import annotations

import numpy as np

from pe_lib.course.audit.oracles import off, reordered
from pe_lib.sinusoidal import encode


def who_bites(scheme: str, *, causal: bool = False) -> list[float]:
    """By how much the answers of ten random layers to dog bites man and man bites dog differ."""
    dog_bites_man, man_bites_dog, size = [0, 2, 1], [1, 2, 0], (3, 2)
    return [
        reordered(dog_bites_man, man_bites_dog, scheme, size, causal=causal, pooled=True, seed=seed)
        for seed in range(10)
    ]


def missed(columns: slice, base: float) -> float:
    """How far the best matrix for one step misses, on 200 positions of d_model 8."""
    table = encode(range(200), 8, base)[:, columns]
    matrix = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0]
    return off(table[:-1] @ matrix, table[1:])
