"""Read the texts that follow a right answer: why the answer is right, and a follow-up question.

Each sheet has a file in the folder `afterwards`, with a table for each question. The texts are
plain text with `code` in backticks, like hints.
"""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from pe_lib.course.grading.sheet import Question, SheetError, load

FOLDER = Path(__file__).parent / "afterwards"


@dataclass(frozen=True)
class Afterwards:
    """The texts that follow a right answer.

    `why` says why the answer is right. `what_if` changes one thing about the question, and `then`
    answers that. `shorter` describes a shorter way to the answer; it is '' if there is none.
    """

    why: str
    what_if: str
    then: str
    shorter: str = ""

    def lines(self) -> list[str]:
        """Return the texts in reading order. The follow-up question and its answer come last."""
        shorter = [f"A shorter way: {self.shorter}"] if self.shorter else []
        return [f"Why? {self.why}", *shorter, self.what_if, self.then]


@cache
def load_texts(sheet: str) -> dict[str, Afterwards]:
    """Return the texts for each question of a sheet, or raise SheetError if a text is malformed."""
    path = FOLDER / f"{sheet}.toml"
    tables = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    if unknown := set(tables) - set(load(sheet).questions):
        raise SheetError(f"{sheet}: there are no questions {', '.join(sorted(unknown))}")
    names = {field.name for field in fields(Afterwards)}
    texts = {}
    for question, table in tables.items():
        if odd := (set(table) - names) | (names - {"shorter"} - set(table)):
            raise SheetError(f"{sheet}, {question}: unknown or missing: {', '.join(sorted(odd))}")
        texts[question] = Afterwards(**table)
    return texts


def find_afterwards(question: Question) -> Afterwards | None:
    """Return the texts that follow a right answer to a question, or None if there are none.

    >>> find_afterwards(load("04").questions["enough"]).what_if
    'What if you printed only two decimals?'
    """
    return load_texts(question.sheet).get(question.name)
