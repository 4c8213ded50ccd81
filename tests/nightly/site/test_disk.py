"""The site from disk, as somebody has it who unpacked it: every page, and what one does there."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from built import BETWEEN, EXPLORED, PAGES, Open
from hands import to_the_end
from playwright.sync_api import Browser, Page, expect
from test_safety import HOLED, injected, with_a_hole


@pytest.fixture
def disk(open_page: Open, site: Path) -> Open:
    return lambda path, **options: open_page(path, base=f"{site.as_uri()}/", **options)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_and_its_explorers_run(disk: Open, path: str) -> None:
    page = disk(path, viewport=BETWEEN)
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())


def search(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()


def guess(page: Page) -> None:
    page.locator("#prediction-8-3 form").get_by_label("an error").check()
    expect(page.get_by_text("You guessed: an error. It is: wrong scores.")).to_be_attached()


def repeat(page: Page) -> None:
    page.locator(".om-warmup > summary").click()
    expect(page.locator(".om-again form")).to_have_count(3)


def choose(page: Page) -> None:
    page.get_by_role("checkbox", name="wrong").check()
    expect(page.locator(".om-filter").get_by_role("status")).to_have_text(re.compile(r"\d+ of \d+"))


def sift(page: Page) -> None:
    page.get_by_role("searchbox").fill("alibi")
    expect(page.locator(".om-models-filter").get_by_role("status")).to_contain_text(" of ")


def fetch(page: Page) -> None:
    page.locator(".om-run a").first.focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert zipfile.is_zipfile(download.value.path())


DONE = {
    search: EXPLORED,
    guess: "chapters/08-rotary-and-biases.html",
    repeat: "chapters/08-rotary-and-biases.html",
    choose: "chapters/appendix-audit.html",
    sift: "chapters/appendix-models.html",
    fetch: EXPLORED,
}


@pytest.mark.parametrize("deed", DONE, ids=lambda deed: deed.__name__)
def test_it_works_from_disk(disk: Open, deed: Callable[[Page], None]) -> None:
    deed(disk(DONE[deed]))


def test_an_injected_script_is_blocked(browser: Browser, site: Path, tmp_path: Path) -> None:
    holed = tmp_path / "holed.html"
    holed.write_text(with_a_hole(site), "utf-8")
    assert HOLED in holed.read_text("utf-8")
    assert injected(browser.new_page(), holed.as_uri()) is None
