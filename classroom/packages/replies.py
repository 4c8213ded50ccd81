"""What can be typed into another system's form, and what it should tell whoever typed it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading import outcome
from pe_lib.course.grading.sheet import Question

SIGN = "Yours is right but for its sign."
MORE = "Yours is one too large. Look again at where counting begins."
LESS = "Yours is one too small. Look again at where counting begins."
NEAR = (
    "Yours is less than 1 % off. Either something was rounded on the way, or the method is off by a"
    " little."
)
FAR = 1e6  # times the right value: Moodle takes no sharper edge at 0 for a wider range
HALF = 0.499_999  # what is typed within it rounds to the number
NO_HINT = "Read the question again, and work it out on smaller numbers first."


@dataclass(frozen=True)
class Reply:
    """A number that can be typed, how far off it still counts, and what is told: '' if right.

    `known` says that it is a mistake of the sheet.
    """

    value: float
    margin: float
    told: str = ""
    known: bool = False


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
    the order of the sheet, what relates a number to the right one, and last its size. A mistake is
    known by the numbers in which it differs.

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
    whole = _whole(right)
    typed = all(map(_whole, given.values()))
    return [
        _replies(question, whole, typed, right[n], [(text, value[n]) for text, value in mistakes])
        for n in range(len(right))
    ]


def _whole(values: list[float]) -> bool:
    return all(value == round(value) for value in values if math.isfinite(value))


def _replies(
    question: Question, whole: bool, typed: bool, right: float, mistakes: list[tuple[str, float]]
) -> list[Reply]:
    """Where all that is known is whole, what rounds to a mistake's number is taken for it."""
    first = Reply(right, _margin(question, right))
    texts: dict[Reply, list[str]] = {}
    for text, value in mistakes:
        margin = _margin(question, value)
        near = typed and abs(value - round(value)) <= margin
        reply = Reply(value, max(margin, margin // 1 + HALF) if near else margin)
        if not _taken(value, [first]):
            same = next((known for known in texts if _taken(value, [known])), reply)
            texts.setdefault(same, []).append(text)
    replies = [first]
    replies += [Reply(r.value, r.margin, either(said), True) for r, said in texts.items()]
    related = [Reply(-right, _margin(question, right), SIGN)]
    if whole:
        related += [Reply(right + 1, HALF, MORE), Reply(right - 1, HALF, LESS)]
    replies += [reply for reply in related if not _taken(reply.value, replies)]
    if right and not whole:
        replies.append(Reply(right, 0.01 * abs(right), NEAR))
    return replies + _sizes(question, right)


def _sizes(question: Question, right: float) -> list[Reply]:
    """What is true of all other numbers but the largest: which side of 0, and how large."""
    wanted, size = ("above 0", "") if right > 0 else ("below 0", " in size")
    ranges: tuple[tuple[float, float, str], ...] = (
        (-FAR, 0, f"Yours should be {wanted}."),
        (10, FAR, f"Yours is too large{size}, more than 10 times the right value."),
        (1, 10, f"Yours is too large{size}."),
        (0.1, 1, f"Yours is too small{size}."),
        (0, 0.1, f"Yours is too small{size}, less than a tenth of the right value."),
    )
    if not right:
        ranges = ((-FAR, 0, "Yours is too small."), (0, FAR, "Yours is too large."))
    unit = right or 1.0
    return [
        Reply(unit * (low + high) / 2, abs(unit) * (high - low) / 2, f"{said} {hinted(question)}")
        for low, high, said in ranges
    ]


def _margin(question: Question, value: float) -> float:
    """As `agreement.same` has it."""
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
    """Each set of numbers that is known, in rising order, and what is told: '' if it is right.

    Those that are not whole are left out: nobody types their digits.

    >>> from pe_lib.course.grading.sheet import load
    >>> sets(load("07").questions["swapped_words"])[()][:40]
    'You named nobody. Without a mask nobody '
    """
    found = {name: parts["answer"][0] for name, parts in outcome.known(question, seed).items()}
    given = {
        name: tuple(int(number) for number in np.unique(value))
        for name, value in found.items()
        if isinstance(value, np.ndarray) and np.array_equal(value, np.round(value))
    }
    told: dict[tuple[int, ...], list[str]] = {given["solution"]: [""]}
    for mistake in question.mistakes:
        if mistake.name in given and told.get(given[mistake.name]) != [""]:
            told.setdefault(given[mistake.name], []).append(mistake.text)
    return {numbers: either(texts) for numbers, texts in told.items()}


def spelled(numbers: tuple[int, ...]) -> list[str]:
    """The ways in which learners write a few numbers, or that there are none.

    >>> spelled((8, 14))
    ['8, 14', '8 14', '8,14', '8; 14', '[8, 14]', '{8, 14}']
    >>> spelled(())
    ['none', '[]', '{}', '∅']
    """
    words = [str(number) for number in numbers]
    if not words:
        return ["none", "[]", "{}", "∅"]
    joined = [between.join(words) for between in (", ", " ", ",", "; ")]
    return list(dict.fromkeys([*joined, f"[{joined[0]}]", f"{{{joined[0]}}}"]))


def shown(value: float) -> str:
    """
    >>> shown(1238.0), shown(-0.0), shown(0.1 + 0.2)
    ('1238', '0', '0.3')
    """
    return f"{value + 0.0:.10g}"


def hinted(question: Question) -> str:
    """Where no mistake of the sheet fits, its first hint helps on."""
    return f"A hint: {question.hints[0]}" if question.hints else NO_HINT
