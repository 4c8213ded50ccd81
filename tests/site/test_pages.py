"""Every page in a real browser: light and dark, wide and narrow, with and without JavaScript."""

import gzip
import re
from pathlib import Path

import pytest
from built import BETWEEN, CHAPTERS, EXPLORED, PAGES, PHONE, WIDE, Open
from hands import to_the_end, until
from painted import CONTRAST
from playwright.sync_api import Browser, Page, expect

SCHEMES = ("light", "dark")
CHAPTER = next(page for page in CHAPTERS if page.startswith("chapters/"))


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def wait_for_scripts(page: Page) -> None:
    until(page, "['light', 'dark', 'auto'].includes(localStorage.getItem('mode'))")


@pytest.mark.parametrize("path", PAGES)
def test_page_opens_without_error(open_page: Open, path: str) -> None:
    page = open_page(path)
    to_the_end(page)
    expect(page.locator("h1")).to_be_visible()
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())


@pytest.mark.parametrize("path", PAGES)
def test_no_sideways_scrolling_on_a_phone(open_page: Open, path: str) -> None:
    page = open_page(path, viewport=PHONE, has_touch=True)
    to_the_end(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("scrollTo(50, 0)")
    assert page.evaluate("scrollX") == 0
    beyond = page.evaluate("""() => [...document.querySelectorAll("article *")]
      .filter((e) => e.checkVisibility() && !e.closest("svg, .katex, pre, div.math, .om-figure"))
      .filter((e) => !e.closest(".pst-scrollable-table-container, .headerlink"))
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML)""")
    assert not beyond


@pytest.mark.parametrize("path", CHAPTERS)
def test_what_scrolls_sideways_is_reachable_by_keyboard(open_page: Open, path: str) -> None:
    page = open_page(path, viewport=PHONE)
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready.then(() => 0)")
    for _ in range(20):  # the page looks at its sections when it has nothing to do
        page.wait_for_timeout(250)
        unreachable = page.evaluate("""() => [...document.querySelectorAll("article *")]
          .filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX))
          .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0)
          .map((e) => e.outerHTML.slice(0, 120))""")
        if not unreachable:
            break
    assert not unreachable


@pytest.mark.parametrize("path", CHAPTERS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_has_contrast(open_page: Open, path: str, scheme: str) -> None:
    page = open_page(path, color_scheme=scheme)
    wait_for_scripts(page)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    low = page.evaluate(f"""() => {{
      const contrast = {CONTRAST};
      const text = document.querySelectorAll(
        "article :is(p, li, h1, h2, h3, td, th, summary, strong, code, pre span), nav a, footer p");
      return [...text].filter((e) => e.checkVisibility() && e.textContent.trim())
        .map((e) => [contrast(e).toFixed(2), e.outerHTML.slice(0, 90)]).filter(([c]) => c < 4.5);
    }}""")
    assert not low


def test_theme_follows_the_system(open_page: Open) -> None:
    colours = {scheme: background(open_page(CHAPTER, color_scheme=scheme)) for scheme in SCHEMES}
    assert colours["light"] == "rgb(255, 255, 255)"
    assert colours["light"] != colours["dark"]


def test_theme_changes_at_once_with_the_system(open_page: Open) -> None:
    page = open_page(CHAPTER, color_scheme="light")
    wait_for_scripts(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_theme_toggle_works_by_keyboard_and_is_remembered(open_page: Open) -> None:
    page = open_page(CHAPTER, color_scheme="light")
    wait_for_scripts(page)
    light = background(page)
    page.locator(".theme-switch-button:visible").focus()
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = background(page)
    assert dark != light
    page.reload()
    assert background(page) == dark


def test_figures_change_with_the_theme(open_page: Open) -> None:
    page = open_page(EXPLORED, color_scheme="light")
    paper = """() => getComputedStyle(document.querySelector(".om-figure svg path")).fill"""
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate(paper) != light


@pytest.mark.parametrize("path", CHAPTERS)
def test_page_works_from_disk(open_page: Open, site: Path, path: str) -> None:
    page = open_page(path, base=f"{site.as_uri()}/")
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())


@pytest.mark.parametrize("path", CHAPTERS)
def test_page_reads_without_javascript(open_page: Open, path: str) -> None:
    page = open_page(path, java_script_enabled=False)
    expect(page.locator("article p").first).to_be_visible()
    for formula in page.locator("article .katex-html").all()[:5]:
        expect(formula).to_be_visible()
    for explorer in page.locator(".om-explorer").all():
        expect(explorer.locator(".om-fallback svg")).to_be_visible()
        expect(explorer.locator(".om-caption")).to_be_visible()


@pytest.mark.parametrize("path", CHAPTERS)
def test_explorer_is_a_picture_on_paper(open_page: Open, path: str) -> None:
    page = open_page(path, color_scheme="dark")
    to_the_end(page)
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.locator(".bd-sidebar-primary")).to_be_hidden()
    for explorer in page.locator(".om-explorer").all():
        expect(explorer.locator(".om-fallback svg")).to_be_visible()
        expect(explorer.locator(".om-caption")).to_be_visible()
        expect(explorer.locator(".om-live")).to_be_hidden()
    for answer in page.locator("article details").all():  # paper can't be opened
        closed = answer.locator("summary").evaluate("(summary) => summary.offsetHeight")
        assert answer.evaluate("(details) => details.scrollHeight") > 2 * closed


HALF = """window.omExplorers = new Proxy({}, { get: () => ({
  render({ el }) { el.textContent = "half a picture"; throw Error("x"); },
}) })"""


@pytest.mark.parametrize("script", ["throw Error('x')", HALF], ids=["script", "render"])
def test_a_broken_explorer_leaves_its_picture(browser: Browser, server: str, script: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(5_000)
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


@pytest.mark.parametrize("viewport", [WIDE, BETWEEN, PHONE], ids=["wide", "between", "phone"])
@pytest.mark.parametrize("path", CHAPTERS)
def test_explorers_find_their_room_reserved(
    open_page: Open, path: str, viewport: dict[str, int]
) -> None:
    """If this fails, give the explorer's kind more --om-room in explorers.css."""
    page = open_page(path, viewport=viewport)
    page.evaluate("document.fonts.ready")
    for stage in page.locator(".om-stage").all():
        reserved = stage.evaluate("stage => parseFloat(getComputedStyle(stage).minHeight)")
        fallback = stage.locator(".om-fallback").evaluate("e => e.scrollHeight")
        stage.scroll_into_view_if_needed()
        expect(stage.locator(".om-live")).to_be_visible()
        page.wait_for_timeout(60)
        height = stage.evaluate("stage => stage.offsetHeight")
        assert height <= max(reserved, fallback) + 4


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", CHAPTERS)
def test_page_does_not_jump(open_page: Open, path: str, viewport: dict[str, int]) -> None:
    page = open_page(path, viewport=viewport)
    page.evaluate("""() => { window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true }); }""")
    to_the_end(page)
    page.wait_for_timeout(150)
    assert page.evaluate("window.shift") < 0.02


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


@pytest.mark.parametrize("path", PAGES)
def test_a_first_visit_weighs_little(open_page: Open, site: Path, path: str) -> None:
    """At most 250 kB as they travel, without the figures that are the page's own."""
    page = open_page(path)
    to_the_end(page)
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("""performance.getEntriesByType("resource")
      .filter((entry) => !entry.name.startsWith("data:")).map((entry) => entry.encodedBodySize)""")
    text = re.sub(r"<svg.*?</svg>", "", (site / path).read_text("utf-8"), flags=re.DOTALL)
    assert len(loaded) >= 3 and min(loaded) > 0
    assert sum(loaded) + len(gzip.compress(text.encode())) <= 250_000


def test_search_finds_a_word_and_loads_its_index_only_then(open_page: Open) -> None:
    page = open_page(CHAPTER)
    page.wait_for_load_state("load")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    loaded = page.evaluate("performance.getEntriesByType('resource').map((r) => r.name)")
    assert not [name for name in loaded if "searchindex" in name or "searchtools" in name]
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    link = page.locator(".om-search-results a").first
    expect(link).to_be_visible()
    assert any("searchindex.js" in url for url in requests)
    link.click()
    expect(page.locator("h1")).to_be_visible()
    assert "encoding" in page.locator("article").text_content().lower()


def test_search_works_from_disk_and_says_when_nothing_is_found(open_page: Open, site: Path) -> None:
    page = open_page(CHAPTER, base=f"{site.as_uri()}/")
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.type("xyzzyqq")
    expect(page.locator(".om-search-status")).to_have_text("Nothing found.")


def test_search_page_finds_a_word(open_page: Open) -> None:
    page = open_page("search.html?q=encoding")
    expect(page.locator("#search-results li a").first).to_be_visible()


def test_first_tab_stop_leads_to_the_text(open_page: Open) -> None:
    page = open_page(CHAPTER)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main-content"


@pytest.mark.parametrize("path", PAGES)
def test_targets_are_large_enough_for_a_finger(open_page: Open, path: str) -> None:
    page = open_page(path, viewport=PHONE, has_touch=True)
    small = page.evaluate("""() => [...document.querySelectorAll("button, summary, nav a")]
      .filter((e) => e.checkVisibility({ opacityProperty: true }))
      .filter((e) => !e.closest("dialog:not([open])"))
      .map((e) => [e.getBoundingClientRect(), e]).filter(([b]) => b.width && b.right > 0)
      .filter(([b]) => Math.min(b.width, b.height) < 24).map(([b, e]) => e.outerHTML)""")
    assert not small


def test_the_copy_button_takes_code_and_neither_prompt_nor_answer(open_page: Open) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    page = open_page("chapters/appendix-exercises.html", permissions=allowed)
    page.locator("button.copybtn").first.click()
    until(page, "navigator.clipboard.readText().then((text) => text.length > 0)")
    assert page.evaluate("navigator.clipboard.readText()") == 'sheet.check("slow_sine")'
