"""The counter under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import finger, picture, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/02-the-formula.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture
def counter(explored: Explored) -> Locator:
    return explored(PAGE, "counter")


def geometry(explorer: Locator) -> dict[str, float]:
    """Where things stand, as the module lays them out."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    column = (box["width"] - 26) / 4
    cell = min(max(0.24 * column, 18), 28)
    r = min((column - cell) / 2 - 9, 40)
    paper = 20 + 2 * r + 14
    return {"x": box["x"], "y": box["y"], "column": column, "r": r, "dials": box["y"] + 20 + r,
            "middle": box["x"] + 26 + (column + cell) / 2 + 1, "paper": box["y"] + paper,
            "step": (box["height"] - paper - 1) / 16}  # fmt: skip


def dial(at: dict[str, float], k: int, angle: float) -> tuple[float, float]:
    """A point on the k-th clock from the left."""
    x = at["middle"] + k * at["column"]
    return x + at["r"] * sin(angle), at["dials"] - at["r"] * cos(angle)


def row(at: dict[str, float], position: float) -> float:
    return at["paper"] + (position + 0.5) * at["step"]


def test_the_story_ends_in_a_task_that_a_hand_fulfils(counter: Locator) -> None:
    following = counter.get_by_role("button", name="Next")
    for _ in range(6):
        following.click()
    counter.page.wait_for_timeout(1_000)  # the last motion
    at = geometry(counter)
    counter.page.mouse.click(at["x"] + 10, row(at, 3))
    expect(counter.locator(".ex-says")).to_contain_text("Your turn")
    counter.page.mouse.move(at["x"] + 10, row(at, 3))
    counter.page.mouse.down()
    counter.page.mouse.move(at["x"] + 10, row(at, 7))
    counter.page.mouse.up()
    expect(counter.locator(".ex-says")).to_contain_text("from 7 to 8 all four digits flip")
    expect(counter.locator(".ex-reading")).to_contain_text("7 is 0111")


def test_a_clock_is_wound(counter: Locator) -> None:
    set_slider(counter, "position", "0")
    at, mouse = geometry(counter), counter.page.mouse
    mouse.move(*dial(at, 0, 0.2))
    mouse.down()
    for angle in (1, 2, 3, 4):
        mouse.move(*dial(at, 0, angle))
    mouse.up()
    settle(counter.page)
    assert float(told(counter, "position") or 0) == pytest.approx(4 * 16 / 6.2832 - 0.5, abs=0.15)
    expect(counter.locator(".ex-reading")).to_contain_text("10 is 1010")


def test_a_wave_is_pulled_round(counter: Locator) -> None:
    at, mouse = geometry(counter), counter.page.mouse
    x, y = at["middle"], row(at, 2)  # of the slowest, whose sine is 0.83 here
    mouse.click(x + at["r"] - 5, y)
    settle(counter.page)
    assert told(counter, "roundness") == "0%"  # held, and not pulled
    mouse.move(x + at["r"], y)
    mouse.down()
    mouse.move(x + 0.9 * at["r"], y)
    settle(counter.page)
    said = int((told(counter, "roundness") or "").rstrip("%"))
    assert said == pytest.approx(57, abs=3)  # 0.83 to that power is 0.9
    mouse.move(x + 0.5 * at["r"], y)
    mouse.up()
    settle(counter.page)
    assert told(counter, "roundness") == "100%"


def test_arrow_keys_move_by_a_row(counter: Locator) -> None:
    for key, number in [("Home", "0"), ("ArrowDown", "1"), ("ArrowRight", "2"), ("ArrowUp", "1"),
                        ("End", "15"), ("ArrowDown", "15")]:  # fmt: skip
        counter.locator("canvas").press(key)
        settle(counter.page)
        assert told(counter, "position") == number
    expect(counter.locator(".ex-reading")).to_contain_text("15 is 1111")


def test_it_plays_to_its_end(counter: Locator) -> None:
    set_slider(counter, "position", "14")
    counter.get_by_role("button", name="Play").click()
    expect(counter.locator(".ex-reading")).to_contain_text("15 is 1111")
    expect(counter.get_by_role("button", name="Play")).to_be_visible()


def test_a_finger_winds_and_a_thumb_scrolls_past(explored: Explored) -> None:
    counter = explored(PAGE, "counter", **TOUCH)
    at, before = geometry(counter), picture(counter)
    finger(counter.page, [(at["middle"] + 30, row(at, 9) - 20 * k) for k in range(6)])
    assert picture(counter) == before
    counter.scroll_into_view_if_needed()
    settle(counter.page)
    at = geometry(counter)
    tip = dial(at, 0, 0.9)
    finger(counter.page, [(tip[0] - 12 * k, tip[1]) for k in range(5)])
    assert picture(counter) != before
    box = counter.locator(".om-live").bounding_box()
    assert box and box["height"] < 720
