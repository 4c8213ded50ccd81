"""The order explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Open
from hands import finger, settle
from playwright.sync_api import Locator, Page, expect

PAGE = "chapters/01-why-order-matters.html"
SENTENCE = ["the", "old", "dog", "bites", "a", "young", "man"]


def alive(page: Page) -> Locator:
    explorer = page.locator(".om-explorer[data-kind=order]").first
    explorer.scroll_into_view_if_needed()
    expect(explorer.locator(".om-live .ex-words")).to_be_visible()
    explorer.get_by_role("button", name="original order").click()
    settle(page)
    return explorer


def sentence(explorer: Locator) -> list[str]:
    settle(explorer.page)
    return explorer.locator(".ex-reading b").first.inner_text().split()


def numbers(explorer: Locator) -> list[float]:
    settle(explorer.page)
    return [float(text) for text in explorer.locator(".ex-number").all_inner_texts()]


def middle(explorer: Locator, word: str) -> tuple[float, float]:
    box = explorer.locator(".ex-word", has_text=word).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def order(open_page: Open) -> Locator:
    return alive(open_page(PAGE))


def test_a_word_is_dragged_by_mouse(order: Locator) -> None:
    mouse = order.page.mouse
    (x, y), (to, _) = middle(order, "dog"), middle(order, "man")
    mouse.move(x, y)
    mouse.down()
    mouse.move(to, y, steps=12)
    mouse.up()
    assert sentence(order) == ["the", "old", "bites", "a", "young", "man", "dog"]
    shown = order.locator(".ex-word").all_inner_texts()
    assert shown == sentence(order)  # Tab goes through the words as they stand


def test_a_word_is_dragged_by_finger(open_page: Open) -> None:
    explorer = alive(open_page(PAGE, viewport=PHONE, has_touch=True, is_mobile=True))
    scrolled = explorer.page.evaluate("scrollY")
    (x, y), (to, _) = middle(explorer, "old"), middle(explorer, "the")
    finger(explorer.page, [(x + (to - x) * k / 6, y) for k in range(7)])
    assert sentence(explorer)[:2] == ["old", "the"]
    assert explorer.page.evaluate("scrollY") == scrolled


def test_arrow_keys_move_a_word_and_stop_at_the_ends(order: Locator) -> None:
    order.get_by_role("button", name="dog, place 3 of 7").focus()
    for places, expected in [(2, 4), (5, 6), (-3, 3), (-9, 0)]:
        for _ in range(abs(places)):
            order.page.keyboard.press("ArrowRight" if places > 0 else "ArrowLeft")
        assert sentence(order).index("dog") == expected
    assert order.page.evaluate("document.activeElement.textContent") == "dog"


def test_what_is_noticed_depends_on_mask_encoding_and_pooling(order: Locator) -> None:
    reading = order.locator(".ex-reading")
    expect(reading).to_contain_text("original order")
    order.get_by_role("button", name="reverse").click()
    assert sentence(order) == SENTENCE[::-1]
    assert numbers(order) == [0] * 7
    expect(reading).to_contain_text("Equivariant")
    encoding, mask, pool = order.get_by_role("checkbox").all()
    mask.check()
    assert max(numbers(order)) > 0
    expect(reading).to_contain_text("Order is noticed")
    mask.uncheck()
    pool.press("Space")
    assert numbers(order) == [0]
    expect(reading).to_contain_text("Invariant")
    encoding.press("Space")
    assert max(numbers(order)) > 0
    expect(reading).to_contain_text("Order is noticed")
