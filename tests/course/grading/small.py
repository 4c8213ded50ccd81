"""Provide a small sheet that has a question of each kind."""

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
    """Return the code of a known mistake of a question."""
    return next(m.code for m in CONTENT.questions[question].mistakes if m.name == name)
