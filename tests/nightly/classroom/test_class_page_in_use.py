"""Test that a class's pages work in a browser when they are opened from disk without a network."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from class_grades import TERMS, grade_with
from playwright.sync_api import sync_playwright
from small import mistake

from classroom.marks import report
from tools.browser import launch


def test_pages_fit_and_ask_for_nothing_else(tmp_path: Path) -> None:
    long = "Maximiliane-Alexandrine-Charlottenburg" * 3
    squared = grade_with(
        long, double=mistake("double", "squared"), row="def row(n):\n    return n / 0"
    )
    grades = {
        f"{long}/{long}.ipynb": squared,
        "b.ipynb": grade_with("its process ended with code 1"),
    }
    report.write(tmp_path / "scores.csv", grades, TERMS, None, "", "https://example.org")
    paths = [*(tmp_path / "scores").rglob("*.html")]
    assert len(paths) == 3
    # A thread of its own, because another test may use Playwright in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(check_pages, paths).result()


def check_pages(paths: list[Path]) -> None:
    """Check that each page requests nothing else, and is no wider than a phone or a laptop."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        for path, width in [(path, width) for path in paths for width in (390, 1100)]:
            page, events = chromium.new_page(viewport={"width": width, "height": 844}), []
            page.on("console", lambda message, events=events: events.append(message.text))
            page.on("request", lambda request, events=events: events.append(request.url))
            page.goto(path.as_uri())
            assert events == [path.as_uri()]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.close()
        chromium.close()
