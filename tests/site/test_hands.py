"""Test that waiting for a page always ends, and that a timed-out test reports where it stopped."""

import subprocess
import sys
from pathlib import Path

import pytest
from built import ROOT
from hands import wait_for_promise
from playwright.sync_api import Browser, Error

# The first test waits for a page that never answers, and the second test needs the same browser.
CONFTEST = """
import sys

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, {root!r})
from tools.browser import launch

pytest_plugins = ["tests.time_limit"]

@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        yield launch(playwright)
"""
HANGING = """
def test_that_hangs(browser):
    browser.new_page().evaluate("() => new Promise(() => 0)")

def test_that_comes_after(browser):
    assert browser.new_page().evaluate("1 + 1") == 2
"""


def test_a_promise_that_is_never_kept_fails_and_one_that_is_gives_its_value(
    browser: Browser,
) -> None:
    page = browser.new_page()
    page.set_content("<p>here</p>")
    with pytest.raises(Error, match="the page was still waiting after 50 ms"):
        wait_for_promise(page, "() => new Promise(() => 0)", limit=50)
    with pytest.raises(Error, match="still waiting"):
        wait_for_promise(page.locator("p"), "(p, more) => new Promise(() => 0)", 1, limit=50)
    assert wait_for_promise(page, "(n) => Promise.resolve(n + 1)", 2) == 3
    read = "async (p, more) => p.textContent + more"
    assert wait_for_promise(page.locator("p"), read, "!") == "here!"
    page.close()


def test_a_test_that_hangs_says_where_and_the_next_one_passes(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.format(root=str(ROOT)), "utf-8")
    (tmp_path / "test_waiting.py").write_text(HANGING, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--timeout", "8", "--rootdir", "."]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
    )
    place = "test_waiting.py:3 in test_that_hangs"
    assert f"not done after its limit of 8 s; it stood at {place}" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
