"""Finding one's way on a page: the contents on a phone, the section that is read, link signs."""

from built import EXPLORED, PHONE, Open
from hands import settle, until
from playwright.sync_api import expect

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
AUDIT = "chapters/appendix-audit.html"  # has more sections than a window has room for


def test_the_contents_open_where_the_reader_is_and_reach_to_the_last_page(open_page: Open) -> None:
    page = open_page(EXPLORED + "#why-this-shape", **TOUCH)
    until(page, "document.querySelector('.om-toc .om-here')")
    page.tap(".om-open-contents")
    expect(page.locator(".om-toc .om-here")).to_be_in_viewport()
    last = page.locator(".om-menu a").last
    expect(last).not_to_be_in_viewport()
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(page.locator(".om-contents a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#contents")).to_be_hidden()
    expect(page.locator(".om-open-contents")).to_be_focused()


def test_the_section_that_is_read_stays_in_view_in_a_long_list(open_page: Open) -> None:
    page = open_page(AUDIT)
    last = page.locator(".om-toc a").last
    expect(last).not_to_be_in_viewport()
    page.evaluate("[...document.querySelectorAll('article h2')].at(-1).scrollIntoView()")
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport()


def test_a_finger_sees_and_hits_the_link_of_a_heading(open_page: Open) -> None:
    page = open_page(EXPLORED, **TOUCH)
    sign = page.locator("article h2 > .headerlink").first
    expect(sign).to_have_css("opacity", "1")
    sign.scroll_into_view_if_needed()
    settle(page)
    box = sign.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] - 12, box["y"] + box["height"] / 2)
    until(page, "location.hash === '#predict-first'")
