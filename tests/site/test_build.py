"""Test that all pages are built completely, and that all files and anchors in links exist."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from built import CHAPTERS, PAGES, SITE, ids, parse_page

from pe_lib import __version__


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole(site: Path, path: str) -> None:
    page = site / path
    assert page.is_file(), f"{path} is in _toc.yml and was not built"
    soup = parse_page(page)
    found = {
        "broken links": list(find_broken_links(page, soup)),
        "broken inside pictures": broken_in_pictures(soup),
        "structure": list(find_structure_errors(soup)),
        "foot": list(find_metadata_errors(page, soup)),
        "names": list(find_naming_errors(soup)),
    }
    assert not {what: wrong for what, wrong in found.items() if wrong}


def find_broken_links(page: Path, soup: BeautifulSoup) -> Iterator[str]:
    """Yield each link on a page that leads to a missing file, or to a missing anchor in a file."""
    for tag in soup.select("[href], [src]"):
        if tag.find_parent("svg"):
            continue
        address = str(tag.get("href") or tag.get("src"))
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if target.is_dir():
            target /= "index.html"
        place = unquote(parts.fragment) if target.suffix == ".html" else ""
        if not target.is_file() or (place and place not in ids(target)):
            yield address


def broken_in_pictures(soup: BeautifulSoup) -> set[str]:
    used = {str(use["href"])[1:] for use in soup.select("svg use[href]")}
    for tag in soup.select("svg [clip-path]"):
        used.update(re.findall(r"url\(#([^)]+)\)", str(tag["clip-path"])))
    return used - {str(tag["id"]) for tag in soup.select("[id]")}


def find_structure_errors(soup: BeautifulSoup) -> Iterator[object]:
    """Yield each heading, id, figure, formula or script on a page that breaks a rule."""
    levels = [int(h.name[1]) for h in soup.select("main :is(h1, h2, h3, h4, h5, h6)")]
    if levels[:1] != [1] or levels.count(1) != 1 or any(b - a > 1 for a, b in pairwise(levels)):
        yield levels
    names = [tag["id"] for tag in soup.select("[id]")]
    yield from {name for name in names if names.count(name) > 1}
    for figure in soup.select(".om-figure > svg, .om-fallback > svg"):
        if "var(--om-" not in str(figure) or figure.select("style"):
            yield f"{figure.get('aria-label')}: its colours are its own, or its rules the page's"
    yield from soup.select(".katex-error")
    yield from [formula for formula in soup.select(".math") if not formula.select(".katex")]
    yield from [script for script in soup.select("script[src]") if not script.has_attr("defer")]
    yield from soup.select("link[rel=preconnect], link[rel=dns-prefetch]")
    for explorer in soup.select(".om-explorer"):
        if not explorer.select(".om-stage > .om-fallback > svg") or explorer.select(".om-live"):
            yield f"{explorer['id']} is no picture until it runs"


def find_metadata_errors(page: Path, soup: BeautifulSoup) -> Iterator[str]:
    """Yield each error in a page's language, description, version, licence and footer links."""
    (viewport,) = soup.select("meta[name=viewport]")
    if soup.html["lang"] != "en" or "maximum-scale" in viewport["content"]:
        yield "language or viewport"
    if not soup.select_one("meta[name=description]")["content"].strip():
        yield "no description"
    foot = soup.select_one("footer")
    if "Text and figures: CC\u00a0BY\u00a04.0. Code: MIT" not in foot.get_text():
        yield "no licence"
    for link, name in zip(foot.select("a"), ("notices.html", "changes.html"), strict=False):
        address = str(link["href"]).replace("#", name)  # a link from a page to itself is only "#"
        if (page.parent / address).resolve() != (SITE / name).resolve():
            yield address
    if f"Version {__version__}" not in foot.get_text():
        yield "no version"


def find_naming_errors(soup: BeautifulSoup) -> Iterator[object]:
    """Yield each invalid id, heading link, formula number or pop-up card on a page."""
    yield from [tag["id"] for tag in soup.select("article [id]") if re.match(r"id\d", tag["id"])]
    links = {a["href"][1:]: a["aria-label"] for a in soup.select("article a.headerlink")}
    numbers = soup.select("figcaption > a, .om-equation > a")
    links |= {a["href"][1:]: f"Link to {a.get_text()}" for a in numbers}
    things = soup.select("article :is(.om-figure:has(figcaption), .om-explorer, .om-equation)")
    exercises = [form.find_parent("section") for form in soup.select(".om-quiz")]
    yield from [one["id"] for one in exercises if not one["id"].startswith("exercise-")]
    yield from {one["id"] for one in things + exercises} - set(links)
    yield from [one for one in links.values() if not re.match(r"Link to.{5}", one)]
    if "\\tag" in str(soup.select_one("main")):
        yield "a formula's number that was not taken off"
    described = {a["aria-describedby"] for a in soup.select("a.om-term, a.om-cite")}
    yield from described ^ {card["id"] for card in soup.select(".om-card")}


def test_every_chapter_is_in_the_menu() -> None:
    menu = {link["href"] for link in parse_page(SITE / "index.html").select(".om-menu a[href]")}
    # The pages of library modules are not in the menu, because the library's page links to them.
    listed = {page for page in CHAPTERS[1:] if "/library-" not in page}
    deeper = {page for page in listed if page.endswith("-deeper.html")}
    assert listed - deeper <= menu
    for page in deeper:  # its chapter leads to a Deeper page, so the menu leaves it out
        chapter = parse_page(SITE / page.replace("-deeper", ""))
        assert chapter.select(f"article a[href^='{page.removeprefix('chapters/')}']"), page
