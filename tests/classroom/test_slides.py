"""Slides: a section is a column, what it shows are slides, and what it says are notes."""

from pathlib import Path

from classroom.slides.deck import deck

PAGE = Path(__file__).with_name("page.html").read_text("utf-8").replace("LONG", "line\n" * 30)


def test_a_page_as_slides() -> None:
    made = deck(PAGE)
    kinds = [[slide.kind for slide in column] for column in made.columns]
    assert kinds == [["title"], ["figure", "code"], ["predict", "explorer", "answer"], ["points"]]
    figure, code = made.columns[1]
    assert [figure.section, figure.title, code.title] == ["One", "The message.", "Deep"]
    assert [figure.notes, code.notes] == [["<p>First said.</p>"], ["<p>Said after it.</p>"]]
    assert "Said alone." in made.columns[3][0].body
    assert made.scripts == ["../_static/explorers/counter.js", "../_static/loader.js"]
    asked, _, answer = made.columns[2]
    assert asked.choices == ["low", "high"] and "It is" not in asked.body
    assert answer.body.endswith("It is: high.")
