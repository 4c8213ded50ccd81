"""What a published site has beside its pages. Without an address, nothing that needs one."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from built import CHAPTERS, SITE
from PIL import Image
from sphinx.errors import ExtensionError

from _ext import publish
from _ext.page import Page

ADDRESS = "https://example.org/order/"
HTML = SITE.with_name("html")


def page(name: str) -> Page:
    """A page as Sphinx left it, edited."""
    made = Page(HTML / name, HTML)
    made.edit()
    return made


def content(made: Page, name: str) -> str:
    return str(made.one(f'meta[property="{name}"]')["content"])


def test_a_page_has_one_address_and_a_card() -> None:
    made = page(CHAPTERS[1])
    publish.tags(made, ADDRESS)
    assert made.one("link[rel=canonical]")["href"] == ADDRESS + CHAPTERS[1]
    assert content(made, "og:url") == ADDRESS + CHAPTERS[1]
    assert content(made, "og:title") == "0. Start here"
    assert len(content(made, "og:description")) > 40
    assert content(made, "og:image") == f"{ADDRESS}_static/cards/00-start-here.png"
    front = page("index.html")
    publish.tags(front, ADDRESS)
    assert front.one("link[rel=canonical]")["href"] == ADDRESS


def test_a_site_without_an_address_names_none() -> None:
    made = page(CHAPTERS[1])
    publish.tags(made, "")
    assert not made.soup.select('link[rel=canonical], meta[property="og:url"]')
    assert not made.soup.select('meta[property="og:image"]')
    assert content(made, "og:title") == "0. Start here"


def test_the_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, wanted in [("", ""), (ADDRESS, ADDRESS), (ADDRESS.rstrip("/"), ADDRESS)]:
        monkeypatch.setenv("SITE_URL", given)
        assert publish.site_address() == wanted
    monkeypatch.setenv("SITE_URL", "example.org")
    with pytest.raises(ExtensionError, match="SITE_URL must begin with https"):
        publish.site_address()


def test_sitemap_and_cards(tmp_path: Path) -> None:
    pages = [page("index.html"), page(CHAPTERS[1])]
    publish.write(pages, ADDRESS, tmp_path)
    tree = ElementTree.parse(tmp_path / "sitemap.xml")
    assert [place.text for place in tree.findall(".//{*}loc")] == [ADDRESS, ADDRESS + CHAPTERS[1]]
    assert f"Sitemap: {ADDRESS}sitemap.xml" in (tmp_path / "robots.txt").read_text("utf-8")
    for name in ("index", "00-start-here"):
        with Image.open(tmp_path / "_static" / "cards" / f"{name}.png") as card:
            assert card.size == (1200, 630)
            darkest, lightest = card.convert("L").getextrema()
            assert darkest < 40 and lightest > 200  # not a blank


def test_the_404_page_finds_everything_from_any_depth() -> None:
    made = page("404.html")
    publish.rooted(made, ADDRESS)
    addresses = [str(tag.get("href") or tag["src"]) for tag in made.soup.select("[href], [src]")]
    assert "/order/index.html" in addresses
    assert all(a.startswith(("/order/", "#")) for a in addresses)
    assert made.one("html")["data-content_root"] == "/order/"
