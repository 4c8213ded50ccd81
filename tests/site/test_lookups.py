"""Links to formulas, figures, terms and sources: how they are made, and the pages built."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from built import CHAPTERS, PAGES, ROOT, parsed
from little import build
from sphinx.errors import ExtensionError, SphinxError

from tools.notebooks import read

EXTENSIONS = ["_ext.formulas", "_ext.places", "_ext.lookups", "_ext.writer"]
FORMULA = "\n\n$$\nx = {0}\n\\tag{{{0}}}\n$$\n\n"
PAGES_OF = {
    "index": """# A book

```{toctree}
chapters/05-a
chapters/appendix-notation
chapters/appendix-bibliography
```
""",
    "chapters/appendix-notation": """# Notation

- <a id="term-mask"></a>**causal mask**, *mask*: Hides [words](appendix-bibliography.md).
- <a id="term-head"></a>**head**: One attention: a part.
""",
    "chapters/appendix-bibliography": """# Sources

- <a id="su2021"></a>Su (2021). *RoFormer.* [arXiv](https://arxiv.org/abs/2104.09864)
""",
}
Linked = Callable[..., Tag]


@pytest.fixture
def linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Linked:
    """The article of a chapter with this text; `more` are other pages."""
    monkeypatch.setattr("_ext.formulas.copy", lambda app: None)  # of fonts: not needed here

    def made(text: str, **more: str) -> Tag:
        chapter = {"chapters/05-a": f"# A chapter\n\n## Why\n\n{text}\n"}
        others = {name.replace("__", "/"): text for name, text in more.items()}
        return build(tmp_path, PAGES_OF | chapter | others, *EXTENSIONS)["chapters/05-a"]

    return made


def refused(linked: Linked, text: str, message: str) -> None:
    with pytest.raises((ExtensionError, SphinxError), match=message):
        linked(text)


def test_formula_gets_an_id_and_its_number_becomes_a_link(linked: Linked) -> None:
    text = FORMULA.format("5.1") + "By (5.1), and (5.10), `(5.1)`." + FORMULA.format("5.10")
    soup = linked(text)
    assert [a["href"] for a in soup.select("p a")] == ["#equation-5-1", "#equation-5-10"]
    assert soup.select_one("#equation-5-1 annotation").get_text().strip() == "x = 5.1"
    names = [a["aria-label"] for a in soup.select(".om-equation > a")]
    assert names == ["Link to formula (5.1)", "Link to formula (5.10)"]


def test_a_formula_on_another_page_is_reached(linked: Linked) -> None:
    soup = linked(
        "See (6.1).", chapters__notes="# Notes\n\n:::{only} no\n:::\n" + FORMULA.format("6.1")
    )
    assert soup.select_one("p > a.om-formula")["href"] == "notes.html#equation-6-1"


def test_a_number_that_nothing_has_is_refused(linked: Linked) -> None:
    refused(linked, FORMULA.format("5.1") + "By (5.2).", r"nothing has the number \(5\.2\)")


def test_other_numbers_in_parentheses_stay(linked: Linked) -> None:
    assert not linked(FORMULA.format("5.1") + "Less (0.89, not 5.1), or (2.5).").select("p a")


def test_two_formulas_of_one_number_are_refused(linked: Linked) -> None:
    refused(linked, FORMULA.format("5.1") * 2, r"two have the number 5\.1")


def test_a_figure_is_reached_by_its_number(linked: Linked) -> None:
    figure = '<figure class="om-figure" id="figure-5-2"></figure>'
    soup = linked(f"See figure 5.2.\n\n{figure}\n")
    assert soup.select_one("p > a")["href"] == "#figure-5-2"
    assert soup.select_one("p > a").get_text() == "figure 5.2"


def test_no_line_begins_with_the_full_stop_after_a_formula(linked: Linked) -> None:
    kept = [box.get_text() for box in linked("It is $x$. And $y$ too ($z$).").select(".om-nobr")]
    assert [re.search(r"\W+$", text)[0] for text in kept] == [".", ")."]


def test_the_first_use_of_a_term_is_linked(linked: Linked) -> None:
    text = """### Mask

    mask

A `mask`, unmasked, two-head, [head](#why). Causal **masks**; the mask; a Head."""
    links = {a.get_text(): a["href"] for a in linked(text).select("a.om-term")}
    assert links == {
        "masks": "appendix-notation.html#term-mask",
        "Head": "appendix-notation.html#term-head",
    }


def test_a_longer_term_comes_first(linked: Linked) -> None:
    assert linked("A causal mask.").select_one("a.om-term").get_text() == "causal mask"


def test_an_author_may_choose_which_use_is_linked(linked: Linked) -> None:
    chosen = "Face mask. A [mask](appendix-notation.md#term-mask)."
    assert len(linked(chosen).select("a.om-term")) == 1


def test_a_card_says_what_is_at_the_end_of_the_link(linked: Linked) -> None:
    citation = "[Su](appendix-bibliography.md#su2021)"
    soup = linked(f"A mask by {citation}, {citation}.")
    cards = {card["id"]: card for card in soup.select(".om-card[popover][role=tooltip]")}
    assert set(cards) == {"card-term-mask", "card-su2021"}
    assert cards["card-term-mask"].get_text() == "causal mask: Hides words."
    assert cards["card-su2021"].get_text() == "Su (2021). RoFormer. arXiv"
    assert not soup.select(".om-card a"), "a description holds nothing to press"
    described = {a["aria-describedby"] for a in soup.select("a.om-term, a.om-cite")}
    assert described == set(cards)


# --- The pages as they were built ---


@pytest.fixture(params=[page for page in PAGES if page != "search.html"])
def soup(request: pytest.FixtureRequest, site: Path) -> BeautifulSoup:
    return parsed(site / request.param)


def test_what_one_may_point_at_has_a_lasting_id_and_a_named_link(soup: BeautifulSoup) -> None:
    assert not [tag["id"] for tag in soup.select("article [id]") if re.match(r"id\d", tag["id"])]
    links = {a["href"][1:]: a["aria-label"] for a in soup.select("article a.headerlink")}
    assert all(soup.find(id=name) for name in links)
    links |= {
        a["href"][1:]: f"Link to {a.get_text()}"
        for a in soup.select("figcaption > a, .om-equation > a")
    }
    things = soup.select("article :is(.om-figure, .om-explorer, .om-equation)")
    things += [form.find_parent("section") for form in soup.select(".om-quiz")]
    assert "\\tag" not in str(soup.select_one("article"))
    assert {thing["id"] for thing in things} <= set(links)
    assert all(form.find_parent("section")["id"].startswith("exercise-")
               for form in soup.select(".om-quiz"))  # fmt: skip
    assert all(label.startswith("Link to") and len(label) > 11 for label in links.values())


@pytest.mark.parametrize("path", [path for path in CHAPTERS if re.match(r"chapters/\d", path)])
def test_every_named_formula_is_a_link(site: Path, path: str) -> None:
    """Counted in the notebook's Markdown, without formulas, code and what one presses to open."""
    cells = read(ROOT / path.replace(".html", ".ipynb")).cells
    shown = [c for c in cells if c.cell_type == "markdown" and not c.metadata.get("tags")]
    text = "\n\n".join(cell.source for cell in shown)  # what describes a figure has no links
    text = re.sub(r"\$\$.*?\$\$|<summary>.*?</summary>", "", text, flags=re.DOTALL)
    named = [
        a
        for a in parsed(site / path).select("a.om-formula")
        if not a.find_parent("section", id=re.compile("^exercise-"))  # not from the notebook
    ]
    links = [a.get_text() for a in named]
    assert links == re.findall(r"\([1-9]\d?\.[1-9]\d?\)", text)
    assert all(a["href"].endswith(f"#equation-{a.get_text()[1:-1].replace('.', '-')}")
               for a in named)  # fmt: skip


def test_every_page_with_cards_has_each_once(soup: BeautifulSoup) -> None:
    cards = [card["id"] for card in soup.select(".om-card")]
    used = {a["aria-describedby"] for a in soup.select("a.om-term, a.om-cite")}
    assert sorted(used) == sorted(cards)


def test_cards_are_small() -> None:
    """What every reader loads for them, in bytes before compression."""
    assert (ROOT / "_ext/assets/cards.js").stat().st_size < 4_000
