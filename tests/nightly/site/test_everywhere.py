"""Test the accessibility, print layout, colours and kept reading position of every page."""

import pytest
import test_pages
import test_place
from built import CHAPTERS, PAGES, PHONE, WIDE, Open
from playwright.sync_api import Browser
from test_colours import SCHEMES, find_faint_text
from test_pages import UNLIKE
from visits import unfold


@pytest.mark.parametrize("path", [path for path in PAGES if path not in UNLIKE])
def test_a_page_in_whole(browser: Browser, below: str, path: str) -> None:
    test_pages.on_a_phone(browser, below, path, whole=True)
    test_pages.wide_and_on_paper(browser, below, path)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("path", PAGES)
def test_colours(open_page: Open, path: str, scheme: str) -> None:
    page = open_page(path)
    unfold(page)
    assert not find_faint_text(page, scheme)


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", CHAPTERS)
def test_place_is_kept(open_page: Open, path: str, viewport: dict[str, int]) -> None:
    test_place.check_place(open_page, path, viewport)
