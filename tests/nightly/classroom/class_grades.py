"""Create grades for a class that has answered the small sheet, without running notebooks."""

from typing import Any

from small import CONTENT

from classroom.running.terms import Grade, Terms
from pe_lib.course.grading.check import grade

TERMS = Terms(CONTENT)
RIGHT = {q.name: q.solution.code for q in CONTENT.questions.values()}


def grade_with(reason: str = "", **answers: str) -> Grade:
    """Return the grade of a student who gave these answers, without running a notebook.

    For some questions, `answers` contains the student's code, "blank" or "not run". All other
    answers are right.
    """
    results = {}
    for name, question in CONTENT.questions.items():
        if (code := answers.get(name, RIGHT[name])) != "not run":
            names: dict[str, Any] = {}
            if code != "blank":
                names = {question.answer: question.run_answer(code)}
            results[name] = grade(question, names)
    return Grade(results, [reason] if reason else [])
