"""The changelog as page and feed, the version at the foot, and where a page is mended."""

import json
import re
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
import yaml
from built import PAGES, ROOT, SITE, parsed

from _ext import changes
from pe_lib import __version__

LOG = """# Changelog

## 1.1.0 (unreleased)

- Newer.

## 1.0.0 (2027-01-31)

- `encode` & *more* <b>.
"""
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_its_version_and_leads_to_the_changes(path: str) -> None:
    page = parsed(SITE / path)
    link = page.select("footer a")[1]
    assert link.get_text() == f"Version {__version__}"
    assert link["href"].split("/")[-1] == ("#" if path == "changes.html" else "changes.html")


def test_the_page_has_every_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    page = parsed(SITE / "changes.html")
    wanted = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert [h2.get_text().split()[0] for h2 in page.select("main h2")] == wanted
    assert len(page.select("main li")) == len(re.findall(r"^- ", text, re.MULTILINE))


def test_the_feed_has_what_was_released() -> None:
    feed = ElementTree.fromstring(changes.feed(LOG, "https://me.example/course/"))
    assert feed.findtext(f"{ATOM}id") == "https://me.example/course/"
    assert feed.findtext(f"{ATOM}updated") == "2027-01-31T00:00:00Z"
    (entry,) = feed.findall(f"{ATOM}entry")
    address = "https://me.example/course/changes.html#version-1-0-0"
    assert entry.findtext(f"{ATOM}id") == address
    assert '<section id="version-1-0-0">' in changes.body(LOG, followed=True)
    text = entry.findtext(f"{ATOM}content") or ""
    assert "<code>encode</code> &amp; <em>more</em>" in text


def test_a_mistake_is_reported_with_its_page() -> None:
    page = "https://me.example/course/chapters/02-the-formula.html"
    links = changes.mending("https://github.com/me/course", "chapters/02 x.ipynb", page)
    assert links["Edit this page"] == "https://github.com/me/course/edit/main/chapters/02%20x.ipynb"
    asked = parse_qs(urlsplit(links["Report a mistake"]).query)
    form = yaml.safe_load(
        (ROOT / ".github/ISSUE_TEMPLATE" / asked["template"][0]).read_text("utf-8")
    )
    assert asked["page"] == [page]
    assert "page" in {part["id"] for part in form["body"]}
    assert changes.mending("", "index.md", "") == {}


def test_what_a_site_is_told_is_what_make_looks_at() -> None:
    """The site is built again when one of these changes."""
    files = (ROOT / "_ext" / "elsewhere.py", ROOT / "_ext" / "publish.py")
    read = "".join(file.read_text("utf-8") for file in files)
    (told,) = re.findall(r"^TOLD .*", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r'environment\.get\("(\w+)"', read)) == set(
        re.findall(r"\((\w+)\)", told)
    )


def test_the_archive_is_told_what_the_citation_says() -> None:
    told = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert told["title"] == cited["title"] and told["license"] == cited["license"]
    assert [one["name"] for one in told["creators"]] == [one["name"] for one in cited["authors"]]
    assert told["keywords"] == cited["keywords"]
