"""A small sheet with a question of each kind, and grades of a class that answered it."""

from pathlib import Path
from typing import Any

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.running.terms import Grade, Terms
from pe_lib.course.grading.sheet import Content, Question, parse

TEXT = (Path(__file__).parent / "small.md").read_text("utf-8")
CONTENT: Content = parse(TEXT, "99-small")
TERMS = Terms(CONTENT)
RIGHT = {q.name: q.solution.code for q in CONTENT.questions.values()}


def question(name: str, *changes: tuple[str, str]) -> Question:
    """A question of the sheet, after changes of its text: old and new, each made once."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse(text, "99-small").questions[name]


def mistake(question: str, name: str) -> str:
    """The code of a known mistake."""
    return next(m.code for m in CONTENT.questions[question].mistakes if m.name == name)


def of(reason: str = "", **answers: str) -> Grade:
    """What a student gets who answers all rightly but for `answers`, code by question.

    An answer may be "blank" or "not run"; no notebook is run for it.
    """
    results = {}
    for name, asked in CONTENT.questions.items():
        if (code := answers.get(name, RIGHT[name])) != "not run":
            names: dict[str, Any] = {}
            if code != "blank":
                names = {asked.answer: asked.defined(code)}
            results[name] = grade(asked, names)
    return Grade(results, reason)
