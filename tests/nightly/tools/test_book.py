"""Test the book as a PDF file, by reading the text, links and bookmarks of the printed pages."""

import os
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

from tools import book

ROOT, SITE = book.ROOT, book.SITE
FEW = ["index", "chapters/00-start-here", "chapters/07-skipping-positions"]
PRINT = "import sys; from pathlib import Path; from tools import pdf\n" + (
    "pdf.make_book(sys.argv[2:], Path(sys.argv[1]))"
)
NOT_ON_PAPER = "a.headerlink, button, noscript, style, script, details.hide, .om-warmup"


def run_print(output: Path, *pages: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Print pages in a separate process, because another test may use Playwright in this one."""
    command = [sys.executable, "-c", PRINT, str(output), *pages]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | env
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def pdf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("book") / "book.pdf"
    done = run_print(output, *FEW)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="module")
def pdf(pdf_file: Path) -> PdfReader:
    return PdfReader(pdf_file)


def normalise_text(text: str) -> str:
    """Return a text with ligatures as separate letters, and with single spaces as white space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@cache
def article(name: str) -> Tag:
    """Return the article of a page on the site, without the parts that are not printed."""
    soup = BeautifulSoup((SITE / f"{name}.html").read_text("utf-8"), "html.parser")
    for tag in soup.select(NOT_ON_PAPER):
        tag.decompose()
    found = soup.select_one("article.om-article")
    assert found
    return found


def find_folded_part(name: str) -> Tag:
    """Return the folded part at the beginning of a chapter's page."""
    soup = BeautifulSoup((SITE / f"{name}.html").read_text("utf-8"), "html.parser")
    found = soup.select_one("details.om-before")
    assert found
    return found


def test_contents_bookmarks_and_headings_agree(pdf: PdfReader) -> None:
    texts = [normalise_text(page.extract_text()) for page in pdf.pages]
    front, *chapters = (entry for entry in pdf.outline if not isinstance(entry, list))
    below = [entry for entry in pdf.outline if isinstance(entry, list)]
    titles = [article(name).select_one("h1").get_text() for name in FEW]
    assert [front.title, *(normalise_text(c.title) for c in chapters)] == ["Contents", *titles]
    for name, entry, within in zip(FEW, chapters, below, strict=True):
        wanted = [normalise_text(h2.get_text()) for h2 in article(name).select("h2")]
        wanted += ["Answers"] * (name != "index")
        assert [normalise_text(e.title) for e in within if not isinstance(e, list)] == wanted
        page = pdf.get_destination_page_number(entry)
        assert f"{entry.title} {page + 1}" in texts[1]
        # after the page header, the chapter begins at the top of the page
        assert texts[page].startswith(f"{entry.title} {page + 1} {entry.title}")


def test_an_answer_stands_on_the_page_that_its_question_names(pdf: PdfReader) -> None:
    count = 0
    for page in pdf.pages:
        notes = [note.get_object() for note in page.get("/Annots", [])]
        places = [pdf.named_destinations[note["/Dest"]] for note in notes if "/Dest" in note]
        answers = [place for place in places if "-answer-" in place.title]
        named = re.findall(r"Answer: page (\d+)", normalise_text(page.extract_text()))
        assert [int(n) - 1 for n in named] == [*map(pdf.get_destination_page_number, answers)]
        count += len(named)
    hidden = [article(name).select("details:not(.om-fold), form.om-quiz") for name in FEW]
    assert count == sum(map(len, hidden)) > 10


def test_what_chapters_say_is_printed_and_what_buttons_say_is_not(pdf: PdfReader) -> None:
    whole = re.sub(r"\s", "", normalise_text("".join(page.extract_text() for page in pdf.pages)))
    for button in ("CheckHint", "Othernumbers", "Skiptomaincontent", "Searchthecourse"):
        assert button not in whole
    hints = article("index").select(".om-scene figcaption > span")
    assert hints and not [
        h for h in hints if re.sub(r"\s", "", normalise_text(h.get_text())) in whole
    ]
    for name in FEW:
        said = article(name).select(".om-caption, .om-figure figcaption, .om-equation > a")
        lines = [tag.get_text() for tag in said]
        for block in article(name).select("pre:not(details.hide pre)"):
            lines += block.get_text().splitlines()
        for line in lines:
            assert re.sub(r"\s", "", normalise_text(line)) in whole, line


def test_a_chapter_begins_with_its_goal_and_what_its_reader_needs(pdf: PdfReader) -> None:
    """Check that the PDF has what the site folds, but not how to run a chapter."""
    whole = normalise_text(" ".join(page.extract_text() for page in pdf.pages))
    for name in FEW[1:]:
        goal = normalise_text(article(name).select_one("p").get_text())
        needs = normalise_text(find_folded_part(name).select_one("p").get_text())
        assert needs.startswith("You need")
        assert f"{goal} {needs}" in whole
    assert "Run this chapter" not in whole and "This code shows the explorer above" not in whole


def test_nothing_stands_in_the_margins(pdf_file: Path) -> None:
    with pypdfium2.PdfDocument(pdf_file) as document:
        for number, page in enumerate(document, start=1):
            assert [round(length / 72 * 25.4) for length in page.get_size()] == [210, 297]  # A4
            picture = page.render(scale=0.5, grayscale=True).to_numpy()
            edge = int(picture.shape[1] * 23 / 210)
            assert np.all(picture[:, :edge] == 255) and np.all(picture[:, -edge:] == 255), number
            assert picture.min() < 128, f"page {number} is empty"


def test_figures_have_their_alternative_in_the_pdf(pdf: PdfReader) -> None:
    found, waiting = set(), [pdf.root_object["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop().get_object()
        if isinstance(node, dict):
            found.add(normalise_text(str(node.get("/Alt", ""))))
            waiting += [node["/K"]] if "/K" in node else []
        elif isinstance(node, list):
            waiting += node
    figures = [figure for name in FEW for figure in article(name).select("svg[role]")]
    assert figures and {normalise_text(str(figure["aria-label"])) for figure in figures} <= found
