"""What was built: every page is there, and everything it refers to is there too."""

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from built import CHAPTERS, PAGES, SITE, ids, parsed

LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}
LOADING_LINKS = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload"}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, site: Path) -> Path:
    path = site / request.param
    assert path.is_file(), f"{request.param} is in _toc.yml and was not built"
    return path


def test_page_has_one_title_and_text(page: Path) -> None:
    soup = parsed(page)
    assert len(soup.select("h1")) == 1
    if page.name != "search.html":
        words = soup.select_one("article").get_text().split()
        assert len(words) > 100


def test_headings_skip_no_level(page: Path) -> None:
    levels = [int(h.name[1]) for h in parsed(page).select("main :is(h1, h2, h3, h4, h5, h6)")]
    steps = pairwise(levels)
    assert levels[0] == 1 and all(b - a <= 1 for a, b in steps), levels


def test_references_resolve(page: Path) -> None:
    broken = []
    for tag in parsed(page).select("[href], [src]"):
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
            broken.append(address)
    assert not broken


def test_references_inside_pictures_resolve(page: Path) -> None:
    soup = parsed(page)
    used = {use["href"][1:] for use in soup.select("svg use[href]")}
    for tag in soup.select("svg [clip-path]"):
        used.update(re.findall(r"url\(#([^)]+)\)", tag["clip-path"]))
    assert used <= {tag["id"] for tag in soup.select("[id]")}


def test_nothing_is_loaded_from_another_host(page: Path) -> None:
    for tag in parsed(page).select(", ".join(f"{t}[{a}]" for t, a in LOADED.items())):
        if tag.name == "link" and not LOADING_LINKS & set(tag.get_attribute_list("rel")):
            continue
        address = str(tag[LOADED[tag.name]])
        assert not re.match(r"(https?:)?//", address), tag


def test_style_loads_nothing_from_another_host(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        for address in re.findall(r"url\(([^)]*)\)|@import\s*([^;]*)", sheet.read_text("utf-8")):
            assert "//" not in "".join(address).split("data:")[0]


def test_fonts_and_images_of_the_style_exist(site: Path) -> None:
    for sheet in (site / "_static").glob("site.*.css"):
        for address in re.findall(r"url\([\"']?(?!data:|#)([^)\"']+)", sheet.read_text("utf-8")):
            assert (sheet.parent / address).is_file(), address


def test_ids_are_unique(page: Path) -> None:
    all_of_them = [tag["id"] for tag in parsed(page).select("[id]")]
    assert sorted(set(all_of_them)) == sorted(all_of_them)
    assert ids(page) >= set(all_of_them)


def test_pictures_have_a_text_alternative(page: Path) -> None:
    soup = parsed(page)
    for image in soup.select("main img"):
        assert image.get("alt", "").strip(), image
        assert not re.search(r"\.(png|svg)$", image["alt"]), "the alt text is a file name"
    for picture in soup.select(".om-figure > svg, .om-fallback > svg"):
        assert picture.get("role") == "img" and len(picture.get("aria-label", "")) > 20


def test_an_explorer_is_a_picture_with_a_caption_until_it_runs(page: Path) -> None:
    for explorer in parsed(page).select(".om-explorer"):
        assert explorer.select_one(".om-stage > .om-fallback > svg")
        assert explorer.select_one(".om-caption").get_text().strip()
        assert not explorer.select(".om-live")


def test_figures_follow_the_theme(page: Path) -> None:
    for figure in parsed(page).select(".om-figure > svg, .om-fallback > svg"):
        assert "var(--om-" in str(figure)
        assert not figure.select("style"), "its rules would hold for the whole page"


def test_formulas_are_typeset(page: Path) -> None:
    soup = parsed(page)
    assert not soup.select(".katex-error")
    for formula in soup.select(".math"):
        assert formula.select(".katex"), formula


def test_scripts_do_not_block_the_page(page: Path) -> None:
    for script in parsed(page).select("script[src]"):
        assert script.has_attr("defer"), script


def test_loader_only_where_it_is_needed(page: Path) -> None:
    soup = parsed(page)
    loads = [s["src"] for s in soup.select("script[src]") if "loader" in s["src"]]
    assert bool(loads) == bool(soup.select(".om-explorer"))


def test_page_says_what_it_is(page: Path) -> None:
    soup = parsed(page)
    assert soup.html["lang"] == "en"
    assert len(soup.select("meta[name=viewport]")) == 1
    assert "maximum-scale" not in soup.select_one("meta[name=viewport]")["content"]
    assert soup.select_one("meta[name=description]")["content"].strip()
    assert soup.title.get_text().strip()


def test_every_chapter_is_in_the_menu() -> None:
    soup = parsed(SITE / "index.html")
    menu = {link["href"] for link in soup.select(".om-menu a[href]")}
    assert set(CHAPTERS[1:]) <= menu


def test_a_page_stays_light(site: Path) -> None:
    """Sizes on disk, before compression; a chapter itself may be as long as it needs."""
    limits = {"site.*.css": 130_000, "site.*.js": 40_000, "loader.js": 5_000}
    for pattern, limit in limits.items():
        for file in (site / "_static").glob(pattern):
            assert file.stat().st_size < limit, file.name
    assert not list(site.rglob("*.map")) and not list(site.rglob("fontawesome*"))
