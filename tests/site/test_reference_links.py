"""Links to formulas, terms and sources: the rules by which they are made, and the pages built."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built import CHAPTERS, PAGES, ROOT, parsed
from sphinx.errors import ExtensionError

from _ext import anchors, references
from _ext.page import Page
from tools.notebooks import read

FORMULA = '<div class="math"><annotation>x \\tag{{{}}}</annotation></div>'
SECTION = '<section id="why"><h2>Why<a class="headerlink" href="#why">#</a></h2>{}</section>'
GLOSSARY = """<ul>
<li id="term-mask"><p><strong>causal mask</strong>, <em>mask</em>: Hides <a href="x">words</a>.</p>
</li><li id="term-head"><p><strong>head</strong>: One attention: a part.</p></li></ul>"""
BIBLIOGRAPHY = '<ul><li id="su2021"><p>Su (2021). <em>RoFormer.</em> <a href="y">arXiv</a></p></ul>'


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, Page]:
    """A chapter and the two pages on which things are looked up; tests write into the chapter."""
    texts = {
        "chapters/05-a.html": SECTION.format(""),
        "chapters/appendix-notation.html": GLOSSARY,
        "chapters/appendix-bibliography.html": BIBLIOGRAPHY,
    }
    (tmp_path / "chapters").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(f"<article>{text}</article>")
    return {Path(name).stem: Page(tmp_path / name, tmp_path) for name in texts}


def linked(pages: dict[str, Page], text: str) -> BeautifulSoup:
    page = pages["05-a"]
    page.one("section").append(page.parsed(text))
    anchors.add(page)
    references.link(list(pages.values()))
    return page.soup


def test_formula_gets_an_id_and_its_number_becomes_a_link(pages: dict[str, Page]) -> None:
    soup = linked(pages, FORMULA.format("5.1") + "<p>By (5.1), and (5.10), <code>(5.1)</code>.</p>"
                  + FORMULA.format("5.10"))  # fmt: skip
    assert [a["href"] for a in soup.select("p a")] == ["#equation-5-1", "#equation-5-10"]
    assert soup.select_one("#equation-5-1 annotation")
    names = [a["aria-label"] for a in soup.select(".om-place > a.headerlink")]
    assert names == ["Link to formula (5.1)", "Link to formula (5.10)"]


def test_a_formula_on_another_page_is_reached(pages: dict[str, Page]) -> None:
    page = pages["appendix-notation"]
    page.one("article").append(page.parsed("<p>See (5.1).</p>"))
    linked(pages, FORMULA.format("5.1"))
    assert page.one("p > a.om-formula")["href"] == "05-a.html#equation-5-1"


def test_a_number_that_no_formula_has_is_refused(pages: dict[str, Page]) -> None:
    with pytest.raises(ExtensionError, match=r"no formula has the number \(5\.2\)"):
        linked(pages, FORMULA.format("5.1") + "<p>By (5.2).</p>")


def test_other_numbers_in_parentheses_stay(pages: dict[str, Page]) -> None:
    soup = linked(pages, FORMULA.format("5.1") + "<p>It is less (0.89, not 5.1), or (2.5).</p>")
    assert not soup.select("p a")


def test_two_formulas_of_one_number_are_refused(pages: dict[str, Page]) -> None:
    with pytest.raises(ExtensionError, match=r"two of formula \(5\.1\)"):
        linked(pages, FORMULA.format("5.1") * 2)


def test_the_first_use_of_a_term_is_linked(pages: dict[str, Page]) -> None:
    text = """<h3>Mask</h3><pre>mask</pre><p>A <code>mask</code>, unmasked, two-head,
      <a href="#why">head</a>. Causal <b>masks</b>; the mask; a Head.</p>"""
    soup = linked(pages, text)
    links = {a.get_text(): a["href"] for a in soup.select("a.om-term")}
    assert links == {
        "masks": "appendix-notation.html#term-mask",
        "Head": "appendix-notation.html#term-head",
    }


def test_a_longer_term_comes_first(pages: dict[str, Page]) -> None:
    soup = linked(pages, "<p>A causal mask.</p>")
    assert soup.select_one("a.om-term").get_text() == "causal mask"


def test_an_author_may_choose_which_use_is_linked(pages: dict[str, Page]) -> None:
    chosen = '<p>Face mask. A <a href="appendix-notation.html#term-mask">mask</a>.</p>'
    assert len(linked(pages, chosen).select("a.om-term")) == 1


def test_a_card_says_what_is_at_the_end_of_the_link(pages: dict[str, Page]) -> None:
    citation = '<a href="appendix-bibliography.html#su2021">Su</a>'
    soup = linked(pages, f"<p>A mask by {citation}, {citation}.</p>")
    cards = {card["id"]: card for card in soup.select(".om-card[popover][role=tooltip]")}
    assert set(cards) == {"card-term-mask", "card-su2021"}
    assert cards["card-term-mask"].get_text() == "causal mask: Hides words."
    assert cards["card-su2021"].get_text() == "Su (2021). RoFormer. arXiv"
    assert not soup.select(".om-card a"), "a description holds nothing to press"
    described = {a["aria-describedby"] for a in soup.select("a.om-term, a.om-cite")}
    assert described == set(cards)


def test_a_citation_of_nothing_is_refused(pages: dict[str, Page]) -> None:
    with pytest.raises(ExtensionError, match="su2022"):
        linked(pages, '<p><a href="appendix-bibliography.html#su2022">Su</a></p>')


def test_figures_and_explorers_are_named_after_their_place(pages: dict[str, Page]) -> None:
    figure = '<figure class="om-figure"></figure>'
    soup = linked(pages, figure * 2 + '<div class="om-explorer" data-kind="dial"></div>')
    assert [tag["id"] for tag in soup.select(".om-place > [id]")] == [
        "figure-why", "figure-why-2", "explorer-dial",
    ]  # fmt: skip
    labels = [a["aria-label"] for a in soup.select(".om-place > a")]
    assert labels == [
        "Link to the figure in: Why",
        "Link to the figure in: Why, number 2",
        "Link to the explorer",
    ]


# --- The pages as they were built ---


@pytest.fixture(params=[page for page in PAGES if page != "search.html"])
def soup(request: pytest.FixtureRequest, site: Path) -> BeautifulSoup:
    return parsed(site / request.param)


def test_what_one_may_point_at_has_a_lasting_id_and_a_named_link(soup: BeautifulSoup) -> None:
    assert not [tag["id"] for tag in soup.select("article [id]") if re.match(r"id\d", tag["id"])]
    links = {a["href"][1:]: a["aria-label"] for a in soup.select("article a.headerlink")}
    assert all(soup.find(id=name) for name in links)
    things = soup.select("article :is(.om-figure, .om-explorer)")
    things += [form.find_parent("section") for form in soup.select(".om-quiz")]
    things += [box for box in soup.select("div.math") if "\\tag" in str(box)]
    assert {thing["id"] for thing in things} <= set(links)
    assert all(form.find_parent("section")["id"].startswith("exercise-")
               for form in soup.select(".om-quiz"))  # fmt: skip
    assert all(label.startswith("Link to") and len(label) > 12 for label in links.values())


@pytest.mark.parametrize("path", [path for path in CHAPTERS if re.match(r"chapters/\d", path)])
def test_every_named_formula_is_a_link(site: Path, path: str) -> None:
    """Counted in the notebook's Markdown, without formulas, code and what one presses to open."""
    cells = read(ROOT / path.replace(".html", ".ipynb")).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    text = re.sub(r"\$\$.*?\$\$|<summary>.*?</summary>", "", text, flags=re.DOTALL)
    named = [
        a
        for a in parsed(site / path).select("a.om-formula")
        if not a.find_parent("section", id=re.compile("^exercise-"))  # not from the notebook
    ]
    links = [a.get_text() for a in named]
    assert links == re.findall(r"\((?:[1-9]|10)\.[1-9]\d?\)", text)
    assert all(a["href"].endswith(f"#equation-{a.get_text()[1:-1].replace('.', '-')}")
               for a in named)  # fmt: skip


def test_every_page_with_cards_has_each_once(soup: BeautifulSoup) -> None:
    cards = [card["id"] for card in soup.select(".om-card")]
    used = {a["aria-describedby"] for a in soup.select("a.om-term, a.om-cite")}
    assert sorted(used) == sorted(cards)


def test_cards_are_small() -> None:
    """What every reader loads for them, in bytes before compression."""
    assert (ROOT / "_ext/assets/cards.js").stat().st_size < 4_000
