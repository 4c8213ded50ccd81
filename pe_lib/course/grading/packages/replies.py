"""What can be typed into another system's form, and what it should tell whoever typed it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading import outcome
from pe_lib.course.grading.sheet import Question

SIGN = "Only the sign is wrong."
MORE, LESS = "One more than the right number.", "One less than the right number."
NEAR = (
    "Less than 1 % off the right value. If you rounded on the way, keep more digits; if not, look"
    " for something small that is missing."
)
HALF = 0.499_999  # what is typed within it rounds to the number
NO_HINT = "Read the question again, and work it out on smaller numbers first."


@dataclass(frozen=True)
class Reply:
    """A number that can be typed, how far off it still counts, and what is told: '' if right."""

    value: float
    margin: float
    told: str = ""


def values(question: Question, seed: int) -> dict[str, NDArray[np.float64]]:
    """What the solution and each mistake give, by name, as far as it is numbers to type."""
    found = {name: parts["answer"][0] for name, parts in outcome.known(question, seed).items()}
    return {
        name: np.ravel(value)
        for name, value in found.items()
        if isinstance(value, np.ndarray) and value.size and np.isfinite(value).all()
    }


def choices(question: Question, seed: int = 0) -> dict[str, str]:
    """Each choice by its letter, and what is told: '' if it is right.

    >>> from pe_lib.course.grading.sheet import load
    >>> [key for key, told in choices(load("04").questions["enough"]).items() if not told]
    ['c']
    """
    given = outcome.known(question, seed)
    told = {given[mistake.name]["answer"][0]: mistake.text for mistake in question.mistakes}
    return {key: told.get(key, "") for key in question.choices}


def numbers(question: Question, seed: int = 0) -> list[list[Reply]]:
    """For each number that is asked for the replies to it. The first that fits counts.

    The right one comes first, so that no mistake beside it takes its points; then the mistakes in
    the order of the sheet, and last what relates a number to the right one. A mistake is known by
    the numbers in which it differs.

    >>> from pe_lib.course.grading.sheet import load
    >>> [replies] = numbers(load("04").questions["slow_sine"])
    >>> [reply.value for reply in replies[:3]]
    [1238.0, 1238001.0, 39.0]
    """
    given = {name: value.tolist() for name, value in values(question, seed).items()}
    right = given["solution"]
    mistakes = [
        (mistake.text, given[mistake.name])
        for mistake in question.mistakes
        if mistake.name in given and len(given[mistake.name]) == len(right)
    ]
    whole = all(value == round(value) for value in right)
    return [
        _replies(question, whole, right[n], [(text, value[n]) for text, value in mistakes])
        for n in range(len(right))
    ]


def _replies(
    question: Question, whole: bool, right: float, mistakes: list[tuple[str, float]]
) -> list[Reply]:
    """Where whole numbers are asked for, what rounds to a mistake's is taken for it."""
    first = Reply(right, _margin(question, right))
    texts: dict[Reply, list[str]] = {}
    for text, value in mistakes:
        margin = _margin(question, value)
        near = whole and abs(value - round(value)) <= margin
        reply = Reply(value, max(margin, margin // 1 + HALF) if near else margin)
        if not _taken(value, [first]):
            same = next((known for known in texts if _taken(value, [known])), reply)
            texts.setdefault(same, []).append(text)
    replies = [first]
    replies += [Reply(r.value, r.margin, either(said)) for r, said in texts.items()]
    related = [(-right, _margin(question, right), SIGN)]
    if whole:
        related += [(right + 1, HALF, MORE), (right - 1, HALF, LESS)]
    else:
        related += [(right, 0.01 * abs(right), NEAR)]
    return replies + [
        Reply(value, margin, said)
        for value, margin, said in related
        if said == NEAR or not _taken(value, replies)
    ]


def _margin(question: Question, value: float) -> float:
    """As `check.same` has it."""
    return question.tolerance * (1 + abs(value))


def _taken(value: float, replies: list[Reply]) -> bool:
    return any(abs(value - reply.value) <= reply.margin for reply in replies)


def either(texts: list[str]) -> str:
    """
    >>> either(["This."]), either(["This.", "That."])
    ('This.', 'Either: This. Or: That.')
    """
    texts = list(dict.fromkeys(texts))
    return texts[0] if len(texts) == 1 else f"Either: {' Or: '.join(texts)}"


def sets(question: Question, seed: int = 0) -> dict[tuple[int, ...], str]:
    """Each set of numbers that is known, in rising order, and what is told: '' if it is right."""
    given = values(question, seed)
    told: dict[tuple[int, ...], list[str]] = {_rising(given["solution"]): [""]}
    for mistake in question.mistakes:
        if mistake.name in given:
            numbers = _rising(given[mistake.name])
            if numbers and told.get(numbers) != [""]:
                told.setdefault(numbers, []).append(mistake.text)
    return {numbers: either(texts) for numbers, texts in told.items()}


def _rising(value: NDArray[np.float64]) -> tuple[int, ...]:
    """Empty where they are not whole: nobody types those digits."""
    found = np.unique(value)
    if not np.array_equal(found, np.round(found)):
        return ()
    return tuple(int(number) for number in found)


def spelled(numbers: tuple[int, ...]) -> list[str]:
    """The ways in which learners write a few numbers.

    >>> spelled((8, 14))
    ['8, 14', '8 14', '8,14', '8; 14', '[8, 14]', '{8, 14}']
    """
    words = [str(number) for number in numbers]
    joined = [between.join(words) for between in (", ", " ", ",", "; ")]
    return list(dict.fromkeys([*joined, f"[{joined[0]}]", f"{{{joined[0]}}}"]))


def shown(value: float) -> str:
    """
    >>> shown(1238.0), shown(-0.0), shown(0.1 + 0.2)
    ('1238', '0', '0.3')
    """
    return f"{value + 0.0:.10g}"


def hint(question: Question) -> str:
    return question.hints[0] if question.hints else NO_HINT
