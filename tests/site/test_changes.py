"""The changelog as page and feed, the version at the foot, and where a page is mended."""

import re
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

from built import ROOT, SITE, parsed

from _ext import changes

LOG = """# Changelog

## 1.1.0 (unreleased)

- Newer.

## 1.0.0 (2027-01-31)

- `encode` & *more* <b>.
"""
ATOM = "{http://www.w3.org/2005/Atom}"


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
    form = (ROOT / ".github/ISSUE_TEMPLATE" / asked["template"][0]).read_text("utf-8")
    assert asked["page"] == [page] and "id: page" in form
    assert changes.mending("", "index.md", "") == {}
