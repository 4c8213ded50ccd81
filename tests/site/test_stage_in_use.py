"""What stands around every explorer, under a reader's hands: story, Play, link, picture, screen."""

import struct
from pathlib import Path

import pytest
from built import PHONE, Explored, Open
from hands import alive, finger, settle, told, until
from playwright.sync_api import Locator, expect

PAGE = "chapters/03-frequencies.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def press(explorer: Locator, name: str) -> None:
    explorer.get_by_role("button", name=name, exact=True).press("Enter")


def test_it_plays_from_its_end_once_more(explored: Explored) -> None:
    hands = explored(PAGE, "hands")
    hands.locator(".ex-canvas").press("End")
    settle(hands.page)
    assert told(hands, "position") == "31"
    press(hands, "Play")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 1")


def test_a_finger_that_rests_first_may_draw_downwards(explored: Explored) -> None:
    hands = explored(PAGE, "hands", **TOUCH)
    hands.locator(".ex-canvas").press("Home")
    settle(hands.page)
    before = hands.page.evaluate("scrollY")
    box = hands.locator(".ex-canvas").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 16 + 20, box["y"] + 68  # right of the first clock's middle
    finger(hands.page, [(x, y + step) for step in (0, 8, 16, 24)], rest=600)
    settle(hands.page)
    assert float(told(hands, "position") or 0) > 1.5
    assert hands.page.evaluate("scrollY") == before


def copied(explorer: Locator) -> str:
    explorer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(explorer, "More")
    press(explorer, "Copy link")
    expect(explorer.get_by_role("button", name="Copied")).to_be_visible()
    return str(explorer.page.evaluate("navigator.clipboard.readText()"))


def test_a_link_brings_back_what_was_found(open_page: Open) -> None:
    page = open_page(PAGE)
    hands = alive(page, "hands")
    hands.get_by_role("slider", name="position").fill("24")
    settle(page)
    address = copied(hands)
    assert address == page.url and address.endswith("?position=24#explorer-hands")
    page.reload()
    expect(alive(page, "hands").locator(".ex-reading")).to_contain_text("Position 24,")
    page.goto(address)
    expect(alive(page, "hands").locator(".ex-reading")).to_contain_text("Position 24,")


def test_the_picture_is_saved_with_what_it_says(explored: Explored, tmp_path: Path) -> None:
    hands = explored(PAGE, "hands")
    press(hands, "More")
    with hands.page.expect_download() as download:
        press(hands, "Save picture")
    assert download.value.suggested_filename == "order-matters-hands.png"
    download.value.save_as(tmp_path / "picture.png")
    head = (tmp_path / "picture.png").read_bytes()[:24]
    width, height = struct.unpack(">II", head[16:24])
    box = hands.locator(".ex-canvas").bounding_box()
    assert box and head[:4] == b"\x89PNG"
    assert width == pytest.approx(2 * (box["width"] + 32), abs=2)
    assert height > 2 * (box["height"] + 44)


def test_the_whole_screen_and_back(explored: Explored) -> None:
    hands = explored(PAGE, "hands")
    for wanted in (True, False):
        press(hands, "More")
        press(hands, "Full screen")
        until(hands.page, f"Boolean(document.fullscreenElement) === {str(wanted).lower()}")
        hands.get_by_role("button", name="More").press("Escape")
