"""Print the course on one page, as the built site has it: chapters/data/one-page, A4 and Letter.

python -m tools.sheet

The files are committed and lie on the site to be downloaded, since a build has no browser.
"""

import io
import logging

from playwright.sync_api import Browser, sync_playwright
from pypdf import PdfReader, PdfWriter

from _ext.onepage import PAGE, SHEETS
from tools import book
from tools.browser import launched

PAPERS = {"a4": "A4", "letter": "Letter"}


def printed(browser: Browser, address: str, paper: str) -> bytes:
    """The PDF that a reader's own browser makes of the page at this address."""
    page = browser.new_page(color_scheme="light")
    page.goto(address)
    page.evaluate("document.fonts.ready.then(() => 0)")
    pdf = page.pdf(format=PAPERS[paper], print_background=True, tagged=True)
    page.close()
    return pdf


def main() -> None:
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns that a clone has more objects
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for paper in PAPERS:
            pdf = printed(browser, (book.SITE / f"{PAGE}.html").as_uri(), paper)
            writer = PdfWriter(clone_from=io.BytesIO(pdf))
            writer.metadata = {"/Title": "Order Matters on one page", "/Author": book.AUTHOR}
            file = book.ROOT / SHEETS / f"order-matters-{paper}.pdf"
            writer.write(file)
            print(f"{file.relative_to(book.ROOT)}: {len(PdfReader(file).pages)} page")
        browser.close()


if __name__ == "__main__":
    main()
