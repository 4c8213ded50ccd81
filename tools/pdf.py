"""Print the built site as one book: _build/order-matters.pdf.

python -m tools.pdf

Chromium lays the pages out and makes tags and links; pypdf reads off on which page each
thing came to stand, for a second print with these numbers in it.
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
from tools.browser import launched

OUTPUT = book.ROOT / "_build" / "order-matters.pdf"
STYLE = Path(__file__).resolve().with_name("pdf.css")
PAGES = Environment(
    loader=FileSystemLoader(STYLE.parent), autoescape=True, undefined=StrictUndefined
)
logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns that a clone has more objects
Numbers = dict[str, int]  # on which page an id came to stand


def document(chapters: list[Tag], numbers: Numbers) -> str:
    """The whole book as one page of HTML, with the page numbers that are known."""
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


def printed(browser: Browser, address: str, **options: Any) -> bytes:
    """The PDF of the page at this address."""
    page = browser.new_page()
    page.goto(address)
    # what is far down the page asks for its fonts only as it is printed, which is too late
    page.evaluate(
        "Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => 0)"
    )
    pdf = page.pdf(print_background=True, **options)
    page.close()
    return pdf


def places(pdf: bytes) -> Numbers:
    """The page of each thing that something links to."""
    reader = PdfReader(io.BytesIO(pdf))
    return {
        name.removeprefix("/"): reader.get_destination_page_number(place) + 1
        for name, place in reader.named_destinations.items()
    }


def described(pdf: bytes, chapters: list[Tag]) -> PdfWriter:
    """The same with metadata, and with a bookmark for each chapter and its sections.

    Chromium's own bookmarks join the lines of a long heading without the space between them.
    """
    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    stamp = f"D:{book.made():%Y%m%d%H%M%S}Z"
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


def make(wanted: list[str], output: Path) -> int:
    """Write these pages as a book; returns how many pages it has."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = launched(playwright)
        print("The book is laid out three or four times, some two minutes each.", flush=True)
        chapters = book.load(wanted)
        pdf = numbered(chapters, Path(name, "book.html"), browser)
        browser.close()
    writer = described(pdf, chapters)
    output.parent.mkdir(exist_ok=True)
    writer.write(output)
    return len(writer.pages)


def numbered(chapters: list[Tag], html: Path, browser: Browser) -> bytes:
    """The PDF with page numbers in it: printed until they are those of the print before."""
    numbers = Numbers()
    for attempt in range(5):  # two will do, or three if a number took another line
        what = "with the page numbers found" if attempt else "to find the page numbers"
        print(f"Print {attempt + 1}, {what} … ", end="", flush=True)
        start = time.perf_counter()
        html.write_text(document(chapters, numbers), "utf-8")
        tagged = attempt > 0  # which takes time
        pdf = printed(browser, html.as_uri(), prefer_css_page_size=True, tagged=tagged)
        before, numbers = numbers, places(pdf)
        print(f"{time.perf_counter() - start:.1f} s", flush=True)
        if numbers == before:
            return pdf
    raise SystemExit("The page numbers move what they count: give them a fixed width in pdf.css")


def main() -> None:
    keep_output_printable()
    count = make(book.names(), OUTPUT)
    size = OUTPUT.stat().st_size / 1e6
    print(f"The book is in {OUTPUT.relative_to(book.ROOT)}: {count} pages, {size:.1f} MB")


if __name__ == "__main__":
    main()
