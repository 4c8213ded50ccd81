"""The leak explorer under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, Explored
from hands import picture, settle, told
from playwright.sync_api import Locator, expect

PAGE = "chapters/07-skipping-positions.html"
BLIND, NOTICED = "does not notice", "changes by"


@pytest.fixture
def leak(explored: Explored) -> Locator:
    return explored(PAGE, "leak")


def test_mask_depth_and_encodings_decide_what_is_noticed(leak: Locator) -> None:
    reading = leak.locator(".ex-reading")
    mask, encodings = leak.get_by_role("checkbox").all()
    expect(reading).to_contain_text(BLIND)
    expect(reading).to_contain_text("can be read off")
    leak.get_by_role("slider", name="layers").press("ArrowRight")
    expect(reading).to_contain_text(NOTICED)
    mask.press("Space")
    expect(reading).to_contain_text(BLIND)
    expect(reading).to_contain_text("next to nothing")
    encodings.check()
    expect(reading).to_contain_text(NOTICED)


def test_arrow_keys_take_another_shuffle_and_depth(leak: Locator) -> None:
    canvas, before = leak.locator("canvas"), picture(leak)
    steps = [("ArrowRight", "no. 2", "1"), ("ArrowUp", "no. 2", "2"), ("ArrowUp", "no. 2", "3"),
             ("ArrowUp", "no. 2", "3"), ("ArrowLeft", "no. 1", "3"), ("ArrowLeft", "none", "3"),
             ("ArrowLeft", "none", "3"), ("ArrowDown", "none", "2")]  # fmt: skip
    for key, shuffle, layers in steps:
        canvas.press(key)
        settle(leak.page)
        assert (told(leak, "shuffle"), told(leak, "layers")) == (shuffle, layers)
    expect(leak.locator(".ex-reading")).to_contain_text("choose a shuffle")
    assert picture(leak) != before


def test_a_finger_switches_the_mask(explored: Explored) -> None:
    leak = explored(PAGE, "leak", viewport=PHONE, has_touch=True, is_mobile=True)
    before = picture(leak)
    leak.get_by_role("checkbox", name="causal mask").tap()
    expect(leak.locator(".ex-reading")).to_contain_text("next to nothing")
    assert picture(leak) != before
