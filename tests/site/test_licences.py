"""Test that each file on the site has a licence, and that the notices page prints all licences."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from built import ROOT, parse_page
from fontTools.ttLib import TTFont
from pybtex.database import parse_string
from sphinx.errors import ExtensionError

from _ext import licences

# the owner of the copyright of each typeface on the site
FACES = {"text": "Adobe", "mark": "Renzhi Li", "KaTeX": "Khan Academy"}


def test_every_file_of_the_site_has_a_licence(site: Path) -> None:
    assert licences.list_unlicensed(site) == []
    files = [p for part in licences.PARTS[2:] for p in part.files if not p.startswith("slides/")]
    # Each pattern must match a file, except for patterns for files that only `make slides` adds.
    assert all(any(site.glob(p)) for p in files)


def test_a_file_without_a_licence_stops_the_build(tmp_path: Path) -> None:
    app: Any = SimpleNamespace(outdir=str(tmp_path / "html"), builder=SimpleNamespace(name="html"))
    (tmp_path / "site" / "_static" / "fonts").mkdir(parents=True)
    (tmp_path / "site" / "index.html").touch()
    licences.check_licences(app, None)
    (tmp_path / "site" / "_static" / "fonts" / "new.woff2").touch()
    with pytest.raises(ExtensionError, match=r"_static/fonts/new\.woff2 has no licence"):
        licences.check_licences(app, None)


def test_the_page_holds_every_text(site: Path) -> None:
    page = parse_page(site / "notices.html")
    # The first block on the page is a citation, and all the others are licences.
    texts = [pre.get_text() for pre in page.select("main pre")][1:]
    assert texts == [part.licence.read_text("utf-8").strip() for part in licences.PARTS]


def test_the_faces_are_whose_the_page_says_and_bear_no_reserved_name(site: Path) -> None:
    text = parse_page(site / "notices.html").get_text()
    for file in (site / "_static").rglob("*.woff2"):
        names = TTFont(file)["name"]
        (owner,) = [who for start, who in FACES.items() if file.name.startswith(start)]
        assert owner in names.getDebugName(0) and owner in text
        if "katex" not in file.parts:  # KaTeX's fonts are not changed
            assert names.getDebugName(1).startswith("Order Matters ")


def test_who_cites_has_a_key_a_year_and_an_address() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    made = licences.format_bibtex(
        citation | {"doi": "10.5281/zenodo.1"}, "https://me.example/course/"
    )
    ((key, entry),) = parse_string(made, "bibtex").entries.items()
    assert key == "ordermatters2026" and entry.fields["year"] == "2026"
    assert entry.fields["title"].startswith("Order Matters")
    assert entry.fields["url"] == "https://me.example/course/"
    assert entry.fields["doi"] == "10.5281/zenodo.1"
    assert entry.persons["author"][0].last_names == ["{The Order Matters authors}"]
