"""The chord explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import PHONE, Explored
from hands import (
    drag,
    finger,
    picture,
    reading,
    scroll_past,
    set_slider,
    settle,
    size,
    to_the_task,
    told,
)
from playwright.sync_api import Locator, expect

PAGE = "chapters/05-relative-positions.html"


@pytest.fixture
def chord(explored: Explored) -> Locator:
    return explored(PAGE, "chord")


def places(explorer: Locator) -> tuple[str | None, ...]:
    settle(explorer.page)
    return tuple(told(explorer, name) for name in ("position", "offset", "pair"))


def hand(explorer: Locator, position: float) -> tuple[float, float]:
    """On the wide clock of pair 1, where the hand of a position points."""
    r = (size(explorer)[1] - 60) / 2
    angle = 10_000 ** (-1 / 8) * position
    return r + 42 + 0.9 * r * sin(angle), r + 22 - 0.9 * r * cos(angle)


def test_either_hand_is_dragged(chord: Locator) -> None:
    drag(chord, *(hand(chord, t) for t in (3, 4, 6, 8)))
    assert places(chord) == ("2", "6", "1")
    drag(chord, *(hand(chord, t) for t in (2, 5, 9)))
    assert places(chord) == ("9", "6", "1")  # the step goes along, and so does its chord
    assert "Positions 9 and 15, pair 1: 1.897 radians apart" in reading(chord)


def test_the_curve_is_pointed_at(chord: Locator) -> None:
    width, height = size(chord)
    r = (height - 60) / 2
    left, wide = 2 * r + 142, width - 2 * r - 156
    drag(chord, (left + wide / 4, height / 2), (left + 0.5 * wide, height / 2))
    assert places(chord) == ("2", "10", "1")


def test_arrow_keys(chord: Locator) -> None:
    before = picture(chord)
    for key, wanted in [("ArrowRight", ("2", "2", "1")), ("ArrowUp", ("3", "2", "1")),
                        ("PageUp", ("3", "2", "2")), ("ArrowLeft", ("3", "1", "2"))]:  # fmt: skip
        chord.locator("canvas").press(key)
        assert places(chord) == wanted
    assert picture(chord) != before


def test_a_finger_drags_sideways_and_scrolls_past(explored: Explored) -> None:
    chord = explored(PAGE, "chord", viewport=PHONE, has_touch=True, is_mobile=True)
    chord.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    scroll_past(chord)
    assert places(chord) == ("2", "1", "1")
    chord.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
    settle(chord.page)
    box = chord.locator("canvas").bounding_box()
    assert box
    y = box["y"] + 0.75 * box["height"]
    finger(chord.page, [(box["x"] + box["width"] * x, y) for x in (0.2, 0.3, 0.5)])
    assert int(places(chord)[1] or "") in (9, 10, 11)


def test_positions_that_look_nearer_than_neighbours(chord: Locator) -> None:
    to_the_task(chord)
    set_slider(chord, "pair", "0")
    set_slider(chord, "offset", "3")
    expect(chord.locator(".ex-says")).to_contain_text("Your turn")
    set_slider(chord, "offset", "6")
    expect(chord.locator(".ex-says")).to_contain_text("Found: ")
