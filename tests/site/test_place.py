"""Test that a page keeps the reader's place after a reload, after Back, and until another day."""

import pytest
from built import PHONE, SITE, Open, parse_page
from hands import settle, until, wait_for_promise
from playwright.sync_api import Page, expect

LONG = "chapters/04-sine-and-cosine.html"
CLOSE = 60  # pixels

# Return the index of the block at the window's top, and the position of its upper edge.
KINDS = ".om-explorer, .cell, li, pre, tr, h1, h2, h3, p"
BLOCKS = f"""[...document.querySelectorAll("article :is({KINDS})")]
  .filter((block) => !block.matches(".om-live *"))"""
SEEN = f"""() => {{
  const blocks = {BLOCKS};
  for (let y = 90; y < innerHeight; y += 5) {{
    const n = blocks.indexOf(document.elementFromPoint(innerWidth / 2, y)?.closest(
      "{KINDS}"));
    if (n >= 0) return [n, blocks[n].getBoundingClientRect().top];
  }}
}}"""
TOP = f"(n) => {BLOCKS}[n].getBoundingClientRect().top"
RUNNING = """document.readyState === "complete" && [...document.querySelectorAll(
  ".om-explorer:not([data-live])")].every((explorer) => {
    const { top, bottom } = explorer.getBoundingClientRect();
    // An explorer does not start inside a card, or in a section that is not rendered yet.
    return !explorer.checkVisibility({ contentVisibilityAuto: true })
      || bottom < -600 || top > innerHeight + 600;
  })"""
RESTED = f"""() => new Promise((done) => {{
  const seen = {SEEN};
  let last, calm = 0;
  const look = () => {{
    const now = String([scrollY, seen()]);
    calm = now === last ? calm + 1 : 0;
    last = now;
    if (calm > 5) done(); else setTimeout(look, 50);
  }};
  document.fonts.ready.then(look);
}})"""

# Return a target's actual and intended top, and how much further the page can scroll down.
WHERE = """(name) => {
  const page = document.documentElement;
  return [document.getElementById(name).getBoundingClientRect().top,
          parseFloat(getComputedStyle(page).scrollPaddingTop),
          page.scrollHeight - innerHeight - scrollY];
}"""


def rest(page: Page) -> None:
    """Wait until the fonts are loaded, the explorers are running, and the page no longer moves."""
    until(page, RUNNING)
    wait_for_promise(page, RESTED)


def go(page: Page, share: float) -> tuple[int, float]:
    """Scroll down by a fraction `share` of the page, and return the block at the window's top."""
    page.mouse.move(200, 300)
    page.mouse.wheel(0, 1)  # scroll with the mouse wheel, as a reader does
    page.evaluate("(share) => scrollTo(0, share * document.documentElement.scrollHeight)", share)
    rest(page)
    return page.evaluate(SEEN)


def check_top_edge(page: Page, block: int, top: float) -> None:
    """Check that the top edge of a block is within CLOSE pixels of `top`."""
    assert page.evaluate(TOP, block) == pytest.approx(top, abs=CLOSE)


def test_it_is_kept(open_page: Open) -> None:
    # the nightly tests check every page, and also on a wide screen
    check_place(open_page, LONG, PHONE)


def check_place(open_page: Open, path: str, viewport: dict[str, int]) -> None:
    """Check that a link leads to its target, and that a reload and Back keep the place."""
    sections = parse_page(SITE / path).select("article section[id]")
    name = str(sections[int(0.7 * len(sections))]["id"])
    page = open_page(f"{path}#{name}", viewport=viewport, has_touch=viewport == PHONE)
    rest(page)
    at_top(page, name)
    block, top = go(page, 0.55)
    for leave in (
        page.reload,
        lambda: (page.goto(page.url.replace(path, "404.html")), page.go_back()),
    ):
        page.evaluate("window.was_here = true")
        # Leave the page before it stores the reader's new place.
        page.evaluate("dispatchEvent(new Event('scroll'))")
        leave()
        rest(page)
        # Check that the browser loaded the page again and did not restore it from memory.
        assert page.evaluate("window.was_here === undefined")
        check_top_edge(page, block, top)


def at_top(page: Page, name: str) -> None:
    """Check that a link's target is at the window's top, or as close as the page can scroll."""
    top, wanted, left = page.evaluate(WHERE, name)
    assert abs(top - wanted) <= CLOSE or (left < 2 and top > wanted), (name, top, wanted, left)


def test_left_at_once_it_is_kept(open_page: Open) -> None:
    page = open_page(LONG)
    go(page, 0.3)
    page.evaluate("scrollTo(0, 0.7 * document.documentElement.scrollHeight)")
    until(page, f"({SEEN})()")  # blocks that become visible may take some frames to appear
    block, top = page.evaluate(SEEN)
    page.reload()
    rest(page)
    check_top_edge(page, block, top)


