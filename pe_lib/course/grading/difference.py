"""How a value that fits no known mistake differs, and on which case it was tried."""

import inspect
import math
from typing import Any

import numpy as np

from pe_lib.course.grading.arrays import DIFFERS, Array, of_arrays
from pe_lib.course.grading.numbers import WANTED, number
from pe_lib.course.grading.outcome import Failure, Value, value_of
from pe_lib.course.grading.relation import of_numbers, of_sets
from pe_lib.course.grading.sheet import Question

Compared = tuple[str, Array, Array]


def difference(
    question: Question, part: str, wrong: list[tuple[Value, Value]], seed: int | None
) -> tuple[str, str, Compared | None]:
    """Of the first pair, yours and the right one: text, relation, and what can be drawn.

    The relation is named if it is that of all pairs. Without a seed the question's own numbers are
    not looked for: where a mistake explains a number, it tells more.
    """
    name = question.answer if part == "answer" else part
    faults = [_fault(question, name, *pair) for pair in wrong]
    if faults[0]:
        text, relation = faults[0]
        alike = all(one and one[1] == relation for one in faults)
        return text, relation if alike else DIFFERS.name, None
    pairs = [
        (np.asarray(yours), np.asarray(right))
        for (yours, right), fault in zip(wrong, faults, strict=True)
        if not fault
    ]
    if question.kind == "code":
        text, compared = _first_entry(question, name, *pairs[0])
        found = DIFFERS if any(faults) else of_arrays(pairs, question.tolerance)
        return f"{text} {found.text}".strip(), found.name, compared
    mine, wanted = (np.ravel(value).tolist() for value in pairs[0])
    if question.kind == "set":
        found = of_sets(mine, wanted, question.tolerance)
    else:
        shown = [] if seed is None else _shown(question, seed)
        found = of_numbers(mine, wanted, question.tolerance, shown)
    return found.text, found.name, None


def _shown(question: Question, seed: int) -> list[float]:
    """The numbers that stand in the question."""
    given = vars(question.given(seed))
    texts = (format(given[field], spec) for field, spec in question.places())
    return list(filter(math.isfinite, map(number, texts)))


def _fault(question: Question, name: str, got: Value, right: Value) -> tuple[str, str] | None:
    """Text and relation of values that can't be compared; None if they can."""
    if isinstance(right, Failure):
        return f"`{name}`: this should raise {right.kind}.", "no_error"
    if isinstance(got, Failure):
        told = got.text + ("" if got.text.endswith((".", "?")) else ".")
        own = name == question.answer or told.startswith("`")
        return told if own else f"`{name}`: {told}", "stopped"
    if question.kind == "choice":
        return f"Choose one of {', '.join(question.choices)}, as text in quotes.", "no_choice"
    if isinstance(got, str) and question.kind != "code":
        return f"`{name}`: '{got[:40]}' is no number. {WANTED}", "unread"
    if isinstance(right, str) or isinstance(got, str):
        wanted = "a text" if isinstance(right, str) else "a number, not a text,"
        return f"`{name}`: {wanted} is wanted.", "unread"
    if not np.isfinite(got).all():
        return f"`{name}` has {'NaN' if np.isnan(got).any() else 'infinity'} in it.", "not_finite"
    return None


def _first_entry(
    question: Question, name: str, got: Array, right: Array
) -> tuple[str, Compared | None]:
    """In words, where two arrays differ first; and the two, where they can be drawn."""
    if got.shape != right.shape:
        return f"`{name}` should have shape {right.shape}, yours has {got.shape}.", None
    off = np.asarray(~np.isclose(got, right, rtol=question.tolerance, atol=question.tolerance))
    first = tuple(int(n) for n in np.argwhere(off)[0])
    large = max(np.abs(got).max(), np.abs(right).max())
    yours, expected = (0 if abs(v) < 1e-12 * large else v for v in (got[first], right[first]))
    where = f"`{name}`{f' at {[*first]}' if first else ''}"
    text = f"{where}: yours {yours:.6g}, expected {expected:.6g}."
    if got.size > 1:
        count = int(off.sum())
        text += f" {count} of {got.size} entries {'differs' if count == 1 else 'differ'}."
    return text, (name, got, right) if got.size > 3 else None


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
    short = array.ndim == 1 and array.size <= 6 and array.dtype.kind != "f"
    return f"{name} = {array.tolist()}" if short else f"{name} of shape {array.shape}"
