"""Test that the front page lists all chapters and reading times, and shows which ones were read."""

import re

import pytest
from built import CHAPTERS, ROOT, SITE, WIDE, Open, parse_page
from hands import wait_for_promise
from playwright.sync_api import Page, expect

from _ext.chapters import is_chapter

READ = "I have read this page"
MENU = ".om-menu"


def test_the_path_lists_every_chapter_with_its_time() -> None:
    text = (ROOT / "index.md").read_text("utf-8")
    listed = re.findall(
        r"^(\d+)\. \[.*?\]\((\S+?)\.ipynb\).*?\*{minutes}`(.*?)`\*$", text, re.MULTILINE
    )
    numbered = [page for page in CHAPTERS if is_chapter(page.removesuffix(".html"))]
    assert [(int(n), f"{page}.html") for n, page, _ in listed] == list(enumerate(numbered))
    told = parse_page(SITE / "index.html").select("#the-path ol em")
    for (_, page, asked), minutes in zip(listed, told, strict=True):
        assert page == asked
        text = (SITE / f"{page}.html").read_text("utf-8")
        assert f"<summary>About {minutes.text}. What you need" in text
    (hours,) = re.findall(r"(\d+)( and a half)? hours", parse_page(SITE / "index.html").text)
    total = sum(int(minutes.text.split()[0]) for minutes in told) / 60
    assert int(hours[0]) + 0.5 * bool(hours[1]) == pytest.approx(total, abs=0.3)


def test_the_front_page_stands_alone_and_its_contents_open(open_page: Open) -> None:
    page = open_page("index.html")
    assert page.viewport_size == WIDE
    expect(page.locator(MENU)).to_be_hidden()
    page.get_by_role("button", name="Contents", exact=True).last.click()
    expect(page.locator(MENU).get_by_role("link", name="4. Sine and cosine")).to_be_visible()


def test_each_door_has_a_picture_a_sentence_and_few_links() -> None:
    doors = parse_page(SITE / "index.html").select("#three-doors > ul > li")
    assert len(doors) == 3
    for door in doors:
        assert len(door.select("figure")) == 1
        assert len({link["href"] for link in door.select("p a")}) <= 3
        _, sentence = (part.text.strip() for part in door.select(":scope > p"))
        assert sentence.endswith(".") and sentence.count(".") == 1


def list_read_pages(page: Page) -> list[str]:
    """Return the file names of all pages that the menu shows as read."""
    links = page.locator(MENU).locator("a", has=page.locator(".om-tick"))
    return links.evaluate_all("(all) => all.map((link) => link.pathname.split('/').pop())")


# The tests replace the clock and requestAnimationFrame, so an observer must wait for frames.
# After scrolling, a section is laid out in the next frame, and its content in the frame after that.
SCROLLED = """async (y) => {
  scrollTo({ top: y, behavior: "instant" });
  for (let n = 0; n < 3; n++) await new Promise((drawn) => new IntersectionObserver(
    (_, observer) => drawn(observer.disconnect())).observe(document.body));
}"""


def screens(page: Page, seconds: float) -> None:
    """Scroll down the page screen by screen, and wait on each screen for `seconds`."""
    y = 0.0
    while y < page.evaluate("document.documentElement.scrollHeight"):
        wait_for_promise(page, SCROLLED, y)
        page.clock.run_for(seconds * 1000)
        y += 0.8 * page.evaluate("innerHeight")


def to_read(open_page: Open, path: str) -> Page:
    page = open_page("index.html")
    page.clock.install()
    page.goto(page.url.replace("index.html", path))
    expect(page.get_by_role("checkbox", name=READ)).not_to_be_checked()
    return page


@pytest.mark.parametrize("path", [CHAPTERS[1], "chapters/appendix-notation.html"])
def test_a_page_is_ticked_when_it_was_read_and_not_when_leafed_through(
    open_page: Open, path: str
) -> None:
    page = to_read(open_page, path)
    wait_for_promise(page, SCROLLED, page.evaluate("document.documentElement.scrollHeight"))
    page.clock.run_for(600_000)
    screens(page, 0.5)
    expect(page.get_by_role("checkbox", name=READ)).not_to_be_checked()
    screens(page, 2.0)
    expect(page.get_by_role("checkbox", name=READ)).to_be_checked()
    assert list_read_pages(page) == [path.split("/")[1]]
    page.goto(page.url.replace(path, "index.html"))
    assert list_read_pages(page) == [path.split("/")[1]]
    assert ("(read)" in page.locator("#the-path").aria_snapshot()) == path[9:11].isdigit()


def test_what_a_hand_ticks_or_unticks_stays_so(open_page: Open) -> None:
    page = to_read(open_page, CHAPTERS[1])
    box = page.get_by_role("checkbox", name=READ)
    box.press("Space")
    expect(box).to_be_checked()
    page.reload()
    assert list_read_pages(page)
    box.press("Space")
    page.reload()
    screens(page, 2.0)
    expect(box).not_to_be_checked()
    assert not list_read_pages(page)


@pytest.mark.parametrize("kept", ["not JSON", '{"page": 3}'])
def test_what_cannot_be_read_is_ignored(open_page: Open, kept: str) -> None:
    page = open_page("index.html")
    for name in ("read", "seen", "place", "answers", "guesses"):
        page.evaluate("([name, kept]) => localStorage.setItem(`om-${name}`, kept)", [name, kept])
    page.reload()
    assert not list_read_pages(page)
    page.goto(page.url.replace("index.html", CHAPTERS[1]))
    expect(page.get_by_role("checkbox", name=READ)).not_to_be_checked()
    expect(page.locator("p.om-points")).to_contain_text("0 of ")
