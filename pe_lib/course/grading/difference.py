"""Describe how a wrong value differs from the correct value if no known mistake explains it."""

import inspect
import math
from typing import Any

import numpy as np

from pe_lib.course.grading.arrays import DIFFERS, Array, relate_arrays
from pe_lib.course.grading.numbers import HOW_TO_WRITE, parse_number
from pe_lib.course.grading.outcome import Failure, Value, compute_value
from pe_lib.course.grading.relation import Relation, relate_numbers, relate_sets
from pe_lib.course.grading.sheet import Question

# the name of a part, the learner's array, and the correct array
Comparison = tuple[str, Array, Array]


def describe_difference(
    question: Question, part: str, wrong: list[tuple[Value, Value]], seed: int | None
) -> tuple[str, str, Comparison | None]:
    """Describe how the first wrong value in an answer differs from the correct value.

    Return a text, the name of the relation that all pairs share, and the two arrays if they can be
    drawn. If the seed is None, the answer is not compared with the numbers in the question, because
    a known mistake already explains a part of the answer.
    """
    name = question.answer if part == "answer" else part
    faults = [_describe_fault(question, name, *pair) for pair in wrong]
    if faults[0]:
        has_one_relation = all(fault and fault.name == faults[0].name for fault in faults)
        return faults[0].text, faults[0].name if has_one_relation else DIFFERS.name, None
    pairs = [
        (np.asarray(yours), np.asarray(right))
        for (yours, right), fault in zip(wrong, faults, strict=True)
        if not fault
    ]
    if question.kind == "code":
        text, comparison = _describe_first_entry(question, name, *pairs[0])
        relation = DIFFERS if any(faults) else relate_arrays(pairs, question.tolerance)
        return f"{text} {relation.text}".strip(), relation.name, comparison
    mine, expected = (np.ravel(value).tolist() for value in pairs[0])
    if question.kind == "set":
        relation = relate_sets(mine, expected, question.tolerance)
    else:
        of_question = [] if seed is None else _numbers_in_prompt(question, seed)
        relation = relate_numbers(mine, expected, question.tolerance, of_question)
    return relation.text, relation.name, None


def _numbers_in_prompt(question: Question, seed: int) -> list[float]:
    numbers = vars(question.given_numbers(seed))
    texts = (format(numbers[name], spec) for name, spec in question.shown_numbers())
    return list(filter(math.isfinite, map(parse_number, texts)))


def _describe_fault(question: Question, name: str, actual: Value, right: Value) -> Relation | None:
    """Describe why two values cannot be compared, or return None if they can."""
    if isinstance(right, Failure):
        return Relation("no_error", f"In `{name}`, your function should raise {right.kind}.")
    if isinstance(actual, Failure):
        sentence = actual.text + ("" if actual.text.endswith((".", "?")) else ".")
        has_name = name == question.answer or sentence.startswith("`")
        return Relation("stopped", sentence if has_name else f"In `{name}`: {sentence}")
    if question.kind == "choice":
        text = f"Answer with one of the letters {', '.join(question.choices)}, in quotes."
        return Relation("no_choice", text)
    if isinstance(actual, str) and question.kind != "code":
        return Relation("unread", f"The text '{actual[:40]}' is not a number. {HOW_TO_WRITE}")
    if isinstance(right, str) or isinstance(actual, str):
        expected = "a text" if isinstance(right, str) else "a number and not a text"
        return Relation("unread", f"`{name}` should be {expected}.")
    if not np.isfinite(actual).all():
        if np.isnan(actual).any():
            text = f"`{name}` contains NaN (not a number). Check where you divide 0 by 0."
        else:
            text = f"`{name}` contains an infinite number, perhaps because you divide by 0."
        return Relation("not_finite", text)
    return None


def _describe_first_entry(
    question: Question, name: str, actual: Array, right: Array
) -> tuple[str, Comparison | None]:
    """Describe the first entry in which two arrays differ.

    Return the two arrays as well if they can be drawn.
    """
    if actual.shape != right.shape:
        part = f"The part `{name}`" if name != question.answer else f"`{name}`"
        text = f"{part} of your result has shape {actual.shape}, but should have {right.shape}."
        return text.replace(f"`{question.answer}` of your result", "Your result"), None
    is_close = np.isclose(actual, right, rtol=question.tolerance, atol=question.tolerance)
    is_wrong = np.asarray(~is_close)
    first = tuple(int(n) for n in np.argwhere(is_wrong)[0])
    # Rounding errors turn a 0 into a tiny number. So entries that are tiny compared with the rest
    # of their array count as 0.
    yours, expected = (
        0 if abs(values[first]) < 1e-12 * np.abs(values).max() else values[first]
        for values in (actual, right)
    )
    where = f"Entry {[*first]} of `{name}`" if first else f"`{name}`"
    text = f"{where} is {yours:.6g}, but should be {expected:.6g}."
    if actual.size > 1:
        count = int(is_wrong.sum())
        text += f" In all, {count} of {actual.size} entries {'is' if count == 1 else 'are'} wrong."
    return text, (name, actual, right) if actual.size > 3 else None


def describe_case(question: Question, part: str, seed: int = 0, draw: int = 0) -> str:
    """Describe the arguments that are equal in all calls of the solution for a part.

    The arguments are recorded while the solution runs, and have the names that the solution gives
    them. So the description is right whatever the probe does.

    >>> from pe_lib.course.grading.sheet import load
    >>> describe_case(load("02").questions["write_encoding"], "sines", draw=3)
    't = 4, d_model = 2'
    """
    solution = question.run_answer(question.solution.code, seed)
    signature = inspect.signature(solution)
    calls: list[dict[str, str]] = []

    def record_call(*arguments: Any, **keywords: Any) -> Any:
        bound = signature.bind(*arguments, **keywords).arguments
        calls.append({name: _format_argument(name, value) for name, value in bound.items()})
        return solution(*arguments, **keywords)

    compute_value(question, record_call, part, seed, draw)
    first = calls[0] if calls else {}
    common = (text for name, text in first.items() if all(call.get(name) == text for call in calls))
    return ", ".join(filter(None, common))


def _format_argument(name: str, value: Any) -> str:
    """Describe an argument in a few characters, or return '' if it is too long for that.

    >>> _format_argument("t", 3), _format_argument("x", np.zeros((2, 3)))
    ('t = 3', 'x of shape (2, 3)')
    >>> _format_argument("order", [2, 0, 1]), _format_argument("f", max)
    ('order = [2, 0, 1]', '')
    """
    if value is None or isinstance(value, (bool, str, dict)):
        text = repr(value)
        return f"{name} = {text}" if len(text) <= 60 else ""
    try:
        array = np.asarray(value)
    except ValueError:  # the value is a list of rows with different lengths
        return ""
    if array.dtype.kind not in "biuf":
        return ""
    if array.ndim == 0:
        return f"{name} = {array:.6g}" if array.dtype.kind == "f" else f"{name} = {array}"
    is_short = array.ndim == 1 and array.size <= 6 and array.dtype.kind != "f"
    return f"{name} = {array.tolist()}" if is_short else f"{name} of shape {array.shape}"
