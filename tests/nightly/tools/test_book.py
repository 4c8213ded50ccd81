"""The book as PDF and as EPUB, read back."""

import os
import posixpath
import re
import subprocess
import sys
import unicodedata
import zipfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

from tools import book, epub

ROOT, SITE = book.ROOT, book.SITE
FEW = ["index", "chapters/00-start-here", "chapters/07-skipping-positions"]
PRINT = "import sys; from pathlib import Path; from tools import book, pdf\n" + (
    "pdf.make(sys.argv[2:], book.SITE, Path(sys.argv[1]))"
)
XHTML = "{http://www.w3.org/1999/xhtml}"
MATH = "{http://www.w3.org/1998/Math/MathML}math"
NOT_ON_PAPER = "a.headerlink, button, noscript, style, script, details.hide, .om-warmup"


def run_print(output: Path, *pages: str, **env: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: another test's Playwright may be at work in this one."""
    command = [sys.executable, "-c", PRINT, str(output), *pages]
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | env
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def pdf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("book") / "book.pdf"
    done = run_print(output, *FEW)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="module")
def pdf(pdf_file: Path) -> PdfReader:
    return PdfReader(pdf_file)


def plain(text: str) -> str:
    """Ligatures as letters, white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@cache
def article(name: str) -> Tag:
    """What the site's page says, without what is not for paper."""
    soup = BeautifulSoup((SITE / f"{name}.html").read_text("utf-8"), "html.parser")
    for tag in soup.select(NOT_ON_PAPER):
        tag.decompose()
    found = soup.select_one("article.om-article")
    assert found
    return found


def test_contents_bookmarks_and_headings_agree(pdf: PdfReader) -> None:
    texts = [plain(page.extract_text()) for page in pdf.pages]
    front, *chapters = (entry for entry in pdf.outline if not isinstance(entry, list))
    below = [entry for entry in pdf.outline if isinstance(entry, list)]
    titles = [article(name).select_one("h1").get_text() for name in FEW]
    assert [front.title, *(plain(c.title) for c in chapters)] == ["Contents", *titles]
    for name, entry, within in zip(FEW, chapters, below, strict=True):
        wanted = [plain(h2.get_text()) for h2 in article(name).select("h2")]
        wanted += ["Answers"] * (name != "index")
        assert [plain(e.title) for e in within if not isinstance(e, list)] == wanted
        page = pdf.get_destination_page_number(entry)
        assert f"{entry.title} {page + 1}" in texts[1]
        # header, number, and then the chapter: it begins at the top of the page
        assert texts[page].startswith(f"{entry.title} {page + 1} {entry.title}")


def test_an_answer_stands_on_the_page_that_its_question_names(pdf: PdfReader) -> None:
    count = 0
    for page in pdf.pages:
        notes = [note.get_object() for note in page.get("/Annots", [])]
        places = [pdf.named_destinations[note["/Dest"]] for note in notes if "/Dest" in note]
        answers = [place for place in places if "-answer-" in place.title]
        named = re.findall(r"Answer: page (\d+)", plain(page.extract_text()))
        assert [int(n) - 1 for n in named] == [*map(pdf.get_destination_page_number, answers)]
        count += len(named)
    hidden = [article(name).select("details:not(.om-fold), form.om-quiz") for name in FEW]
    assert count == sum(map(len, hidden)) > 10


def test_what_chapters_say_is_printed_and_what_buttons_say_is_not(pdf: PdfReader) -> None:
    whole = re.sub(r"\s", "", plain("".join(page.extract_text() for page in pdf.pages)))
    for button in ("CheckHint", "Othernumbers", "Skiptomaincontent", "Searchthecourse"):
        assert button not in whole
    for name in FEW:
        said = article(name).select(".om-caption, figcaption, .om-equation > a")
        lines = [tag.get_text() for tag in said]
        for block in article(name).select("pre:not(details.hide pre)"):
            lines += block.get_text().splitlines()
        for line in lines:
            assert re.sub(r"\s", "", plain(line)) in whole, line


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
            found.add(plain(str(node.get("/Alt", ""))))
            waiting += [node["/K"]] if "/K" in node else []
        elif isinstance(node, list):
            waiting += node
    figures = [figure for name in FEW for figure in article(name).select("svg[role]")]
    assert figures and {plain(str(figure["aria-label"])) for figure in figures} <= found


@pytest.fixture(scope="module")
def ebook(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    output = tmp_path_factory.mktemp("book") / "book.epub"
    epub.make(book.names(), SITE, output)
    return zipfile.ZipFile(output)


@pytest.fixture(scope="module")
def pages(ebook: zipfile.ZipFile) -> dict[str, ElementTree.Element]:
    """Every XHTML page; parsing fails where one is not well-formed."""
    names = (name for name in ebook.namelist() if name.endswith(".xhtml"))
    return {name: ElementTree.fromstring(ebook.read(name)) for name in names}


def test_the_ebook_begins_with_its_type_and_its_links_resolve(
    ebook: zipfile.ZipFile, pages: dict[str, ElementTree.Element]
) -> None:
    first = ebook.infolist()[0]
    assert first.filename == "mimetype" and first.compress_type == zipfile.ZIP_STORED
    assert ebook.read(first) == b"application/epub+zip" and not first.extra
    ids = {name: [tag.attrib["id"] for tag in page.iter() if "id" in tag.attrib]
           for name, page in pages.items()}  # fmt: skip
    for name, page in pages.items():
        assert len(set(ids[name])) == len(ids[name])
        for tag in page.iter():
            for address in filter(None, (tag.get("href"), tag.get("src"))):
                parts = urlsplit(address)
                if parts.scheme:
                    assert tag.tag == f"{XHTML}a" and parts.scheme == "https", address
                    continue
                target = posixpath.join("book", parts.path) if parts.path else name
                assert target in ebook.namelist(), address
                assert not parts.fragment or parts.fragment in ids[target], address


@pytest.mark.parametrize("name", book.names())
def test_formulas_figures_and_code_are_in_the_ebook_and_need_no_script(
    name: str, pages: dict[str, ElementTree.Element]
) -> None:
    made, from_site = pages[f"book/{name.replace('/', '-')}.xhtml"], article(name)
    tags = {tag.tag.removeprefix(XHTML) for tag in made.iter()}
    assert not tags & {"script", "style", "form", "input", "button", "details", "iframe"}
    assert not tags & {"mrow", "mtext", "mtd"}, "outside of a formula they are no XHTML"
    formulas = list(made.iter(MATH))
    assert len(formulas) == len(from_site.select(".katex"))
    assert all(formula.attrib["alttext"].strip() for formula in formulas)
    shown = from_site.select(":not(.om-scene *):is(svg[role=img], img)")
    pictures = [str(picture.get("aria-label") or picture["alt"]) for picture in shown]
    assert [image.attrib["alt"] for image in made.iter(f"{XHTML}img")] == pictures
    code = ["".join(pre.itertext()) for pre in made.iter(f"{XHTML}pre")]
    assert sorted(code) == sorted(pre.get_text() for pre in from_site.select("pre"))
    said = "".join(made.itertext())
    for answer in from_site.select("details p"):
        assert answer.select(".katex, code") or answer.get_text() in said
