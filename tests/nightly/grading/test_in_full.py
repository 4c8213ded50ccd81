"""What each change tries on a few sheets and numbers, on all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import test_answers
import test_moodle
import test_packages
import test_qti
import test_sheets
from test_packages import interface
from test_sheets import CODE, QUESTIONS, each

from pe_lib.course.grading.packages import moodle
from pe_lib.course.grading.sheet import Content, Question, load, names

__all__ = ["interface"]  # a fixture

every_sheet = pytest.mark.parametrize("content", [load(name) for name in names()], ids=names())


@each(QUESTIONS)
def test_a_question_is_judged_as_it_should_be_on_a_hundred_sets(question: Question) -> None:
    for seed in test_sheets.seeds(question, 100):
        test_sheets.judges_as_it_should(question, seed)


@each(CODE)
def test_an_idle_function_earns_nothing_on_more_numbers(question: Question) -> None:
    for seed in range(1, 5):
        test_sheets.gives_nothing_to_the_idle(question, seed)


def test_the_page_says_what_the_notebook_says_on_all_its_numbers(tmp_path: Path) -> None:
    assert test_answers.relations_on_the_page(tmp_path, range(5))


def moodle_on_all_numbers(content: Content) -> None:
    test_moodle.moodle_tells_what_the_notebook_tells(content, range(moodle.DRAWS))


@every_sheet
@pytest.mark.parametrize(
    "contract",
    [
        moodle_on_all_numbers,
        test_qti.canvas_takes_it,
        test_packages.otter_tells_what_the_notebook_tells,
    ],
)
def test_each_platform_gives_the_same_points(
    contract: Callable[[Content], None], content: Content
) -> None:
    contract(content)


@every_sheet
def test_nbgrader_gives_the_same_points(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_packages.nbgrader_gives_the_points(content, tmp_path, monkeypatch)
