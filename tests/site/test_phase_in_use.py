"""The phase explorer under a reader's hands: two walls, and clocks that narrow a position down."""

import re
from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import alive, finger, last, picture, reading, set_slider, settle, to_the_task, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/04-sine-and-cosine.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture
def walls(explored: Explored) -> Locator:
    return explored(PAGE, "phase")


@pytest.fixture
def rows(explored: Explored) -> Locator:
    return last(explored(PAGE, "phase"))


def agreeing(explorer: Locator) -> list[int]:
    settle(explorer.page)
    return [int(k) for k in re.findall(r"\d+", re.split("agrees?:", reading(explorer))[1])]


def dial(explorer: Locator, row: int, angle: float) -> tuple[float, float]:
    """A point of the page on the clock of a row, at an angle from straight up, clockwise."""
    box = explorer.locator(".ex-scene canvas").bounding_box()
    assert box
    tall = box["height"] / 4
    r = min(tall / 2 - 5, 34)
    x, y = box["x"] + r + 6, box["y"] + (row + 0.5) * tall
    return x + 0.8 * r * sin(angle), y - 0.8 * r * cos(angle)


def test_the_second_wall_tells_two_positions_apart(walls: Locator) -> None:
    before = picture(walls)
    assert agreeing(walls) == [4, 18]
    walls.get_by_role("checkbox", name="cosine").press("Space")
    assert agreeing(walls) == [4]
    assert picture(walls) != before
    walls.get_by_role("checkbox", name="cosine").uncheck()
    walls.get_by_role("radio", name="1").check()
    settle(walls.page)
    assert "pair 1 prints 0.4" in reading(walls)


def test_the_task_of_the_walls_is_done_by_dragging_along_one(walls: Locator) -> None:
    to_the_task(walls)
    set_slider(walls, "below", "100 positions")
    box = walls.locator(".ex-scene canvas").bounding_box()
    assert box
    r = min(0.17 * box["width"], 0.24 * box["height"], 90)
    x, top = box["x"] + r + 30, box["y"] + 2 * r + 48
    tall = box["height"] - 2 * r - 72
    mouse, says = walls.page.mouse, walls.locator(".ex-says")
    mouse.move(x, top + tall * 0.2)
    mouse.down()
    for k in range(20, 34):
        mouse.move(x, top + tall * (k + 0.5) / 100)
    mouse.up()
    expect(says).to_contain_text("✓ Found: 33 and 77 print the same sine.")
    assert told(walls, "position") == "33"


def test_each_row_keeps_what_agrees_with_those_above(rows: Locator) -> None:
    assert agreeing(rows)[:3] == [0, 1, 2]
    for pair, left in [(3, 100), (2, 11), (1, 1), (0, 1)]:
        rows.get_by_role("checkbox", name=f"pair {pair}").press("Space")
        settle(rows.page)
        assert re.search(rf"(Only one|\b{left}) position", reading(rows))
    assert agreeing(rows) == [137]


def test_the_task_of_the_rows_is_done_with_ticks(rows: Locator) -> None:
    to_the_task(rows)
    says = rows.locator(".ex-says")
    rows.get_by_role("checkbox", name="pair 1").check()
    expect(says).to_contain_text("Your turn")
    rows.get_by_role("checkbox", name="pair 1").uncheck()
    rows.get_by_role("checkbox", name="pair 2").check()
    expect(says).to_contain_text("✓ Found: pairs 0 and 2.")


def test_the_answers_in_the_chapter_are_what_it_shows(rows: Locator) -> None:
    rows.get_by_role("checkbox", name="pair 0").check()
    rows.get_by_role("checkbox", name="cosine").uncheck()
    set_slider(rows, "position", "11")
    set_slider(rows, "decimals", "3")
    assert agreeing(rows) == [11, 55, 300, 344, 388]
    set_slider(rows, "decimals", "6")
    assert agreeing(rows) == [11, 344]
    rows.get_by_role("checkbox", name="cosine").check()
    assert agreeing(rows) == [11]


def test_arrow_keys_move_the_position(walls: Locator) -> None:
    before, canvas = picture(walls), walls.locator(".ex-scene canvas")
    for key, position in [("ArrowRight", 5), ("PageUp", 15), ("ArrowDown", 14), ("Home", 0),
                          ("ArrowLeft", 0), ("End", 21), ("PageUp", 21)]:  # fmt: skip
        canvas.press(key)
        settle(walls.page)
        assert told(walls, "position") == str(position)
        assert f"Position {position}:" in reading(walls)
    assert picture(walls) != before


def test_a_hand_is_wound_by_mouse(rows: Locator) -> None:
    canvas, mouse = rows.locator(".ex-scene canvas"), rows.page.mouse
    canvas.press("Home")
    settle(rows.page)
    mouse.move(*dial(rows, 2, 0))
    mouse.down()
    for angle in (1, 2, 3, 4, 5, 6, 7, 8):  # more than once round
        mouse.move(*dial(rows, 2, angle))
    settle(rows.page)
    assert told(rows, "position") == "80"
    mouse.up()
    mouse.move(*dial(rows, 2, 0))
    settle(rows.page)
    assert told(rows, "position") == "80"


def test_a_finger_winds_a_hand_and_the_page_stays(explored: Explored) -> None:
    rows = last(explored(PAGE, "phase", **TOUCH))
    rows.locator(".ex-scene canvas").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    rows.locator(".ex-scene canvas").press("Home")
    settle(rows.page)
    scrolled = rows.page.evaluate("scrollY")
    finger(rows.page, [dial(rows, 1, angle / 4) for angle in range(9)])
    assert abs(int(told(rows, "position") or 0) - 200) <= 4
    assert rows.page.evaluate("scrollY") == scrolled


def test_fewer_positions_take_the_position_along(walls: Locator) -> None:
    walls.locator(".ex-scene canvas").press("End")
    walls.get_by_role("slider", name="below").press("Home")
    settle(walls.page)
    assert told(walls, "position") == "9"


def test_the_hands_are_misread_until_the_position_is_lost(explored: Explored) -> None:
    rows = alive(explored(PAGE, "phase").page, "phase", -2)
    to_the_task(rows)
    says, error = rows.locator(".ex-says"), rows.get_by_role("slider", name="error")
    for _ in range(100):  # the story moves the slider there
        if told(rows, "error") == "0.20 radians":
            break
        rows.page.wait_for_timeout(50)
    assert told(rows, "error") == "0.20 radians"
    for _ in range(8):
        error.press("ArrowRight")
    settle(rows.page)
    assert "Found: 137." in reading(rows) and "✓" not in says.inner_text()
    before = picture(rows)
    error.press("ArrowRight")
    expect(says).to_contain_text("✓ Found: at 0.29 radians a hand takes the wrong turn")
    assert "Lost:" in reading(rows) and picture(rows) != before
    canvas = rows.locator(".ex-scene canvas")
    canvas.press("ArrowRight")
    settle(rows.page)
    assert told(rows, "position") == "138"
