"""Check that a sheet is read, and that an error message says where a sheet breaks the format."""

from pathlib import Path

import pytest
import yaml
from small import CONTENT, TEXT, question

from pe_lib.course.grading.sheet import SheetError, parse

WRONG = yaml.safe_load(Path(__file__).with_name("wrong.yml").read_text("utf-8"))


def test_a_sheet_is_read_whole() -> None:
    answers = {name: question.answer for name, question in CONTENT.questions.items()}
    assert answers == {"double": "twice", "small_ones": "small", "three": "squares",
                       "pick": "picked", "row": "row", "mend": "total"}  # fmt: skip
    double = question("double")
    assert (double.level, double.tolerance, double.points) == (1, 1e-4, {"answer": 2})
    assert double.hints == ("Add it to itself.", "Then look again.")
    assert (
        double.format_prompt(1) == f"Twice {double.given_numbers(1).x:.2f}? Not $\\frac{{1}}{{2}}$."
    )
    assert question("row").points == {"small": 1, "large": 2}
    assert question("pick").choices == {"a": "the `first`", "b": "the second"}
    with_helper = question("row", ("(n): ...", "(n): ...\n\ndef helper():\n    return 1"))
    assert with_helper.answer == "row", "a given helper is not the answer"


def test_each_seed_and_each_draw_has_numbers_of_its_own() -> None:
    double, row = question("double"), question("row")
    assert double.given_numbers(3) == double.given_numbers(3, 0) == double.given_numbers(3)
    assert len({double.given_numbers(seed).x for seed in range(20)}) > 15
    assert (
        len({tuple(row.given_numbers(seed, n).n for seed in range(20)) for n in range(row.draws)})
        == 5
    )


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(SheetError) as error:
        parse(TEXT.replace(old, new, 1), "99-small")
    assert message in str(error.value)
    assert str(error.value).startswith("99-small")
