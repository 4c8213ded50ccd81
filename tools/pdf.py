"""Print the built site as a single book: _build/order-matters.pdf.

python -m tools.pdf

Chromium lays out the pages and creates tags and links. pypdf reads the page number of each section,
and the book is printed again with these numbers in its table of contents.
"""

import io
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

from bs4 import Tag
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.colors import to_hex
from playwright.sync_api import Browser, sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import IndirectObject, NameObject, create_string_object

from pe_lib import __version__, encode
from pe_lib._console import keep_output_printable
from pe_lib.course.figures import encoding_colours
from tools import book
from tools.browser import launch

OUTPUT = book.ROOT / "_build" / "order-matters.pdf"
STYLE = Path(__file__).resolve().with_name("pdf.css")
PAGES = Environment(
    loader=FileSystemLoader(STYLE.parent), autoescape=True, undefined=StrictUndefined
)
# pypdf warns if a cloned file has many objects, which does no harm
logging.getLogger("pypdf").setLevel(logging.ERROR)
Numbers = dict[str, int]  # maps each id to its page number


def render_book(chapters: list[Tag], numbers: Numbers) -> str:
    """Return the whole book as a single HTML page, with the page numbers that are known so far."""
    for chapter in chapters:
        for link in chapter.select("a.om-to-page"):
            link.string = f"Answer: page {numbers.get(str(link['href'])[1:], '000')}"
    return PAGES.get_template("pdf.html").render(
        book=book,
        version=__version__,
        styles=[*(book.SITE / "_static").glob("site.*.css"), STYLE],
        colours=encoding_colours(encode(range(64), 48)),
        to_hex=to_hex,
        chapters=chapters,
        numbers=numbers,
    )


def print_page(browser: Browser, address: str, **options: Any) -> bytes:
    """Return the web page at this address as a PDF file."""
    page = browser.new_page()
    page.goto(address)
    # Chromium loads fonts for the lower part of a page only while it prints, which is too late
    page.evaluate(
        "Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => 0)"
    )
    pdf = page.pdf(print_background=True, **options)
    page.close()
    return pdf


def find_pages(pdf: bytes) -> Numbers:
    """Return the page number in the PDF for each id to which a link points."""
    reader = PdfReader(io.BytesIO(pdf))
    pages = {
        name.removeprefix("/"): reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }
    return {name: page + 1 for name, page in pages.items() if page is not None}


def add_metadata(pdf: bytes, chapters: list[Tag]) -> PdfWriter:
    """Return the PDF with metadata, and with bookmarks for each chapter and its sections.

    Chromium's own bookmarks omit the space where a long heading is broken into lines.
    """
    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    stamp = f"D:{book.commit_time():%Y%m%d%H%M%S}Z"
    writer.add_metadata(
        {
            "/Title": f"{book.TITLE}: {book.SUBTITLE}",
            "/Author": book.AUTHOR,
            "/Subject": f"Version {__version__}",
            "/CreationDate": stamp,
            "/ModDate": stamp,
        }
    )
    writer._root_object[NameObject("/Lang")] = create_string_object(book.LANGUAGE)
    numbers = find_pages(pdf)

    def add_bookmark(section: Tag, parent: IndirectObject | None = None) -> IndirectObject:
        page = numbers[str(section["id"])] - 1
        title = book.heading(section)
        return writer.add_outline_item(title=title, page_number=page, parent=parent)

    writer.add_outline_item(title="Contents", page_number=1)
    for chapter in chapters:
        above = add_bookmark(chapter)
        for section in chapter.find_all("section", recursive=False):
            add_bookmark(section, above)
    return writer


def make_book(names: list[str], output: Path) -> int:
    """Write a book of these pages of the site, and return how many pages the book has."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = launch(playwright)
        print("The book is laid out three or four times, some two minutes each.", flush=True)
        chapters = book.load_pages(names)
        pdf = print_with_numbers(chapters, Path(name, "book.html"), browser)
        browser.close()
    writer = add_metadata(pdf, chapters)
    output.parent.mkdir(exist_ok=True)
    writer.write(output)
    return len(writer.pages)


def print_with_numbers(chapters: list[Tag], html: Path, browser: Browser) -> bytes:
    """Print the book until its page numbers stay the same, and return the PDF."""
    numbers = Numbers()
    for attempt in range(5):  # two or three attempts usually suffice
        what = "with the page numbers found" if attempt else "to find the page numbers"
        print(f"Print {attempt + 1}, {what} … ", end="", flush=True)
        start = time.perf_counter()
        html.write_text(render_book(chapters, numbers), "utf-8")
        tagged = attempt > 0  # The first print is discarded, so it needs no accessibility tags.
        pdf = print_page(browser, html.as_uri(), prefer_css_page_size=True, tagged=tagged)
        before, numbers = numbers, find_pages(pdf)
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
        if numbers == before:
            return pdf
    raise SystemExit("The page numbers move what they count: give them a fixed width in pdf.css")


def main() -> None:
    """Print the whole book, and report its size and its number of pages."""
    keep_output_printable()
    count = make_book(book.page_names(), OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"The book is in {OUTPUT.relative_to(book.ROOT)}: {count} pages, {size:.1f} MB")


if __name__ == "__main__":
    main()
