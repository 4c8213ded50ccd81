"""The grid explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored, Open
from hands import alive, finger, picture, reading, set_slider, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/10-choosing.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture
def grid(explored: Explored) -> Locator:
    """The one with all schemes; the chapter begins with the hands of a patch."""
    return unfolded(alive(explored(PAGE, "grid").page, "grid", 1))


def unfolded(explorer: Locator) -> Locator:
    explorer.locator(".ex-folded summary").press("Enter")
    settle(explorer.page)
    return explorer


def choose(explorer: Locator, scheme: str) -> None:
    explorer.locator("select").select_option(scheme)


def values(explorer: Locator) -> tuple[str | None, ...]:
    settle(explorer.page)
    return tuple(told(explorer, name) for name in ("row", "column", "down", "right"))


def place(explorer: Locator, row: float, column: float) -> tuple[float, float]:
    """The middle of a patch of the picture."""
    box = explorer.locator("canvas").bounding_box()
    assert box
    wide = box["width"] >= 560
    high = (box["height"] - 22 - (4 if wide else 80)) / 14
    cell = int(min(high, (box["width"] - 24) / 14))
    left = 22 if wide else max(22, (box["width"] - 14 * cell) / 2)
    return box["x"] + left + (column + 0.5) * cell, box["y"] + 22 + (row + 0.5) * cell


def shown(explorer: Locator) -> None:
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(explorer.page)


def test_each_scheme_says_whether_the_offset_decides(grid: Locator) -> None:
    assert "score 0.2988, the same everywhere." in reading(grid)
    assert "Highest besides itself, 0.9404: (6, 5), (6, 7)." in reading(grid)
    for scheme, score, steady in [
        ("coordinates", "0.2308", "elsewhere from 0.00 to 0.96"),
        ("axial", "0.9662", "the same everywhere"),
        ("mixed", "0.9659", "the same everywhere"),
        ("rotary", "0.5993", "the same everywhere"),
    ]:
        before = picture(grid)
        choose(grid, scheme)
        assert f"score {score}" in reading(grid)
        assert steady in reading(grid)
        assert picture(grid) != before
    assert "Highest besides itself, 1.0000: (4, 3)." in reading(grid)


def test_arrow_keys_choose_a_scheme(grid: Locator) -> None:
    grid.locator("select").press("ArrowDown")
    expect(grid.locator("select")).to_have_value("coordinates")


def test_arrow_keys_move_the_patch_and_with_shift_the_other(grid: Locator) -> None:
    canvas, before = grid.locator("canvas"), picture(grid)
    for key, expected in [
        ("ArrowDown", ("7", "6", "1", "0")),
        ("ArrowRight", ("7", "7", "1", "0")),
        ("Shift+ArrowLeft", ("7", "7", "1", "−1")),
        ("Shift+ArrowUp", ("7", "7", "0", "−1")),
        ("ArrowUp", ("6", "7", "0", "−1")),
        ("ArrowLeft", ("6", "6", "0", "−1")),
    ]:
        canvas.press(key)
        assert values(grid) == expected, key
    for _ in range(20):
        canvas.press("ArrowRight")  # there is no column beyond the last
    assert values(grid)[1] == "13"
    assert "Highest besides itself, 0.9404: (6, 12), (7, 0)." in reading(grid)
    assert picture(grid) != before


@pytest.mark.parametrize("name", ["row", "column", "down", "right", "base"])
def test_every_slider_changes_the_picture_by_keyboard(grid: Locator, name: str) -> None:
    before, said = picture(grid), told(grid, name)
    grid.get_by_role("slider", name=name).press("ArrowRight")
    assert picture(grid) != before
    assert told(grid, name) != said


def test_the_patch_is_dragged_by_mouse_and_takes_the_other_along(grid: Locator) -> None:
    choose(grid, "axial")
    shown(grid)
    mouse = grid.page.mouse
    mouse.move(*place(grid, 2, 3))
    assert values(grid) == ("6", "6", "1", "0")  # passing over changes nothing
    mouse.move(*place(grid, 6, 6))
    mouse.down()
    for row, column in [(5, 5), (3, 4), (2, 3)]:
        mouse.move(*place(grid, row, column))
        assert values(grid) == (str(row), str(column), "1", "0")
        assert "score 0.9662" in reading(grid)  # the map moves along
    mouse.move(*place(grid, -3, 20))  # off the picture: the nearest patch
    assert values(grid)[:2] == ("0", "13")
    mouse.up()
    mouse.move(*place(grid, 9, 9))
    assert values(grid)[:2] == ("0", "13")


def test_the_other_patch_is_chosen_by_mouse(grid: Locator) -> None:
    choose(grid, "axial")
    shown(grid)
    scores = {}
    for row, column in [(6, 11), (9, 10)]:
        grid.page.mouse.click(*place(grid, row, column))
        assert values(grid) == ("6", "6", str(row - 6), str(column - 6))
        scores[row, column] = reading(grid).split("score ")[1][:6]
    assert scores == {(6, 11): "0.7346", (9, 10): "0.5476"}


def test_an_offset_that_leaves_the_grid_is_said(grid: Locator) -> None:
    set_slider(grid, "down", "13")
    assert "(6, 6) with a patch outside, 13 down and 0 right" in reading(grid)


def test_fingers_move_both(explored: Explored) -> None:
    grid = unfolded(alive(explored(PAGE, "grid", **TOUCH).page, "grid", 1))
    shown(grid)
    scrolled = grid.page.evaluate("scrollY")
    grid.page.touchscreen.tap(*place(grid, 3, 10))
    assert values(grid) == ("6", "6", "−3", "4")
    finger(grid.page, [place(grid, 6, 6), place(grid, 6, 5), place(grid, 8, 5), place(grid, 10, 2)])
    assert values(grid) == ("10", "2", "−3", "4")
    assert grid.page.evaluate("scrollY") == scrolled  # the finger moved the patch, not the page


def test_the_story_and_its_task(explored: Explored) -> None:
    grid = alive(explored(PAGE, "grid").page, "grid", 1)
    while grid.locator(".ex-next").is_enabled():
        grid.locator(".ex-next").press("Enter")
    expect(grid.locator(".ex-reading")).to_contain_text("(6, 6) with (9, 10)")
    choose(grid, "rotary")
    expect(grid.locator(".ex-says")).to_contain_text("Your turn")
    shown(grid)
    grid.page.mouse.click(*place(grid, 4, 3))
    expect(grid.locator(".ex-says")).to_contain_text("Found: two up and three to the left")


def test_the_chapter_begins_with_two_hands(explored: Explored) -> None:
    grid = explored(PAGE, "grid")
    while grid.locator(".ex-next").is_enabled():
        grid.locator(".ex-next").press("Enter")
    expect(grid.locator(".ex-reading")).to_contain_text("(11, 2) with")
    shown(grid)
    grid.page.mouse.move(*place(grid, 11, 2))
    grid.page.mouse.down()
    grid.page.mouse.move(*place(grid, 9, 9), steps=3)
    grid.page.mouse.up()
    expect(grid.locator(".ex-says")).to_contain_text("Found: where row and column are one number")


def test_a_link_brings_back_the_patch(open_page: Open) -> None:
    page = open_page(f"{PAGE}?scheme=axial&row=2&column=3&down=2#explorer-grid-2")
    grid = alive(page, "grid", 1)
    expect(grid.locator(".ex-reading")).to_contain_text("(2, 3) with (4, 3), 2 down and 0 right")
