"""The bank: answers as students type them, right and wrong, from bank/NN.md.

An entry's heading says what it is: `right: …`, `wrong: …` where nothing more is claimed,
``wrong `name`: …`` where that mistake of the sheet must be named, ``wrong `~name`: …`` where that
relation to the right value must be, and ``wrong `open`: …`` where it counts as no answer yet.
"""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.notebook import Sheet
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, load

HERE = Path(__file__).parent / "bank"
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
    return list(_entries(number, (HERE / f"{number}.md").read_text("utf-8")))


def _entries(number: str, text: str) -> Iterator[Entry]:
    question = ""
    for found in _ENTRY.finditer(text):
        if found["question"]:
            question = found["question"]
            continue
        told, title, code = found["told"] or "", found["title"], found["code"]
        yield Entry(number, question, found["kind"] == "right", told, title, code)


def checked(entry: Entry) -> Result:
    """What is said of an answer in a notebook that shows the numbers of seed 0.

    A cell may leave out the line `given = sheet.given(…)`. Where it stops with an error, what it
    had defined by then is what is checked.
    """
    sheet: Content = load(entry.sheet)
    question = sheet.questions[entry.question]
    names: dict[str, object] = {"sheet": Sheet(entry.sheet, keep=False)}
    exec(sheet.setup, names)
    names["given"] = question.given()
    with contextlib.suppress(Exception):
        exec(compile(entry.code, f"<cell of {entry.question}>", "exec"), names)
    return grade(question, names)


def told(result: Result) -> str:
    """What a result names, as an entry's heading has it."""
    relation = getattr(result, "relation", "")
    open_ = "open" if result.status == "open" else ""
    return result.mistake or open_ or (f"~{relation}" if relation else "")
