"""What stands around every explorer, under a reader's hands: story, Play, link, picture, screen."""

import struct
from pathlib import Path

import pytest
from built import CHAPTERS, PHONE, SITE, Explored, Open, parsed
from hands import alive, finger, picture, set_slider, settle, to_the_task, told, until
from playwright.sync_api import Locator, expect

PAGE = "index.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def says(explorer: Locator) -> Locator:
    return explorer.locator(".ex-says")


def press(explorer: Locator, name: str) -> None:
    explorer.get_by_role("button", name=name, exact=True).press("Enter")


def test_a_story_leads_from_state_to_state(explored: Explored) -> None:
    hands = explored(PAGE, "hands")
    press(hands, "Next")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 1,")
    expect(hands.locator(".ex-ring")).to_be_visible()
    expect(hands.locator(".ex-count")).to_have_text("2 of 6")
    press(hands, "Next")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 5,")
    press(hands, "Back")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 1,")
    hands.locator("canvas").press("ArrowRight")
    expect(hands.locator(".ex-ring")).to_be_hidden()


def test_a_task_sees_when_it_is_done(explored: Explored) -> None:
    hands = explored(PAGE, "hands")
    to_the_task(hands)
    set_slider(hands, "position", "20")
    expect(says(hands)).to_contain_text("Your turn")
    set_slider(hands, "position", "24")  # 24 − 6π is 5.15
    expect(says(hands)).to_contain_text("✓ Found: at 24 ")
    press(hands, "Reset")
    expect(says(hands)).to_contain_text("A word stands")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 0,")


def test_a_hand_ends_what_runs(explored: Explored) -> None:
    hands = explored(PAGE, "hands")
    press(hands, "Play")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 2")
    hands.locator("canvas").press("Home")
    settle(hands.page)
    assert told(hands, "position") == "0"
    expect(hands.get_by_role("button", name="Play")).to_be_visible()


def without_motion(open_page: Open) -> Locator:
    return alive(open_page(PAGE, reduced_motion="reduce"), "hands")


def test_who_wants_no_motion_gets_steps(open_page: Open) -> None:
    hands = without_motion(open_page)
    for position in ("1", "2"):
        press(hands, "Step")
        settle(hands.page)
        assert told(hands, "position") == position
    press(hands, "Next")
    settle(hands.page)
    assert told(hands, "position") == "1"  # at once


def copied(explorer: Locator) -> str:
    explorer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(explorer, "More")
    press(explorer, "Copy link")
    expect(explorer.get_by_role("button", name="Copied")).to_be_visible()
    return str(explorer.page.evaluate("navigator.clipboard.readText()"))


def test_a_link_brings_back_what_was_found(open_page: Open) -> None:
    page = open_page(PAGE)
    hands = alive(page, "hands")
    set_slider(hands, "position", "24")
    address = copied(hands)
    assert address == page.url and address.endswith("?position=24#explorer-hands")
    page.reload()
    expect(alive(page, "hands").locator(".ex-reading")).to_contain_text("Position 24,")
    page.goto(address)
    expect(alive(page, "hands").locator(".ex-reading")).to_contain_text("Position 24,")


@pytest.mark.parametrize("query", ["position=999", "words=[1]", "words=[]", "d_model=7", "x=1"])
def test_an_address_that_means_nothing_leaves_it_as_it_is(open_page: Open, query: str) -> None:
    address = f"{PAGE}?{query}#explorer-hands"
    hands = alive(open_page(address, reduced_motion="reduce"), "hands")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 0, “Attention”")


def test_the_picture_is_saved_with_what_it_says(explored: Explored, tmp_path: Path) -> None:
    hands = explored(PAGE, "hands")
    press(hands, "More")
    with hands.page.expect_download() as download:
        press(hands, "Save picture")
    assert download.value.suggested_filename == "order-matters-hands.png"
    download.value.save_as(tmp_path / "picture.png")
    head = (tmp_path / "picture.png").read_bytes()[:24]
    width, height = struct.unpack(">II", head[16:24])
    box = hands.locator("canvas").bounding_box()
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


def state(explorer: Locator) -> list[str]:
    inputs = explorer.locator("input").evaluate_all("(all) => all.map((e) => e.value + e.checked)")
    drawn = [picture(explorer)] if explorer.locator("canvas").count() else []
    return [*inputs, *explorer.locator(".ex-scene").all_inner_texts(), *drawn]


def at_rest(explorer: Locator) -> list[str]:
    """The state when faces have come and a worker has drawn what it begins with."""
    before, now = [], state(explorer)
    while before != now:
        explorer.page.wait_for_timeout(400)
        before, now = now, state(explorer)
    return now


EXPLORED = [path for path in CHAPTERS if parsed(SITE / path).select(".om-explorer")]


# A busy machine moves the finger late; to drag.mjs one that stays 350 ms is one that takes hold.
UNHURRIED = """() => {
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...rest) => wait(call, ms === 350 ? 60_000 : ms, ...rest);
}"""


@pytest.mark.parametrize("path", EXPLORED)
def test_a_thumb_that_scrolls_past_changes_nothing(open_page: Open, path: str) -> None:
    """Down each explorer in three lanes, over all that is drawn and every slider."""
    page = open_page(path, reduced_motion="reduce", **TOUCH)
    page.evaluate(UNHURRIED)
    for host in page.locator(".om-explorer").all():
        host.scroll_into_view_if_needed()
        expect(host.locator(".ex-scene")).to_be_visible()
        before = at_rest(host)
        for lane in (0.2, 0.5, 0.8):
            for part in (0.15, 0.45, 0.75):
                host.evaluate(
                    "(host, part) => scrollBy(0, host.getBoundingClientRect().top"
                    " + part * host.offsetHeight - innerHeight / 2)", part
                )  # fmt: skip
                x, y = lane * PHONE["width"], PHONE["height"] / 2
                finger(page, [(x, y - step) for step in (0, 4, 12, 30, 60, 100)])
        assert state(host) == before
