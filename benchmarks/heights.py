"""Fit what the parts of a section take in height to the built site, for _ext/writer/heights.py.

.venv/bin/python benchmarks/heights.py    prints the table, and how far off the sum is
"""

import re
import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from _ext.writer.heights import parts  # noqa: E402
from tools.browser import launched  # noqa: E402

ALL = """() => [...document.querySelectorAll("article > section section")].map((section) => {
  section.style.contentVisibility = "visible";
  return section.id;
})"""
TALL = "(ids) => ids.map((id) => document.getElementById(id).getBoundingClientRect().height)"
EDGE = re.compile(r"<section\b|</section>")


def slices(html: str, ids: list[str]) -> list[str]:
    """The HTML of each of these sections."""
    found = []
    for name in ids:
        start = html.rindex("<section", 0, html.index(f'id="{name}"'))
        depth = 0
        for edge in EDGE.finditer(html, start):
            depth += 1 if edge[0] == "<section" else -1
            if not depth:
                found.append(html[start : edge.end()])
                break
    return found


def main() -> None:
    held, tall = [], []
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for path in sorted((ROOT / "_build" / "site" / "chapters").glob("*.html")):
            looks = []
            for width in (1280, 390):
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(path.as_uri())
                ids = page.evaluate(ALL)
                page.wait_for_timeout(300)
                looks.append(page.evaluate(TALL, ids))
                page.close()
            held += [list(parts(html).values()) for html in slices(path.read_text("utf-8"), ids)]
            tall += list(zip(*looks, strict=True))
        browser.close()
    matrix, heights = np.array(held, float), np.array(tall)
    fitted = []
    for column in heights.T:
        weight = 1 / np.sqrt(column + 200)
        fitted.append(np.linalg.lstsq(matrix * weight[:, None], column * weight, rcond=None)[0])
    for name, wide, phone in zip(parts(""), *fitted, strict=True):
        print(f'    "{name}": ({wide:.3g}, {phone:.3g}),')
    ratio = matrix @ np.transpose(fitted) / heights
    print(
        "told over true, 5 %, median, 95 %:", np.percentile(ratio, [5, 50, 95], axis=0).T.round(2)
    )


if __name__ == "__main__":
    main()
