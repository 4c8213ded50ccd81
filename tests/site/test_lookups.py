"""Test the links to formulas, figures, terms and sources in a small book built for these tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import Tag
from little import build
from sphinx.errors import ExtensionError, SphinxError

EXTENSIONS = ["_ext.formulas", "_ext.anchors", "_ext.lookups", "_ext.writer"]
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
def linked(tmp_path: Path) -> Linked:
    """Return a function that builds a chapter from a text and returns the article element."""

    def build_article(text: str, **more: str) -> Tag:
        chapter = {"chapters/05-a": f"# A chapter\n\n## Why\n\n{text}\n"}
        others = {name.replace("__", "/"): text for name, text in more.items()}
        return build(tmp_path, PAGES_OF | chapter | others, *EXTENSIONS)["chapters/05-a"]

    return build_article


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FORMULA.format("5.1") + "By (5.2).", r"nothing has the number \(5\.2\)"),
        (FORMULA.format("5.1") * 2, r"two have the number 5\.1"),
    ],
    ids=["a number that nothing has", "two of one number"],
)
def test_a_wrong_number_is_refused(linked: Linked, text: str, message: str) -> None:
    with pytest.raises((ExtensionError, SphinxError), match=message):
        linked(text)


def test_a_named_formula_is_a_link(linked: Linked) -> None:
    soup = linked(FORMULA.format("5.1") + "By (5.1).")
    assert soup.select_one("a.om-formula")["href"] == "#equation-5-1"


def test_the_first_use_of_a_term_is_linked(linked: Linked) -> None:
    text = """### Mask

    mask

A `mask`, unmasked, two-head, [head](#why). Causal **masks**; the mask; a Head."""
    links = {a.get_text(): a["href"] for a in linked(text).select("a.om-term")}
    assert links == {
        "masks": "appendix-notation.html#term-mask",
        "Head": "appendix-notation.html#term-head",
    }
    longest = linked("A causal mask.").select_one("a.om-term")
    assert longest.get_text() == "causal mask"


def test_a_card_says_what_is_at_the_end_of_the_link(linked: Linked) -> None:
    citation = "[Su](appendix-bibliography.md#su2021)"
    soup = linked(f"A mask by {citation}, {citation}.")
    cards = {card["id"]: card.get_text() for card in soup.select(".om-card[popover][role=tooltip]")}
    assert cards == {
        "card-term-mask": "causal mask: Hides words.",
        "card-su2021": "Su (2021). RoFormer. arXiv",
    }
    assert not soup.select(".om-card a"), "a description holds nothing to press"
