"""The bank: answers as students type them, right and wrong, from bank/NN.md.

An entry's heading says what it is: `right: …`, `wrong: …` where nothing more is claimed,
``wrong `name`: …`` where that mistake of the sheet must be named, ``wrong `~name`: …`` where that
relation to the right value must be, and ``wrong `open`: …`` where it counts as no answer yet.
"""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.notebook import Sheet
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load

BANK = {path.stem: path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("bank/*"))}
TOLD = 0.75  # of a sheet's wrong answers, at least so many are told their mistake
_ENTRY = re.compile(
    r"^## (?P<question>\w+)$"
    r"|^### (?P<kind>right|wrong)(?: `(?P<told>~?\w+)`)?: (?P<title>[^\n]+)\n+"
    r"```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Entry:
    """One answer: to which question, whether it is right, and what its author must be told."""

    sheet: str
    question: str
    right: bool
    told: str  # a mistake's name, '~' and a relation's, 'open', or '' where nothing is claimed
    title: str
    code: str


def entries(number: str) -> list[Entry]:
    """The answers to one sheet, in their order."""
    question, made = "", []
    for found in _ENTRY.finditer(BANK[number]):
        if found["question"]:
            question = found["question"]
            continue
        right, told = found["kind"] == "right", found["told"] or ""
        made.append(Entry(number, question, right, told, found["title"], found["code"]))
    return made


ENTRIES = [entry for number in BANK for entry in entries(number)]


def checked(entry: Entry) -> Result:
    """What is said of an answer in a notebook that shows the numbers of seed 0.

    A cell may leave out the line `given = sheet.given(…)`. Where it stops with an error, what it
    had defined by then is what is checked.
    """
    sheet = load(entry.sheet)
    question = sheet.questions[entry.question]
    names: dict[str, object] = {"sheet": Sheet(entry.sheet, keep=False)}
    exec(sheet.setup, names)
    names["given"] = question.given()
    with contextlib.suppress(Exception):
        exec(compile(entry.code, f"<cell of {entry.question}>", "exec"), names)
    return grade(question, names)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.sheet}-{e.question}-{e.title}")
def test_an_answer_is_told_what_it_is_and_nothing_else(entry: Entry) -> None:
    """Where a wrong entry names nothing, no mistake may be named; a relation may."""
    result = checked(entry)
    if entry.right:
        expected = ("right", load(entry.sheet).questions[entry.question].total)
        assert (result.status, result.score) == expected, result.hint
        return
    assert result.status != "right"
    if entry.told.startswith("~"):
        assert (result.mistake, result.relation) == ("", entry.told[1:]), result.hint
    elif entry.told == "open":
        assert (result.mistake, result.status) == ("", "open"), result.hint
    else:
        assert result.mistake == entry.told, result.hint


@pytest.mark.parametrize("number", BANK)
def test_a_sheets_bank_is_whole_and_most_wrong_answers_are_told_their_mistake(number: str) -> None:
    found = entries(number)
    assert len(found) == BANK[number].count("\n### "), "a heading that is not read as an entry"
    for right in (True, False):
        assert {e.question for e in found if e.right is right} == set(load(number).questions)
    wrong = [entry for entry in found if not entry.right]
    assert len([entry for entry in wrong if entry.told]) >= TOLD * len(wrong)
