"""Reading a sheet: what it says, and what is said where it doesn't follow the format."""

import pytest
from small import CONTENT, TEXT, question

from pe_lib.course.grading.sheet import SheetError, load, names, parse


def test_a_sheet_is_read_whole() -> None:
    assert (CONTENT.title, CONTENT.intro, CONTENT.total) == ("Small", "One of each.", 9)
    assert list(CONTENT.questions) == ["double", "small_ones", "three", "pick", "row", "mend"]
    double = question("double")
    assert (double.level, double.tolerance, double.points) == (1, 1e-4, {"answer": 2})
    assert double.hints == ("Add it to itself.", "Then look again.")
    assert [m.title for m in double.mistakes] == ["squared", "a text"]
    assert double.solution.text == "$2x = x + x$."
    assert question("row").points == {"small": 1, "large": 2}
    assert question("pick").choices == {"a": "the `first`", "b": "the second"}
    assert question("pick").prompt == "Which?"


def test_the_same_seed_gives_the_same_numbers() -> None:
    double = question("double")
    assert double.given(3) == double.given(3)
    assert len({double.given(seed).x for seed in range(20)}) > 15


def test_each_draw_has_numbers_of_its_own() -> None:
    row = question("row")
    assert (row.draws, question("mend").draws, question("double").draws) == (5, 1, 1)
    assert row.given(3, 2).n == row.given(3, 2).n
    drawn = {tuple(row.given(seed, draw).n for seed in range(20)) for draw in range(5)}
    assert len(drawn) == 5
    assert vars(question("double").given(3)) == vars(question("double").given(3, 0))


def test_the_number_of_the_draw_may_choose() -> None:
    text = TEXT.replace(
        'def given(rng):\n    return {"n": int(',
        'def given(rng, n):\n    return {"n": n + 0 * int(',
    )
    row = parse(text, "99").questions["row"]
    assert [row.given(0, draw).n for draw in range(row.draws)] == [0, 1, 2, 3, 4]


def test_numbers_come_into_the_prompt_and_formulas_stay() -> None:
    double = question("double")
    assert double.asked(1) == f"Twice {double.given(1).x:.2f}? Not $\\frac{{1}}{{2}}$."
    assert list(double.places()) == [("x", ".2f")]


@pytest.mark.parametrize(
    ("name", "answer"), [("double", "twice"), ("row", "row"), ("mend", "total"), ("pick", "picked")]
)
def test_the_name_to_define_is_the_one_left_open(name: str, answer: str) -> None:
    assert question(name).answer == answer


def test_a_given_helper_is_not_the_answer() -> None:
    text = TEXT.replace(
        "def row(n):\n    ...", "def row(n):\n    ...\n\ndef helper():\n    return 1"
    )
    assert parse(text, "99").questions["row"].answer == "row"


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
        ("def row(n):\n    ...", "row = ...", "A function: Start must define a function"),
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


def test_a_sheet_is_found_by_its_number() -> None:
    for name in names():
        assert load(name.split("-")[0]).name == name
    with pytest.raises(SheetError, match="no sheet '77'; there are: "):
        load("77")


def test_in_a_notebook_an_error_is_one_line() -> None:
    with pytest.raises(SheetError) as error:
        load("77")
    assert len(error.value._render_traceback_()) == 1
