"""What a class's results say of the questions: how hard, how telling, and which mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from classroom.running.terms import Grade
from pe_lib.course.grading.relation import IN_WORDS
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question

FEWEST = 30  # students, for a correlation


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
        words = IN_WORDS.get(result.relation, result.relation)
        return words if result.relation == "borrowed" else f"{words}; no known mistake"
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
