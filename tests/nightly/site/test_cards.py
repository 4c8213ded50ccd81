"""Test that the Anki cards have all selected content and stable ids in a file Anki can read."""

import csv
import io
from pathlib import Path

from classroom.cards import __main__ as cards
from tools.book import TITLE


def test_the_book_has_every_formula_and_picture_that_is_asked_for() -> None:
    deck = list(cards.all_cards())
    for tag in ("formula", "picture"):
        assert sum(card.tag == tag for card in deck) == len(cards.SELECTION[f"{tag}s"])
    assert len({card.key for card in deck}) == len(deck) > 100
    assert all(card.front and card.back.strip() for card in deck)
    assert not [card.key for card in deck if "katex" in card.front + card.back]


def test_an_answer_that_was_improved_stays_the_same_card(tmp_path: Path) -> None:
    """Check that a card keeps its id when its answer changes.

    The test reads the file as Anki does. Header lines begin with #, and tabs separate the fields.
    """

    def read(back: str) -> list[list[str]]:
        cards.write([cards.Card("Why?", "Why?", back, "Chapter 1", "question")], tmp_path / "a.txt")
        lines = (tmp_path / "a.txt").read_text("utf-8").split("\n")
        assert "#guid column:1" in lines and "#tags column:4" in lines
        text = "\n".join(line for line in lines if not line.startswith("#"))
        return list(csv.reader(io.StringIO(text), "excel-tab"))

    first, second = read("Because."), read('For "this"\treason,\nthat is.')
    assert first[0][0] == second[0][0]
    assert second[0][1:] == [
        "Why?", f'For "this"\treason,\nthat is.<p><small>{TITLE}. Chapter 1</small></p>', "question"
    ]  # fmt: skip
