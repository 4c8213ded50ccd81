"""The heatmap under a reader's hands: mouse, finger and keyboard."""

from pathlib import Path

import pytest
from built import EXPLORED, PHONE, Explored, Open
from hands import alive, finger, picture, set_slider, settle, told
from playwright.sync_api import Browser, Locator, expect

from pe_lib import encode


@pytest.fixture
def heatmap(explored: Explored) -> Locator:
    return explored(EXPLORED, "heatmap")


def cell(explorer: Locator) -> tuple[int, int]:
    """The chosen position and dimension, as the reading tells them."""
    words = explorer.locator(".ex-reading b").first.inner_text().strip(" :").split()
    return int(words[1].rstrip(",")), int(words[3])


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
    heatmap = explored(EXPLORED, "heatmap", viewport=PHONE, has_touch=True, is_mobile=True)
    before = picture(heatmap)
    heatmap.get_by_role("slider", name="base").scroll_into_view_if_needed()
    box = heatmap.get_by_role("slider", name="base").bounding_box()
    assert box
    seen = set()
    middle = box["y"] + box["height"] / 2
    for part in (0.5, 0.4, 0.3):
        moves = [(box["x"] + box["width"] * at, middle) for at in (part + 0.05, part)]
        finger(heatmap.page, moves)
        seen.add(picture(heatmap))
    assert len(seen) == 3 and before not in seen


def test_a_finger_on_the_picture_chooses_a_cell(explored: Explored) -> None:
    heatmap = explored(EXPLORED, "heatmap", viewport=PHONE, has_touch=True, is_mobile=True)
    box = heatmap.locator("canvas").bounding_box()
    assert box
    chosen = cell(heatmap)
    heatmap.page.touchscreen.tap(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4)
    settle(heatmap.page)
    assert cell(heatmap) != chosen


def test_pointing_chooses_a_cell(heatmap: Locator) -> None:
    box = heatmap.locator("canvas").bounding_box()
    assert box
    rows = []
    for part in (0.2, 0.4, 0.6):
        heatmap.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * part)
        settle(heatmap.page)
        rows.append(cell(heatmap)[0])
    assert rows == sorted(set(rows))


def test_arrow_keys_choose_a_cell(heatmap: Locator) -> None:
    canvas = heatmap.locator("canvas")
    page = heatmap.page
    heatmap.get_by_role("slider", name="column").focus()
    page.keyboard.press("Tab")
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
        ("End", (position, 63)),
        ("ArrowRight", (position, 63)),  # there is no column beyond
        ("Home", (position, 0)),
    ]:
        page.keyboard.press(key)
        settle(page)
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
    heatmap.locator("canvas").press("End")
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
    assert picture(page.locator(".om-explorer").first) == light


def test_an_explorer_works_from_disk(open_page: Open, site: Path) -> None:
    heatmap = alive(open_page(EXPLORED, base=f"{site.as_uri()}/"), "heatmap")
    before = picture(heatmap)
    heatmap.get_by_role("slider", name="base").press("ArrowLeft")
    assert picture(heatmap) != before


def test_a_missing_script_leaves_the_static_picture(browser: Browser, server: str) -> None:
    page = browser.new_page()
    page.route("**/explorers/heatmap.js", lambda route: route.abort())
    page.goto(server + EXPLORED)
    page.locator(".om-explorer").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    expect(page.locator(".om-fallback svg").first).to_be_visible()
    expect(page.locator(".om-caption").first).to_be_visible()
    expect(page.locator(".om-live")).to_have_count(0)
    page.close()
