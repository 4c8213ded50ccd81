"""The chooser under a reader's hands: mouse, finger and keyboard."""

import re

import pytest
from built import SITE, Explored, ids
from hands import settle
from playwright.sync_api import Locator, expect

from pe_lib.course.explorers.chooser.choices import ADVICE

PAGE = "chapters/11-choosing.html"


@pytest.fixture
def chooser(explored: Explored) -> Locator:
    return explored(PAGE, "chooser")


def answer(explorer: Locator, *labels: str) -> None:
    for label in labels:
        explorer.locator(".ex-open").get_by_role("button", name=label, exact=True).click()


def possible(explorer: Locator) -> list[str]:
    settle(explorer.page)
    return explorer.locator(".ex-offered li:not(.ex-out)").all_inner_texts()


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
    for n, advice in enumerate(ADVICE.values()):
        if n:
            chooser.get_by_role("button", name=re.compile("Reset|Back to step")).click()
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
