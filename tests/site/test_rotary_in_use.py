"""The rotary explorer under a reader's hands: mouse, finger and keyboard."""

from math import cos, sin

import pytest
from built import PHONE, Explored, Open
from hands import (
    alive,
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

PAGE = "chapters/08-rotary-and-biases.html"


@pytest.fixture
def rotary(explored: Explored) -> Locator:
    return explored(PAGE, "rotary")


def places(explorer: Locator) -> tuple[str | None, ...]:
    settle(explorer.page)
    return tuple(told(explorer, name) for name in ("query at", "key at", "both on by"))


def test_the_score_stays_when_both_move_on(rotary: Locator) -> None:
    assert "Query at 7, key at 3: score 47.8687" in reading(rotary)
    before, canvas = picture(rotary), rotary.locator("canvas")
    for _ in range(10):
        canvas.press("PageUp")
    assert "Query at 1,007, key at 1,003: score 47.8687" in reading(rotary)
    assert "Every two at offset 4 score this" in reading(rotary)
    assert picture(rotary) != before  # the hands have turned


def test_arrow_keys_move_the_key_and_both(rotary: Locator) -> None:
    canvas = rotary.locator("canvas")
    for key, wanted in [("ArrowLeft", ("7", "4", "0")), ("ArrowUp", ("7", "4", "1")),
                        ("PageUp", ("7", "4", "101")), ("PageDown", ("7", "4", "1")),
                        ("ArrowRight", ("7", "3", "1")), ("ArrowDown", ("7", "3", "0")),
                        ("ArrowDown", ("7", "3", "0"))]:  # fmt: skip
        canvas.press(key)
        assert places(rotary) == wanted


def hand(explorer: Locator, position: float) -> tuple[float, float]:
    """On the large sheet, where the hand of a position points: [1, 1] in pair 4, turned."""
    r = (size(explorer)[1] - 104) / 2
    angle = 0.785398 + 10_000 ** (-1 / 8) * position
    return r + 10 + 0.8 * r * cos(angle), 92 + r - 0.8 * r * sin(angle)


def test_hands_are_wound_against_the_clock(rotary: Locator) -> None:
    drag(rotary, *(hand(rotary, t) for t in (7, 9, 11)))
    assert places(rotary) == ("11", "3", "0")  # the query's hand
    drag(rotary, *(hand(rotary, t) for t in (3, 4, 5)))
    assert places(rotary) == ("11", "5", "0")  # the key's
    drag(rotary, *(hand(rotary, t) for t in (18, 21, 25, 29)))
    assert places(rotary) == ("11", "5", "11")  # beside the hands the sheet: both
    assert "Query at 22, key at 16" in reading(rotary)


def test_words_are_dragged_and_the_text_is_pulled(rotary: Locator) -> None:
    gap = (size(rotary)[0] - 16) / 16
    drag(rotary, (8 + 8 * gap, 12), (8 + 11 * gap, 12))
    assert places(rotary) == ("10", "3", "0")
    gap = (size(rotary)[0] - 16) / 18
    drag(rotary, (8 + 4 * gap, 56), (8 + 3 * gap, 56))
    assert places(rotary) == ("10", "2", "0")
    drag(rotary, (8 + 15 * gap, 34), (8 + 9 * gap, 34))
    assert places(rotary) == ("10", "2", "6")


def along(explorer: Locator, offset: int) -> tuple[float, float]:
    """A point in the curve, over this offset."""
    width, height = size(explorer)
    if width < 600:
        return 34 + (offset + 250) / 500 * (width - 46), height - 60
    left = height - 104 + 62 + 170
    return left + (offset + 250) / 500 * (width - left - 10), height / 2


def test_the_offset_is_dragged_by_mouse(rotary: Locator) -> None:
    for wanted in (160, -150):
        drag(rotary, along(rotary, 5), along(rotary, wanted))
        query, key, _ = (int(n or "0") for n in places(rotary))
        assert query - key == pytest.approx(wanted, abs=2)


def test_a_finger_chooses_the_offset_and_scrolls_past(explored: Explored) -> None:
    rotary = explored(PAGE, "rotary", viewport=PHONE, has_touch=True, is_mobile=True)
    for move in (scroll_past, sideways):
        rotary.locator("canvas").evaluate("(canvas) => canvas.scrollIntoView({block: 'center'})")
        settle(rotary.page)
        assert places(rotary) == ("7", "3", "0")
        move(rotary)
    query, key, _ = (int(n or "0") for n in places(rotary))
    assert query - key > 100


def sideways(rotary: Locator) -> None:
    box = rotary.locator("canvas").bounding_box()
    assert box
    points = [along(rotary, k) for k in (0, 50, 100, 150)]
    finger(rotary.page, [(box["x"] + x, box["y"] + y) for x, y in points])


def test_the_other_offset_with_this_score(rotary: Locator) -> None:
    to_the_task(rotary)
    drag(rotary, along(rotary, 10), along(rotary, 40))
    expect(rotary.locator(".ex-says")).to_contain_text("Your turn")
    set_slider(rotary, "query at", "3")
    set_slider(rotary, "key at", "7")
    assert "score 47.8687" in reading(rotary)
    expect(rotary.locator(".ex-says")).to_contain_text("Found: offset −4")


def test_a_key_built_for_an_offset_scores_most_there(open_page: Open) -> None:
    decay = open_page(PAGE).locator(".om-explorer[data-kind=rotary]").last
    decay.scroll_into_view_if_needed()
    expect(decay.locator(".om-live canvas")).to_be_visible()
    to_the_task(decay)
    expect(decay.get_by_role("radio", name="built for one offset")).to_be_checked()
    assert "The largest score is 64.0." in reading(decay)
    set_slider(decay, "query at", "43")
    assert "score 64.0000" in reading(decay)
    expect(decay.locator(".ex-says")).to_contain_text("Found: offset 40")
    decay.get_by_role("radio", name="built for one offset").press("ArrowLeft")
    expect(decay.get_by_role("radio", name="random")).to_be_checked()
    assert "score 64.0000" not in reading(decay)


def test_what_is_chosen_here_stays_chosen_elsewhere(open_page: Open) -> None:
    page = open_page(PAGE)
    biases = alive(page, "biases")
    t5 = biases.get_by_role("radio", name="T5")
    expect(t5).to_be_checked()
    alive(page, "rotary").get_by_role("radio", name="random").check()
    expect(t5).to_be_checked()
