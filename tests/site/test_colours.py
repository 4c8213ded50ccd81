"""Colours in light and dark, in every state: on a page with every kind of block, and in pictures.

The text of every page is judged in its visit (test_pages.py); the pictures of every page at night.
"""

import painted
import pytest
from hands import settle
from playwright.sync_api import Browser, Page
from specimen import specimen
from test_pages import focus_unseen
from visits import in_scheme, unfold

SCHEMES = ("light", "dark")
# One of each kind that a mouse or the focus may change is marked
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
    """Every kind of block, opened and answered."""
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
    page.evaluate("document.body.hidden = true")  # or it would be laid out after each
    for node in session.send("DOM.querySelectorAll", asked)["nodeIds"]:
        states = ["hover", "focus", "focus-visible", "focus-within"]
        session.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": states})
    page.evaluate("document.body.hidden = false")
    settle(page)
    assert not painted.faint_texts(page)
    session.detach()  # and rests again


def faint(page: Page, scheme: str) -> list[str]:
    in_scheme(page, scheme)
    return painted.faint_in_pictures(page)


def test_focus_is_seen_on_a_wide_screen(page: Page) -> None:
    assert not focus_unseen(page)  # on a phone: test_pages.py


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_in_pictures_stands_out(page: Page, scheme: str) -> None:
    """A wrong colour in the palette of figures, or of explorers. Nothing but pictures stays."""
    assert not faint(page, scheme)
