"""The table under the mask, under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, settle
from playwright.sync_api import Locator, expect

PAGE = "chapters/01-why-order-matters.html"


@pytest.fixture
def mask(explored: Explored) -> Locator:
    return explored(PAGE, "mask")


def words(explorer: Locator) -> list[str]:
    settle(explorer.page)
    return explorer.locator(".ex-head").all_inner_texts()


def column(explorer: Locator, place: int, row: int = -1) -> tuple[float, float]:
    """The middle of a cell, or of the word above the column."""
    box = explorer.locator("canvas" if row >= 0 else ".ex-heads").bounding_box()
    assert box
    x = box["x"] + (place + 1.5) * box["width"] / 8
    return x, box["y"] + box["height"] * ((row + 0.5) / 7 if row >= 0 else 0.5)


def test_the_task_is_done_by_dragging_a_word(mask: Locator) -> None:
    following = mask.get_by_role("button", name="Next")
    while following.is_enabled():
        following.click()
    assert words(mask) == ["man", "bites", "dog", "the", "young", "old", "a"]
    mouse = mask.page.mouse
    mouse.move(*column(mask, 2))
    mouse.down()
    mouse.move(*column(mask, 5), steps=4)
    expect(mask.locator(".ex-says")).to_contain_text("Your turn")
    mouse.move(*column(mask, 6), steps=2)
    mouse.up()
    assert words(mask)[-1] == "dog"
    expect(mask.locator(".ex-says")).to_contain_text("Found: the last word sees all")
    expect(mask.locator(".ex-reading")).to_contain_text("dog sees all words")


def test_a_cell_is_framed_and_its_column_pulled(mask: Locator) -> None:
    mask.get_by_role("checkbox").check()
    mask.page.mouse.click(*column(mask, 3, 1))
    expect(mask.locator(".ex-reading")).to_contain_text(
        "old asks for bites with 0.81, and the mask"
    )
    mouse = mask.page.mouse
    mouse.move(*column(mask, 3, 1))
    mouse.down()
    mouse.move(*column(mask, 0, 1), steps=4)
    mouse.up()
    assert words(mask)[:3] == ["bites", "the", "old"]
    expect(mask.locator(".ex-reading")).to_contain_text("old sees bites, the, old.")


def test_arrow_keys_move_a_word(mask: Locator) -> None:
    mask.get_by_role("button", name="dog, place 3 of 7").focus()
    for key, place in [("ArrowLeft", 1), ("ArrowLeft", 0), ("ArrowLeft", 0), ("ArrowRight", 1)]:
        mask.page.keyboard.press(key)
        assert words(mask).index("dog") == place
    assert mask.page.evaluate("document.activeElement.textContent") == "dog"


def test_a_finger_pulls_a_word_and_a_thumb_scrolls_past(explored: Explored) -> None:
    mask = explored(PAGE, "mask", viewport=PHONE, has_touch=True, is_mobile=True)
    settle(mask.page)
    before = picture(mask)
    x, y = column(mask, 4, 3)
    finger(mask.page, [(x, y - 15 * k) for k in range(6)])
    assert picture(mask) == before
    mask.scroll_into_view_if_needed()
    finger(mask.page, [column(mask, place) for place in (0, 1, 2)])
    assert words(mask)[:3] == ["old", "dog", "the"]
