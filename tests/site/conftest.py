"""Define fixtures that serve the built site, and that share a single Chromium between all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from built import SITE, Explored, Open
from hands import PATIENCE, find_live_explorer
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from visits import open_in_new_context, renew

from tools.browser import launch
from tools.serve import serve_folder

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no site in _build/site. Build it first: make site", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """Serve the site at the root of a host, and yield its address."""
    with serve_folder(site) as address:
        yield address


@pytest.fixture(scope="session")
def below(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the site in a subfolder of a host, and yield its address."""
    root = tmp_path_factory.mktemp("host")
    (root / "x").mkdir()
    (root / "x" / "y").symlink_to(site, target_is_directory=True)
    with serve_folder(root) as address:
        yield f"{address}x/y/"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[Open]:
    """Yield a function that opens a page. Page errors and requests to other hosts fail the test."""
    pages = []

    def open_(path: str, *, base: str = server, **options: object) -> Page:
        pages.append(open_in_new_context(browser, base, path, **options))
        return pages[-1][0]

    yield open_
    for page, _ in pages:
        page.context.close()
    assert not [problem for _, problems in pages for problem in problems]


@pytest.fixture(scope="module")
def kept(browser: Browser) -> Iterator[dict[str, tuple[Page, list[str]]]]:
    """Yield a dictionary of open pages, with their problems, that a module's tests share."""
    pages: dict[str, tuple[Page, list[str]]] = {}
    yield pages
    for page, _ in pages.values():
        page.context.close()


@pytest.fixture
def explored(
    browser: Browser, server: str, kept: dict[str, tuple[Page, list[str]]]
) -> Iterator[Explored]:
    """Yield a function that opens a page and returns an explorer on it in its initial state.

    Tests in a module that open a page with the same options share the open page.
    """

    def open_explorer(path: str, kind: str, **options: object) -> Locator:
        look = f"{path} {options}"
        if look in kept:
            page, _ = kept[look]
            page.mouse.up()
            renew(page)
        else:
            page, _ = kept[look] = open_in_new_context(browser, server, path, **options)
        return find_live_explorer(page, kind)

    yield open_explorer
    assert not [problem for _, problems in kept.values() for problem in problems]
