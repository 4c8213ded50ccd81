"""Test the public addresses and the preview picture that are added to a published site's pages."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from built import CHAPTERS, ROOT, parse_page
from PIL import Image
from sphinx.errors import ExtensionError

from _ext import publish

ADDRESS = "https://example.org/order/"
PAGE = "chapters/00-start-here"


def test_a_page_has_one_address_and_a_picture(monkeypatch: pytest.MonkeyPatch, site: Path) -> None:
    monkeypatch.setenv("SITE_URL", ADDRESS)
    made = publish.page_properties(PAGE, "0. Start here", "Where positions enter.")
    assert made["canonical"] == made["properties"]["og:url"] == f"{ADDRESS}{PAGE}.html"
    assert made["properties"]["og:image"] == f"{ADDRESS}_static/front.png"
    assert publish.page_properties("index", "", "")["canonical"] == ADDRESS
    assert publish.root_path() == "/order/"
    # The tested site was built without a public address, so its pages must not contain one.
    soup = parse_page(site / CHAPTERS[1])
    assert not soup.select('link[rel=canonical], meta[property="og:url"]')
    assert soup.select_one('meta[property="og:title"]')["content"] == "0. Start here"
    assert len(soup.select_one('meta[property="og:description"]')["content"]) > 40


def test_the_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, wanted in [("", ""), (ADDRESS, ADDRESS), (ADDRESS.rstrip("/"), ADDRESS)]:
        monkeypatch.setenv("SITE_URL", given)
        assert publish.site_address() == wanted
    monkeypatch.setenv("SITE_URL", "example.org")
    with pytest.raises(ExtensionError, match="SITE_URL must begin with https"):
        publish.site_address()


def test_messengers_get_a_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SITE_URL", ADDRESS)
    (tmp_path / "_static").mkdir()
    publish.copy_picture(SimpleNamespace(srcdir=ROOT), tmp_path)
    with Image.open(tmp_path / "_static" / "front.png") as picture:
        # the minimum size of pictures in messaging apps
        assert picture.width >= 1200 and picture.height >= 630


def test_the_404_page_finds_everything_from_any_depth(
    monkeypatch: pytest.MonkeyPatch, site: Path
) -> None:
    """Check that, without SITE_URL, all links on the 404 page begin at the root of the host."""
    monkeypatch.setenv("SITE_URL", "")
    assert publish.root_path() == "/"
    soup = parse_page(site / "404.html")
    addresses = [str(tag.get("href") or tag["src"]) for tag in soup.select("[href], [src]")]
    assert "/index.html" in addresses
    assert all(a.startswith(("/", "#")) for a in addresses)
    assert soup.html["data-content_root"] == "/"
