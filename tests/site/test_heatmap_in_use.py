"""The heatmap under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin
from pathlib import Path

import pytest
from built import EXPLORED, PHONE, Explored, Open
from hands import alive, finger, last, picture, set_slider, settle, to_the_task, told
from playwright.sync_api import Browser, Locator, expect

from pe_lib import encode

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture
def heatmap(explored: Explored) -> Locator:
    return last(explored(EXPLORED, "heatmap"))


def cell(explorer: Locator) -> tuple[int, int]:
    """The chosen position and dimension, as the reading tells them."""
    settle(explorer.page)
    words = explorer.locator(".ex-reading b").first.inner_text().strip(" :").split()
    return int(words[1].rstrip(",")), int(words[3])


def at(explorer: Locator, right: float, down: float) -> tuple[float, float]:
    """A point of the page over the picture, by shares of its width and height."""
    box = explorer.locator(".ex-scene canvas").bounding_box()
    assert box
    return box["x"] + box["width"] * right, box["y"] + box["height"] * down


def corner(explorer: Locator, angle: float) -> tuple[float, float]:
    """A point on the large clock, at an angle from straight up, clockwise."""
    box = explorer.locator(".ex-scene canvas").bounding_box()
    assert box
    r = max(32, min(62, box["width"] * 0.11))
    x, y = box["x"] + box["width"] - 12 - r, box["y"] + 18 + r
    return x + 0.8 * r * sin(angle), y - 0.8 * r * cos(angle)


@pytest.mark.parametrize("name", ["d_model", "base", "positions", "row", "column"])
def test_every_slider_changes_the_picture_by_keyboard(heatmap: Locator, name: str) -> None:
    before, said = picture(heatmap), told(heatmap, name)
    heatmap.get_by_role("slider", name=name).press("ArrowRight")
    assert picture(heatmap) != before
    assert told(heatmap, name) != said


def test_a_slider_changes_the_picture_by_mouse(heatmap: Locator) -> None:
    before = picture(heatmap)
    box = heatmap.get_by_role("slider", name="base").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    mouse = heatmap.page.mouse
    mouse.move(box["x"] + box["width"] * 0.66, middle)
    mouse.down()
    seen = set()
    for part in (0.6, 0.5, 0.4, 0.3):
        mouse.move(box["x"] + box["width"] * part, middle)
        seen.add(picture(heatmap))
    mouse.up()
    assert len(seen) == 4 and before not in seen  # it moves with the hand, not only at the end


def test_a_slider_changes_the_picture_by_finger(explored: Explored) -> None:
    heatmap = last(explored(EXPLORED, "heatmap", **TOUCH))
    before = picture(heatmap)
    heatmap.get_by_role("slider", name="row").scroll_into_view_if_needed()
    box = heatmap.get_by_role("slider", name="row").bounding_box()
    assert box
    seen = set()
    middle = box["y"] + box["height"] / 2
    for part in (0.5, 0.4, 0.3):
        moves = [(box["x"] + box["width"] * at, middle) for at in (part + 0.05, part)]
        finger(heatmap.page, moves)
        seen.add(picture(heatmap))
    assert len(seen) == 3 and before not in seen


def test_a_finger_taps_a_cell_and_drags_the_row(explored: Explored) -> None:
    heatmap = last(explored(EXPLORED, "heatmap", **TOUCH))
    heatmap.locator(".ex-scene canvas").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    chosen, scrolled = cell(heatmap), heatmap.page.evaluate("scrollY")
    heatmap.page.touchscreen.tap(*at(heatmap, 0.4, 0.6))
    tapped = cell(heatmap)
    assert tapped != chosen
    sideways = [at(heatmap, 0.3 + 0.02 * k, 0.6) for k in range(5)]
    finger(heatmap.page, [*sideways, *(at(heatmap, 0.38, 0.6 + 0.05 * k) for k in range(6))])
    assert cell(heatmap)[0] > tapped[0] + 10
    assert heatmap.page.evaluate("scrollY") == scrolled


def test_the_mouse_drags_the_row_and_lets_go(heatmap: Locator) -> None:
    mouse, chosen = heatmap.page.mouse, cell(heatmap)
    mouse.move(*at(heatmap, 0.3, 0.5))
    assert cell(heatmap) == chosen
    mouse.down()
    rows = []
    for part in (0.5, 0.6, 0.8):
        mouse.move(*at(heatmap, 0.3, part))
        rows.append(cell(heatmap)[0])
    mouse.up()
    mouse.move(*at(heatmap, 0.3, 0.55))
    assert rows == sorted(set(rows)) and cell(heatmap)[0] == rows[-1]


def test_a_hand_is_wound_by_mouse_and_by_finger(heatmap: Locator, explored: Explored) -> None:
    set_slider(heatmap, "row", "pos 0")
    mouse = heatmap.page.mouse
    mouse.move(*corner(heatmap, 0))
    mouse.down()
    for k in range(1, 15):
        mouse.move(*corner(heatmap, k / 2))  # more than once round
    mouse.up()
    assert cell(heatmap) == (round(7 * 10_000 ** (2 / 16)), 2)

    heatmap = last(explored(EXPLORED, "heatmap", **TOUCH))
    set_slider(heatmap, "row", "pos 0")
    heatmap.locator(".ex-scene canvas").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    scrolled = heatmap.page.evaluate("scrollY")
    finger(heatmap.page, [corner(heatmap, k / 3) for k in range(10)])
    assert cell(heatmap)[0] == pytest.approx(3 * 10_000 ** (2 / 16), abs=1)
    assert heatmap.page.evaluate("scrollY") == scrolled


def test_the_task_is_done_by_hand(heatmap: Locator) -> None:
    to_the_task(heatmap)
    heatmap.get_by_role("slider", name="column").press("Home")
    mouse = heatmap.page.mouse
    mouse.move(*corner(heatmap, 36))
    mouse.down()
    for angle in range(37, 45):
        expect(heatmap.locator(".ex-says")).to_contain_text("Your turn")
        mouse.move(*corner(heatmap, angle))
    mouse.up()
    expect(heatmap.locator(".ex-says")).to_contain_text("✓ Found: row 44.")


def test_arrow_keys_choose_a_cell(heatmap: Locator) -> None:
    canvas = heatmap.locator(".ex-scene canvas")
    page = heatmap.page
    canvas.focus()
    assert canvas.evaluate("(canvas) => canvas === document.activeElement")
    position, dim = cell(heatmap)
    scrolled = page.evaluate("scrollY")
    for key, expected in [
        ("ArrowDown", (position + 1, dim)),
        ("ArrowRight", (position + 1, dim + 1)),
        ("ArrowUp", (position, dim + 1)),
        ("ArrowLeft", (position, dim)),
        ("PageDown", (position + 10, dim)),
        ("PageUp", (position, dim)),
        ("End", (position, 15)),
        ("ArrowRight", (position, 15)),  # there is no column beyond
        ("Home", (position, 0)),
    ]:
        page.keyboard.press(key)
        assert cell(heatmap) == expected, key
    assert page.evaluate("scrollY") == scrolled  # the keys moved the cell, not the page


def test_the_reading_is_the_value_of_the_cell(heatmap: Locator) -> None:
    for name, wanted in [("d_model", "8"), ("row", "pos 5")]:
        set_slider(heatmap, name, wanted)
    for dim in range(8):
        set_slider(heatmap, "column", f"dim {dim}")
        assert cell(heatmap) == (5, dim)
        shown = heatmap.locator(".ex-formula b").inner_text().replace("−", "-")
        assert float(shown) == pytest.approx(encode(5, 8)[dim], abs=5.1e-5)


def test_a_smaller_table_keeps_the_cell_inside(heatmap: Locator) -> None:
    heatmap.locator(".ex-scene canvas").press("End")
    set_slider(heatmap, "d_model", "2")
    assert cell(heatmap)[1] == 1


def test_an_explorer_follows_the_theme(open_page: Open) -> None:
    light = picture(alive(open_page(EXPLORED, color_scheme="light"), "heatmap"))
    page = open_page(EXPLORED, color_scheme="dark")
    dark = picture(alive(page, "heatmap"))
    assert dark != light
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.wait_for_timeout(100)
    assert picture(page.locator(".om-explorer[data-kind=heatmap]").first) == light


def test_an_explorer_works_from_disk(open_page: Open, site: Path) -> None:
    heatmap = alive(open_page(EXPLORED, base=f"{site.as_uri()}/"), "heatmap")
    before = picture(heatmap)
    heatmap.get_by_role("slider", name="row").press("ArrowRight")
    assert picture(heatmap) != before


def test_a_missing_script_leaves_the_static_picture(browser: Browser, server: str) -> None:
    page = browser.new_page()
    page.route("**/explorers/heatmap.js", lambda route: route.abort())
    page.goto(server + EXPLORED)
    explorer = page.locator(".om-explorer[data-kind=heatmap]").first
    explorer.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    expect(explorer.locator(".om-fallback svg").first).to_be_visible()
    expect(explorer.locator(".om-caption")).to_be_visible()
    expect(explorer.locator(".om-live")).to_have_count(0)
    page.close()
