"""Test that every page, explorer and question, and the search, work when opened from disk."""

import zipfile
from pathlib import Path

import pytest
from built import BETWEEN, EXPLORED, PAGES, Open
from hands import to_the_end
from playwright.sync_api import Browser, expect
from test_safety import HOLED, find_injected_script, with_a_hole
from visits import OPEN_CARDS


@pytest.fixture
def disk(open_page: Open, site: Path) -> Open:
    return lambda path, **options: open_page(path, base=f"{site.as_uri()}/", **options)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_and_its_explorers_run(disk: Open, path: str) -> None:
    page = disk(path, viewport=BETWEEN)
    page.evaluate(OPEN_CARDS)
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())


def test_it_is_searched_and_downloaded_and_its_questions_are_asked_from_disk(disk: Open) -> None:
    page = disk(EXPLORED)
    page.locator(".om-before > summary").click()
    with page.expect_download() as download:
        page.locator(".om-run a").first.click()
    assert zipfile.is_zipfile(download.value.path())
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    page = disk("chapters/08-rotary.html")
    page.locator("#prediction-8-3 form").get_by_label("an error").check()
    expect(page.get_by_text("You guessed: an error. It is: wrong scores.")).to_be_attached()
    page.locator(".om-warmup > summary").click()
    expect(page.locator(".om-again form")).to_have_count(3)
    page = disk("chapters/appendix-models.html?words=gemma")
    expect(page.locator(".om-models-filter [role=status]")).to_contain_text(" of ")


def test_an_injected_script_is_blocked(browser: Browser, site: Path, tmp_path: Path) -> None:
    holed = tmp_path / "holed.html"
    holed.write_text(with_a_hole(site), "utf-8")
    assert HOLED in holed.read_text("utf-8")
    assert find_injected_script(browser.new_page(), holed.as_uri()) is None
