"""Run the experiments that check the claims on the page of questions and answers."""

from __future__ import annotations

import numpy as np

from pe_lib.course.audit.oracles import max_difference, reordering_effect
from pe_lib.sinusoidal import encode


def bite_order_effects(scheme: str, *, causal: bool = False) -> list[float]:
    """Return how differently ten random models treat "dog bites man" and "man bites dog"."""
    dog_bites_man, man_bites_dog, size = [0, 2, 1], [1, 2, 0], (3, 2)
    return [
        reordering_effect(
            dog_bites_man, man_bites_dog, scheme, size, causal=causal, pooled=True, seed=seed
        )
        for seed in range(10)
    ]


def one_step_error(columns: slice, base: float) -> float:
    """Return the error of the best matrix that moves 200 encodings on by one position."""
    table = encode(range(200), 8, base)[:, columns]
    matrix = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0]
    return max_difference(table[:-1] @ matrix, table[1:])
