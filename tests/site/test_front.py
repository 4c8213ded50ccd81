"""The front page: one touches something at once, and finds the way back to where one was."""

import re
from pathlib import Path

import pytest
from built import CHAPTERS, PHONE, ROOT, SITE, WIDE, Open
from playwright.sync_api import Page, expect

from tools.notebooks import read

READ = "I have read this page"
MENU = ".om-menu"


def minutes(chapter: str) -> int:
    """What the chapter itself says."""
    cells = read(ROOT / chapter.replace(".html", ".ipynb")).cells
    found = re.search(r"\*About (\d+) minutes", "\n".join(cell.source for cell in cells[:2]))
    assert found, chapter
    return int(found[1])


def test_the_path_lists_every_chapter_with_its_time() -> None:
    text = (ROOT / "index.md").read_text("utf-8")
    listed = re.findall(
        r"^(\d+)\. \[.*?\]\((\S+?)\.ipynb\).*?\*(\d+) minutes\*$", text, re.MULTILINE
    )
    numbered = [page for page in CHAPTERS if re.match(r"chapters/\d", page)]
    assert [(int(n), f"{page}.html") for n, page, _ in listed] == list(enumerate(numbered))
    for _, page, told in listed:
        assert int(told) == minutes(f"{page}.html"), page
    assert minutes(numbered[0]) == 20 and "twenty minutes" in text


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_an_explorer_is_on_the_first_screen_and_reacts(
    open_page: Open, viewport: dict[str, int]
) -> None:
    page = open_page("index.html", viewport=viewport)
    explorer = page.locator(".om-explorer[data-live]")
    canvas, reading = explorer.locator("canvas"), explorer.locator(".ex-reading")
    expect(canvas).to_be_visible()
    box = canvas.bounding_box()
    assert box and box["y"] + 0.5 * box["height"] < viewport["height"]
    expect(page.get_by_role("link", name="Start the course")).to_be_in_viewport(ratio=1)
    expect(reading).to_contain_text("Position 1")  # it moves by itself,
    explorer.get_by_role("button", name="Pause").click()  # until one says so
    canvas.press("Home")
    canvas.press("ArrowRight")
    expect(reading).to_contain_text("Position 1, “sees”")


def test_the_picture_of_the_front_page_keeps_still_for_those_who_asked_for_that(
    open_page: Open,
) -> None:
    page = open_page("index.html", reduced_motion="reduce")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(600)
    expect(page.locator(".ex-reading")).to_contain_text("Position 0,")


def ticked(page: Page) -> list[str]:
    links = page.locator(MENU).locator("a", has=page.locator(".om-tick")).all()
    return [(link.get_attribute("href") or "").split("/")[-1] for link in links]


def test_what_was_read_is_ticked_and_can_be_unticked(open_page: Open) -> None:
    page = open_page(CHAPTERS[2])
    box = page.get_by_role("checkbox", name=READ)
    assert not ticked(page)
    box.scroll_into_view_if_needed()
    expect(box).to_be_checked()
    page.goto(page.url.replace(CHAPTERS[2], "index.html"))
    assert [name.split("#")[0] for name in ticked(page)] == [CHAPTERS[2].split("/")[1]]
    assert "(read)" in page.locator("#the-path").aria_snapshot()
    link = page.get_by_role("link", name=re.compile("^Go on with 1"))
    link.click()
    expect(page.locator("h1")).to_contain_text("Why order matters")
    box = page.get_by_role("checkbox", name=READ)
    box.scroll_into_view_if_needed()
    box.press("Space")
    expect(box).not_to_be_checked()
    page.reload()
    assert not ticked(page)


def test_what_is_no_reading_progress_is_ignored(open_page: Open) -> None:
    page = open_page("index.html")
    page.evaluate("localStorage.setItem('om-reading', 'not JSON')")
    page.reload()
    expect(page.get_by_role("link", name="Start the course")).to_be_visible()
    assert not ticked(page)


def test_the_site_works_below_any_path_and_says_when_a_page_is_missing(site: Path) -> None:
    text = (SITE / "404.html").read_text("utf-8")
    assert "There is no such page" in text
    for address in re.findall(r'(?:href|src)="([^"#]+)"', text):
        assert address.startswith(("/", "data:")), address
        assert (site / address.lstrip("/")).is_file(), address
