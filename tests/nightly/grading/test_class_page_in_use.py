"""The pages of a class in a browser, from disk and without a network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from small import TERMS, mistake, of

from pe_lib.course.grading.marks import report
from tools.browser import ARGS, chosen


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = chosen()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marks")
    long = "Maximiliane-Alexandrine-Charlottenburg" * 3
    squared = of(long, double=mistake("double", "squared"), row="def row(n):\n    return n / 0")
    grades = {f"{long}/{long}.ipynb": squared, "b.ipynb": of("its process ended with code 1")}
    report.write(folder / "scores.csv", grades, TERMS, None, "", "https://example.org")
    return folder / "scores"


@pytest.mark.parametrize("width", [390, 1100])
def test_pages_fit_and_ask_for_nothing_else(width: int, browser: Browser, written: Path) -> None:
    pages = [written / "class.html", *sorted((written / "feedback").iterdir())]
    assert len(pages) == 3
    for path in pages:
        page, said = browser.new_page(viewport={"width": width, "height": 844}), []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("request", lambda request, said=said: said.append(request.url))
        page.goto(path.as_uri())
        assert said == [path.as_uri()]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").count() == 1
        page.close()
