"""A site in two languages: a reader changes between them, and what is in English says so."""

import html
import json
import re
import shutil
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from bs4 import BeautifulSoup
from built import PHONE, ROOT, Open, parsed
from playwright.sync_api import expect
from sphinx.application import Sphinx
from visits import served

from _ext import explorers, translation
from _ext.languages import is_rtl, parts
from tools import languages
from tools.translation import FOLDER, config

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
    choice = page.locator("#predict-first input[type=radio]").nth(1)
    choice.check()
    said = str(choice.get_attribute("value"))
    page.evaluate("document.getElementById('predict-first').scrollIntoView()")
    link = page.get_by_role("navigation", name="Languages").get_by_role("link", name="Deutsch")
    expect(link).to_have_attribute("lang", "de")
    expect(link).to_have_attribute("hreflang", "de")
    expect(link).to_have_attribute("href", f"{address}de/{START}#predict-first")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}de/{START}#predict-first")
    expect(page.locator("#predict-first h2")).to_be_in_viewport()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    kept = page.locator("#predict-first input:checked")  # the guess came along
    expect(kept).to_have_value(said.upper())
    page.locator(".om-read input").check()  # and so does what was read
    page.goto(f"{address}index.html")  # where the course goes on under the title that it has here
    title = page.locator(f'.om-menu a[href="{START}"]').text_content()
    assert title and "✓" in title
    onward = page.get_by_role(
        "link", name=f"Go on with {title.replace('✓', '').strip()}", exact=True
    )
    expect(onward).to_have_attribute("href", re.compile(re.escape(f"{address}{START}#")))
    page.go_back()
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
    assert links("404.html") == []


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


@pytest.mark.parametrize("width", [320, PHONE["width"], 390])
def test_on_a_phone_the_bar_has_room_for_it(open_page: Open, address: str, width: int) -> None:
    page = open_page(START, base=address, viewport=PHONE | {"width": width})
    bar = page.locator(".om-top > :visible")
    boxes = [bar.nth(n).bounding_box() for n in range(bar.count())]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
    brand = page.locator(".om-brand")
    assert brand.evaluate("(brand) => brand.scrollWidth <= brand.clientWidth"), "it is covered"
    link = page.get_by_role("link", name="Deutsch").bounding_box()
    assert link and link["height"] >= 44 and link["width"] >= 44


@pytest.mark.parametrize(("language", "rtl"), [("de", False), ("pt_BR", False), ("ar", True)])
def test_a_page_runs_as_its_script_does(language: str, rtl: bool) -> None:
    assert is_rtl(language) is rtl


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


