"""The hands explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import finger, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/03-frequencies.html"


@pytest.fixture
def hands(explored: Explored) -> Locator:
    return still(explored(PAGE, "hands"))


def still(explorer: Locator) -> Locator:
    explorer.locator(".ex-canvas").press("Home")
    settle(explorer.page)
    return explorer


def dial(explorer: Locator, pair: int, angle: float) -> tuple[float, float]:
    """A point on the clock of a pair, at an angle from straight up, clockwise."""
    box = explorer.locator(".ex-canvas").bounding_box()
    assert box
    cell = box["width"] / 16
    r = min(0.8 * cell, 36)
    x, y = box["x"] + (2 * pair + 1) * cell, box["y"] + 56 + r
    return x + r * sin(angle), y - r * cos(angle)


def test_it_plays_to_the_end_and_again(hands: Locator) -> None:
    hands.locator(".ex-canvas").press("End")
    settle(hands.page)
    assert told(hands, "position") == "31"
    hands.get_by_role("button", name="Play").click()
    expect(hands.locator(".ex-reading")).to_contain_text("Position 1")
    hands.get_by_role("slider", name="position").press("ArrowRight")
    expect(hands.get_by_role("button", name="Play")).to_be_visible()


def test_a_finger_that_rests_first_may_draw_downwards(explored: Explored) -> None:
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    hands = still(explored(PAGE, "hands", **phone))
    before = hands.page.evaluate("scrollY")
    x, y = dial(hands, 0, 1.2)
    finger(hands.page, [(x, y + step) for step in (0, 8, 16, 24)], rest=600)
    settle(hands.page)
    assert float(told(hands, "position") or 0) > 1.5
    assert hands.page.evaluate("scrollY") == before
