"""Under which terms a submission is graded, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from classroom.running import jail
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question


@dataclass(frozen=True)
class Terms:
    """Under which terms a sheet is graded.

    Questions with an answer to type in are graded on the numbers of `seed`, functions on those and
    on each of `secrets`. `seconds` is the time for one cell or one part of a question, `total` that
    for all of a submission, `memory` what it may use, in megabytes, `jail` what keeps it apart. In
    an exam `own` holds a seed for each submission, by its path in the folder, and `people` one for
    each student; functions whose question shows no numbers are then tried on the secret seeds only.
    """

    content: Content
    seed: int = 0
    secrets: tuple[int, ...] = ()
    seconds: float = 5.0
    total: float = 60.0
    memory: int = 2048
    jail: str = field(default_factory=jail.best)
    own: Mapping[str, int] = field(default_factory=dict)
    people: Mapping[str, int] = field(default_factory=dict)

    def of(self, path: str) -> Terms:
        """The terms of one submission, by its path in the folder: in an exam it has own numbers."""
        return replace(self, seed=self.own.get(path, self.seed))

    def seeds(self, question: Question) -> list[int]:
        if question.kind != "code":
            return [self.seed]
        same_for_all = self.people and self.secrets and not any(question.shown_numbers())
        return [*self.secrets] if same_for_all else [self.seed, *self.secrets]


@dataclass
class Grade:
    """What a submission got: a result for each question that was tried, and what went wrong.

    `reasons` say what is to be known of the notebook, to its student as well, `flags` why to read
    it, to the teacher alone.
    """

    results: dict[str, Result] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        return sum(result.score for result in self.results.values())

    @property
    def reason(self) -> str:
        return "; ".join(self.reasons)
