"""Check on every sheet that solutions are judged right, and that known mistakes get their messages.

These tests use two sets of random numbers. The tests in tests/nightly/grading use many more.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pe_lib.course.grading.check import grade, judge
from pe_lib.course.grading.outcome import attempt, reference_outcomes
from pe_lib.course.grading.sheet import Question, load, names

QUESTIONS = [question for name in names() for question in load(name).questions.values()]
CODE = [question for question in QUESTIONS if question.kind == "code"]
IDLE: list[Any] = [0, 1, -1, 0.5, 7, None, True, [], {}, (), "", "a", [0], [[0.0]], (0, 0)]
ERRORS = (ValueError, IndexError, TypeError, KeyError, ZeroDivisionError)


def each(questions: list[Question]) -> pytest.MarkDecorator:
    ids = [f"{q.sheet[:2]}-{q.name}" for q in questions]
    return pytest.mark.parametrize("question", questions, ids=ids)


def seeds(question: Question, most: int) -> range:
    """Return the seeds of random numbers with which a question is tested.

    A function needs fewer seeds, because it is tried on several sets of numbers for each seed.
    """
    return range(math.ceil(most / question.draws) if question.given_code else 1)


def check_judgements(question: Question, seed: int) -> None:
    """Check that solutions are right, the starter code earns 0, and mistakes are recognised."""

    def grade_code(code: str) -> Any:
        return grade(question, {question.answer: question.run_answer(code, seed)}, seed)

    for way in (question.solution, *question.also_right):
        result = grade_code(way.code)
        assert (result.status, result.score) == ("right", question.total), (way.name, result.hint)
    result = grade_code(question.starter)
    assert (result.status, result.score) == ("open", 0), result.hint
    assert grade(question, {}, seed).status == "open"
    for mistake in question.mistakes:
        result = judge(question, reference_outcomes(question, seed)[mistake.name], seed)
        assert result.status in ("wrong", "partly"), (mistake.name, result.hint)
        assert (result.mistake, result.hint) == (mistake.name, mistake.text)


def make_raising(error: type[Exception]) -> Callable[..., Any]:
    def raise_error(*_: Any, **__: Any) -> Any:
        raise error

    return raise_error


def check_idle_functions(question: Question, seed: int) -> None:
    """Check that a function that returns a constant or an argument, or fails, earns no points."""
    signature = inspect.signature(question.run_answer(question.solution.code))

    def argument(name: str) -> Callable[..., Any]:
        return lambda *arguments, **keywords: signature.bind(*arguments, **keywords).arguments[name]

    idle = {f"return {v!r}": lambda *_, v=v, **__: v for v in IDLE}
    idle |= {f"return {name}": argument(name) for name in signature.parameters}
    idle |= {f"raise {error.__name__}": make_raising(error) for error in ERRORS}
    for words, answer in idle.items():
        outcome = attempt(question, {question.answer: answer}, seed, seconds=5)
        result = judge(question, outcome, seed)  # without the slow search for slips
        assert result.score == 0, (words, result.good)
        assert result.status in ("open", "wrong"), words


@each(QUESTIONS)
def test_right_is_right_blank_is_open_and_a_mistake_gets_its_own_hint(question: Question) -> None:
    for seed in seeds(question, 2):
        check_judgements(question, seed)


@each(CODE)
def test_an_idle_function_earns_nothing(question: Question) -> None:
    check_idle_functions(question, 0)


@each(QUESTIONS)
def test_a_question_is_complete(question: Question) -> None:
    assert question.solution.text, "a solution comes with its reasons"
    assert question.hints, "at least one hint"
    assert question.level in (1, 2, 3)
    assert question.total == round(question.total, 1)
    assert len(question.mistakes) >= 2 or question.kind == "choice"
    assert question.kind != "code" or len(question.also_right) >= 3, "three ways to be right"
    numbers = vars(question.given_numbers(0))
    for name, spec in question.shown_numbers():
        assert format(numbers[name], spec)
    if question.kind == "choice":
        right = question.run_answer(question.solution.code)
        wrong = {question.run_answer(mistake.code) for mistake in question.mistakes}
        assert wrong | {right} == set(question.choices), "every wrong choice has its hint"
    for text in plain_texts(
        question
        # terminals and other platforms, which cannot render formulas, show these texts, too
    ):
        assert text and "\n\n" not in text
        assert "$" not in text and not re.search(r"\\[a-z]", text), text


def plain_texts(question: Question) -> Iterator[str]:
    yield from (mistake.text for mistake in question.mistakes)
    yield from question.hints
    yield from question.choices.values()


@pytest.mark.parametrize("name", names())
def test_a_sheet_goes_from_easy_to_hard_and_no_answer_overwrites_another(name: str) -> None:
    """Check that questions become harder, and that no two answers have the same name.

    The names must differ, because a submission is graded after all of its cells have run.
    """
    questions = load(name).questions.values()
    answers = [question.answer for question in questions]
    assert len(set(answers)) == len(answers) >= 5
    assert not {"given", "sheet", "Sheet", "np", "math"} & set(answers)
    levels = [question.level for question in questions]
    assert levels[0] == 1 and max(levels) >= 2
    assert [3, 3, 3] not in [levels[n : n + 3] for n in range(len(levels))], "a rest between"
    assert math.isfinite(load(name).total)
