"""The chooser in use: the keyboard stays where the questions are, and links lead somewhere."""

from built import SITE, Explored, ids
from hands import settle
from playwright.sync_api import expect

from pe_lib.course.explorers.chooser import TABLE

PAGE = "chapters/11-choosing.html"


def test_the_keyboard_goes_from_question_to_question(explored: Explored) -> None:
    chooser = explored(PAGE, "chooser")
    keyboard = chooser.page.keyboard
    chooser.get_by_role("button", name="no, from scratch").focus()
    keyboard.press("Enter")
    settle(chooser.page)
    keyboard.press("Tab")  # from “a set” to “times, coordinates”
    keyboard.press("Enter")
    expect(chooser.locator(".ex-reading")).to_contain_text("Sinusoids of the real numbers")
    expect(chooser.get_by_role("button", name="back one question")).to_be_focused()


def test_reasons_are_links_that_lead_somewhere(explored: Explored) -> None:
    chooser = explored(PAGE, "chooser")
    chooser.get_by_role("button", name="yes", exact=True).click()
    links = chooser.locator(".ex-reading a")
    expect(links).to_have_count(len(TABLE["advice"]["loaded"]["reasons"]))
    for link in links.all():
        page, section = str(link.get_attribute("href")).split("#")
        assert section in ids(SITE / "chapters" / page)
