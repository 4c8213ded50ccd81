"""The sheet as a submission finds it: its numbers, and nothing of what is right or wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

from pe_lib.course.grading.sheet import Content, SheetError

Numbers = dict[str, dict[str, Any]]


class Paper:
    """In place of `Sheet`; whatever name and seed a notebook gives, it has these numbers."""

    numbers: ClassVar[Numbers] = {}

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def given(self, question: str) -> SimpleNamespace:
        """The numbers of a question that is answered by a value."""
        if question not in self.numbers:
            raise SheetError(f"there is no question {question!r} with numbers here")
        return SimpleNamespace(**self.numbers[question])

    def check(self, *arguments: Any, **named: Any) -> None:
        """Nothing: what is right is decided elsewhere."""

    hint = solution = again = progress = review = answer = check


def numbers(content: Content, seed: int) -> Numbers:
    """What `given` holds for each question that is answered by a value."""
    return {q.name: vars(q.given(seed)) for q in content.questions.values() if q.kind != "code"}
