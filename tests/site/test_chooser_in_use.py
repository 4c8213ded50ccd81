"""The chooser under a reader's hands: mouse, finger and keyboard."""

import pytest
from built import PHONE, SITE, Explored, Open, ids
from hands import alive, settle
from playwright.sync_api import Locator, expect

from pe_lib.course.explorers._choices import ADVICE

PAGE = "chapters/10-choosing.html"


@pytest.fixture
def chooser(explored: Explored) -> Locator:
    return explored(PAGE, "chooser")


def answer(explorer: Locator, *labels: str) -> None:
    for label in labels:
        explorer.locator(".ex-open").get_by_role("button", name=label, exact=True).click()


def possible(explorer: Locator) -> list[str]:
    settle(explorer.page)
    return explorer.locator(".ex-offered li:not(.ex-out)").all_inner_texts()


def test_answers_take_schemes_away(chooser: Locator) -> None:
    assert len(possible(chooser)) == 6
    answer(chooser, "no, from scratch", "a text, a sequence", "no")
    assert possible(chooser) == ["learned bias", "ALiBi", "rotary"]
    answer(chooser, "no, and order counts")
    assert possible(chooser) == ["learned bias", "rotary"]
    expect(chooser.locator(".ex-advice b")).to_have_text(ADVICE["both sides"]["says"])
    chooser.get_by_role("button", name="a text, a sequence: ask again").click()
    answer(chooser, "a set")
    assert possible(chooser) == ["no positions"]


def test_the_task_is_done_by_answering(chooser: Locator) -> None:
    following = chooser.get_by_role("button", name="Next")
    while following.is_enabled():
        following.click()
    chooser.get_by_role("button", name="no, and order counts: ask again").click()
    answer(chooser, "yes")
    expect(chooser.locator(".ex-says")).to_contain_text("Your turn")
    answer(chooser, "yes")
    expect(chooser.locator(".ex-says")).to_contain_text("Found: a causal text model")


def test_the_keyboard_goes_from_question_to_question(chooser: Locator) -> None:
    chooser.get_by_role("button", name="no, from scratch").focus()
    keyboard = chooser.page.keyboard
    keyboard.press("Enter")
    settle(chooser.page)
    keyboard.press("Tab")  # from “a set” to “times, coordinates”
    keyboard.press("Enter")
    expect(chooser.locator(".ex-advice")).to_contain_text("Sinusoids of the real numbers")
    expect(chooser.locator(".ex-advice")).to_be_focused()
    expect(chooser.locator(".ex-heard")).to_contain_text("Advice: Sinusoids")


def test_every_end_has_a_shortcut_and_links_that_lead_somewhere(chooser: Locator) -> None:
    for advice in ADVICE.values():
        chooser.get_by_role("button", name="Reset").click()
        shortcut = chooser.locator(".ex-end").get_by_text(advice["says"], exact=True)
        shortcut.click()
        expect(chooser.locator(".ex-advice b")).to_have_text(advice["says"])
        links = chooser.locator(".ex-advice a").evaluate_all(
            "all => all.map((a) => a.getAttribute('href'))"
        )
        assert len(links) == len(advice["reasons"])
        for link in links:
            page, section = link.split("#")
            assert section in ids(SITE / "chapters" / page)


def test_what_has_no_canvas_has_no_picture_to_save(chooser: Locator) -> None:
    chooser.get_by_role("button", name="More").click()
    expect(chooser.get_by_role("button", name="Copy link")).to_be_visible()
    expect(chooser.get_by_role("button", name="Save picture")).to_have_count(0)


def test_a_finger_answers(explored: Explored) -> None:
    chooser = explored(PAGE, "chooser", viewport=PHONE, has_touch=True, is_mobile=True)
    chooser.get_by_role("button", name="yes", exact=True).tap()
    expect(chooser.locator(".ex-advice")).to_contain_text("Exactly their scheme")
    box, room = chooser.locator(".ex-scene").bounding_box(), chooser.bounding_box()
    assert box and room and box["width"] <= room["width"] + 1


def test_an_address_holds_the_answers(open_page: Open) -> None:
    asked = '?answers=["no","grid"]#explorer-chooser'
    chooser = alive(open_page(PAGE + asked), "chooser")
    expect(chooser.locator(".ex-open")).to_contain_text("Do diagonals matter?")
    chooser = alive(open_page(PAGE + '?answers=["no","maybe"]#explorer-chooser'), "chooser")
    expect(chooser.locator(".ex-open")).to_contain_text("weights to load")
