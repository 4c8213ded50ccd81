"""Whether two values, two parts or two outcomes count as the same answer."""

from typing import Any

import numpy as np

from pe_lib.course.grading.numbers import commas
from pe_lib.course.grading.outcome import Failure, Outcome, Value, known, outcome
from pe_lib.course.grading.sheet import Question


def alike(question: Question, one: Outcome, other: Outcome | None) -> bool:
    """Whether two outcomes are the same in every part."""
    return other is not None and all(agree(question, one[p], other[p]) for p in question.points)


def meant(question: Question, answer: Any, seed: int) -> list[float] | None:
    """The answer with decimal commas, where it is right so, and read otherwise it is not."""
    other = commas(question.kind, answer)
    right = known(question, seed)["solution"] if other is not None else {}
    return other if other is not None and alike(question, outcome(question, other), right) else None


def pieces(question: Question, outcome: Outcome) -> Outcome:
    """What is explained piece by piece: the parts of an answer or, by their place, its numbers."""
    if question.kind != "numbers":
        return outcome
    value = outcome["answer"][0]
    each = np.ravel(value) if isinstance(value, np.ndarray) else ()
    return {str(n): (np.asarray(x),) for n, x in enumerate(each, start=1)}


def agree(question: Question, one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
    """Whether a part's values are the same on every draw."""
    return len(one) == len(other) and all(
        same(question, *pair) for pair in zip(one, other, strict=True)
    )


def same(question: Question, one: Value, other: Value) -> bool:
    """Whether two values count as the same answer."""
    if isinstance(one, Failure) and isinstance(other, Failure):
        if "unreadable" in (one.kind, other.kind):  # of which there are many kinds
            return one == other
        return one.kind == other.kind or other.kind in one.bases
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return False
    if question.kind == "set":
        one, other = np.unique(one), np.unique(other)
    elif question.kind != "code" or one.size == other.size == 1:  # [137] is 137, a column a row
        one, other = np.ravel(one), np.ravel(other)
    tolerance = question.tolerance
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):  # ∞ - ∞
        if (np.abs(one - other) > tolerance + tolerance * np.abs(other)).any():
            return False  # as allclose would say, sooner: most answers that are compared differ
    return np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