BOOK = """# Title

Some "words" that are long enough to tell a search engine what the page is about.

## Order

Not translated.

## Words

Words.
"""
GERMAN = {
    "Title": "Titel",
    'Some "words" that are long enough to tell a search engine what the page is about.': (
        'Ein paar "Worte", die einer Suchmaschine sagen, wovon die Seite handelt.'
    ),
    "Order": "Ordnung",
    "Not translated.": "",
    "Words": "Worte",
    "Words.": "Words.",
}


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The German site of a book of two pages: one with a catalogue, one without."""
    book = tmp_path_factory.mktemp("book")
    for name in ("node_modules", "CHANGELOG.md"):
        (book / name).symlink_to(ROOT / name)
    (book / "index.md").write_text(f"{BOOK}\n```{{toctree}}\nother\n```\n", "utf-8")
    (book / "other.md").write_text(BOOK.replace("Title", "Other"), "utf-8")
    catalog = Catalog(locale="de")
    for text, said in GERMAN.items():
        catalog.add(text, said)
    catalogues = book / "locale" / "de" / "LC_MESSAGES"
    catalogues.mkdir(parents=True)
    with (catalogues / "index.po").open("wb") as file:
        write_po(file, catalog)
    shutil.copy(FOLDER / "de" / "LC_MESSAGES" / "sphinx.po", catalogues)
    own = [f"_ext.{name}" for name in ("formulas", "changes", "face", "translation", "languages")]
    given = {key: value for key, value in config().items() if not key.startswith("external_toc")}
    given |= {"extensions": ["myst_nb", "sphinxcontrib.katex", *own], "language": "de"}
    given["exclude_patterns"] = ["html", "node_modules", "CHANGELOG.md"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sphinx.locale.translators", {})  # kept for ever, as is what follows
        patch.setattr("pe_lib.course.texts._known", NullTranslations())
        patch.setattr("_ext.fonts.write", lambda *_: "")  # takes seconds
        patch.setenv("SITE_URL", f"{ADDRESS}de/")
        patch.setenv("GITHUB_REPOSITORY", "me/course")
        place = book / "html", book / ".doctrees"
        Sphinx(book, None, *place, "html", given, None, None, True).build()
    return book / "site"


def test_a_page_without_a_catalogue_is_english_and_says_so(german: Path) -> None:
    whole, left = (parsed(german / name) for name in ("index.html", "other.html"))
    for page in (whole, left):
        assert page.html and page.html["lang"] == "de"
    assert not whole.select(".om-untranslated, article[lang]")
    notice = left.select_one(".om-untranslated")
    assert notice and notice.get_text().startswith("Diese Seite gibt es noch nicht auf Deutsch.")
    assert notice.a and "me/course/blob/main/contributing/translation.md" in str(notice.a["href"])
    article = left.article
    assert article and (article["lang"], article["dir"]) == ("en", "ltr")
    assert "Some “words”" in article.get_text() and "„Worte“" in whole.get_text()
    # and what leads there
    assert left.title and left.title["lang"] == "en"
    for page, address in ((whole, "other.html"), (left, "#")):
        assert page.select_one(f'.om-menu a[href="{address}"]')["lang"] == "en"  # type: ignore[index]
    assert whole.select_one(".om-next span[lang=en]").get_text() == "Other"  # type: ignore[union-attr]
    assert left.select_one(".om-toc ul[lang=en]")


def test_a_sentence_that_a_catalogue_lacks_is_marked_as_english(german: Path) -> None:
    marked = parsed(german / "index.html").select("article [lang]")
    assert [(part.get_text(), part["lang"]) for part in marked] == [("Not translated.", "en")]


def test_search_engines_find_an_untranslated_page_in_the_english_site(german: Path) -> None:
    for name, address in (("index", f"{ADDRESS}de/"), ("other", f"{ADDRESS}other.html")):
        link = parsed(german / f"{name}.html").select_one("link[rel=canonical]")
        assert link and link["href"] == address
    found = re.findall("<loc>(.*)</loc>", (german / "sitemap.xml").read_text("utf-8"))
    assert found == [f"{ADDRESS}de/"]


def test_an_explorer_or_a_question_that_is_not_wholly_translated_is_english(tmp_path: Path) -> None:
    catalogues = tmp_path / "locale" / "de" / "LC_MESSAGES"
    (catalogues / "exercises").mkdir(parents=True)
    said = {
        "explorers": {"hands.mjs": "Hände", "order.py": "", "stage.mjs": "Bühne"},
        "exercises": {"page.mjs": "Prüfen"},
        "exercises/00-whole": {"00-whole.md": "Hinweis"},
        "exercises/01-begun": {"01-begun.md": ""},
    }
    for name, texts in said.items():
        catalog = Catalog(locale="de")
        for place, text in texts.items():
            catalog.add(f"Said by {place}", text, locations=[(f"somewhere/{place}", None)])
        with (catalogues / f"{name}.po").open("wb") as file:
            write_po(file, catalog)
    host = '<div class="om-explorer" id="{0}" data-kind="{0}">'
    body = f'{host.format("hands")}{host.format("order")}<form class="om-quiz" data-asked="…">'
    app: Any = SimpleNamespace(srcdir=tmp_path, config=SimpleNamespace(language="de"))
    for page, english in (("00-whole", ["order"]), ("01-begun", ["order", None])):
        marked = BeautifulSoup(parts(app, f"chapters/{page}", body), "html.parser")
        assert [part.get("id") for part in marked.select("[lang=en][dir=ltr]")] == english


def test_what_stands_around_every_explorer_is_translated_with_it(tmp_path: Path) -> None:
    """The buttons of a story are said in a module of all explorers, not in the one of a kind."""
    app: Any = SimpleNamespace(srcdir=ROOT, outdir=tmp_path, config=SimpleNamespace(language="de"))
    explorers.write(app)
    script = (tmp_path / "_static" / "explorers" / "shared.js").read_text("utf-8")
    assert '"Next":"Weiter"' in script
    assert {"hands", "stage", "story"} <= set(explorers.modules("hands"))


def test_what_scripts_say_within_an_english_text_is_english() -> None:
    app: Any = SimpleNamespace(srcdir=ROOT, config=SimpleNamespace(language="de"))
    guesses = translation.table(app, translation.AROUND, ["predictions"])
    frame = translation.table(app, translation.AROUND, ["progress"], within=False)
    assert guesses.startswith('if (!document.querySelector("article[lang]")) {')
    assert '"Your guess":"Deine Vermutung"' in guesses and '"Your guess"' not in frame
    assert frame.startswith("{")
