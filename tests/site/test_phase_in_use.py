"""The phase explorer under a reader's hands: mouse, finger and keyboard."""

import re
from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/04-sine-and-cosine.html"


@pytest.fixture
def phase(explored: Explored) -> Locator:
    return explored(PAGE, "phase")


def agreeing(explorer: Locator) -> list[int]:
    settle(explorer.page)
    return [int(k) for k in re.findall(r"\d+", reading(explorer).split("agree")[1])]


def reading(explorer: Locator) -> str:
    return explorer.locator(".ex-reading").inner_text()


def dial(explorer: Locator, pair: int, angle: float, radius: float = 30) -> tuple[float, float]:
    """A point of the page on the clock of a pair, at an angle from straight up, clockwise."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    r = min(42, box["width"] / 8 - 10)
    x, y = box["x"] + box["width"] * (pair + 0.5) / 4, box["y"] + r + 8
    return x + min(radius, r) * sin(angle), y - min(radius, r) * cos(angle)


def test_the_reading_follows_what_is_read(phase: Locator) -> None:
    assert agreeing(phase) == [11, 55, 300, 344, 388]
    phase.get_by_role("checkbox", name="cosines too").check()
    assert agreeing(phase) == [11]
    phase.get_by_role("checkbox", name="cosines too").press("Space")
    phase.get_by_role("checkbox", name="pair 2").press("Space")
    assert agreeing(phase) == [11]
    phase.get_by_role("checkbox", name="pair 2").press("Space")
    set_slider(phase, "decimals", "6")
    assert agreeing(phase) == [11, 344]


def test_arrow_keys_move_the_position(phase: Locator) -> None:
    before, canvas = picture(phase), phase.locator("canvas")
    for key, position in [("ArrowRight", 12), ("PageUp", 22), ("ArrowDown", 21), ("Home", 0),
                          ("ArrowLeft", 0), ("End", 399), ("PageUp", 399)]:  # fmt: skip
        canvas.press(key)
        settle(phase.page)
        assert told(phase, "position") == str(position)
        assert f"Position {position}:" in reading(phase)
    assert picture(phase) != before


def test_a_hand_is_wound_by_mouse(phase: Locator) -> None:
    canvas, mouse = phase.locator("canvas"), phase.page.mouse
    canvas.press("Home")
    settle(phase.page)
    mouse.move(*dial(phase, 1, 0))
    mouse.down()
    for angle in (1, 2, 3, 4, 5, 6, 7, 8):  # more than once round
        mouse.move(*dial(phase, 1, angle))
    settle(phase.page)
    assert told(phase, "position") == "80"
    mouse.up()
    mouse.move(*dial(phase, 1, 0))
    settle(phase.page)
    assert told(phase, "position") == "80"


def test_a_finger_winds_a_hand_and_elsewhere_scrolls(explored: Explored) -> None:
    phase = explored(PAGE, "phase", viewport=PHONE, has_touch=True, is_mobile=True)
    phase.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(phase.page)
    scrolled = phase.page.evaluate("scrollY")
    finger(phase.page, [dial(phase, 2, angle, 20) for angle in (0.11, 0.5, 1, 1.5, 2)])
    assert abs(int(told(phase, "position") or 0) - 200) <= 2
    assert phase.page.evaluate("scrollY") == scrolled
    box = phase.locator("canvas").bounding_box()
    assert box
    x, y = box["x"] + 150, box["y"] + box["height"] - 60
    finger(phase.page, [(x, y - 30 * k) for k in range(6)])
    expect(phase).to_be_attached()
    assert phase.page.evaluate("scrollY") > scrolled


def test_fewer_positions_take_the_position_along(phase: Locator) -> None:
    phase.locator("canvas").press("End")
    phase.get_by_role("slider", name="below").press("Home")
    settle(phase.page)
    assert told(phase, "position") == "9"
