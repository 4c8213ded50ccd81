"""Test the contrast of text in light and dark mode, including text under the mouse and in pictures.

This module tests one page that has every kind of block. test_pages.py checks the text of every
page, and the nightly tests check the pictures of every page.
"""

import painted
import pytest
from hands import settle
from playwright.sync_api import Browser, Page
from specimen import specimen
from test_pages import focus_unseen
from visits import in_scheme, unfold

SCHEMES = ("light", "dark")
# Select one element of each type whose look may change under the mouse or when it has the focus.
MARK = """() => {
  const met = new Set();
  for (const one of document.querySelectorAll("a, button, summary, label, input, select, tr")) {
    const kind = [one, one.parentElement].map((e) => `${e.localName}.${e.className}`).join();
    one.toggleAttribute("data-touched", !met.has(kind) && one.checkVisibility());
    if (one.checkVisibility()) met.add(kind);
  }
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, server: str) -> Page:
    """Return a page with every type of block, with all cards open and all questions answered."""
    page = specimen(browser, server)
    unfold(page)
    assert page.locator(".om-explorer").count() > 15 and page.locator(".om-quiz").count() > 2
    return page


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_stands_out_at_rest_and_under_the_mouse(page: Page, scheme: str) -> None:
    in_scheme(page, scheme)
    assert not painted.faint_texts(page)
    page.evaluate(MARK)
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    asked = {"nodeId": root, "selector": "[data-touched]"}
    # while the page is hidden, a change needs no new layout
    page.evaluate("document.body.hidden = true")
    for node in session.send("DOM.querySelectorAll", asked)["nodeIds"]:
        states = ["hover", "focus", "focus-visible", "focus-within"]
        session.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": states})
    page.evaluate("document.body.hidden = false")
    settle(page)
    assert not painted.faint_texts(page)
    session.detach()  # detaching also ends the forced states of elements


def find_faint_text(page: Page, scheme: str) -> list[str]:
    in_scheme(page, scheme)
    return painted.faint_in_pictures(page)


def test_focus_is_seen_on_a_wide_screen(page: Page) -> None:
    assert not focus_unseen(page)  # test_pages.py checks how elements with focus look on a phone


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_in_pictures_stands_out(page: Page, scheme: str) -> None:
    """Check the contrast of all text in the pictures of a page's figures and explorers."""
    assert not find_faint_text(page, scheme)
