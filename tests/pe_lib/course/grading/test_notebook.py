"""The sheet in a learner's hands."""

import subprocess
import sys
from pathlib import Path

import pytest

from pe_lib.course.grading import Sheet
from pe_lib.course.grading.sheet import SheetError, load


@pytest.fixture
def sheet() -> Sheet:
    return Sheet("04", keep=False)


def test_hints_come_one_by_one_and_then_the_way_to_the_solution(sheet: Sheet) -> None:
    hints = load("04").questions["slow_sine"].hints
    for number, hint in enumerate(hints, start=1):
        assert repr(sheet.hint("slow_sine")) == f"Hint {number} of {len(hints)}. {hint}"
    assert 'sheet.solution("slow_sine")' in repr(sheet.hint("slow_sine"))


def test_again_asks_with_other_numbers_and_checks_with_them(sheet: Sheet) -> None:
    before = sheet.given("slow_sine")
    asked = {repr(sheet.again("slow_sine")) for _ in range(3)}
    assert len(asked) == 3
    question, given = load("04").questions["slow_sine"], sheet.given("slow_sine")
    assert given != before
    scope = question.run(question.solution.code, given=given)
    assert sheet.check("slow_sine", scope).status == "right"
    old = question.run(question.solution.code, given=before)
    assert sheet.check("slow_sine", old).status == "wrong"


def test_a_class_has_its_own_numbers() -> None:
    assert Sheet("04", seed=1).given("slow_sine") != Sheet("04", seed=2).given("slow_sine")
    assert Sheet("04", seed=1).given("slow_sine") == Sheet("04", seed=1).given("slow_sine")


def test_the_solution_comes_with_its_reasons(sheet: Sheet) -> None:
    solution = sheet.solution("slow_sine")
    assert "arcsin" in solution._repr_markdown_()
    assert "```python\nslow_k = " in repr(solution)


def test_an_unknown_question_is_met_with_those_that_there_are(sheet: Sheet) -> None:
    for act in (sheet.check, sheet.hint, sheet.given, sheet.solution, sheet.again):
        with pytest.raises(SheetError, match=r"no question 'slow'.*slow_sine, "):
            act("slow")


def test_the_answer_is_found_where_the_check_is_called() -> None:
    names = {"__name__": "elsewhere"}
    code = (
        "from pe_lib.course.grading import Sheet\nslow_k = 1\n"
        'result = Sheet("04", keep=False).check("slow_sine")'
    )
    exec(code, names)
    assert names["result"].status == "wrong"


def test_importing_it_is_quick_and_brings_no_matplotlib() -> None:
    code = "import sys, pe_lib.course.grading; raise SystemExit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_review_asks_three_of_earlier_sheets_with_numbers_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    later = Sheet("06")
    asked = repr(later.review())
    assert "**3.**" in asked and "**4.**" not in asked and repr(later.review()) != asked
    questions = [question for question, _ in later._reviewed]
    assert len({question.sheet for question in questions}) == 3
    assert all(question.sheet < "06" and question.kind != "code" for question in questions)
    for number, (question, seed) in enumerate(later._reviewed, start=1):
        right = question.defined(question.solution.code, seed)
        assert later.answer(number, right).status == "right"
    with pytest.raises(SheetError, match="not 4"):
        later.answer(4, 1)
    assert repr(Sheet("00").review()) == "There is no earlier sheet."


def test_a_review_begins_with_what_went_wrong_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    Sheet("04").check("slow_sine", {"slow_k": 1.0})
    later = Sheet("06")
    later.review()
    question, seed = later._reviewed[0]
    assert question.name == "slow_sine"
    later.answer(1, question.defined(question.solution.code, seed))
    later.review()
    assert "slow_sine" not in [question.name for question, _ in later._reviewed]
