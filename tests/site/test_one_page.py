"""The printable sheet on the site: its files, and the page that offers them."""

import io
from pathlib import Path

from built import parsed
from pypdf import PdfReader

from tools.onepage import FOLDER, NAMES

PAGE = "chapters/appendix-one-page.html"


def test_the_page_shows_the_sheet_and_offers_all_its_files(site: Path) -> None:
    main = parsed(site / PAGE).select_one("main")
    offered = [str(link["href"]) for link in main.select(f"a[href*='{FOLDER}']")]
    assert offered == [f"../{FOLDER}/{name}" for name in NAMES]
    (shown,) = main.select("img")
    assert shown["src"] == f"../{FOLDER}/order-matters-a4.svg" and "in words" in shown["alt"]
    for name in NAMES:
        data = (site / FOLDER / name).read_bytes()
        if name.endswith(".pdf"):
            assert len(PdfReader(io.BytesIO(data)).pages) == 1
        else:
            assert data.startswith(b"<svg")


def test_the_front_page_leads_to_it(site: Path) -> None:
    links = [str(link["href"]) for link in parsed(site / "index.html").select("article a[href]")]
    assert PAGE in links
