"""Check the same facts as tests/course/grading, but with many more sets of random numbers."""

import copy
import inspect
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import test_answers
import test_sheets
from test_sheets import CODE, QUESTIONS, each

from pe_lib.course.grading import check
from pe_lib.course.grading.agreement import is_same_value
from pe_lib.course.grading.check import judge, judge_all
from pe_lib.course.grading.outcome import compute_outcome, compute_value, reference_outcomes
from pe_lib.course.grading.sheet import Question
from pe_lib.course.grading.trivial import idle_answers


@each(QUESTIONS)
def test_a_question_is_judged_as_it_should_be_on_a_hundred_sets(question: Question) -> None:
    for seed in test_sheets.seeds(question, 100):
        test_sheets.check_judgements(question, seed)


@each(CODE)
def test_an_idle_function_earns_nothing_on_more_numbers(question: Question) -> None:
    for seed in range(1, 5):
        test_sheets.check_idle_functions(question, seed)


def test_the_page_says_what_the_notebook_says_on_all_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "find_slip", lambda *_: "")  # pages do not find slips
    assert test_answers.relations_on_the_page(tmp_path, range(5))


@each(CODE)
def test_a_function_that_counts_its_calls_earns_nothing(question: Question) -> None:
    """Check that the values of a solution, in their order, earn nothing with other seeds."""
    solution, values = question.run_answer(question.solution.code), []

    def record(*arguments: Any, **keywords: Any) -> Any:
        values.append(copy.deepcopy(solution(*arguments, **keywords)))
        return values[-1]

    assert judge(question, compute_outcome(question, record)).status == "right"
    count = itertools.count()

    def replay(*arguments: Any, **keywords: Any) -> Any:
        return values[next(count) % len(values)]

    outcomes = {seed: compute_outcome(question, replay, seed) for seed in (0, 11, 12)}
    assert judge_all(question, outcomes).score == 0


def answers_from(other: Question) -> Iterator[Callable[..., Any]]:
    """Yield the solution of another question, and versions of it that compute row by row."""
    function = other.run_answer(other.solution.code)
    yield function
    if len(inspect.signature(function).parameters) == 2:
        yield lambda count, x: [function(n, x) for n in range(count)]
        yield lambda n, x: function(n + 1, x)[n]


@each(CODE)
def test_no_function_answers_two_questions(question: Question) -> None:
    """Check that a question's solution earns no points for any other question."""
    own = inspect.signature(question.run_answer(question.solution.code)).parameters
    idle = set().union(*idle_answers(question, 0).values())
    right = reference_outcomes(question, 0)["solution"]

    def earns(answer: Callable[..., Any], part: str) -> bool:
        values = (
            compute_value(question, answer, part, 0, draw, 0.2) for draw in range(question.draws)
        )
        return all(is_same_value(question, *pair) for pair in zip(values, right[part], strict=True))

    for other in CODE:
        theirs = inspect.signature(other.run_answer(other.solution.code)).parameters
        if other is not question and len(theirs) == len(own):
            for answer in answers_from(other):
                assert not [part for part in {*right} - idle if earns(answer, part)], other.name
