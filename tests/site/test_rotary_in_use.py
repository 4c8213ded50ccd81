"""The rotary explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/08-rotary-and-biases.html"


@pytest.fixture
def rotary(explored: Explored) -> Locator:
    return explored(PAGE, "rotary")


def reading(explorer: Locator) -> str:
    settle(explorer.page)
    return explorer.locator(".ex-reading").inner_text()


def places(explorer: Locator) -> tuple[str | None, ...]:
    settle(explorer.page)
    return tuple(told(explorer, name) for name in ("query at", "key at", "both on by"))


def place(explorer: Locator, across: float, down: float) -> tuple[float, float]:
    """A point of the canvas, as fractions of its width and height."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down


def test_the_score_stays_when_both_move_on(rotary: Locator) -> None:
    assert "Query at 7, key at 3: score 47.8687" in reading(rotary)
    before, canvas = picture(rotary), rotary.locator("canvas")
    for _ in range(10):
        canvas.press("PageUp")
    assert "Query at 1,007, key at 1,003: score 47.8687" in reading(rotary)
    assert "Every two positions with the offset 4 score this" in reading(rotary)
    assert picture(rotary) != before  # the hands have turned


def test_arrow_keys_move_the_key_and_both(rotary: Locator) -> None:
    canvas = rotary.locator("canvas")
    for key, wanted in [("ArrowLeft", ("7", "4", "0")), ("ArrowUp", ("7", "4", "1")),
                        ("PageUp", ("7", "4", "101")), ("PageDown", ("7", "4", "1")),
                        ("ArrowRight", ("7", "3", "1")), ("ArrowDown", ("7", "3", "0")),
                        ("ArrowDown", ("7", "3", "0"))]:  # fmt: skip
        canvas.press(key)
        assert places(rotary) == wanted


def test_a_hand_is_wound_against_the_clock(rotary: Locator) -> None:
    box, mouse = rotary.locator("canvas").bounding_box(), rotary.page.mouse
    assert box
    r = min(42, box["width"] / 8 - 10)
    x, y = box["x"] + box["width"] * 0.125, box["y"] + r + 8
    start = 7 + 0.785398  # pair 0 of the query: [1, 1], turned by 7

    def hand(angle: float) -> tuple[float, float]:
        return x + 0.9 * r * cos(angle), y - 0.9 * r * sin(angle)

    mouse.move(*hand(start))
    mouse.down()
    assert places(rotary) == ("7", "3", "0")  # taken where it stands, it does not jump
    for k in range(21):
        mouse.move(*hand(start + k))
    mouse.move(*place(rotary, 0.5, 0.7))  # still winding: the offset stays
    mouse.up()
    query, key, shift = places(rotary)
    assert (query, key) == ("7", "3")
    assert 15 <= int(shift or "0") <= 25
    assert "score 47.8687" in reading(rotary)


def test_the_offset_is_dragged_by_mouse(rotary: Locator) -> None:
    mouse = rotary.page.mouse
    mouse.move(*place(rotary, 0.5, 0.7))
    assert places(rotary) == ("7", "3", "0")  # passing over changes nothing
    mouse.down()
    mouse.move(*place(rotary, 0.9, 0.7), steps=5)
    mouse.up()
    query, key, _ = (int(n or "0") for n in places(rotary))
    assert query - key > 150
    mouse.move(*place(rotary, 0.1, 0.7))
    mouse.down()
    mouse.up()
    query, key, _ = (int(n or "0") for n in places(rotary))
    assert query - key < -150


def test_a_finger_chooses_the_offset(explored: Explored) -> None:
    rotary = explored(PAGE, "rotary", viewport=PHONE, has_touch=True, is_mobile=True)
    rotary.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(rotary.page)
    finger(rotary.page, [place(rotary, x, 0.7) for x in (0.5, 0.6, 0.75, 0.9)])
    query, key, _ = (int(n or "0") for n in places(rotary))
    assert query - key > 100


def test_a_key_built_for_an_offset_scores_most_there(rotary: Locator) -> None:
    assert "The largest score is 64.0, at offset 0." in reading(rotary)
    rotary.get_by_role("radio", name="built for offset 40").check()
    assert "The largest score is 64.0, at offset 40." in reading(rotary)
    set_slider(rotary, "query at", "43")
    assert "score 64.0000" in reading(rotary)
    rotary.get_by_role("radio", name="built for offset 40").press("ArrowLeft")
    expect(rotary.get_by_role("radio", name="random")).to_be_checked()
    assert "score 64.0000" not in reading(rotary)
