"""The hands explorer: caption and picture show pe_lib's row, and what does not fit is refused."""

import math
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import encode
from pe_lib.course.explorers import HandsExplorer


def test_the_caption_says_what_the_hands_point_at() -> None:
    said = HandsExplorer(position=5).caption()
    slow = 5 * 10_000 ** (-2 / 16)
    row = [math.sin(5), math.cos(5), math.sin(slow), math.cos(slow)]
    assert ", ".join(f"{value:.2f}" for value in row).replace("-", "−") in said
    assert "Position 5, “once”: 8 clocks" in said


def test_the_picture_shows_hands_and_table() -> None:
    explorer = HandsExplorer(position=7, d_model=8)
    clocks, table = explorer.picture().axes
    np.testing.assert_array_equal(table.images[0].get_array(), encode(range(32), 8))
    for pair, hand in enumerate(clocks.lines[1::2]):
        (x, _), (right, up) = hand.get_xydata()
        angle = 7 * 10_000 ** (-2 * pair / 8)
        assert (right - x, up) == pytest.approx((0.8 * math.sin(angle), 0.8 * math.cos(angle)))


@pytest.mark.parametrize("width", [330, 640])
def test_nothing_lies_over_anything(width: int) -> None:
    at = from_module("hands", f"m.layout({width}, 400, 16, 32)")
    assert 2 * at["r"] < 2 * at["cell"]  # clocks beside each other
    assert at["dials"] - at["r"] > 47  # below the pointer
    assert at["row"] > at["dials"] + at["r"] and at["table"] > at["row"] + at["tall"]
    assert at["table"] + 32 * at["step"] < 400


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_model": 7}, "d_model must be even"),
        ({"d_model": 34}, "d_model"),
        ({"position": 32}, "position must be at most 31, got 32"),
        ({"words": ["one"]}, "words"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        HandsExplorer(**given)
