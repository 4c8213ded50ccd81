"""Test that readers can navigate a page by its table of contents and by links at headings."""

from built import EXPLORED, PHONE, Open
from hands import until
from playwright.sync_api import expect

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
AUDIT = "chapters/appendix-audit.html"
LONG = "chapters/appendix-practice.html"  # this page's table of contents is taller than a window


def test_a_phone_says_where_one_is_and_opens_the_contents_there(open_page: Open) -> None:
    page = open_page(EXPLORED, **TOUCH)
    spot = page.locator(".om-spot")
    expect(spot).to_be_hidden()
    page.evaluate("document.getElementById('why-this-shape').scrollIntoView()")
    expect(spot).to_have_text("2 · Which wishes the encoding fulfils")
    until(page, "document.querySelector('.om-line').style.scale !== ''")
    read = page.locator(".om-line").evaluate("(line) => parseFloat(line.style.scale)")
    assert 0.4 < read < 0.9
    spot.tap()
    expect(page.locator(".om-menu .current a").first).to_be_in_viewport()
    expect(page.locator(".om-toc .om-here")).to_have_text("Which wishes the encoding fulfils")
    last = page.locator(".om-toc a").last
    expect(last).not_to_be_in_viewport()
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(page.locator(".om-contents a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#contents")).to_be_hidden()
    expect(spot).to_be_focused()


def test_the_section_that_is_read_stays_in_view_in_a_long_list(open_page: Open) -> None:
    page = open_page(LONG)
    last = page.locator(".om-toc a").last
    expect(last).not_to_be_in_viewport()
    page.evaluate("[...document.querySelectorAll('article :is(h2, h3)')].at(-1).scrollIntoView()")
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport()


def test_at_the_end_of_a_page_its_last_section_is_read_however_short(open_page: Open) -> None:
    page = open_page(LONG, viewport={"width": 1280, "height": 1_600})
    last = "[...document.querySelectorAll('.om-toc a')].at(-1).ariaCurrent === 'true'"
    # scroll until the height of the page no longer changes
    until(page, f"(scrollTo(0, 1e9), {last})")


def test_a_finger_meets_no_sign_beside_a_heading_and_a_key_does(open_page: Open) -> None:
    page = open_page(EXPLORED, **TOUCH)
    sign = page.locator("article h2 > .headerlink").first
    expect(sign).to_have_css("opacity", "0")
    expect(sign).to_have_css("pointer-events", "none")
    sign.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(sign).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    until(
        page, "location.hash === '#' + document.querySelector('article h2').closest('section').id"
    )
