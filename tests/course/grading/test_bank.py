"""Check that each typical student answer in bank/NN.md is judged as its heading claims.

The heading is `right: …` for a right answer. For a wrong answer it is ``wrong `name`: …`` if the
message must describe this mistake of the sheet, ``wrong `~name`: …`` if the message must describe
this relation to the right value, ``wrong `open`: …`` if the answer counts as not given yet, and
`wrong: …` if nothing more is claimed.
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
ASKED = [
    (n, question) for n in BANK for question in re.findall(r"^## (\w+)$", BANK[n], re.MULTILINE)
]
# on each sheet, at least this share of wrong answers must have a claim in the heading
LEAST_SHARE = 0.75
_ENTRY = re.compile(
    r"^## (?P<question>\w+)$"
    r"|^### (?P<kind>right|wrong)(?: `(?P<claim>~?\w+)`)?: (?P<title>[^\n]+)\n+"
    r"```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Entry:
    """An answer to a question, with a claim about how it must be judged."""

    sheet: str
    question: str
    is_right: bool
    # the name of a mistake, '~' and the name of a relation, 'open', or '' without a claim
    claim: str
    title: str
    code: str


@cache
def entries(number: str) -> list[Entry]:
    """Return the answers to a sheet's questions, in the order of the file."""
    question, answers = "", []
    for match in _ENTRY.finditer(BANK[number]):
        if match["question"]:
            question = match["question"]
            continue
        is_right, claim = match["kind"] == "right", match["claim"] or ""
        answers.append(Entry(number, question, is_right, claim, match["title"], match["code"]))
    return answers


def grade_entry(entry: Entry) -> Result:
    """Grade an answer in the same way as a notebook with the random numbers of seed 0.

    A cell may leave out the line `given = sheet.given(…)`. If a cell stops with an error, the names
    that it had defined before the error are graded.
    """
    sheet = load(entry.sheet)
    question = sheet.questions[entry.question]
    names: dict[str, object] = {"sheet": Sheet(entry.sheet, keep=False)}
    exec(sheet.setup, names)
    names["given"] = question.given_numbers()
    with contextlib.suppress(Exception):
        exec(compile(entry.code, f"<cell of {entry.question}>", "exec"), names)
    return grade(question, names)


def describe_misjudgement(entry: Entry) -> str:
    """Describe how an answer is misjudged, or return '' if the heading's claim is true.

    For a wrong answer without a claim, the message must not name a known mistake.
    """
    result = grade_entry(entry)
    verdict = (result.status, result.mistake, result.relation)
    if entry.is_right:
        total = load(entry.sheet).questions[entry.question].total
        is_as_claimed = (result.status, result.score) == ("right", total)
    elif entry.claim == "open":
        is_as_claimed = verdict[:2] == ("open", "")
    elif entry.claim.startswith("~"):
        is_as_claimed = verdict[0] != "right" and verdict[1:] == ("", entry.claim[1:])
    else:
        is_as_claimed = verdict[0] != "right" and verdict[1] == entry.claim
    return "" if is_as_claimed else f"{entry.title}: {verdict} {result.hint}"


@pytest.mark.parametrize(("number", "question"), ASKED)
def test_an_answer_is_told_what_it_is_and_nothing_else(number: str, question: str) -> None:
    some = [entry for entry in entries(number) if entry.question == question]
    assert not [wrong for entry in some if (wrong := describe_misjudgement(entry))]


@pytest.mark.parametrize("number", BANK)
def test_a_sheets_bank_is_whole_and_most_wrong_answers_are_told_their_mistake(number: str) -> None:
    answers = entries(number)
    assert len(answers) == BANK[number].count("\n### "), "a heading that is not read as an entry"
    for is_right in (True, False):
        assert {e.question for e in answers if e.is_right is is_right} == set(
            load(number).questions
        )
    wrong = [entry for entry in answers if not entry.is_right]
    assert len([entry for entry in wrong if entry.claim]) >= LEAST_SHARE * len(wrong)
