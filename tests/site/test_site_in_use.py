"""The site in use: light and dark, keyboard, screen reader, and what may break."""

import re

import pytest
from built import CHAPTERS, EXPLORED, PHONE, WIDE, Open
from hands import to_the_end, until
from playwright.sync_api import Browser, Page, expect
from visits import PATIENCE, UNFOLD, in_scheme

SCHEMES = ("light", "dark")
CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def wait_for_scripts(page: Page) -> None:
    until(page, "document.querySelector('.om-theme').ariaLabel !== 'Light or dark'")


def test_theme_toggle_works_by_keyboard_and_is_remembered(open_page: Open) -> None:
    page = open_page(CHAPTER, color_scheme="light")
    wait_for_scripts(page)
    light = background(page)
    page.locator(".om-theme").focus()
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark


HALF = """window.omExplorers = new Proxy({}, { get: () => ({
  render({ el }) { el.textContent = "half a picture"; throw Error("x"); },
}) })"""


@pytest.mark.parametrize("script", ["throw Error('x')", HALF], ids=["script", "render"])
def test_a_broken_explorer_leaves_its_picture(browser: Browser, server: str, script: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(re.compile(r"/explorers/\w+\.js"), lambda route: route.fulfill(body=script))
    with page.expect_console_message(lambda message: "does not run" in message.text):
        page.goto(server + EXPLORED)
        page.locator(".om-explorer").first.scroll_into_view_if_needed()
    expect(page.locator(".om-explorer").first.locator(".om-fallback svg")).to_be_visible()
    expect(page.locator(".om-live")).to_have_count(0)
    page.close()


def test_dark_page_does_not_flash_white(browser: Browser, server: str) -> None:
    page = browser.new_page(color_scheme="dark")
    page.route(re.compile(r"/site\.\w+\.js"), lambda route: route.abort())  # as if still on its way
    page.goto(server + CHAPTER)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.close()


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_page_is_as_high_at_first_as_when_it_was_read(
    open_page: Open, viewport: dict[str, int]
) -> None:
    """Sections that wait with their layout keep the right room: the scrollbar tells the truth."""
    known = """[...document.querySelectorAll("article section section")].every((s) =>
      s.getBoundingClientRect().top < innerHeight || s.style.containIntrinsicBlockSize)"""
    page = open_page(EXPLORED, viewport=viewport)
    until(page, known)
    height = "document.documentElement.scrollHeight"
    before = page.evaluate(height)
    to_the_end(page)
    assert page.evaluate(height) == pytest.approx(before, rel=0.01)


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
    assert page.evaluate("navigator.clipboard.readText()") == 'sheet.check("slow_sine")'


def test_nothing_moves_for_those_who_asked_for_that(open_page: Open) -> None:
    page = open_page(EXPLORED, reduced_motion="reduce")
    page.evaluate(UNFOLD)
    in_scheme(page, "dark")  # would fade
    page.locator(".om-open-search").first.click()
    assert page.evaluate("document.getAnimations().length") == 0
    moving = page.evaluate("""() => [...document.querySelectorAll("*")].filter((e) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(e);
      return parseFloat(transitionDuration) || animationName !== "none"
        || scrollBehavior !== "auto";
    }).map((e) => e.outerHTML.slice(0, 120))""")
    assert not moving


# What is seen without scripts, and what is not
PLAIN = {
    "index.html": (".om-fallback svg, .om-caption, .om-told li", ".om-live"),
    EXPLORED: (".om-fallback svg, .om-caption, .om-told li", ".om-quiz"),
    "chapters/08-rotary-and-biases.html": ("#prediction-8-3 li, .om-predicted", ".om-guess"),
    "chapters/appendix-audit.html": (".om-claims details", ".om-filter"),
    "chapters/appendix-models.html": (".om-models tbody tr", ".om-models-filter"),
    "chapters/appendix-review.html": (".om-review > p", ".om-due"),
}


@pytest.mark.parametrize("path", PLAIN)
def test_it_reads_without_javascript(open_page: Open, path: str) -> None:
    page = open_page(path, java_script_enabled=False)
    seen, unseen = PLAIN[path]
    shown = """(all) => all.map((e) =>
      e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))"""
    assert set(page.locator(seen).evaluate_all(shown)) == {True}
    assert not any(page.locator(unseen).evaluate_all(shown))
    for picture in page.locator(".om-told img").all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("(image) => image.naturalWidth")


ON_PAPER = {
    "chapters/08-rotary-and-biases.html": (".om-predicted", ".om-guess"),
    "chapters/appendix-audit.html?verdict=wrong": (".om-claims details", ".om-filter"),
    "chapters/appendix-models.html?words=gemma": (".om-models tbody tr", ".om-models-filter"),
}


@pytest.mark.parametrize("path", ON_PAPER)
def test_paper_has_all_of_a_list_and_nothing_to_press(open_page: Open, path: str) -> None:
    page = open_page(path)
    page.emulate_media(media="print")
    printed, unseen = ON_PAPER[path]
    shown = "(all) => all.map((e) => e.checkVisibility())"
    assert set(page.locator(printed).evaluate_all(shown)) == {True}
    assert not any(page.locator(unseen).evaluate_all(shown))