def test_what_grew_above_since_the_last_scrolling_is_counted(open_page: Open) -> None:
    page = open_page(LONG)
    block, before = go(page, 0.3)
    page.evaluate("""() => {
      document.documentElement.style.overflowAnchor = "none";
      document.querySelector("article h1").style.paddingTop = "200px";
    }""")
    page.wait_for_timeout(300)
    top = page.evaluate(TOP, block)
    assert top == pytest.approx(before + 200, abs=CLOSE)
    page.reload()
    rest(page)
    check_top_edge(page, block, top)


def test_back_within_the_page_and_to_where_one_came_from(open_page: Open) -> None:
    page = open_page(LONG)
    block, top = go(page, 0.3)
    page.evaluate("""() => {
      const link = document.createElement("a");
      link.href = "#exercises";
      document.querySelector("article").append(link);
      link.click();
    }""")
    rest(page)
    at_top(page, "exercises")
    page.go_back()
    rest(page)
    check_top_edge(page, block, top)
    page.go_forward()
    rest(page)
    at_top(page, "exercises")


def test_what_waited_for_a_guess_keeps_it(open_page: Open) -> None:
    page = open_page("chapters/12-to-tell-and-to-find.html")
    veil = page.locator(".om-veil").first
    veil.get_by_role("button", name="Show me").click()
    veil.locator("figcaption").first.scroll_into_view_if_needed()
    rest(page)
    block, top = page.evaluate(SEEN)
    page.reload()
    rest(page)
    check_top_edge(page, block, top)


def test_one_click_reveals_what_waits_for_a_guess_and_goes_there(open_page: Open) -> None:
    page = open_page("chapters/07-skipping-positions.html")
    rest(page)
    veiled = page.locator(".om-veil > div", has=page.locator("#equation-7-3"))
    expect(veiled).to_be_hidden()
    link = page.locator("#what-the-literature-found a[href='#equation-7-3']").first
    link.scroll_into_view_if_needed()
    rest(page)
    link.click()
    rest(page)
    expect(veiled).not_to_have_attribute("hidden")
    at_top(page, "equation-7-3")


def test_what_was_open_is_open_again(open_page: Open) -> None:
    page = open_page(LONG)
    answer = page.locator("article details").last
    answer.evaluate("(details) => { details.open = true; details.scrollIntoView(); }")
    rest(page)
    block, top = page.evaluate(SEEN)
    page.reload()
    rest(page)
    assert answer.evaluate("(details) => details.open")
    check_top_edge(page, block, top)


def test_no_skipped_section_of_the_front_page_is_long(open_page: Open) -> None:
    """Check that the browser may skip each picture, but not all seven pictures as a whole."""
    page = open_page("index.html")
    until(page, "document.querySelector('article.om-settled')")
    skipped = """document.querySelectorAll("article section section").values()
      .filter((part) => getComputedStyle(part).contentVisibility === "auto")
      .map((part) => part.querySelectorAll("section").length).toArray()"""
    assert max(found := page.evaluate(skipped)) == 0 and len(found) >= 7


NIGHT = [pytest.param(hand, marks=pytest.mark.nightly) for hand in ("key", "scroll bar")]


@pytest.mark.parametrize("hand", ["wheel", *NIGHT])
def test_a_hand_on_the_page_lets_it_go(open_page: Open, hand: str) -> None:
    """Check that a page stops restoring the reader's place once the reader scrolls."""
    page = open_page(f"{LONG}#exercises")
    rest(page)
    page.evaluate("""() => {
      document.documentElement.style.overflowAnchor = "none";
      document.querySelector("article h1").style.paddingTop = "300px";
    }""")
    settle(page)
    at_top(page, "exercises")  # until the reader scrolls, the page keeps the restored place
    page.evaluate("document.documentElement.style.overflowAnchor = ''")
    page.wait_for_timeout(600)  # wait, because while a page loads, it ignores the scroll bar
    if hand == "wheel":
        page.mouse.move(200, 300)
        page.mouse.wheel(0, 900)
    elif hand == "key":
        page.keyboard.press("PageDown")
    else:
        page.evaluate("scrollBy(0, 900)")
    rest(page)
    block, top = page.evaluate(SEEN)
    page.evaluate("document.querySelector('article h1').style.paddingTop = '500px'")
    settle(page)
    check_top_edge(page, block, top)


# --- Return on another day ---


def test_the_front_page_leads_back_to_the_section_and_to_no_appendix(open_page: Open) -> None:
    page = open_page(f"{LONG}#touch-it")
    rest(page)
    title = page.locator("#touch-it > :is(h2, h3)").text_content() or ""
    page.goto(page.url.replace(f"{LONG}#touch-it", "chapters/appendix-notation.html"))
    go(page, 0.5)
    page.goto(page.url.split("chapters/")[0])
    start = page.get_by_role("link", name="Go on with")
    expect(start).to_have_text(f"Go on with 4. Sine and cosine: {title.rstrip('#')}")
    path = page.locator("#the-path li", has=page.get_by_role("link", name="Sine and cosine"))
    told = f"The whole chapter takes {path.locator('em').text_content()}."
    expect(page.locator("p", has=start)).to_contain_text(told)
    start.click()
    rest(page)
    at_top(page, "touch-it")
