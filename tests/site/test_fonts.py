"""Test that text is drawn in its own font at once, and that fonts that load late move nothing."""

import time

import pytest
from built import EXPLORED, PHONE, WIDE, Open
from playwright.sync_api import Route, expect

SHIFT = """() => new Promise((done) => {
  let shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { shift += entry.value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shift), 300);
})"""
USED = """() => [...document.fonts].filter((face) => face.family.replaceAll('"', "") === "Text")
  .map((face) => `${face.weight} ${face.style} ${face.status}`)"""


def delay(route: Route) -> None:
    time.sleep(1)  # seconds
    route.continue_()


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize("path", [EXPLORED, "chapters/appendix-misconceptions.html"])
def test_fonts_that_load_late_move_nothing(
    open_page: Open, path: str, size: dict[str, int]
) -> None:
    page = open_page("index.html", viewport=size)  # opens the window before fonts are delayed
    page.route("**/*.woff2", delay)
    page.goto(page.url.replace("index.html", path))
    page.evaluate("document.fonts.ready.then(() => true)")
    assert page.evaluate(SHIFT) < 0.02


def test_text_needs_no_font_file(open_page: Open) -> None:
    page = open_page("index.html")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page.url.replace("index.html", EXPLORED))
    page.evaluate("document.fonts.ready.then(() => true)")
    used = sorted(page.evaluate(USED))
    assert used == ["400 italic loaded", "400 normal loaded", "600 normal loaded"]
    expect(page.locator("html:not([data-unpacking]) body")).to_be_visible()
    assert any("fonts/mark-" in url for url in asked)
    assert not any("fonts/text-" in url for url in asked)
