"""Every sheet: solutions score all, starters nothing, each mistake gets its own hint."""

import math
import re
from collections.abc import Iterator

import pytest

from pe_lib.course.grading.check import grade, judge
from pe_lib.course.grading.outcome import known
from pe_lib.course.grading.sheet import Question, load, names

QUESTIONS = [question for name in names() for question in load(name).questions.values()]

every_question = pytest.mark.parametrize(
    "question", QUESTIONS, ids=lambda q: f"{q.sheet[:2]}-{q.name}"
)


def seeds(question: Question) -> range:
    """So many that a hundred sets of numbers are tried, if there are numbers in the question."""
    return range(100 // question.draws if question.given_code else 1)


def answered(question: Question, code: str, seed: int) -> dict[str, object]:
    return {question.answer: question.defined(code, seed)}


@every_question
def test_the_solution_and_every_other_right_way_score_everything(question: Question) -> None:
    for way in (question.solution, *question.also_right):
        for seed in seeds(question):
            result = grade(question, answered(question, way.code, seed), seed)
            said = (result.status, result.score)
            assert said == ("right", question.total), (way.name, seed, result.hint)


@every_question
def test_the_untouched_starter_is_not_answered_yet(question: Question) -> None:
    for seed in seeds(question):
        result = grade(question, answered(question, question.starter, seed), seed)
        assert (result.status, result.score) == ("open", 0), (seed, result.hint)


@every_question
def test_each_mistake_gets_its_own_hint(question: Question) -> None:
    """So no two of them look alike, nor like the solution or the starter.

    The grader computes for each seed what every mistake gives; one seed shows that it does.
    """
    for mistake in question.mistakes:
        results = [judge(question, known(question, n)[mistake.name], n) for n in seeds(question)]
        results.append(grade(question, answered(question, mistake.code, seed=0)))
        for seed, result in enumerate(results):
            assert result.status in ("wrong", "partly"), (mistake.name, seed, result.hint)
            assert (result.mistake, result.hint) == (mistake.name, mistake.text), seed


@every_question
def test_a_question_is_complete(question: Question) -> None:
    assert question.solution.text, "a solution comes with its reasons"
    assert question.hints, "at least one hint"
    assert question.level in (1, 2, 3)
    assert question.total == round(question.total, 1)
    assert len(question.mistakes) >= 2 or question.kind == "choice"
    assert question.kind != "code" or len(question.also_right) >= 3, "three ways to be right"
    given = vars(question.given(0))
    for name, spec in question.places():
        assert format(given[name], spec)
    if question.kind == "choice":
        right = question.defined(question.solution.code)
        wrong = {question.defined(mistake.code) for mistake in question.mistakes}
        assert wrong | {right} == set(question.choices), "every wrong choice has its hint"


def plain_texts() -> Iterator[tuple[str, str]]:
    for question in QUESTIONS:
        for mistake in question.mistakes:
            yield f"{question.name}, {mistake.name}", mistake.text
        for hint in question.hints:
            yield f"{question.name}, a hint", hint
        for choice in question.choices.values():
            yield f"{question.name}, a choice", choice


def test_hints_and_choices_are_plain_text() -> None:
    """They appear in a terminal, in a grading platform and on the page, so no formulas in TeX."""
    for where, text in plain_texts():
        assert text, where
        assert "$" not in text and not re.search(r"\\[a-z]", text), where
        assert "\n\n" not in text, where


@pytest.mark.parametrize("name", names())
def test_each_name_to_define_is_its_own(name: str) -> None:
    """A submission is graded after all of its cells ran: no answer may overwrite another."""
    sheet = load(name)
    answers = [question.answer for question in sheet.questions.values()]
    assert len(set(answers)) == len(answers)
    assert not {"given", "sheet", "Sheet", "np", "math"} & set(answers)


@pytest.mark.parametrize("name", names())
def test_a_sheet_has_five_questions_from_easy_to_hard(name: str) -> None:
    levels = [question.level for question in load(name).questions.values()]
    assert len(levels) >= 5
    assert levels[0] == 1 and max(levels) >= 2
    assert math.isfinite(load(name).total)
