"""Test that a chapter's sections become columns of slides, and its sentences become notes."""

from pathlib import Path

from classroom.slides.deck import make_deck

PAGE = Path(__file__).with_name("page.html").read_text("utf-8").replace("LONG", "line\n" * 30)


def test_a_page_as_slides() -> None:
    deck = make_deck(PAGE)
    kinds = [[slide.kind for slide in column] for column in deck.columns]
    assert kinds == [
        ["title", "explorer"],
        ["figure", "code"],
        ["predict", "explorer", "answer"],
        ["points"],
    ]
    title, opening = deck.columns[0]
    assert [title.notes, opening.notes] == [["<p>You need sines.</p>"], ["<p>Press Next.</p>"]]
    figure, code = deck.columns[1]
    assert [figure.section, figure.title, code.title] == ["One", "The message.", "Deep"]
    assert [figure.notes, code.notes] == [["<p>First said.</p>"], ["<p>Said after it.</p>"]]
    assert "Said alone." in deck.columns[3][0].body
    assert deck.scripts == ["../_static/explorers/shared.js", "../_static/loader.js"]
    prediction, _, answer = deck.columns[2]
    assert prediction.choices == ["low", "high"] and "It is" not in prediction.body
    assert answer.body.endswith("It is: high.")
