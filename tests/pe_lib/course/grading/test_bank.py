"""Answers as students type them: the right are accepted, the wrong are not, and are told why."""

from collections import Counter
from functools import cache

import pytest
from answers import HERE, Entry, checked, entries, told

from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load

NUMBERS = sorted(path.stem for path in HERE.glob("*.md"))
ENTRIES = [entry for number in NUMBERS for entry in entries(number)]
WRONG = [entry for entry in ENTRIES if not entry.right]
TOLD = 0.0  # of the wrong ones, at least so many are told their mistake

result_of = cache(checked)


def named(entry: Entry) -> str:
    return f"{entry.sheet}-{entry.question}-{entry.title}"


def each(of: list[Entry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", of, ids=named)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_question_of_a_sheet_has_right_and_wrong_answers(number: str) -> None:
    """And every entry of the file is read."""
    text = (HERE / f"{number}.md").read_text("utf-8")
    found = entries(number)
    assert len(found) == text.count("\n### "), "a heading that is not read as an entry"
    for right in (True, False):
        assert {e.question for e in found if e.right is right} == set(load(number).questions)


@each([entry for entry in ENTRIES if entry.right])
def test_a_right_answer_scores_everything(entry: Entry) -> None:
    result = result_of(entry)
    assert (result.status, result.score) == ("right", result.question.total), result.hint


@each(WRONG)
def test_a_wrong_answer_is_told_its_mistake_and_no_other(entry: Entry) -> None:
    """Where the entry names none, no mistake of the sheet may be named; a relation may."""
    result = result_of(entry)
    assert result.status != "right"
    if entry.told.startswith("~"):
        assert told(result) == entry.told, result.hint
    else:
        assert result.mistake == entry.told, result.hint


def test_most_wrong_answers_are_told_their_mistake() -> None:
    share = {}
    for number in [*NUMBERS, ""]:
        wrong = [entry for entry in WRONG if entry.sheet.startswith(number)]
        share[number or "all"] = sum(map(hit, wrong)) / len(wrong)
    print(" ".join(f"{number}: {part:.0%}" for number, part in share.items()))
    print(Counter(status(result_of(entry)) for entry in WRONG))
    assert share["all"] >= TOLD


def hit(entry: Entry) -> bool:
    return entry.told != "" and told(result_of(entry)) == entry.told


def status(result: Result) -> str:
    return "a mistake" if result.mistake else "a relation" if told(result) else "neither"
