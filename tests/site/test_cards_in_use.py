"""Test that a reader can look up a term, source or formula by mouse, by keyboard and by touch."""

import re

from built import PHONE, Open
from hands import settle
from playwright.sync_api import Locator, Page, expect

CHAPTER = "chapters/02-the-formula.html"
FORMULAS = "chapters/04-sine-and-cosine.html"
CITING = "chapters/07-skipping-positions.html"


def find_shown_card(page: Page) -> Locator:
    return page.locator(".om-card:popover-open")


def test_hover_shows_a_definition_or_a_formula_and_leaving_hides_it(open_page: Open) -> None:
    page = open_page(CHAPTER)
    term = page.locator("a.om-term[href$=term-frequency]")
    term.scroll_into_view_if_needed()
    settle(page)  # wait, because the link may still move while the page scrolls
    term.hover()
    expect(find_shown_card(page)).to_contain_text("radians")
    find_shown_card(page).hover()  # a card stays open while the mouse pointer is over it
    page.wait_for_timeout(400)
    expect(find_shown_card(page)).to_have_count(1)
    page.mouse.move(5, 400)
    expect(find_shown_card(page)).to_have_count(0)
    page.goto(page.url.replace(CHAPTER, FORMULAS))
    page.locator("a.om-formula").filter(visible=True).first.hover()
    expect(find_shown_card(page).locator(".katex-display")).to_be_visible()


def test_focus_shows_a_source_and_escape_hides_it(open_page: Open) -> None:
    page = open_page(CITING)
    citation = page.locator("a.om-cite[href$=haviv2022]").first
    citation.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(citation).to_be_focused()
    expect(find_shown_card(page)).to_contain_text("Adi Haviv, Ori Ram")
    expect(citation).to_have_accessible_description(re.compile("Adi Haviv, Ori Ram"))
    page.keyboard.press("Escape")
    expect(find_shown_card(page)).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("appendix-bibliography.html#haviv2022"))


def test_first_tap_shows_and_second_tap_follows(open_page: Open) -> None:
    page = open_page(CITING, viewport=PHONE, has_touch=True)
    citation = page.locator("a.om-cite[href$=irie2019]").first
    citation.tap()
    expect(find_shown_card(page)).to_contain_text("Language Modeling with Deep")
    expect(page).to_have_url(re.compile(CITING))
    page.touchscreen.tap(4, 400)  # tap on the empty margin of the page
    expect(find_shown_card(page)).to_have_count(0)
    citation.tap()
    citation.tap()
    expect(page).to_have_url(re.compile("appendix-bibliography.html#irie2019"))


def test_cards_stay_inside_the_window_and_beside_their_link(open_page: Open) -> None:
    page = open_page(CITING, viewport=PHONE)
    page.wait_for_load_state("load")
    for link in page.locator("a.om-term, a.om-cite").all()[::3]:
        if not link.is_visible():
            continue  # the link is inside a fold-out card that is closed
        link.scroll_into_view_if_needed()
        link.evaluate("(link) => link.focus({ focusVisible: true })")
        if not find_shown_card(page).count():
            continue  # the link is inside an answer that is closed
        settle(page)
        link.scroll_into_view_if_needed()  # sections that have just been laid out may have moved it
        settle(page)
        box, own = find_shown_card(page).bounding_box(), link.bounding_box()
        assert box and own
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= PHONE["height"]
        below = box["y"] - (own["y"] + own["height"])
        above = own["y"] - (box["y"] + box["height"])
        assert 0 <= max(below, above) < 12, "it does not cover the link"
