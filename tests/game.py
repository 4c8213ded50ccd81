"""Compute with pe_lib what the explorer `game` must show."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from tests.scrambled import scramble_numbers

BASES = {"base": 100.0}  # all other levels have base 10,000


def speeds(explorer: Any) -> NDArray[np.float64]:
    return frequencies(8, base=BASES.get(explorer.level, 10_000.0))


def present_round(explorer: Any) -> int:
    """Return the number of the round in the picture, from 0 to 9."""
    return min(int(explorer.rounds) - bool(explorer.answered), 9)


def position(explorer: Any) -> int:
    """Return the position that the dashed hands of the present round show."""
    return math.floor(
        (scramble_numbers(10, explorer.seed)[present_round(explorer)] + 1) / 2 * 1_000
    )


def compute_dashed_angles(explorer: Any) -> NDArray[np.float64]:
    """Return the angles of the four dashed hands, where no clock is covered."""
    shakes = scramble_numbers(40, explorer.seed + 10_000).reshape(10, 4)[present_round(explorer)]
    return position(explorer) * speeds(explorer) + 0.35 * shakes * (explorer.level == "noise")
