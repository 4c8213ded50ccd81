"""Test the changelog page, the version in the footer, and the links to edit a page's source."""

import re
from urllib.parse import parse_qs, urlsplit

from built import ROOT, SITE, parse_page

from _ext.changelog.page import edit_links, render_changelog


def test_the_page_has_every_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    page = parse_page(SITE / "changes.html")
    wanted = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert [h2.get_text().split()[0] for h2 in page.select("main h2")] == wanted
    assert len(page.select("main li")) == len(re.findall(r"^- ", text, re.MULTILINE))


def test_a_version_is_what_its_markdown_says() -> None:
    page = render_changelog("# Changelog\n\n## 1.0.0 (2027-01-31)\n\n- `encode` & *more* <b>.\n")
    assert '<section id="version-1-0-0"><h2>1.0.0 (2027-01-31)</h2>' in page
    assert "<code>encode</code> &amp; <em>more</em>" in page


def test_a_mistake_is_reported_with_its_page() -> None:
    page = "https://me.example/course/chapters/02-the-formula.html"
    links = edit_links("https://github.com/me/course", "chapters/02 x.ipynb", page)
    assert links["Edit this page"] == "https://github.com/me/course/edit/main/chapters/02%20x.ipynb"
    asked = parse_qs(urlsplit(links["Report a mistake"]).query)
    form = (ROOT / ".github/ISSUE_TEMPLATE" / asked["template"][0]).read_text("utf-8")
    assert asked["page"] == [page] and "id: page" in form
    assert edit_links("", "index.md", "") == {}
