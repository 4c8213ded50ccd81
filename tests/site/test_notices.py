"""The page of notices: everything that is shipped has a licence, and its text is there."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from built import PAGES, ROOT, parsed
from fontTools.ttLib import TTFont
from playwright.sync_api import expect
from pybtex.database import parse_string
from sphinx.errors import ExtensionError

from _ext import notices

FACES = {"text": "Adobe", "mark": "Renzhi Li", "KaTeX": "Khan Academy"}  # whose each is


def test_every_file_of_the_site_has_a_licence(site: Path) -> None:
    assert notices.unclaimed(site) == []
    files = [p for part in notices.PARTS[2:] for p in part.files if not p.startswith("slides/")]
    assert all(any(site.glob(p)) for p in files)  # none is idle but those of `make slides`


def test_a_file_without_a_licence_stops_the_build(tmp_path: Path) -> None:
    app: Any = SimpleNamespace(outdir=str(tmp_path / "html"), builder=SimpleNamespace(name="html"))
    (tmp_path / "site" / "_static" / "fonts").mkdir(parents=True)
    (tmp_path / "site" / "index.html").touch()
    notices.check(app, None)
    (tmp_path / "site" / "_static" / "fonts" / "new.woff2").touch()
    with pytest.raises(ExtensionError, match=r"_static/fonts/new\.woff2 has no licence"):
        notices.check(app, None)


def test_the_page_holds_every_text(site: Path) -> None:
    page = parsed(site / "notices.html")
    texts = [pre.get_text() for pre in page.select("main pre")][1:]  # the first is for citing
    assert texts == [part.licence.read_text("utf-8").strip() for part in notices.PARTS]
    titles = [heading.get_text() for heading in page.select("main h2")]
    assert [title.split(" ")[-1] for title in titles[3:7]] == ["5.3.1", "5.3.0", "0.16.22", "7.2.0"]


def test_the_faces_are_whose_the_page_says_and_bear_no_reserved_name(site: Path) -> None:
    text = parsed(site / "notices.html").get_text()
    for file in (site / "_static").rglob("*.woff2"):
        names = TTFont(file)["name"]
        (owner,) = [who for start, who in FACES.items() if file.name.startswith(start)]
        assert owner in names.getDebugName(0) and owner in text
        if "katex" not in file.parts:  # KaTeX's are as they were
            assert names.getDebugName(1) == f"Order Matters {file.name.split('-')[0].title()}"


@pytest.mark.parametrize("name", [*PAGES, "404.html"])
def test_every_page_names_its_licences_and_leads_to_them(name: str, site: Path) -> None:
    foot = parsed(site / name).select_one("footer")
    assert "Text and figures: CC\u00a0BY\u00a04.0. Code: MIT" in foot.get_text()
    address = str(foot.select_one("a")["href"]).replace("#", "notices.html")  # from itself
    root = site if name == "404.html" else (site / name).parent
    assert (root / address.lstrip("/")).resolve() == (site / "notices.html").resolve()


def test_a_reader_finds_the_licence_from_a_chapter(open_page: Any) -> None:
    page = open_page(PAGES[1])
    page.get_by_role("link", name="Licences and notices").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Licences and notices")
    expect(page.locator("#code-of-this-course pre")).to_contain_text("Permission is hereby granted")
    assert (ROOT / "LICENSE").read_text("utf-8").split("\n")[0] in page.locator(
        "main"
    ).text_content()


@pytest.mark.parametrize("address", ["", "https://me.example/course/"])
def test_who_cites_has_a_key_a_year_and_an_address(address: str) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    ((key, entry),) = parse_string(notices.bibtex(citation, address), "bibtex").entries.items()
    assert key == "ordermatters2026" and entry.fields["year"] == "2026"
    assert entry.fields["title"].startswith("Order Matters")
    assert entry.fields.get("url", "") == address
    with_doi = notices.bibtex(citation | {"doi": "10.5281/zenodo.1"}, address)
    assert "  doi = {10.5281/zenodo.1},\n" in with_doi and "doi" not in entry.fields
    (author,) = entry.persons["author"]
    assert author.last_names == ["{The Order Matters authors}"] and not author.first_names
