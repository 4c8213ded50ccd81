"""A question without its solution, as in an exam: is an answer there, and of the right form?"""

import inspect
from typing import Any

import numpy as np

from pe_lib.course.grading.numbers import typed
from pe_lib.course.grading.outcome import as_value
from pe_lib.course.grading.sheet import Content, Question, sections
from pe_lib.course.grading.untouched import untouched

IN_AN_EXAM = "Not in an exam."
WANTED = {"number": "a number", "numbers": "numbers", "set": "numbers", "choice": "a letter",
          "code": "a function"}  # fmt: skip


def seal(content: Content) -> str:
    """The sheet's text with what is asked, and nothing of how it is answered or judged.

    Numbers are not drawn there either: what draws them may know the answer.
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


def form(question: Question, names: dict[str, Any]) -> str:
    """Whether an answer is there and has the form that is asked for; not whether it is right."""
    name, kind = question.answer, question.kind
    answer, wanted = names.get(name), WANTED[kind]
    started = kind == "code" and untouched(question.setup, question.starter, names)
    if answer is None or answer is ... or started:
        return f"○ `{name}` is as it was handed out."
    value = answer if kind == "code" else as_value(typed(kind, answer))
    if _fits(question, value):
        read = ""
        if isinstance(answer, str) and isinstance(value, np.ndarray):
            read = f" It is read as {', '.join(f'{x:.15g}' for x in value.ravel())}."
        return f"✓ `{name}` is there, and is {wanted}.{read} Whether it is right is not said."
    if kind == "choice":
        wanted = f"one of {', '.join(question.choices)}, as text in quotes"
    elif kind == "code":
        wanted = f"a function of {', '.join(_arguments(question))}"
    said = " ".join(repr(answer).split())
    return f"✗ `{name}` should be {wanted}; it is {said if len(said) < 60 else f'{said[:50]}…'}."


def _fits(question: Question, value: Any) -> bool:
    if question.kind == "code":
        try:
            inspect.signature(value).bind(*_arguments(question))
        except (TypeError, ValueError):
            return False
        return True
    if isinstance(value, np.ndarray) and question.kind != "choice":
        return bool(np.isfinite(value).all() and (question.kind != "number" or value.size == 1))
    return isinstance(value, str) and value in question.choices


def _arguments(question: Question) -> list[str]:
    return list(inspect.signature(question.run(question.starter)[question.answer]).parameters)
