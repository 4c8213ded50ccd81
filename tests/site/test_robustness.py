"""Test pages in a browser that cannot store data, and pages with files that fail to load."""

import re

import pytest
from hands import PATIENCE, to_the_end
from playwright.sync_api import Browser, expect

BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); },
                                        configurable: true });"""
FULL = (
    """Storage.prototype.setItem = () => { throw new DOMException("no", "QuotaExceededError"); };"""
)


@pytest.mark.parametrize(
    "storage",
    [BLOCKED, pytest.param(FULL, marks=pytest.mark.nightly)],
    ids=["blocked", "full"],
)
def test_without_storage_only_what_was_saved_is_lost(
    browser: Browser, server: str, storage: str
) -> None:
    page, errors = browser.new_page(color_scheme="light"), []
    page.set_default_timeout(PATIENCE)
    page.add_init_script(storage)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server}chapters/04-sine-and-cosine.html")
    to_the_end(page)
    expect(page.locator(".om-explorer[data-live]").first).to_be_attached()
    form = page.locator(".om-quiz").first
    form.get_by_label("Your answer").fill("945")
    form.get_by_role("button", name="Check").click()
    expect(form.get_by_role("status")).to_contain_text("✗ Not yet.")
    page.locator(".om-theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    assert not errors
    page.close()


HALF = """window.omExplorers = new Proxy({}, { get: () => ({
  render({ el }) { el.textContent = "half a picture"; throw Error("x"); },
}) })"""
# For each pattern of files, the content to serve, or "" to make these files fail to load
EXPLORERS = r"/explorers/\w+\.js"
LOST = [(EXPLORERS, "throw Error('x')"), (EXPLORERS, HALF), (EXPLORERS, ""), (r"/loader\.js", ""),
        (r"/site\.\w+\.js|\.woff2|/quiz\.js", "")]  # fmt: skip


@pytest.mark.parametrize(("file", "body"), LOST)
def test_a_file_that_is_missing_takes_nothing_else_with_it(
    browser: Browser, server: str, file: str, body: str
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.set_default_timeout(PATIENCE)
    page.route(re.compile(file), lambda route: route.fulfill(body=body) if body else route.abort())
    page.goto(f"{server}chapters/00-start-here.html")
    # A dark page must not flash white before the site's script has loaded.
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    to_the_end(page)
    explorer = page.locator(".om-explorer").first
    if "explorers" in file or "loader" in file:
        expect(explorer.locator(".om-fallback svg")).to_be_visible()
        expect(explorer.locator(".om-caption")).to_be_visible()
        expect(page.locator(".om-live")).to_have_count(0)
    else:
        expect(explorer.locator(".om-live .ex-scene")).to_be_visible()
    page.close()
