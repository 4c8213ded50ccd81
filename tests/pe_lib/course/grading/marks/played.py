"""A class whose answers are judged without running a notebook."""

from typing import Any

from small import CONTENT

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.running.terms import Grade, Terms

TERMS = Terms(CONTENT)
RIGHT = {q.name: q.solution.code for q in CONTENT.questions.values()}


def of(reason: str = "", **answers: str) -> Grade:
    """What a student gets who answers all rightly but for `answers`, code by question."""
    results = {}
    for name, question in CONTENT.questions.items():
        if (code := answers.get(name, RIGHT[name])) != "not run":
            names: dict[str, Any] = {}
            if code != "blank":
                names = {question.answer: question.defined(code)}
            results[name] = grade(question, names)
    return Grade(results, reason)


def mistake(question: str, name: str) -> str:
    """The code of a known mistake."""
    return next(m.code for m in CONTENT.questions[question].mistakes if m.name == name)
