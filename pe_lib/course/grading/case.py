"""On which case a part is tried: the arguments with which its probe calls the answer."""

import inspect
from typing import Any

import numpy as np

from pe_lib.course.grading.outcome import value_of
from pe_lib.course.grading.sheet import Question


def case(question: Question, part: str, seed: int = 0, draw: int = 0) -> str:
    """The arguments that every call of the part has alike, by the solution's names for them.

    They are looked up while the solution is tried, so that they hold whatever the probe does.

    >>> from pe_lib.course.grading.sheet import load
    >>> case(load("02").questions["write_encoding"], "sines", draw=3)
    't = 4, d_model = 2'
    """
    solution = question.defined(question.solution.code, seed)
    signature = inspect.signature(solution)
    calls: list[dict[str, str]] = []

    def watched(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named).arguments
        calls.append({name: _said(name, value) for name, value in bound.items()})
        return solution(*arguments, **named)

    value_of(question, watched, part, seed, draw)
    first = calls[0] if calls else {}
    alike = (text for name, text in first.items() if all(call.get(name) == text for call in calls))
    return ", ".join(filter(None, alike))


def _said(name: str, value: Any) -> str:
    """An argument in a few characters, '' if that can't be done.

    >>> _said("t", 3), _said("x", np.zeros((2, 3))), _said("order", [2, 0, 1]), _said("f", max)
    ('t = 3', 'x of shape (2, 3)', 'order = [2, 0, 1]', '')
    """
    if value is None or isinstance(value, (bool, str, dict)):
        text = repr(value)
        return f"{name} = {text}" if len(text) <= 60 else ""
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        return ""
    if array.dtype.kind not in "biuf":
        return ""
    if array.ndim == 0:
        return f"{name} = {array:.6g}" if array.dtype.kind == "f" else f"{name} = {array}"
    if array.ndim == 1 and array.size <= 6 and array.dtype.kind != "f":
        return f"{name} = {array.tolist()}"
    return f"{name} of shape {array.shape}"
