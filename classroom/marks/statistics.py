"""What a class's results say of the questions: how hard, how telling, and which mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from classroom.running.terms import Grade
from pe_lib.course.grading.relation import IN_WORDS
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question


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

    `share` is the mean part of its points, from 0 to 1.
    """

    question: Question
    share: float
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
    counts = Counter(result.status if result else "not run" for result in results)
    made = Counter(filter(None, (mistaken(result) for result in results if result)))
    texts = {mistake.title: mistake.text for mistake in question.mistakes}
    mistakes = [Mistake(question, title, texts.get(title, ""), made[title]) for title in made]
    return Asked(
        question,
        share=fmean(own) / question.total if own else 0.0,
        counts=dict(counts),
        mistakes=sorted(mistakes, key=lambda m: -m.count),
    )


def mistaken(result: Result) -> str:
    """The mistake in words, else the name of the value's relation to the right one, else ''."""
    known = {mistake.name: mistake.title for mistake in result.question.mistakes}
    if result.relation and not result.mistake:
        words = IN_WORDS.get(result.relation, result.relation)
        return words if result.relation == "borrowed" else f"{words}; no known mistake"
    return known.get(result.mistake, result.mistake)
