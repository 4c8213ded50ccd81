"""Test that a page fits a screen of 320 pixels if the reader doubles the size of text."""

import pytest
from built import CHAPTERS, Open

# Ignore formulas on lines of their own, code and tables, because these scroll, which hides nothing.
TOO_WIDE = """() => {
  const SCROLLS = new Set(["auto", "scroll", "hidden", "clip"]);
  const isInScrollingBox = (e) => {
    for (let box = e.parentElement; box !== document.body; box = box.parentElement)
      if (SCROLLS.has(getComputedStyle(box).overflowX)) return true;
    return false;
  };
  return [...document.querySelectorAll("header *, main *")]
    .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1)
    .filter((e) => !e.closest("div.math, .katex-mathml, pre, table, svg") && !isInScrollingBox(e))
    .map((e) => `${e.localName}.${e.className}: ${e.textContent.slice(0, 40)}`).slice(0, 3);
}"""
OVERLAPPING = """() => {
  const boxes = [...document.querySelectorAll(".om-top > :is(a, button)")]
    .map((e) => e.getBoundingClientRect()).filter((box) => box.width);
  return boxes.some((box, n) => n && box.left < boxes[n - 1].right - 1);
}"""
PAGES = [page for page in CHAPTERS if "appendix" not in page and "library-" not in page]


@pytest.mark.parametrize("path", PAGES)
def test_large_text_fits_a_narrow_screen(open_page: Open, path: str) -> None:
    page = open_page(path, viewport={"width": 320, "height": 640})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.wait_for_timeout(200)
    assert page.evaluate(TOO_WIDE) == []
    assert not page.evaluate(OVERLAPPING), "two parts of the bar lie over each other"
