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
from pypdf.generic import Destination

from tools import book, epub

ROOT, SITE = book.ROOT, book.SITE
FEW = ["index", "chapters/00-start-here", "chapters/07-skipping-positions"]
PRINT = "import sys; from pathlib import Path; from tools import book, pdf\n" + (
    "pdf.make(sys.argv[2:], book.SITE, Path(sys.argv[1]))"
)
XHTML = "{http://www.w3.org/1999/xhtml}"
MATH = "{http://www.w3.org/1998/Math/MathML}math"
OPF = "{http://www.idpf.org/2007/opf}"
NOT_ON_PAPER = "a.headerlink, button, noscript, style, script, details.hide, .om-warmup"


@pytest.fixture(scope="module", autouse=True)
def site() -> None:
    if not (SITE / "index.html").is_file():
        pytest.fail("There is no site in _build/site. Build it first: make site", pytrace=False)


def run_print(output: Path, *pages: str, **env: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: another test's Playwright may be at work in this one."""
    command = [sys.executable, "-c", PRINT, str(output), *pages]
    paths = {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | paths | env, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def pdf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("book") / "book.pdf"
    done = run_print(output, *FEW)
    assert done.returncode == 0, done.stderr
    assert "Laying out" in done.stdout and "Printing with page numbers" in done.stdout
    return output


@pytest.fixture(scope="module")
def pdf(pdf_file: Path) -> PdfReader:
    return PdfReader(pdf_file)


@pytest.fixture(scope="module")
def texts(pdf: PdfReader) -> list[str]:
    return [plain(page.extract_text()) for page in pdf.pages]


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


def bookmarks(pdf: PdfReader) -> dict[str, list[str]]:
    """The chapters in the outline, each with the titles of the level below."""
    found: dict[str, list[str]] = {}
    for entry in pdf.outline:
        if isinstance(entry, list):
            found[next(reversed(found))] = [
                plain(e.title) for e in entry if not isinstance(e, list)
            ]
        else:
            found[plain(entry.title)] = []
    return found


def links(pdf: PdfReader) -> list[list[Destination | str]]:
    """Of each page, where its links lead: into the book or to an address."""
    inside = pdf.named_destinations
    found: list[list[Destination | str]] = []
    for page in pdf.pages:
        found.append([])
        for note in (a.get_object() for a in page.get("/Annots", [])):
            if "/Dest" in note:
                found[-1].append(inside[note["/Dest"]])
            else:
                found[-1].append(note["/A"]["/URI"])
    return found


def test_every_heading_is_a_bookmark(pdf: PdfReader) -> None:
    marks = bookmarks(pdf)
    titles = [article(name).select_one("h1").get_text() for name in FEW]
    assert list(marks) == ["Contents", *titles]
    for name, title in zip(FEW, titles, strict=True):
        wanted = [plain(h2.get_text()) for h2 in article(name).select("h2")]
        assert marks[title] == wanted + ["Answers"] * (name != "index")


def test_the_contents_name_the_page_of_each_chapter(pdf: PdfReader, texts: list[str]) -> None:
    chapters = [entry for entry in pdf.outline if not isinstance(entry, list)][1:]
    pages = [pdf.get_destination_page_number(entry) for entry in chapters]
    assert pages == sorted(set(pages))
    for entry, page in zip(chapters, pages, strict=True):
        assert f"{entry.title} {page + 1}" in texts[1]
        # header, number, and then the chapter: it begins at the top of the page
        assert texts[page].startswith(f"{entry.title} {page + 1} {entry.title}")


def test_an_answer_stands_on_the_page_that_its_question_names(
    pdf: PdfReader, texts: list[str]
) -> None:
    count = 0
    for text, page in zip(texts, links(pdf), strict=True):
        named = [int(number) for number in re.findall(r"Answer: page (\d+)", text)]
        answers = [w for w in page if isinstance(w, Destination) and "-answer-" in w.title]
        assert named == [pdf.get_destination_page_number(where) + 1 for where in answers]
        count += len(named)
    hidden = [article(name).select("details, form.om-quiz") for name in FEW]
    assert count == sum(map(len, hidden)) > 10


def test_what_chapters_say_is_printed_and_what_buttons_say_is_not(
    pdf: PdfReader, texts: list[str]
) -> None:
    whole = re.sub(r"\s", "", "".join(texts))
    for button in (
        "CheckHint",
        "Othernumbers",
        "Skiptomaincontent",
        "Searchthecourse",
        "JavaScript",
    ):
        assert button not in whole
    for name in FEW:
        for block in article(name).select("pre:not(details.hide pre)"):
            for line in block.get_text().splitlines():
                assert re.sub(r"\s", "", plain(line)) in whole, line
        for caption in article(name).select(".om-caption, figcaption"):
            assert re.sub(r"\s", "", plain(caption.get_text())) in whole
        for number in article(name).select(".om-equation > a"):
            assert plain(number.get_text()) in whole
    fonts = {
        str(font.get_object().get("/BaseFont", ""))
        for page in pdf.pages
        for font in page["/Resources"].get("/Font", {}).values()
    }
    assert any("KaTeX_Math" in font for font in fonts)


def test_nothing_stands_in_the_margins(pdf_file: Path) -> None:
    with pypdfium2.PdfDocument(pdf_file) as document:
        for number, page in enumerate(document, start=1):
            assert [round(length / 72 * 25.4) for length in page.get_size()] == [210, 297]  # A4
            picture = page.render(scale=0.5, grayscale=True).to_numpy()
            edge = int(picture.shape[1] * 23 / 210)
            assert np.all(picture[:, :edge] == 255) and np.all(picture[:, -edge:] == 255), number
            assert picture.min() < 128, f"page {number} is empty"


def test_the_pdf_says_what_it_is(pdf: PdfReader) -> None:
    assert pdf.metadata.title.startswith("Order Matters")
    assert pdf.metadata.author == "The Order Matters authors"
    assert pdf.metadata.creation_date == book.edition()[1]
    assert pdf.root_object["/Lang"] == "en"
    assert pdf.root_object["/MarkInfo"]["/Marked"]  # tagged


def test_the_figures_have_their_alternative_in_the_pdf(pdf: PdfReader) -> None:
    found, waiting = set(), [pdf.root_object["/StructTreeRoot"]]
    while waiting:
        node = waiting.pop().get_object()
        if isinstance(node, dict):
            found.add(plain(str(node.get("/Alt", ""))))
            waiting += [node["/K"]] if "/K" in node else []
        elif isinstance(node, list):
            waiting += node
    wanted = {
        plain(str(p["aria-label"])) for name in FEW for p in article(name).select("svg[role]")
    }
    assert wanted and wanted <= found


def test_without_chromium_one_is_told_what_to_do(tmp_path: Path) -> None:
    done = run_print(
        tmp_path / "book.pdf", "index", PATH="", PLAYWRIGHT_BROWSERS_PATH=str(tmp_path)
    )
    assert done.returncode == 1
    assert done.stderr.startswith("No Chromium starts here")
    assert "python tools/browser.py" in done.stderr
    assert not list(tmp_path.iterdir())


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


def test_the_ebook_begins_with_its_type(ebook: zipfile.ZipFile) -> None:
    first = ebook.infolist()[0]
    assert first.filename == "mimetype" and first.compress_type == zipfile.ZIP_STORED
    assert ebook.read(first) == b"application/epub+zip" and not first.extra


def test_links_of_the_ebook_resolve(
    ebook: zipfile.ZipFile, pages: dict[str, ElementTree.Element]
) -> None:
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


def test_pages_of_the_ebook_need_no_script_and_no_eyes(
    pages: dict[str, ElementTree.Element],
) -> None:
    for name, page in pages.items():
        tags = {tag.tag.removeprefix(XHTML) for tag in page.iter()}
        assert not tags & {"script", "style", "form", "input", "button", "details", "iframe"}, name
        for image in page.iter(f"{XHTML}img"):
            assert image.attrib["alt"].strip()
        assert not tags & {"mrow", "mtext", "mtd"}, "outside of a formula they are no XHTML"
        for formula in page.iter(MATH):
            assert formula.attrib["alttext"].strip()
            tables = formula.iter(MATH.removesuffix("math") + "mtable")
            assert not [t for t in tables if "width" in t.attrib], "MathML Core knows no such"


@pytest.mark.parametrize("name", book.names())
def test_formulas_figures_and_code_are_in_the_ebook(
    name: str, pages: dict[str, ElementTree.Element]
) -> None:
    made, from_site = pages[f"book/{name.replace('/', '-')}.xhtml"], article(name)
    assert len(list(made.iter(MATH))) == len(from_site.select(".katex"))
    shown = from_site.select("svg[role=img], img")
    pictures = [str(picture.get("aria-label") or picture["alt"]) for picture in shown]
    assert [image.attrib["alt"] for image in made.iter(f"{XHTML}img")] == pictures
    code = ["".join(pre.itertext()) for pre in made.iter(f"{XHTML}pre")]
    assert sorted(code) == sorted(pre.get_text() for pre in from_site.select("pre"))
    said = "".join(made.itertext())
    for answer in from_site.select("details p"):
        if not answer.select(".katex, code"):
            assert answer.get_text() in said
