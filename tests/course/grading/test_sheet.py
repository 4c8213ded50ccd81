"""Reading a sheet: what it says, and what is said where it doesn't follow the format."""

import pytest
from small import CONTENT, TEXT, question

from pe_lib.course.grading.sheet import SheetError, load, names, parse


def test_a_sheet_is_read_whole() -> None:
    assert (CONTENT.title, CONTENT.intro, CONTENT.total) == ("Small", "One of each.", 9)
    answers = {name: question.answer for name, question in CONTENT.questions.items()}
    assert answers == {"double": "twice", "small_ones": "small", "three": "squares",
                       "pick": "picked", "row": "row", "mend": "total"}  # fmt: skip
    double = question("double")
    assert (double.level, double.tolerance, double.points) == (1, 1e-4, {"answer": 2})
    assert double.hints == ("Add it to itself.", "Then look again.")
    assert [m.title for m in double.mistakes] == ["squared", "a text"]
    assert double.solution.text == "$2x = x + x$."
    assert double.asked(1) == f"Twice {double.given(1).x:.2f}? Not $\\frac{{1}}{{2}}$."
    assert list(double.places()) == [("x", ".2f")]
    assert question("row").points == {"small": 1, "large": 2}
    assert question("pick").choices == {"a": "the `first`", "b": "the second"}
    assert question("pick").prompt == "Which?"
    helped = question("row", ("(n): ...", "(n): ...\n\ndef helper():\n    return 1"))
    assert helped.answer == "row", "a given helper is not the answer"


def test_each_seed_and_each_draw_has_numbers_of_its_own() -> None:
    double, row = question("double"), question("row")
    assert double.given(3) == double.given(3, 0) == double.given(3)
    assert len({double.given(seed).x for seed in range(20)}) > 15
    assert (row.draws, question("mend").draws, double.draws) == (5, 1, 1)
    drawn = {tuple(row.given(seed, draw).n for seed in range(20)) for draw in range(5)}
    assert len(drawn) == 5
    chosen = question("row", ('given(rng):\n    return {"n": int(',
                              'given(rng, n):\n    return {"n": n + 0 * int('))  # fmt: skip
    assert [chosen.given(0, draw).n for draw in range(5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# Small\n", "", "first line must be '# Title'"),
        ("kind: set", "kind: bag", "kind must be one of code, number"),
        ("id: small_ones |", "", "the line below the heading must read"),
        ("id: small_ones", "id: double", "two questions are called 'double'"),
        ("Twice {=x:.2f}?", "Twice `{=x:.2f}`?", "can't stand inside backticks"),
        ("| level: 2", "| leval: 2", "leval"),
        ("### Hint\nNot", "### Clue\nNot", "A choice, Clue: not a section of a question"),
        ("small = [0, 1, 2]", "small = [0, 1", "line 1 of the code"),
        ("```python\nsquares = ...\n```", "squares", "Numbers, Start: one ```python block"),
        ("### Start\n```python\npicked = ...\n```\n", "", "no section Start"),
        ("### Mistake `from_one`: counted", "### Mistake from_one counted", "not a section"),
        ("def row(n): ...", "row = ...", "A function: Start must define a function"),
        ("kind: set |", "kind: set | draws: 2 |", "draws are 1 to 20 for a function, else 1"),
        ("| level: 3", "| level: 3 | draws: 99", "not 99"),
        ("## A number\n", "### Hint\nEarly.\n\n## A number\n", "stands before the first question"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(SheetError) as error:
        parse(TEXT.replace(old, new, 1), "99-small")
    assert said in str(error.value)
    assert str(error.value).startswith("99-small")
    assert len(error.value._render_traceback_()) == 1, "in a notebook an error is one line"


def test_a_sheet_is_found_by_its_number() -> None:
    for name in names():
        assert load(name.split("-")[0]).name == name
    with pytest.raises(SheetError, match="no sheet '77'; there are: "):
        load("77")
