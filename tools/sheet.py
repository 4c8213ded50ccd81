"""Print the course on one page into chapters/data/one-page, on A4 and on Letter paper.

python -m tools.sheet

The source is the page of the built site. The PDF files are committed, because the build has no
browser to print them, and the site offers them as downloads.
"""

import io

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from _ext.onepage import PAGE, SHEETS
from tools import book
from tools.browser import launch
from tools.pdf import print_page


def main() -> None:
    """Print the page on both paper sizes, and report the number of pages."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for paper in ("a4", "letter"):
            address = (book.SITE / f"{PAGE}.html").as_uri()
            pdf = print_page(browser, address, format=paper, tagged=True)
            writer = PdfWriter(clone_from=io.BytesIO(pdf))
            writer.metadata = {"/Title": "Order Matters on one page", "/Author": book.AUTHOR}
            file = book.ROOT / SHEETS / f"order-matters-{paper}.pdf"
            writer.write(file)
            print(f"{file.relative_to(book.ROOT)}: {len(PdfReader(file).pages)} page")
        browser.close()


if __name__ == "__main__":
    main()
