"""Print the course on one page, as the built site has it: chapters/data/one-page, A4 and Letter.

python -m tools.sheet

The files are committed and lie on the site to be downloaded, since a build has no browser.
"""

import io

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from _ext.onepage import PAGE, SHEETS
from tools import book
from tools.browser import launched
from tools.pdf import printed


def main() -> None:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for paper in ("a4", "letter"):
            address = (book.SITE / f"{PAGE}.html").as_uri()
            pdf = printed(browser, address, format=paper, tagged=True)
            writer = PdfWriter(clone_from=io.BytesIO(pdf))
            writer.metadata = {"/Title": "Order Matters on one page", "/Author": book.AUTHOR}
            file = book.ROOT / SHEETS / f"order-matters-{paper}.pdf"
            writer.write(file)
            print(f"{file.relative_to(book.ROOT)}: {len(PdfReader(file).pages)} page")
        browser.close()


if __name__ == "__main__":
    main()
