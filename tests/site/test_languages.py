"""A site in two languages: a reader changes between them, and what is in English says so."""

import html
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built import PHONE, Open, parsed
from playwright.sync_api import expect
from visits import served

from tools import languages

START, LEFT = "chapters/00-start-here.html", "chapters/01-why-order-matters.html"
PAGES = ["index.html", "search.html", START, LEFT]
ADDRESS = "https://me.example/course/"


def in_german(name: str, text: str) -> str:
    """A page as the German site has it, with other words in the choices of a guess."""

    def asked(data: re.Match[str]) -> str:
        about = json.loads(html.unescape(data[1]))
        about["english"] = {"unit": "", "said": ""} | about
        about["choices"] = [choice.upper() for choice in about["choices"]]
        return f'data-prediction="{html.escape(json.dumps(about))}"'

    text = text.replace('<html lang="en"', '<html lang="de"')
    if name == LEFT:
        article = '<article class="om-article"'
        text = text.replace(article, f'{languages.ENGLISH}Fehlt.</p>{article} lang="en"')
    return re.sub('data-prediction="([^"]*)"', asked, text)


@pytest.fixture(scope="module")
def both(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some pages of the site, and a German one beside them."""
    folder = tmp_path_factory.mktemp("both")
    for home in (folder, folder / "de"):
        (home / "chapters").mkdir(parents=True)
        (home / "_static").symlink_to(site / "_static", target_is_directory=True)
        for name in [*PAGES, "404.html"]:
            text = (site / name).read_text("utf-8")
            page = home / name
            page.write_text(text if home == folder else in_german(name, text), "utf-8")
    assert languages.join(folder, ["de"]) == 2 * len(PAGES) - 1
    return folder


@pytest.fixture(scope="module")
def address(both: Path) -> Iterator[str]:
    yield from served(both)


def test_a_reader_goes_on_in_another_language_where_they_were(
    open_page: Open, address: str
) -> None:
    page = open_page(START, base=address)
    page.evaluate("document.getElementById('predict-first').scrollIntoView()")
    link = page.get_by_role("navigation", name="Languages").get_by_role("link", name="Deutsch")
    expect(link).to_have_attribute("lang", "de")
    expect(link).to_have_attribute("hreflang", "de")
    expect(link).to_have_attribute("href", f"{address}de/{START}#predict-first")
    choice = page.locator("#predict-first input[type=radio]").nth(1)
    choice.check()
    said = str(choice.get_attribute("value"))
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}de/{START}#predict-first")
    expect(page.locator("#predict-first h2")).to_be_in_viewport()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    kept = page.locator("#predict-first input:checked")  # the guess came along
    expect(kept).to_have_value(said.upper())
    page.locator(".om-read input").check()  # and so does what was read
    page.get_by_role("link", name="English").click()
    page.wait_for_url(f"{address}{START}#*")
    expect(page.locator(".om-read input")).to_be_checked()
    expect(page.locator("#predict-first input:checked")).to_have_value(said)


def test_what_is_not_translated_leads_back_and_nothing_leads_there(both: Path) -> None:
    def links(page: str) -> list[tuple[str, str]]:
        soup = BeautifulSoup((both / page).read_text("utf-8"), "html.parser")
        slot = soup.select_one(".om-languages")
        assert slot and slot.has_attr("hidden") != bool(slot.select("a"))
        return [(str(link["lang"]), str(link["href"])) for link in slot.select("a")]

    assert links(LEFT) == []
    assert links(f"de/{LEFT}") == [("en", f"../../{LEFT}")]
    assert links("index.html") == [("de", "de/index.html")]
    assert links("de/search.html") == [("en", "../search.html")]
    assert links("404.html") == links("de/404.html") == []


def test_a_site_alone_offers_no_other_language(site: Path) -> None:
    for name in PAGES:
        slot = parsed(site / name).select_one(".om-languages")
        others = [(site / name).parent / str(link["href"]) for link in slot.select("a")]
        assert all(other.is_file() for other in others)


def test_from_disk_it_is_the_same(open_page: Open, both: Path) -> None:
    page = open_page("index.html", base=f"{both.as_uri()}/")
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.parametrize("width", [320, PHONE["width"]])
def test_on_a_phone_the_bar_has_room_for_it(open_page: Open, address: str, width: int) -> None:
    page = open_page(START, base=address, viewport=PHONE | {"width": width})
    bar = page.locator(".om-top > :visible")
    boxes = [bar.nth(n).bounding_box() for n in range(bar.count())]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    link = page.get_by_role("link", name="Deutsch").bounding_box()
    assert link and link["height"] >= 44 and link["width"] >= 44


def test_search_engines_know_the_languages_of_a_page(both: Path, tmp_path: Path) -> None:
    shutil.copytree(both, tmp_path / "site", symlinks=True)
    for _ in range(2):  # a second time changes nothing
        languages.join(tmp_path / "site", ["de"], ADDRESS)
        for page in ("index.html", "de/index.html"):
            head = BeautifulSoup((tmp_path / "site" / page).read_text("utf-8"), "html.parser").head
            assert head
            told = {str(a["hreflang"]): a["href"] for a in head.select("link[hreflang]")}
            assert told == {"en": ADDRESS, "de": f"{ADDRESS}de/", "x-default": ADDRESS}
            assert len(head.select("link[hreflang]")) == 3
    for page in (LEFT, f"de/{LEFT}"):
        assert '<link rel="alternate" hreflang' not in (tmp_path / "site" / page).read_text("utf-8")
