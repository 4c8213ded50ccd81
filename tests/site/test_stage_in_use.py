"""Test the controls of explorers that play the explorer, tell its story and share a link to it."""

import re

from built import PHONE, Explored, Open
from hands import find_live_explorer, finger, read_value_text, settle
from playwright.sync_api import Locator, expect

PAGE = "chapters/03-frequencies.html"
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def press(explorer: Locator, name: str) -> None:
    explorer.get_by_role("button", name=name, exact=True).press("Enter")


def test_it_plays_from_its_end_once_more(explored: Explored) -> None:
    hands = explored(PAGE, "spectrum")
    hands.locator(".ex-canvas").press("End")
    settle(hands.page)
    assert read_value_text(hands, "position") == "99"
    press(hands, "Play")
    expect(hands.locator(".ex-reading")).to_contain_text("Position 1")


def test_a_finger_that_rests_first_may_draw_downwards(explored: Explored) -> None:
    hands = explored(PAGE, "spectrum", **TOUCH)
    hands.locator(".ex-canvas").press("Home")
    settle(hands.page)
    before = hands.page.evaluate("scrollY")
    box = hands.locator(".ex-canvas").bounding_box()
    assert box
    x, y = box["x"] + 57, box["y"] + 56  # a point to the right of the centre of the first clock
    finger(hands.page, [(x, y + step) for step in (0, 8, 16, 24)], rest=600)
    settle(hands.page)
    assert float(read_value_text(hands, "position") or 0) > 1.5
    assert hands.page.evaluate("scrollY") == before


def copy_link(explorer: Locator) -> str:
    explorer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(explorer, "Link")
    expect(explorer.get_by_role("button", name="Copied")).to_be_visible()
    return str(explorer.page.evaluate("navigator.clipboard.readText()"))


def test_a_link_brings_back_what_was_found(open_page: Open) -> None:
    page = open_page(PAGE)
    hands = find_live_explorer(page, "spectrum")
    hands.get_by_role("slider", name="position").fill("24")
    settle(page)
    address = copy_link(hands)
    assert address == page.url and address.endswith("?position=24#explorer-hands")
    page.reload()
    expect(find_live_explorer(page, "spectrum").locator(".ex-reading")).to_contain_text(
        "Position 24:"
    )


COUNTER = "chapters/02-the-formula-deeper.html"


def test_a_story_shows_a_part_and_its_control_when_it_names_them(explored: Explored) -> None:
    counter = explored(COUNTER, "counter")
    slider = counter.locator(".ex-slider [name=roundness]")
    clocks, waves = (counter.locator(f".ex-canvas {mark}") for mark in ("circle", "path.l-blue"))
    heights = []

    def check(circles: int, curves: int, is_visible: bool) -> None:
        settle(counter.page)
        expect(clocks).to_have_count(circles)
        expect(waves).to_have_count(curves)
        expect(slider).to_be_visible(visible=is_visible)
        box = counter.bounding_box()
        assert box
        heights.append(round(box["height"]))

    check(0, 0, False)
    for circles, curves, is_visible in [(0, 0, False), (8, 0, False), (12, 4, False)]:
        press(counter, "Next")
        check(circles, curves, is_visible)
    press(counter, "Next")
    check(12, 4, True)
    for _ in range(2):
        press(counter, "Back")
    check(8, 0, False)
    for _ in range(4):
        press(counter, "Next")
    expect(counter.locator(".ex-says")).to_contain_text("Your turn")
    check(12, 4, True)
    assert len({*heights}) == 1  # the height of the card does not change


def test_a_link_to_a_picture_shows_all_of_it_and_a_hidden_part_does_nothing(
    open_page: Open,
) -> None:
    counter = find_live_explorer(open_page(f"{COUNTER}?position=9#explorer-counter"), "counter")
    expect(counter.locator(".ex-canvas path.l-blue")).to_have_count(4)
    press(counter, "Back to step 1")
    expect(counter.locator(".ex-canvas path.l-blue")).to_have_count(0)
    expect(counter.locator(".ex-reading")).to_contain_text("6 is 0110.")
    canvas = counter.locator(".ex-canvas")
    hand, rows = {"x": 141, "y": 93}, {"x": 141, "y": 250}  # at this place, no hand is drawn yet
    canvas.hover(position=hand)
    expect(canvas).not_to_have_css("cursor", "grab")
    canvas.drag_to(canvas, source_position=hand, target_position={"x": 88, "y": 86})
    settle(counter.page)
    assert read_value_text(counter, "position") == "6"
    canvas.hover(position=rows)
    expect(canvas).to_have_css("cursor", "grab")


SOON = """() => {
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...rest) => wait(call, ms > 1_500 ? 300 : ms, ...rest);
}"""


def test_a_story_is_told_as_a_film_until_it_is_touched(explored: Explored) -> None:
    hands = explored(PAGE, "spectrum")
    hands.page.evaluate(SOON)
    says, dots = hands.locator(".ex-says:not(.ex-unseen)"), hands.locator(".ex-dots")
    first = str(says.inner_text())
    expect(dots).to_have_attribute("aria-label", "step 1 of 4")
    press(hands, "Play story")
    expect(says).not_to_have_text(first)
    expect(dots).to_have_text("●●●○◇")  # the story continues without a click
    hands.locator(".ex-canvas").press("ArrowLeft")
    expect(hands.get_by_role("button", name="Play story", exact=True)).to_be_visible()
    expect(hands.get_by_role("button", name=re.compile("Back to step"))).to_be_visible()
    stopped = dots.inner_text()
    hands.page.wait_for_timeout(1_500)
    assert dots.inner_text() == stopped
    press(hands, "Play story")
    expect(says).to_contain_text("Your turn")
    expect(hands.get_by_role("button", name="Play story", exact=True)).to_be_visible()
    press(hands, "Play story")  # the story begins again at its first step
    expect(dots).to_have_attribute("aria-label", re.compile("step"))
