"""Test that readers can switch themes, use the keyboard, copy text, and read without JavaScript."""

import pytest
from built import CHAPTERS, EXPLORED, PHONE, WIDE, Open
from hands import to_the_end, until, wait_for_promise
from playwright.sync_api import expect
from visits import UNFOLD, in_scheme

CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


def test_theme_toggle_works_by_keyboard_and_is_remembered(open_page: Open) -> None:
    page = open_page(CHAPTER, color_scheme="light")
    until(page, "document.querySelector('.om-theme').ariaLabel !== 'Light or dark'")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator(".om-theme").focus()
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_page_is_as_high_at_first_as_when_it_was_read(
    open_page: Open, viewport: dict[str, int]
) -> None:
    """Check that a page's height stays the same when its lower sections are laid out."""
    page = open_page(EXPLORED, viewport=viewport)
    until(page, "document.querySelector('.om-settled')")
    height = "document.documentElement.scrollHeight"
    before = page.evaluate(height)
    to_the_end(page)
    assert page.evaluate(height) == pytest.approx(before, rel=0.01)


def test_a_link_to_a_claim_opens_it(open_page: Open) -> None:
    page = open_page("chapters/appendix-audit.html#s4-20")
    for claim in ("s4-20", "s0-15"):
        page.evaluate(f"location.hash = '{claim}'")
        expect(page.locator(f"details:has(#{claim})")).to_have_attribute("open", "")
        expect(page.locator(f"#{claim}")).to_be_in_viewport()


def test_first_tab_stop_leads_to_the_text(open_page: Open) -> None:
    page = open_page(CHAPTER)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"


def test_the_copy_button_takes_code_and_neither_prompt_nor_answer(open_page: Open) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    page = open_page("chapters/appendix-exercises.html", permissions=allowed)
    page.locator("button.om-copy").first.click()
    until(page, "navigator.clipboard.readText().then((text) => text.length > 0)")
    copied = wait_for_promise(page, "() => navigator.clipboard.readText()")
    assert copied == 'sheet.check("slow_sine")'


# Select the text between the first paragraph with a formula and the first numbered formula.
SELECT = """() => {
  const first = document.querySelector("article p:has(.katex)");
  const last = document.querySelector(".om-equation");
  getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
}"""
BASE = 'document.querySelector(".katex .base .mord")'


def test_formulas_are_copied_as_tex(open_page: Open) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    page = open_page("chapters/02-the-formula.html", permissions=allowed)
    page.evaluate(SELECT)
    page.keyboard.press("Control+c")
    until(page, "navigator.clipboard.readText().then((text) => text.length > 0)")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "in radians per position, is\n\n$$ \\omega_i = \\frac{1}" in text and "i\ni" not in text
    # If a formula is selected only in part, the whole formula is copied.
    page.evaluate(f"getSelection().selectAllChildren({BASE})")
    page.keyboard.press("Control+c")
    until(page, "navigator.clipboard.readText().then((text) => text.length < 30)")
    assert page.evaluate("navigator.clipboard.readText()") == "$2\\pi = 6.283\\ldots$"
    # Text that contains no formulas is copied as the browser usually does.
    page.evaluate("getSelection().selectAllChildren(document.querySelector('h2'))")
    page.keyboard.press("Control+c")
    until(page, "navigator.clipboard.readText().then((text) => !text.includes('$'))")
    assert page.locator("body > div[style]").count() == 0


def test_nothing_moves_for_those_who_asked_for_that(open_page: Open) -> None:
    page = open_page(EXPLORED, reduced_motion="reduce")
    page.evaluate(UNFOLD)
    in_scheme(page, "dark")  # without reduced motion, the colours would change slowly
    page.locator(".om-open-search").first.click()
    assert page.evaluate("document.getAnimations().length") == 0
    moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((e) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(e);
      return parseFloat(transitionDuration) || animationName !== "none"
        || scrollBehavior !== "auto";
    }).map((e) => e.outerHTML.slice(0, 120))""")
    assert not moving


# Match content that is hidden until the reader guesses, and content of a folded card.
WAITING = ".om-veil figure, #what-people-get-wrong > details > p"
# Without JavaScript, the first elements of a pair must be visible, and the second hidden.
PLAIN = {
    "index.html": (".om-scene svg.om-wide", "[role=slider], .om-scene figcaption"),
    EXPLORED: (f".om-fallback svg, .om-caption, .om-told li, {WAITING}", ".om-quiz"),
    "chapters/08-rotary.html": ("#prediction-8-3 li, .om-predicted", ".om-guess"),
    "chapters/appendix-models.html": (".om-models tbody tr", ".om-models-filter"),
    "chapters/appendix-exercises.html": (".om-review > p", ".om-due"),
}
# On paper, the first elements of a pair must be visible, and the second hidden.
PAPER = {
    EXPLORED: (WAITING, ".om-veil > p"),
    "chapters/08-rotary.html": (".om-predicted", ".om-guess"),
    "chapters/appendix-models.html?words=gemma": (".om-models tbody tr", ".om-models-filter"),
}


LOOKS = [("screen", path) for path in PLAIN] + [("print", path) for path in PAPER]


@pytest.mark.parametrize(("media", "path"), LOOKS)
def test_it_reads_without_javascript_and_on_paper(open_page: Open, media: str, path: str) -> None:
    page = open_page(path, java_script_enabled=media == "print")
    page.emulate_media(media=media)
    seen, unseen = (PAPER if media == "print" else PLAIN)[path]
    shown = """(all) => all.map((e) =>
      e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))"""
    assert set(page.locator(seen).evaluate_all(shown)) == {True}
    assert not any(page.locator(unseen).evaluate_all(shown))
