"""The offset explorer under a reader's hands: mouse, finger and keyboard."""

from itertools import pairwise
from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import (
    drag,
    finger,
    picture,
    reading,
    scroll_past,
    set_slider,
    settle,
    size,
    to_the_task,
    told,
)
from playwright.sync_api import Locator, expect

PAGE = "chapters/05-relative-positions.html"


@pytest.fixture
def offset(explored: Explored) -> Locator:
    return explored(PAGE, "offset")


def test_the_score_depends_on_the_offset_until_a_random_matrix_comes_between(
    offset: Locator,
) -> None:
    assert "score 0.65786" in reading(offset)
    assert "every position scores this" in reading(offset)
    assert "Mirrored" in reading(offset)
    offset.get_by_role("radio", name="a rotation by 20").check()
    assert "every position scores this" in reading(offset)
    assert "Not mirrored" in reading(offset)
    offset.get_by_role("radio", name="a rotation by 20").press("ArrowRight")
    expect(offset.get_by_role("radio", name="a random matrix")).to_be_checked()
    assert "positions score from" in reading(offset)


def test_arrow_keys_change_offset_and_position(offset: Locator) -> None:
    canvas, before = offset.locator("canvas"), picture(offset)
    for key, wanted in [("ArrowRight", ("150", "11")), ("ArrowUp", ("151", "11")),
                        ("PageDown", ("141", "11")), ("ArrowLeft", ("141", "10"))]:  # fmt: skip
        canvas.press(key)
        settle(offset.page)
        assert (told(offset, "position"), told(offset, "offset")) == wanted
    assert picture(offset) != before
    for _ in range(25):
        canvas.press("ArrowLeft")
    settle(offset.page)
    assert told(offset, "offset") == "−15"


def along(explorer: Locator, offset: int) -> tuple[float, float]:
    """A point in the curve, over this offset."""
    width, height = size(explorer)
    return 34 + (offset + 100) / 200 * (width - 46), height - 60


def places(explorer: Locator) -> tuple[int, int]:
    settle(explorer.page)
    position, offset = (told(explorer, name) or "" for name in ("position", "offset"))
    return int(position), int(offset.replace("−", "-"))


def test_the_curve_is_dragged_by_mouse(offset: Locator) -> None:
    box = offset.locator("canvas").bounding_box()
    assert box
    offset.page.mouse.move(box["x"] + 200, box["y"] + 300)
    assert places(offset) == (150, 10)  # passing over changes nothing
    drag(offset, along(offset, 5), along(offset, -60))
    assert places(offset) == (150, -60)


def hand(explorer: Locator, position: float) -> tuple[float, float]:
    """On the clock of pair 0, where the hand of a position points."""
    x = size(explorer)[0] / 8
    r = min(52, x - 8)
    return x + 0.9 * r * sin(position), 94 + r - 0.9 * r * cos(position)


def test_hands_are_wound_by_mouse(offset: Locator) -> None:
    drag(offset, *(hand(offset, 150 + k) for k in range(11)), along(offset, -50))
    position, k = places(offset)
    assert position > 155 and k == 10  # and outside the clock it is still the hand that is held
    assert "score 0.65786" in reading(offset)
    drag(offset, *(hand(offset, position + 10 + k) for k in range(4)))
    assert places(offset) == (position, 13)  # the broken hand moves alone


def test_the_text_is_pulled_and_the_second_mark_dragged(offset: Locator) -> None:
    width, _ = size(offset)
    gap = (width / 2 - 38) / 10
    drag(offset, (80, 34), (80 - 5 * gap, 34))
    assert places(offset) == (155, 10)
    drag(offset, (width / 2 + 10 * gap, 58), (width / 2 + 7 * gap, 58))
    assert places(offset) == (155, 7)


def test_a_finger_chooses_the_offset_and_scrolls_past(explored: Explored) -> None:
    offset = explored(PAGE, "offset", viewport=PHONE, has_touch=True, is_mobile=True)
    for move in (scroll_past, sideways):
        offset.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
        settle(offset.page)
        assert places(offset) == (150, 10)
        move(offset)
    assert places(offset)[1] > 60


def sideways(offset: Locator) -> None:
    box = offset.locator("canvas").bounding_box()
    assert box
    points = [along(offset, k) for k in (0, 20, 50, 80)]
    finger(offset.page, [(box["x"] + x, box["y"] + y) for x, y in points])


def test_the_offset_that_a_rotation_looks_at(offset: Locator) -> None:
    to_the_task(offset)
    offset.get_by_role("radio", name="a rotation by 20").check()
    drag(offset, along(offset, 30), along(offset, -20))
    expect(offset.locator(".ex-says")).to_contain_text("Found: 20 before")


def test_the_first_rise_can_be_found(offset: Locator) -> None:
    set_slider(offset, "d_model", "512")
    canvas = offset.locator("canvas")
    scores = []
    for _ in range(36):
        scores.append(float(reading(offset).split("score ")[1].split(". N")[0]))
        canvas.press("ArrowRight")
    falls = [a >= b for a, b in pairwise(scores)]
    assert falls.index(False) == 43 - 10
