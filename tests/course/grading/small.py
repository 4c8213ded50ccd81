"""Provide a small exercise sheet for tests, which has one question of each type."""

from pathlib import Path

from pe_lib.course.grading.sheet import Content, Question, parse

TEXT = (Path(__file__).parent / "small.md").read_text("utf-8")
CONTENT: Content = parse(TEXT, "99-small")


def question(name: str, *changes: tuple[str, str]) -> Question:
    """Return a question of the small sheet after replacing parts of the sheet's text."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse(text, "99-small").questions[name]


def mistake(question: str, name: str) -> str:
    """Return the program for one of a question's known mistakes."""
    return next(m.code for m in CONTENT.questions[question].mistakes if m.name == name)
