"""Generate the same pseudo-random numbers as maths.mjs does in the browser."""

import numpy as np
from numpy.typing import NDArray


def scramble_numbers(count: int, start: int = 0) -> NDArray[np.float64]:
    """Return `count` pseudo-random numbers in [-1, 1) that depend on `start`.

    The numbers come from a linear congruential generator, x → 1664525 x + 1013904223 modulo 2^32,
    so the browser computes exactly the same numbers.
    """
    x, numbers = start * 2_654_435_761 % 2**32, np.empty(count)
    for k in range(count):
        x = (1_664_525 * x + 1_013_904_223) % 2**32
        numbers[k] = x / 2**31 - 1
    return numbers
