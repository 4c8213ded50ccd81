"""The pages in a browser, from disk and without a network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from played import TERMS, mistake, of
from playwright.sync_api import Browser, sync_playwright

from pe_lib.course.grading.marks import report
from tools.browser import ARGS, chosen

# The least contrast between a text's colour and the page's, as WCAG 2 computes it
CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => {
      const x = c / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const back = light(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll("h1, h2, h3, p, li, a, code")];
  return Math.min(...texts.map((text) => {
    const [low, high] = [light(getComputedStyle(text).color), back].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
}"""


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1100])
def test_pages_fit_and_can_be_read(
    width: int, scheme: str, browser: Browser, written: Path
) -> None:
    pages = [written / "class.html", *sorted((written / "feedback").iterdir())]
    assert len(pages) == 3
    for path in pages:
        context = browser.new_context(
            viewport={"width": width, "height": 844},
            color_scheme="dark" if scheme == "dark" else "light",
            offline=True,
        )
        page, said = context.new_page(), []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("request", lambda request, said=said: said.append(request.url))
        page.goto(path.as_uri())
        assert said == [path.as_uri()]  # nothing else is asked for
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) >= 4.5
        assert page.locator("h1").count() == 1
        context.close()
