"""Explain an answer by a known mistake and one more change, such as another order or sign.

People who make one mistake often make a second one. `combine_numbers` explains numbers in this way,
and so does the page of a chapter (_ext/quizzing/combined.mjs). `combine_arrays` explains the values
of a function.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pe_lib.course.grading.arrays import Pair, relate_arrays
from pe_lib.course.grading.relation import (
    MOST_DECIMALS,
    RULES,
    SECOND_CHANGES,
    Numbers,
    Rule,
    count_digits,
    is_near,
)

# the changes of a mistake's array that are tried, by the names of their relations
OF_ARRAYS = (*SECOND_CHANGES, "transposed", "reversed", "moved", "pairs_swapped", "whole")
# With fewer digits, one of the many combinations would often give a number by chance.
LEAST_DIGITS = 4


class Combination(NamedTuple):
    """The name of a known mistake, and a sentence about what was changed in its result."""

    mistake: str
    change: str


def combine_numbers(
    yours: Numbers, right: Numbers, mistakes: Mapping[str, Numbers], tolerance: float
) -> Combination | None:
    """Find the mistake that gives the learner's numbers after one change, if only one does.

    `mistakes` maps the name of each known mistake to its numbers.

    >>> combine_numbers([0.7032, 0.1234], [0.5, 0.6], {"a": [0.1234, 0.7032]}, 1e-4)
    Combination(mistake='a', change='Your numbers are in another order.')
    >>> combine_numbers([-0.7032], [0.5], {"a": [0.7032], "b": [0.4]}, 1e-4).change[:54]
    'Your number is what this mistake gives, except for its'
    """
    fitting = {}
    for name, values in mistakes.items():
        is_usable = len(values) == len(yours) == len(right) and all(map(math.isfinite, values))
        if is_usable:
            fitting[name] = _describe_change(yours, right, values, tolerance)
    combinations = [Combination(name, change) for name, change in fitting.items() if change]
    return combinations[0] if len(combinations) == 1 else None


def _describe_change(yours: Numbers, right: Numbers, values: Numbers, tolerance: float) -> str:
    """Describe how the learner's numbers differ from the numbers of a mistake, or return ''."""
    pairs = list(zip(yours, right, values, strict=True))
    if len(yours) > 1 and all(
        is_near(mine, value, tolerance)
        for mine, value in zip(sorted(yours), sorted(values), strict=True)
    ):
        is_telling = any(y != math.floor(y) or abs(y) >= 100 for y in yours)
        return "Your numbers are in another order." if is_telling else ""
    wrong = [(y, v) for y, r, v in pairs if not is_near(y, r, tolerance)]
    is_right_alike = all(is_near(v, r, tolerance) for y, r, v in pairs if is_near(y, r, tolerance))
    if not is_right_alike or any(count_digits(y)[0] < LEAST_DIGITS for y, _ in wrong):
        return ""
    rule = next(
        (
            rule
            for rule in RULES
            if rule.name in SECOND_CHANGES and all(_gives_as_typed(rule, *pair) for pair in wrong)
        ),
        None,
    )
    if rule is None:
        return ""
    which = "Your number" if len(yours) == 1 else "Each of your wrong numbers"
    return f"{which} is {_speak_of_mistake(rule.words)}. {rule.advice}"


def _gives_as_typed(rule: Rule, yours: float, value: float) -> bool:
    """Return whether a rule turns a mistake's number into the learner's, in all digits typed."""
    try:
        expected = rule.apply(value)
    except (ValueError, OverflowError):
        return False
    places = min(count_digits(yours)[1], MOST_DECIMALS + 4)
    return value != 0 and abs(yours - expected) <= max(
        0.501 * float(f"1e{-places}"), 2e-6 * abs(expected)
    )


def _speak_of_mistake(words: str) -> str:
    """Say of a mistake's result what a rule says of the right value."""
    return words.replace("right except for", "what this mistake gives, except for").replace(
        "the right value", "what this mistake gives"
    )


def combine_arrays(mistakes: Mapping[str, list[Pair]], tolerance: float) -> Combination | None:
    """Find the mistake that gives the learner's arrays after one change, if only one does.

    `mistakes` maps the name of each mistake to pairs of the learner's array and the mistake's
    array. The pairs differ, and they come from several cases.

    >>> pairs = [(np.arange(n)[::-1] * 1.0, np.arange(n) * 1.0) for n in (4, 5)]
    >>> combine_arrays({"a": pairs}, 1e-5)
    Combination(mistake='a', change='The order is reversed along axis 0.')
    """
    combinations = []
    for name, pairs in mistakes.items():
        if pairs and all(np.isfinite(array).all() for pair in pairs for array in pair):
            relation = relate_arrays(pairs, tolerance)
            if relation.name in OF_ARRAYS:
                combinations.append(Combination(name, _speak_of_mistake(relation.text)))
    return combinations[0] if len(combinations) == 1 else None
