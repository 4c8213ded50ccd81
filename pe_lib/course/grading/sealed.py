"""Remove the solutions from a sheet for an exam, so that checks can only test an answer's form."""

import inspect
from typing import Any

import numpy as np

from pe_lib.course.grading.numbers import find_choice, parse_answer
from pe_lib.course.grading.outcome import as_value
from pe_lib.course.grading.sheet import Content, Question, sections
from pe_lib.course.grading.untouched import is_untouched

IN_AN_EXAM = "Not in an exam."
FORMS = {"number": "a number", "numbers": "numbers", "set": "numbers", "choice": "a letter",
         "code": "a function"}  # fmt: skip


def seal(content: Content) -> str:
    """Return the text of a sheet after removing its solutions, hints and mistakes.

    The code that draws a question's numbers is left out as well, because it may contain the answer.
    """
    kept = []
    for depth, heading, body in sections(content.text):
        if depth < 3 or heading in ("Setup", "Start"):
            kept.append(f"{'#' * depth} {heading}\n{body}")
        if heading == "Start":
            kept.append(f"### Solution\n{IN_AN_EXAM}\n\n{body}")
    return "".join(kept)


def is_sealed(question: Question) -> bool:
    return question.solution.text == IN_AN_EXAM


def check_form(question: Question, names: dict[str, Any]) -> str:
    """Say whether an answer exists and has the right form, but not whether it is right."""
    name, kind = question.answer, question.kind
    answer, expected = names.get(name), FORMS[kind]
    has_starter = kind == "code" and is_untouched(question.setup, question.starter, names)
    if answer is None or answer is ... or has_starter:
        return f"○ `{name}` has not been changed yet."
    value = answer if kind == "code" else as_value(parse_answer(kind, answer))
    if _has_form(question, value):
        reading = ""
        if isinstance(answer, str) and isinstance(value, np.ndarray):
            reading = f" It is read as {', '.join(f'{number:.15g}' for number in value.ravel())}."
        form = f"`{name}` is there, and it is {expected}."
        return f"✓ {form}{reading} You are not told whether it is right."
    if kind == "choice":
        expected = f"one of {', '.join(question.choices)}, as text in quotes"
    elif kind == "code":
        expected = f"a function of {', '.join(_arguments(question))}"
    actual = " ".join(repr(answer).split())
    actual = actual if len(actual) < 60 else f"{actual[:50]}…"
    return f"✗ `{name}` should be {expected}, but it is {actual}."


def _has_form(question: Question, value: Any) -> bool:
    if question.kind == "code":
        try:
            inspect.signature(value).bind(*_arguments(question))
        except (TypeError, ValueError):
            return False
        return True
    if isinstance(value, np.ndarray) and question.kind != "choice":
        return bool(np.isfinite(value).all() and (question.kind != "number" or value.size == 1))
    return isinstance(value, str) and find_choice(value, question.choices) in question.choices


def _arguments(question: Question) -> list[str]:
    return list(inspect.signature(question.run(question.starter)[question.answer]).parameters)
