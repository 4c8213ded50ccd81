"""A sheet in an exam: it says whether an answer is there and of the right form, and no more.

In the wheel that students get this is pe_lib/course/grading/notebook.py.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.course.grading.numbers import typed
from pe_lib.course.grading.outcome import Failure, as_value
from pe_lib.course.grading.untouched import untouched

FORMS = Path(__file__).parent / "forms.json"
IN_AN_EXAM = "Not in an exam."
WANTED = {"number": "a number", "numbers": "numbers", "set": "numbers", "choice": "a letter",
          "code": "a function"}  # fmt: skip


class Said(str):
    """A sentence that a notebook shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


class Sheet:
    """The sheet of an exam. `forms` says of each question what an answer looks like."""

    def __init__(self, name: str, forms: dict[str, dict[str, Any]] | None = None) -> None:
        self._forms = forms or json.loads(FORMS.read_text("utf-8"))[name]

    def check(self, question: str, names: dict[str, Any] | None = None) -> Said:
        """Whether an answer is there and has the form that is asked for; not whether it is right.

        >>> forms = {"slow": {"answer": "slow_k", "kind": "number"}}
        >>> Sheet("04", forms).check("slow", {"slow_k": "two"})
        ✗ `slow_k` should be a number; it is 'two'.
        """
        form = self._forms[question]
        names = sys._getframe(1).f_globals if names is None else names
        name, wanted = form["answer"], WANTED[form["kind"]]
        answer = names.get(name)
        started = "starter" in form and untouched(form["setup"], form["starter"], names)
        if answer is None or answer is ... or started:
            return Said(f"○ `{name}` is as it was handed out.")
        if _fits(answer, form):
            typed_in = isinstance(answer, str) and form["kind"] != "choice"
            read = f" It is read as {_read(answer, form['kind'])}." if typed_in else ""
            return Said(
                f"✓ `{name}` is there, and is {wanted}.{read} Whether it is right is not said."
            )
        if form["kind"] == "choice":
            wanted = f"one of {', '.join(form['choices'])}, as text in quotes"
        if "count" in form:
            wanted = f"{form['count']} numbers"
        if "arguments" in form:
            wanted = f"a function of {', '.join(form['arguments'])}"
        return Said(f"✗ `{name}` should be {wanted}; it is {_short(answer)}.")

    def hint(self, *_: Any) -> Said:
        return Said(IN_AN_EXAM)

    solution = again = given = review = answer = progress = hint


def _read(answer: str, kind: str) -> str:
    """A text of numbers as it will be graded."""
    return ", ".join(f"{number:.15g}" for number in typed(kind, answer))


def _short(answer: Any) -> str:
    text = " ".join(repr(answer).split())
    return text if len(text) < 60 else f"{text[:50]}…"


def _fits(answer: Any, form: dict[str, Any]) -> bool:
    if form["kind"] == "code":
        try:
            inspect.signature(answer).bind(*form["arguments"])
        except (TypeError, ValueError):
            return False
        return True
    value = as_value(typed(form["kind"], answer))
    if form["kind"] == "choice":
        return isinstance(value, str) and value in form["choices"]
    if isinstance(value, (str, Failure)) or not np.isfinite(value).all():
        return False
    return bool(value.size == (1 if form["kind"] == "number" else form.get("count", value.size)))
