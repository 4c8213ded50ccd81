"""What a class's results say of the questions: how hard, how telling, and which mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from classroom.running.terms import Grade
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question

FEWEST = 30  # students, for a correlation


# How a value is related to the right one, where the relation's name says too little by itself
IN_WORDS = (
    {
        "above_diagonal": "wrong above the diagonal only",
        "alternating": "alternating instead of in halves",
        "below_diagonal": "wrong below the diagonal only",
        "complement": "1 minus the right value",
        "constant": "all entries the same",
        "count": "too many or too few numbers",
        "cut": "cut to fewer digits",
        "degrees": "degrees in place of radians",
        "diagonal": "wrong on the diagonal only",
        "differs": "another value",
        "early": "some places too early",
        "empty": "nothing in it",
        "exponential": "the exponential of the right value",
        "extra": "some that don't fit",
        "factor": "a multiple or a fraction of the right value",
        "first_extra": "the first too many",
        "first_missing": "without the first",
        "flipped": "0 and 1 exchanged",
        "given": "a number that the question gives",
        "half": "half the right value",
        "halves": "in halves instead of alternating",
        "halves_swapped": "the two halves exchanged",
        "inverse": "1 divided by the right value",
        "large": "too large",
        "last_extra": "the last too many",
        "last_missing": "without the last",
        "late": "some places too late",
        "logarithm": "the logarithm of the right value",
        "minus_half": "minus half the right value",
        "minus_twice": "minus twice the right value",
        "missing": "some are missing",
        "mixed": "some that don't fit, and some are missing",
        "near": "off by less than 1 %",
        "no_choice": "none of the choices",
        "none": "none that fits",
        "not_finite": "an infinite number",
        "one_less": "one too small",
        "one_more": "one too large",
        "order": "in another order",
        "pairs_swapped": "the two of each pair exchanged",
        "pi": "off by a factor of π",
        "power_of_ten": "off by a power of ten",
        "radians": "radians in place of degrees",
        "reshaped": "the right entries in another shape",
        "reversed": "in reversed order",
        "root": "the square root of the right value",
        "root_two": "off by a factor of √2",
        "rounded": "rounded to fewer digits",
        "same_columns": "all columns the same",
        "same_rows": "all rows the same",
        "scaled": "all off by the same factor",
        "shape": "another shape",
        "shifted": "all off by the same number",
        "side": "on the other side of 0",
        "sign": "right but for the sign",
        "sine_cosine": "as a sine to its cosine",
        "small": "too small",
        "squared": "the square of the right value",
        "swapped": "two exchanged",
        "transposed": "rows and columns exchanged",
        "turn": "off by a factor of 2π",
        "turns": "off by whole turns",
        "twice": "twice the right value",
        "unrounded": "not rounded to a whole number",
        "zeros": "0 where it is wrong",
    }
    | {
        f"{place}_{what}": f"wrong in the {place} {what} only"
        for place in ("first", "last")
        for what in ("entry", "row", "column")
    }
    | {
        "first_right": "right in the first ones only",
        "last_right": "right in the last ones only",
        "even_entries": "wrong at even places only",
        "odd_entries": "wrong at odd places only",
    }
)


@dataclass(frozen=True)
class Mistake:
    """One mistake at one question, and how many of the class made it.

    `text` is what each of them was told, '' where only a relation to the right value is known.
    """

    question: Question
    title: str
    text: str
    count: int


@dataclass(frozen=True)
class Asked:
    """How a question went.

    `share` is the mean part of its points, from 0 to 1. `discrimination` is the correlation of its
    points with those of all other questions, from -1 to 1, over those who answered
    something; None for fewer than 30 of those, or where either is the same for all.
    """

    question: Question
    share: float
    discrimination: float | None
    counts: dict[str, int]
    mistakes: list[Mistake]


@dataclass(frozen=True)
class Class:
    """All questions of a sheet in order, and all mistakes, the most frequent first."""

    handed_in: int
    asked: list[Asked]
    mistakes: list[Mistake]

    @property
    def known(self) -> list[Mistake]:
        """Those that a sheet has words for."""
        return [mistake for mistake in self.mistakes if mistake.text]


def of_class(content: Content, grades: Iterable[Grade]) -> Class:
    """Over those who handed something in."""
    known = list(grades)
    asked = [_asked(question, known) for question in content.questions.values()]
    mistakes = sorted((m for a in asked for m in a.mistakes), key=lambda m: -m.count)
    return Class(len(known), asked, mistakes)


def _asked(question: Question, grades: list[Grade]) -> Asked:
    results = [grade.results.get(question.name) for grade in grades]
    own = [result.score if result else 0.0 for result in results]
    telling = [
        (score, grade.score - score)
        for grade, score in zip(grades, own, strict=True)
        if is_usable(grade)
    ]
    counts = Counter(result.status if result else "not run" for result in results)
    made = Counter(filter(None, (mistaken(result) for result in results if result)))
    texts = {mistake.title: mistake.text for mistake in question.mistakes}
    mistakes = [Mistake(question, title, texts.get(title, ""), made[title]) for title in made]
    return Asked(
        question,
        share=fmean(own) / question.total if own else 0.0,
        discrimination=discrimination([a for a, _ in telling], [b for _, b in telling]),
        counts=dict(counts),
        mistakes=sorted(mistakes, key=lambda m: -m.count),
    )


def is_usable(grade: Grade) -> bool:
    """Whether anything was answered, and to this sheet."""
    answered = any(r.status not in ("open", "not run") for r in grade.results.values())
    return answered and not grade.foreign


def mistaken(result: Result) -> str:
    """The mistake in words, else the name of the value's relation to the right one, else ''."""
    known = {mistake.name: mistake.title for mistake in result.question.mistakes}
    if result.relation and not result.mistake:
        return f"{IN_WORDS.get(result.relation, result.relation)}; no known mistake"
    return known.get(result.mistake, result.mistake)


def discrimination(own: list[float], rest: list[float]) -> float | None:
    """Pearson's correlation, None if it has no meaning here.

    >>> discrimination([0, 1] * 15, [3, 7] * 15)
    1.0
    """
    if len(own) < FEWEST:
        return None
    try:
        return correlation(own, rest)
    except StatisticsError:  # the same for everybody
        return None
