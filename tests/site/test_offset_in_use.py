"""The offset explorer under a reader's hands: mouse, finger and keyboard."""

from itertools import pairwise
from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/05-relative-positions.html"


@pytest.fixture
def offset(explored: Explored) -> Locator:
    return explored(PAGE, "offset")


def reading(explorer: Locator) -> str:
    settle(explorer.page)
    return explorer.locator(".ex-reading").inner_text()


def place(explorer: Locator, across: float, down: float) -> tuple[float, float]:
    """A point of the canvas, as fractions of its width and height."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


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


def test_the_curve_is_dragged_by_mouse(offset: Locator) -> None:
    mouse = offset.page.mouse
    mouse.move(*place(offset, 0.5, 0.7))
    settle(offset.page)
    assert told(offset, "offset") == "10"  # passing over changes nothing
    mouse.down()
    mouse.move(*place(offset, 0.2, 0.7), steps=5)
    mouse.up()
    settle(offset.page)
    assert int((told(offset, "offset") or "").replace("−", "-")) < -50


def test_a_hand_is_wound_by_mouse_and_the_score_stays(offset: Locator) -> None:
    box, mouse = offset.locator("canvas").bounding_box(), offset.page.mouse
    assert box
    r = min(42, box["width"] / 8 - 10)
    x, y = box["x"] + box["width"] * 0.125, box["y"] + r + 8

    def hand(angle: float) -> tuple[float, float]:
        return x + 0.9 * r * sin(angle), y - 0.9 * r * cos(angle)

    mouse.move(*hand(150))
    mouse.down()
    for k in range(11):
        mouse.move(*hand(150 + k))
    mouse.move(*place(offset, 0.5, 0.7))  # still winding: the offset stays
    mouse.up()
    settle(offset.page)
    assert told(offset, "offset") == "10"
    assert told(offset, "position") != "150"
    assert "score 0.65786" in reading(offset)


def test_a_finger_chooses_the_offset(explored: Explored) -> None:
    offset = explored(PAGE, "offset", viewport=PHONE, has_touch=True, is_mobile=True)
    offset.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(offset.page)
    finger(offset.page, [place(offset, x, 0.7) for x in (0.5, 0.6, 0.75, 0.9)])
    assert int((told(offset, "offset") or "").replace("−", "-")) > 60


def test_the_first_rise_can_be_found(offset: Locator) -> None:
    set_slider(offset, "d_model", "512")
    canvas = offset.locator("canvas")
    scores = []
    for _ in range(36):
        scores.append(float(reading(offset).split("score ")[1].split(". N")[0]))
        canvas.press("ArrowRight")
    falls = [a >= b for a, b in pairwise(scores)]
    assert falls.index(False) == 43 - 10
