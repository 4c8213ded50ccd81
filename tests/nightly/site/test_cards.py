"""Cards for Anki: all that is asked for is found, ids stay, and Anki's own file holds them."""

import sqlite3
import zipfile
from pathlib import Path

from classroom.cards import __main__ as cards


def test_the_book_has_every_formula_and_picture_that_is_asked_for() -> None:
    made = list(cards.cards())
    for tag in ("formula", "picture"):
        assert sum(card.tag == tag for card in made) == len(cards.ASKED[f"{tag}s"])
    assert len({card.key for card in made}) == len(made) > 100
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
