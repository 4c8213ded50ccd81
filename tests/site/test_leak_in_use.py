"""The leak explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import finger, picture, settle, to_the_task, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/07-skipping-positions.html"
BLIND, NOTICED = "does not notice", "changes by"


@pytest.fixture
def leak(explored: Explored) -> Locator:
    return explored(PAGE, "leak", reduced_motion="reduce")


def layers(explorer: Locator, wanted: int) -> Locator:
    return explorer.get_by_role("radio", name=str(wanted), exact=True)


def test_mask_depth_and_encodings_decide_what_is_noticed(leak: Locator) -> None:
    reading = leak.locator(".ex-reading")
    mask, encodings = leak.get_by_role("checkbox").all()
    expect(reading).to_contain_text("nothing to notice")
    leak.get_by_role("slider", name="shuffle").press("ArrowRight")
    expect(reading).to_contain_text(f"{BLIND} that words before it changed places. Of all 16")
    layers(leak, 2).check()
    expect(reading).to_contain_text(NOTICED)
    mask.press("Space")
    expect(reading).to_contain_text("outputs, none changed")
    encodings.check()
    expect(reading).to_contain_text(NOTICED)


def test_the_task_is_done_by_taking_the_mask_away(leak: Locator) -> None:
    says = to_the_task(leak)
    mask, encodings = leak.get_by_role("checkbox").all()
    encodings.uncheck()
    layers(leak, 3).check()
    expect(says).to_contain_text("Your turn")
    mask.uncheck()
    expect(says).to_contain_text("✓ Found: without a mask")


def test_arrow_keys_take_another_shuffle_and_depth(leak: Locator) -> None:
    canvas, before = leak.locator("canvas"), picture(leak)
    steps = [("ArrowRight", "no. 1", 1), ("ArrowUp", "no. 1", 2), ("ArrowUp", "no. 1", 3),
             ("ArrowUp", "no. 1", 3), ("ArrowLeft", "none", 3), ("ArrowLeft", "none", 3),
             ("ArrowDown", "none", 2)]  # fmt: skip
    for key, shuffle, deep in steps:
        canvas.press(key)
        settle(leak.page)
        assert told(leak, "shuffle") == shuffle
        expect(layers(leak, deep)).to_be_checked()
    assert picture(leak) != before


def middle(explorer: Locator, name: str) -> tuple[float, float]:
    box = explorer.get_by_role("button", name=name).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_word_is_dragged_and_the_last_stays(leak: Locator) -> None:
    leak.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    mouse, reading = leak.page.mouse, leak.locator(".ex-reading")
    for name, to, expected in [("j, place 16 of 16", "d, place 1 of 16", "nothing to notice"),
                               ("d, place 1 of 16", "j, place 16 of 16", BLIND)]:  # fmt: skip
        start, end = middle(leak, name), middle(leak, to)
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=8)
        mouse.up()
        expect(reading).to_contain_text(expected)
    moved = leak.get_by_role("button", name="d, place 15 of 16")
    expect(moved).to_be_focused()
    moved.press("ArrowLeft")
    expect(leak.get_by_role("button", name="d, place 14 of 16")).to_be_focused()


def test_a_word_is_dragged_by_finger_and_the_mask_is_tapped(explored: Explored) -> None:
    leak = explored(PAGE, "leak", viewport=PHONE, has_touch=True, is_mobile=True)
    leak.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(leak.page)
    scrolled = leak.page.evaluate("scrollY")
    box = leak.locator("canvas").bounding_box()
    assert box
    slot, y = box["width"] / 16, box["y"] + 17
    finger(leak.page, [(box["x"] + (1.5 + k / 2) * slot, y) for k in range(7)])
    expect(leak.get_by_role("button", name="c, place 5 of 16")).to_have_count(1)
    assert leak.page.evaluate("scrollY") == scrolled
    expect(leak.locator(".ex-reading")).to_contain_text("4 changed")
    leak.get_by_role("checkbox", name="mask").tap()
    expect(leak.locator(".ex-reading")).to_contain_text("none changed")


def test_the_spread_says_whether_there_is_a_mask(leak: Locator) -> None:
    spread = leak.page.locator(".om-explorer[data-kind=leak]").last
    spread.scroll_into_view_if_needed()
    reading = spread.locator(".ex-reading")
    expect(reading).to_contain_text("32 sentences together")
    says = to_the_task(spread)
    expect(reading).to_contain_text("next to nothing")
    layers(spread, 2).check()
    expect(says).to_contain_text("✓ Found: 0.00")
    expect(spread.get_by_role("button", name="place 1 of 16")).to_have_count(0)


def test_shuffles_run(explored: Explored) -> None:
    leak = explored(PAGE, "leak")
    leak.get_by_role("button", name="Play").click()
    expect(leak.locator(".ex-reading")).to_contain_text(BLIND)
    leak.get_by_role("button", name="Pause").click()
