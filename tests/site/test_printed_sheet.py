"""Test that the summary of the course prints on one sheet of paper, and that nothing is cut off.

Its numbers come from the library, which computes them while the page is built, and from the data
files, whose values were checked with mpmath when they were written.
"""

import io
import math
import re
from collections.abc import Iterator

import pypdfium2
import pytest
from built import Open
from playwright.sync_api import Browser
from pypdf import PdfReader

from _ext.onepage import PAGE, SHEETS
from tools import book
from tools.pdf import print_page

MILLIMETRES = {"a4": (210, 297), "letter": (215.9, 279.4)}
TOO_WIDE = """() => [...document.querySelectorAll("#one-page section, #one-page section *")]
  .filter((box) => !box.closest(".katex, svg") && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => getComputedStyle(box).display !== "inline")
  .map((box) => box.outerHTML.slice(0, 80))"""


def remove_spaces(said: str) -> str:
    """Return a text without white space, because PDF files differ in the spaces in formulas."""
    return re.sub(r"[\s\u200b]", "", said)


LETTER = pytest.param("letter", marks=pytest.mark.nightly)


@pytest.fixture(scope="module", params=["a4", LETTER])
def sheet(request: pytest.FixtureRequest, browser: Browser, server: str) -> tuple[str, bytes]:
    paper = request.param
    return paper, print_page(browser, f"{server}{PAGE}.html", format=paper, tagged=True)


def sizes(pdf: bytes) -> Iterator[tuple[float, str]]:
    """For each text on the first page of a PDF file, yield its font size in points and the text."""
    found = []

    def visit(text: str, matrix: list[float], own: list[float], font: object, size: float) -> None:
        scale = math.prod(m[0] * m[3] - m[1] * m[2] for m in (matrix, own))
        found.append((size * math.sqrt(abs(scale)), text))

    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_text=visit)
    return (pair for pair in found if pair[1].strip())


def test_the_page_prints_as_one_sheet_that_can_be_read(sheet: tuple[str, bytes]) -> None:
    paper, pdf = sheet
    pages = pypdfium2.PdfDocument(pdf)
    assert len(pages) == 1
    found = [points / 72 * 25.4 for points in pages[0].get_size()]
    assert found == pytest.approx(MILLIMETRES[paper], abs=0.5)
    grey = pages[0].render(scale=1, grayscale=True).to_numpy().squeeze()
    edge = 14  # in points (5 mm); printers leave this margin white
    for side in (grey[:edge], grey[-edge:], grey[:, :edge], grey[:, -edge:]):
        assert side.min() == 255
    # An arrow may come from a font of the system, which is scaled to the width of our letters.
    words = [(size, text) for size, text in sizes(pdf) if text.strip() != "→"]
    assert [(size, text) for size, text in words if size < 6.5] == []


@pytest.mark.parametrize("name", ["a4", LETTER])
def test_nothing_is_wider_than_its_column(open_page: Open, name: str) -> None:
    page = open_page(f"{PAGE}.html")
    page.emulate_media(media="print")
    wide, tall = (round((side - 13) / 25.4 * 96) for side in MILLIMETRES[name])
    page.set_viewport_size({"width": wide, "height": tall})
    assert page.evaluate(TOO_WIDE) == []


def test_the_files_to_download_say_what_the_page_says(sheet: tuple[str, bytes]) -> None:
    paper, pdf = sheet
    kept = (book.SITE / "_static" / "one-page" / f"order-matters-{paper}.pdf").read_bytes()
    assert kept == (book.ROOT / SHEETS / f"order-matters-{paper}.pdf").read_bytes()
    (old,), (new,) = (PdfReader(io.BytesIO(file)).pages for file in (kept, pdf))
    assert remove_spaces(old.extract_text()) == remove_spaces(new.extract_text()), (
        "run: python -m tools.sheet"
    )


def test_a_button_prints_the_page(open_page: Open) -> None:
    page = open_page(f"{PAGE}.html")
    page.evaluate("() => { window.print = () => { document.title = 'printed'; }; }")
    page.get_by_role("button", name="Print this page").click()
    page.wait_for_function("document.title === 'printed'")
