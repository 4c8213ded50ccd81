"""Check that the error rates in the last question of sheet 11 are right."""

import numpy as np
import pytest

from pe_lib import encode
from pe_lib.course.grading.sheet import load

ROWS = 20_000
SIGMA = 0.8685
STATED = {
    4: (38, 0),
    16: (51, 9),
    64: (57, 19),
    1_024: (65, 34),
}  # percentage of wrong positions, and percentage of positions that are off by more than 3


def measure_shares(length: int, seed: int) -> tuple[float, float]:
    """Return the percentages of wrong positions, and of positions that are off by more than 3.

    Positions are decoded from the nearest row of the table. The sheet's solution chooses the row
    with the largest dot product instead.
    """
    rng = np.random.default_rng(seed)
    table, t = encode(range(length), 32), rng.integers(length, size=ROWS)
    noisy = table[t] + SIGMA * rng.standard_normal((ROWS, 32))
    distance = (table**2).sum(axis=1) - 2 * noisy @ table.T
    off = np.abs(distance.argmin(axis=1) - t)
    return 100 * float(np.mean(off > 0)), 100 * float(np.mean(off > 3))


def test_the_shares_stated_are_those_of_five_seeds_and_only_far_errors_grow() -> None:
    prompt = load("11").questions["noise_gap"].prompt
    assert all(f"{share} %" in prompt for shares in STATED.values() for share in shares)
    shares = np.array([[measure_shares(length, seed) for length in STATED] for seed in range(5)])
    mean = shares.mean(axis=0)
    assert mean == pytest.approx(np.array([*STATED.values()]), abs=0.7)
    assert np.abs(shares - mean).max() < 1
    # if the decoder confused neighbouring positions, small errors would also become more frequent
    near = mean[:, 0] - mean[:, 1]
    assert (np.diff(mean[:, 1]) > 5).all() and (np.diff(near)[1:] < 0).all()
