"""Test that a page whose fonts load late shows all of its text in them, and does not move."""

import time

from built import EXPLORED, Open
from playwright.sync_api import Route

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


def test_fonts_that_load_late_are_used_and_move_nothing(open_page: Open) -> None:
    page = open_page("index.html")  # opens the browser's window before fonts are delayed
    page.route("**/*.woff2", delay)
    page.goto(page.url.replace("index.html", EXPLORED))
    page.evaluate("document.fonts.ready.then(() => true)")
    assert sorted(page.evaluate(USED)) == [
        "400 italic loaded",
        "400 normal loaded",
        "600 normal loaded",
    ]
    assert page.evaluate(SHIFT) < 0.02
