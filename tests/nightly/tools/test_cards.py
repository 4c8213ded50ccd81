"""Cards for Anki: all that is asked for is found, ids stay, and Anki's own file holds them."""

import sqlite3
import zipfile
from pathlib import Path

from bs4 import BeautifulSoup

from tools.cards import __main__ as cards

PAGE = """<section id="a"><h1>2. The formula</h1>
<div class="om-equation" id="equation-2-2"><div class="math">\\[x &lt; y\\]</div>(2.2)</div>
<figure id="figure-2-2"><svg aria-label="A wave." viewbox="0 0 1 1"></svg>
<figcaption>Figure 2.2 Two positions, one sine.</figcaption></figure>
<section id="check-yourself"><h2>Check yourself</h2><ol><li>Why?</li></ol>
<details><summary>Answer</summary><p>Because.</p></details></section>
<section><section><p><strong>“It is so.”</strong> It is not. Chapter 1 proves it; claim S1.</p>
</section></section></section>"""


def test_each_kind_of_card() -> None:
    soup = BeautifulSoup(PAGE, "html.parser")
    (formula,) = cards.formulas(soup, "2. The formula")
    assert formula.back == r"\[x &lt; y\]"
    (picture,) = cards.pictures(soup, "2. The formula")
    assert picture.back == "Two positions, one sine." and 'alt="A wave."' in picture.front
    assert list(picture.pictures) == ["order-matters-2.2.svg"]
    (question,) = cards.questions(soup, "2. The formula")
    assert (question.front, question.back.strip()) == ("Why?", "<p>Because.</p>")
    (claim,) = cards.misconceptions(soup)
    assert claim.back.strip() == "It is not. Chapter 1 proves it."


def test_the_book_has_every_formula_and_picture_that_is_asked_for() -> None:
    made = list(cards.cards())
    for tag in ("formula", "picture"):
        assert sum(card.tag == tag for card in made) == len(cards.ASKED[f"{tag}s"])
    assert len({card.key for card in made}) == len(made) > 150
    assert all(card.front and card.back.strip() for card in made)
    assert not [card.key for card in made if "katex" in card.front + card.back]


def test_an_answer_that_was_improved_stays_the_same_card(tmp_path: Path) -> None:
    def ids(back: str) -> list[str]:
        out = tmp_path / f"{back}.apkg"
        cards.write([cards.Card("Why?", "Why?", back, "Chapter 1", "question")], tmp_path, out)
        with zipfile.ZipFile(out) as package:
            package.extract("collection.anki2", tmp_path)
        with sqlite3.connect(tmp_path / "collection.anki2") as collection:
            return [row[0] for row in collection.execute("select guid from notes")]

    assert ids("Because.") == ids("For this reason.") != []
