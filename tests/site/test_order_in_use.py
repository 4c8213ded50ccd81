"""The order explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, settle, to_the_task
from playwright.sync_api import Locator, expect

PAGE = "chapters/01-why-order-matters.html"
SENTENCE = ["the", "old", "dog", "bites", "a", "young", "man"]


@pytest.fixture
def order(explored: Explored) -> Locator:
    return original(explored(PAGE, "order", reduced_motion="reduce"))


def original(explorer: Locator) -> Locator:
    explorer.get_by_role("button", name="original order").click()
    explorer.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(explorer.page)
    return explorer


def sentence(explorer: Locator) -> list[str]:
    settle(explorer.page)
    return explorer.locator(".ex-reading b").first.inner_text().split()


def word(explorer: Locator, name: str) -> Locator:
    return explorer.get_by_role("button", name=f"{name}, place")


def middle(explorer: Locator, name: str) -> tuple[float, float]:
    box = word(explorer, name).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def says(explorer: Locator) -> Locator:
    return explorer.locator(".ex-says")


def test_a_word_is_dragged_by_mouse_and_is_between_two_places_on_its_way(order: Locator) -> None:
    mouse, before = order.page.mouse, picture(order)
    (x, y), (to, _) = middle(order, "dog"), middle(order, "man")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 0.3 * (to - x) / 4, y, steps=3)
    assert sentence(order) == SENTENCE
    assert picture(order) != before
    mouse.move(to, y, steps=12)
    mouse.up()
    assert sentence(order) == ["the", "old", "bites", "a", "young", "man", "dog"]
    expect(word(order, "dog")).to_have_accessible_name("dog, place 7 of 7")
    expect(word(order, "dog")).to_be_focused()


def test_a_word_is_dragged_by_finger(explored: Explored) -> None:
    explorer = original(explored(PAGE, "order", viewport=PHONE, has_touch=True, is_mobile=True))
    scrolled = explorer.page.evaluate("scrollY")
    (x, y), (to, _) = middle(explorer, "old"), middle(explorer, "the")
    finger(explorer.page, [(x + (to - x) * k / 6, y) for k in range(7)])
    assert sentence(explorer)[:2] == ["old", "the"]
    assert explorer.page.evaluate("scrollY") == scrolled
    finger(explorer.page, [middle(explorer, "man")])  # a tap chooses
    settle(explorer.page)
    expect(word(explorer, "man")).to_have_attribute("tabindex", "0")
    assert sentence(explorer)[-1] == "man"


def test_arrow_keys_move_a_word_and_choose_another(order: Locator) -> None:
    keyboard = order.page.keyboard
    word(order, "dog").focus()
    for places, expected in [(2, 4), (5, 6), (-3, 3), (-9, 0)]:
        for _ in range(abs(places)):
            keyboard.press("ArrowRight" if places > 0 else "ArrowLeft")
        assert sentence(order).index("dog") == expected
    keyboard.press("ArrowDown")
    expect(word(order, "the")).to_be_focused()
    keyboard.press("ArrowRight")
    assert sentence(order)[:3] == ["dog", "old", "the"]


def test_what_is_noticed_depends_on_mask_encoding_and_mean(order: Locator) -> None:
    reading = order.locator(".ex-reading")
    expect(reading).to_contain_text("original order")
    order.get_by_role("button", name="reverse").click()
    assert sentence(order) == SENTENCE[::-1]
    expect(reading).to_contain_text("Equivariant")
    encoding, mask, mean = order.get_by_role("checkbox").all()
    mask.check()
    expect(reading).to_contain_text("Order is noticed")
    mask.uncheck()
    mean.press("Space")
    expect(reading).to_contain_text("Invariant")
    encoding.press("Space")
    expect(reading).to_contain_text("Order is noticed")


def test_the_story_ends_with_a_task_that_a_reader_can_do(order: Locator) -> None:
    to_the_task(order)
    encoding, mask, _ = order.get_by_role("checkbox").all()
    encoding.uncheck()
    expect(says(order)).to_contain_text("Your turn")
    mask.check()
    expect(says(order)).to_contain_text("✓ Found: behind a mask")


def test_two_neighbours_trade_places_behind_a_mask(order: Locator) -> None:
    masked = order.page.locator(".om-explorer[data-kind=order]").nth(1)
    masked.scroll_into_view_if_needed()
    expect(masked.locator(".ex-says")).to_contain_text("Without a mask")
    to_the_task(masked)
    original(masked)
    mask, mean = (
        masked.get_by_role("checkbox", name="mask"),
        masked.get_by_role("checkbox", name="mean"),
    )
    mask.check()
    mean.uncheck()
    expect(says(masked)).to_contain_text("Your turn")
    word(masked, "young").focus()
    order.page.keyboard.press("ArrowRight")
    expect(says(masked)).to_contain_text("✓ Found: 5 outputs stay")


def test_a_word_walks_through_the_sentence(explored: Explored) -> None:
    order = original(explored(PAGE, "order"))
    order.get_by_role("button", name="Play").click()
    expect(order.locator(".ex-reading b").first).to_have_text("the old bites dog a young man")
    order.get_by_role("button", name="Pause").click()
