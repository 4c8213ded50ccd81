"""Answers as students type them: the right are accepted, the wrong are not, and are told why."""

from collections import Counter
from functools import cache

import pytest
from answers import HERE, Entry, checked, entries, told

from pe_lib.course.grading.sheet import load

NUMBERS = sorted(path.stem for path in HERE.glob("*.md"))
ENTRIES = [entry for number in NUMBERS for entry in entries(number)]
WRONG = [entry for entry in ENTRIES if not entry.right]
JUDGED = {entry.sheet for entry in WRONG if entry.told}  # what is told was read, and headed
TOLD = 0.75  # of a sheet's wrong answers, at least so many are told their mistake

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
    if entry.told:
        assert told(result) == entry.told, result.hint
    elif entry.sheet in JUDGED:
        assert not result.mistake, result.hint


@pytest.mark.parametrize("number", sorted(JUDGED))
def test_most_wrong_answers_are_told_their_mistake(number: str) -> None:
    wrong = [entry for entry in WRONG if entry.sheet == number]
    hits = [entry for entry in wrong if entry.told and told(result_of(entry)) == entry.told]
    kinds = Counter("relation" if entry.told[0] == "~" else "mistake" for entry in hits)
    print(f"{number}: {len(hits)} of {len(wrong)} told, {dict(kinds)}")
    assert len(hits) >= TOLD * len(wrong)
