"""Answers as students type them: the right are accepted, the wrong are not, and are told why."""

from functools import cache

import pytest
from answers import HERE, Entry, checked, entries, told

from pe_lib.course.grading.sheet import load

NUMBERS = sorted(path.stem for path in HERE.glob("*.md"))
ENTRIES = [entry for number in NUMBERS for entry in entries(number)]
TOLD = 0.75  # of a sheet's wrong answers, at least so many are told their mistake

result_of = cache(checked)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.sheet}-{e.question}-{e.title}")
def test_an_answer_is_told_what_it_is_and_nothing_else(entry: Entry) -> None:
    """Where a wrong entry names nothing, no mistake may be named; a relation may."""
    result = result_of(entry)
    if entry.right:
        expected = ("right", load(entry.sheet).questions[entry.question].total)
        assert (result.status, result.score) == expected, result.hint
        return
    assert result.status != "right"
    if entry.told:
        assert told(result) == entry.told, result.hint
    else:
        assert not result.mistake, result.hint


@pytest.mark.parametrize("number", NUMBERS)
def test_a_sheets_bank_is_whole_and_most_wrong_answers_are_told_their_mistake(number: str) -> None:
    text = (HERE / f"{number}.md").read_text("utf-8")
    found = [entry for entry in ENTRIES if entry.sheet == number]
    assert len(found) == text.count("\n### "), "a heading that is not read as an entry"
    for right in (True, False):
        assert {e.question for e in found if e.right is right} == set(load(number).questions)
    wrong = [entry for entry in found if not entry.right]
    assert len([entry for entry in wrong if entry.told]) >= TOLD * len(wrong)
