"""Test the seven wishes of chapter 1 by plain Python, and by encodings that break one wish each."""

import math

import numpy as np
import pytest

from pe_lib import encode
from pe_lib.course.wishes import check_wishes, measure_shift_error

ALL = [
    "unique", "deterministic", "bounded", "any length", "near is near", "equal steps",
    "linear offset",
]  # fmt: skip


def clock(n):
    """Return the tips of a hand that turns by 0.01 radians from each position to the next."""
    t = 0.01 * np.arange(n)[:, None]
    return np.hstack([np.sin(t), np.cos(t)])


def grow(n):
    return np.stack([np.arange(n), np.ones(n)], axis=1)


def shrink(n):
    return np.stack([np.arange(n) / (n - 1), np.ones(n)], axis=1)


def draw(n):
    return np.random.default_rng().uniform(-1, 1, (n, 2))


def keep(n):
    return np.random.default_rng(0).uniform(-1, 1, (200, 4))[:n]


@pytest.mark.parametrize(
    ("encoding", "missing"),
    [
        (clock, []),
        (grow, ["bounded"]),
        (shrink, ["any length", "linear offset"]),
        (draw, ["deterministic", "any length", "near is near", "equal steps", "linear offset"]),
        (keep, ["near is near", "equal steps", "linear offset"]),
        (
            lambda n: np.array([[t % 2] for t in range(n)]),
            ["unique", "any length", "near is near", "linear offset"],
        ),
    ],
)
def test_an_encoding_lacks_the_wishes_that_it_was_built_to_lack(encoding, missing):
    granted = check_wishes(encoding, 100)
    assert list(granted) == ALL
    assert [wish for wish, ok in granted.items() if not ok] == missing


@pytest.mark.parametrize("width", [6, 8, 10, 12, 16])
def test_near_is_near_agrees_with_a_comparison_of_all_pairs(width):
    rows = encode(range(140), width)
    expected = all(
        max(math.dist(rows[t], rows[s]) for s in (t - 1, t + 1) if 0 <= s < 140)
        < min(math.dist(rows[t], rows[s]) for s in range(140) if abs(s - t) > 1)
        for t in range(140)
    )
    granted = check_wishes(lambda n: encode(range(n), width), 140)
    assert granted["near is near"] == expected


def test_the_error_of_a_shift_is_0_for_a_rotation_and_1_where_no_matrix_helps():
    assert measure_shift_error(clock, 3, 100) < 1e-9
    # Each position has its own entry, so a longer text has entries that were not fitted.
    alone = measure_shift_error(lambda n: np.eye(1030)[:n], 3, 1000)
    assert math.isclose(alone, math.sqrt(30 / 1030), rel_tol=1e-9)
