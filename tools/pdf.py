"""Print the built site as one book: _build/order-matters.pdf.

python -m tools.pdf

Chromium lays the pages out and makes tags and links; pypdf reads off on which page each
thing came to stand, for a second print with these numbers in it.
"""

import io
import json
import logging
import tempfile
import time
from html import escape
from pathlib import Path

from bs4 import Tag
from playwright.sync_api import Browser, Error, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import IndirectObject, NameObject, create_string_object

from tools import book
from tools.browser import launched

OUTPUT = book.ROOT / "_build" / "order-matters.pdf"
STYLE = Path(__file__).with_name("pdf.css")
Numbers = dict[str, int]  # on which page an id came to stand


def document(chapters: list[Tag], site: Path, numbers: Numbers) -> str:
    """The whole book as one page of HTML, with the page numbers that are known."""
    style = next((site / "_static").glob("site.*.css"))
    rules, pages = "", ""
    for chapter in chapters:
        name, title = chapter["data-name"], json.dumps(book.heading(chapter))
        rules += f"#{name}{{page:{name}}}@page {name}{{@top-left{{content:{title}}}}}"
        for link in chapter.select("a.om-to-page"):
            link.string = f"Answer: page {number(numbers, str(link['href'])[1:])}"
        pages += f'<article class="om-article" id="{name}">{chapter.decode()}</article>'
    return (
        f'<!DOCTYPE html><html lang="{book.LANGUAGE}" data-theme="light"><head>'
        f'<meta charset="utf-8"><title>{book.TITLE}</title>'
        f'<link rel="stylesheet" href="{style.resolve().as_uri()}">'
        f"<style>{STYLE.read_text('utf-8')}{rules}</style></head><body>"
        f"{cover()}<main>{contents(chapters, numbers)}{pages}</main></body></html>"
    )


def number(numbers: Numbers, identity: str) -> str:
    return str(numbers.get(identity, "000"))


def cover() -> str:
    version, made = book.edition()
    return (
        f'<header class="om-cover">{book.cover_art()}<p class="om-title">{book.TITLE}</p>'
        f"<p>{book.SUBTITLE}</p><p>{book.AUTHOR}</p>"
        f"<p>Version {version}, {book.day(made)}</p><p>{book.NOTE}</p></header>"
    )


def contents(chapters: list[Tag], numbers: Numbers) -> str:
    """The table of contents: a line a chapter, under it its sections."""

    def entry(section: Tag) -> str:
        page = f'<span class="om-page">{number(numbers, str(section["id"]))}</span>'
        return f'<a href="#{section["id"]}">{escape(book.heading(section))} {page}</a>'

    items = [
        f"<li>{entry(chapter)}<p>"
        + " · ".join(map(entry, chapter.find_all("section", recursive=False)))
        + "</p></li>"
        for chapter in chapters
    ]
    return (
        '<article class="om-article om-list"><h1>Contents</h1>'
        f"<nav><ol>{''.join(items)}</ol></nav></article>"
    )


def printed(browser: Browser, html: Path, *, draft: bool) -> bytes:
    """The PDF of this file; a draft lacks tags, which take time."""
    page = browser.new_page()
    page.goto(html.as_uri())
    # what is far down the page asks for its fonts only as it is printed, which is too late
    page.evaluate(
        "Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => 0)"
    )
    pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=not draft)
    page.close()
    return pdf


def places(pdf: bytes) -> Numbers:
    """The page of each thing that something links to."""
    reader = PdfReader(io.BytesIO(pdf))
    found = reader.named_destinations
    return {
        name.removeprefix("/"): reader.get_destination_page_number(place) + 1
        for name, place in found.items()
    }


def described(pdf: bytes, chapters: list[Tag]) -> PdfWriter:
    """The same with metadata, and with a bookmark for each chapter and its sections.

    Chromium's own bookmarks join the lines of a long heading without the space between them.
    """
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns that a clone has more objects
    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    version, made = book.edition()
    stamp = f"D:{made:%Y%m%d%H%M%S}Z"
    writer.add_metadata(
        {
            "/Title": f"{book.TITLE}: {book.SUBTITLE}",
            "/Author": book.AUTHOR,
            "/Subject": f"Version {version}",
            "/CreationDate": stamp,
            "/ModDate": stamp,
        }
    )
    writer._root_object[NameObject("/Lang")] = create_string_object(book.LANGUAGE)
    numbers = places(pdf)

    def mark(section: Tag, parent: IndirectObject | None = None) -> IndirectObject:
        page = numbers[str(section["id"])] - 1
        return writer.add_outline_item(book.heading(section), page, parent)

    writer.add_outline_item("Contents", 1)
    for chapter in chapters:
        above = mark(chapter)
        for section in chapter.find_all("section", recursive=False):
            mark(section, above)
    return writer


def make(wanted: list[str], site: Path, output: Path) -> int:
    """Write these pages of the site as a book; returns how many pages it has."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        try:
            browser = launched(playwright)
        except Error:
            raise SystemExit(
                "No Chromium starts here, and it is what prints the book. Install one with:"
                " python tools/browser.py"
            ) from None
        print("The book is laid out three or four times, some two minutes each.", flush=True)
        chapters = book.load(wanted, site)
        pdf = numbered(chapters, site, Path(name, "book.html"), browser)
        browser.close()
    writer = described(pdf, chapters)
    output.parent.mkdir(exist_ok=True)
    writer.write(output)
    return len(writer.pages)


def numbered(chapters: list[Tag], site: Path, html: Path, browser: Browser) -> bytes:
    """The PDF with page numbers in it: printed until they are those of the print before."""
    numbers = Numbers()
    for attempt in range(5):  # two will do, or three if a number took another line
        what = "with the page numbers found" if attempt else "to find the page numbers"
        print(f"Print {attempt + 1}, {what} … ", end="", flush=True)
        start = time.perf_counter()
        html.write_text(document(chapters, site, numbers), "utf-8")
        pdf = printed(browser, html, draft=attempt == 0)
        before, numbers = numbers, places(pdf)
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
        if numbers == before:
            return pdf
    raise SystemExit("The page numbers move what they count: give them a fixed width in pdf.css")


def main() -> None:
    count = make(book.names(), book.SITE, OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"The book is in {OUTPUT.relative_to(book.ROOT)}: {count} pages, {size:.1f} MB")


if __name__ == "__main__":
    main()
