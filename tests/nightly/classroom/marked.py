"""Grades of a class that answered the small sheet."""

from typing import Any

from small import CONTENT

from classroom.running.terms import Grade, Terms
from pe_lib.course.grading.check import grade

TERMS = Terms(CONTENT)
RIGHT = {q.name: q.solution.code for q in CONTENT.questions.values()}


def of(reason: str = "", **answers: str) -> Grade:
    """What a student gets who answers all rightly but for `answers`, code by question.

    An answer may be "blank" or "not run"; no notebook is run for it.
    """
    results = {}
    for name, asked in CONTENT.questions.items():
        if (code := answers.get(name, RIGHT[name])) != "not run":
            names: dict[str, Any] = {}
            if code != "blank":
                names = {asked.answer: asked.run_answer(code)}
            results[name] = grade(asked, names)
    return Grade(results, [reason] if reason else [])
