"""What can go wrong on the way to a reader: storage that keeps nothing, files that do not come."""

import re

import pytest
from built import EXPLORED
from hands import to_the_end
from playwright.sync_api import Browser, Page, expect
from visits import PATIENCE

EXERCISES = "chapters/04-sine-and-cosine.html"

BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); },
                                        configurable: true });"""
FULL = (
    """Storage.prototype.setItem = () => { throw new DOMException("no", "QuotaExceededError"); };"""
)


@pytest.mark.parametrize("storage", [BLOCKED, FULL], ids=["blocked", "full"])
def test_without_storage_only_what_was_saved_is_lost(
    browser: Browser, server: str, storage: str
) -> None:
    page, errors = browser.new_page(color_scheme="light"), []
    page.set_default_timeout(PATIENCE)
    page.add_init_script(storage)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server + EXERCISES)
    to_the_end(page)
    live = page.locator(".om-explorer[data-live]")
    expect(live).to_have_count(page.locator(".om-explorer").count())
    form = page.locator(".om-quiz").first
    form.get_by_label("Your answer").fill("945")
    form.get_by_role("button", name="Check").click()
    expect(form.get_by_role("status")).to_contain_text("✗ Not yet.")
    page.locator(".om-theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", re.compile("dark|light"))
    dark = page.evaluate("document.documentElement.dataset.mode")
    page.locator(".om-theme").click()
    assert page.evaluate("document.documentElement.dataset.mode") != dark
    page.keyboard.press("Control+k")
    page.keyboard.type("encoding")
    expect(page.locator(".om-search-results a").first).to_be_visible()
    assert not errors
    page.close()


def without(browser: Browser, address: str, pattern: str) -> Page:
    """The page, where files whose address fits the pattern don't arrive."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(re.compile(pattern), lambda route: route.abort())
    page.goto(address)
    to_the_end(page)
    return page


@pytest.mark.parametrize(
    "missing", [r"/explorers/\w+\.js", r"/loader\.js", r"/site\.\w+\.js", r"\.woff2", r"/quiz\.js"]
)
def test_a_file_that_is_missing_takes_nothing_else_with_it(
    browser: Browser, server: str, missing: str
) -> None:
    page = without(browser, server + EXPLORED, missing)
    expect(page.locator("article p").first).to_be_visible()
    explorer = page.locator(".om-explorer").first
    if "explorers" in missing or "loader" in missing:
        expect(explorer.locator(".om-fallback svg")).to_be_visible()
        expect(explorer.locator(".om-caption")).to_be_visible()
    else:
        expect(explorer.locator(".om-live .ex-controls")).to_be_visible()
    page.close()
