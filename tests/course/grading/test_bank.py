"""The bank: answers as students type them, right and wrong, from bank/NN.md.

An entry's heading says what it is: `right: …`, `wrong: …` where nothing more is claimed,
``wrong `name`: …`` where that mistake of the sheet must be named, ``wrong `~name`: …`` where that
relation to the right value must be, and ``wrong `open`: …`` where it counts as no answer yet.
"""

import contextlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.notebook import Sheet
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load

BANK = {path.stem: path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("bank/*"))}
ASKED = [(n, question) for n in BANK for question in re.findall(r"^## (\w+)$", BANK[n], re.M)]
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


@cache
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


def checked(entry: Entry) -> Result:
    """What is said of an answer in a notebook that shows the numbers of seed 0.

    A cell may leave out the line `given = sheet.given(…)`. Where it stops with an error, what it
    had defined by then is what is checked.
    """
    sheet = load(entry.sheet)
    question = sheet.questions[entry.question]
    names: dict[str, object] = {"sheet": Sheet(entry.sheet, keep=False)}
    exec(sheet.setup, names)
    names["given"] = question.given_numbers()
    with contextlib.suppress(Exception):
        exec(compile(entry.code, f"<cell of {entry.question}>", "exec"), names)
    return grade(question, names)


def misjudged(entry: Entry) -> str:
    """What it is told instead of what it should be. Who claims nothing is told no mistake."""
    result = checked(entry)
    said = (result.status, result.mistake, result.relation)
    if entry.right:
        total = load(entry.sheet).questions[entry.question].total
        well = (result.status, result.score) == ("right", total)
    elif entry.told == "open":
        well = said[:2] == ("open", "")
    elif entry.told.startswith("~"):
        well = said[0] != "right" and said[1:] == ("", entry.told[1:])
    else:
        well = said[0] != "right" and said[1] == entry.told
    return "" if well else f"{entry.title}: {said} {result.hint}"


@pytest.mark.parametrize(("number", "question"), ASKED)
def test_an_answer_is_told_what_it_is_and_nothing_else(number: str, question: str) -> None:
    some = [entry for entry in entries(number) if entry.question == question]
    assert not [wrong for entry in some if (wrong := misjudged(entry))]


@pytest.mark.parametrize("number", BANK)
def test_a_sheets_bank_is_whole_and_most_wrong_answers_are_told_their_mistake(number: str) -> None:
    found = entries(number)
    assert len(found) == BANK[number].count("\n### "), "a heading that is not read as an entry"
    for right in (True, False):
        assert {e.question for e in found if e.right is right} == set(load(number).questions)
    wrong = [entry for entry in found if not entry.right]
    assert len([entry for entry in wrong if entry.told]) >= TOLD * len(wrong)
