"""Two positions at an offset, and their score: a function of the offset alone, or not."""

from __future__ import annotations

import numpy as np
import traitlets as t
from numpy.typing import NDArray

from pe_lib.course.explorers._base import Base, Explorer


class OffsetExplorer(Explorer):
    """Scores encode(t) · W · encode(t + offset), divided by d_model/2, for positions t.

    `d_model` is a power of 2 from 2 to 512, `base` is above 1, at most 10^6; `position` is 100 to
    400 and `offset` -100 to 100, so that no position is negative; on their way both may lie between
    two positions. `between` says what W is: the identity ("nothing"), the `rotation` by 20
    ("rotation"), or fixed random numbers ("random"). Built in chapter 5. Raises TraitError, which
    names it, for a value outside.
    """

    kind = "offset"

    d_model = t.Enum([2**n for n in range(1, 10)], 64)
    base = Base()
    position = t.Float(150.0, min=100, max=400)
    offset = t.Float(10.0, min=-100, max=100)
    between = t.Enum(["nothing", "rotation", "random"], "nothing")


def scrambled(count: int, start: int = 0) -> NDArray[np.float64]:
    """Numbers in [-1, 1) that look random: shape (count,); another `start`, other numbers.

    From a linear congruential generator, x → 1664525 x + 1013904223 modulo 2^32, so that the
    browser has exactly the same.
    """
    x, numbers = start * 2_654_435_761 % 2**32, np.empty(count)
    for k in range(count):
        x = (1_664_525 * x + 1_013_904_223) % 2**32
        numbers[k] = x / 2**31 - 1
    return numbers
