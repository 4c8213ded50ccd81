"""Decide whether two values, two parts of answers, or two whole answers count as the same."""

from typing import Any

import numpy as np

from pe_lib.course.grading.numbers import parse_otherwise
from pe_lib.course.grading.outcome import (
    Failure,
    Outcome,
    Value,
    compute_outcome,
    reference_outcomes,
)
from pe_lib.course.grading.sheet import Question


def is_same_outcome(question: Question, actual: Outcome, expected: Outcome | None) -> bool:
    """Return whether two answers have the same values in every part of the question."""
    return expected is not None and all(
        is_same_part(question, actual[part], expected[part]) for part in question.points
    )


def read_right_otherwise(question: Question, answer: Any, seed: int) -> list[float] | None:
    """Return the numbers in an answer that is right only in a less common reading, or else None.

    A comma may separate thousands or decimals, for example. Return None if no other reading is
    right.
    """
    solution = reference_outcomes(question, seed)["solution"]
    for reading in parse_otherwise(question.kind, answer):
        if is_same_outcome(question, compute_outcome(question, reading), solution):
            return reading
    return None


def split_pieces(question: Question, outcome: Outcome) -> Outcome:
    """Split an answer's values into pieces. Feedback explains the errors in each piece separately.

    The pieces are the parts of the answer or, if the question wants several numbers, the numbers.
    """
    if question.kind != "numbers":
        return outcome
    value = outcome["answer"][0]
    numbers = np.ravel(value) if isinstance(value, np.ndarray) else ()
    return {str(place): (np.asarray(number),) for place, number in enumerate(numbers, start=1)}


def is_same_part(
    question: Question, actual: tuple[Value, ...], expected: tuple[Value, ...]
) -> bool:
    """Return whether two answers agree in one part for every set of the question's numbers."""
    return len(actual) == len(expected) and all(
        is_same_value(question, *values) for values in zip(actual, expected, strict=True)
    )


def is_same_value(question: Question, actual: Value, expected: Value) -> bool:
    """Return whether two values of an answer count as the same."""
    if isinstance(actual, Failure) and isinstance(expected, Failure):
        # if two values are unreadable, they count as the same only if the reason is the same
        if "unreadable" in (actual.kind, expected.kind):
            return actual == expected
        return actual.kind == expected.kind or expected.kind in actual.bases
    if isinstance(actual, str) and isinstance(expected, str):
        return actual.casefold() == expected.casefold()
    if not (isinstance(actual, np.ndarray) and isinstance(expected, np.ndarray)):
        return False
    if question.kind == "set":
        actual, expected = np.unique(actual), np.unique(expected)
    elif question.kind != "code" or actual.size == expected.size == 1:
        # the list [137] counts as the number 137, and a column of numbers counts as a row
        actual, expected = np.ravel(actual), np.ravel(expected)
    tolerance = question.tolerance
    if actual.shape != expected.shape:
        return False
    with np.errstate(invalid="ignore"):  # without this, numpy would warn about ∞ - ∞
        # this quick test finds most wrong answers, so that np.allclose, which is slow, runs rarely
        if (np.abs(actual - expected) > tolerance + tolerance * np.abs(expected)).any():
            return False
    return np.allclose(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
