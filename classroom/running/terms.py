"""Define the settings for grading a submission, and the grade that a submission gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from classroom.running import sandbox
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question


@dataclass(frozen=True)
class Terms:
    """The settings for grading all submissions of an exercise sheet.

    An answer that is a value is graded with the numbers of `seed`. A function is tried with the
    numbers of `seed` and of all seeds in `secrets`. `seconds` limits the time of one cell and of
    one part of a question. `total` limits the time of each run of a submission, and `memory`
    limits its memory in megabytes. `sandbox` is the kind of sandbox in which the submission runs.

    In an exam, `path_seeds` contains a seed for each submission by its path in the folder, and
    `student_seeds` contains a seed for each student. A function whose question shows no numbers is
    then tried only on the secret seeds, so that all students' functions get the same numbers.
    """

    content: Content
    seed: int = 0
    secrets: tuple[int, ...] = ()
    seconds: float = 5.0
    total: float = 60.0
    memory: int = 2048
    sandbox: str = field(default_factory=sandbox.strongest_kind)
    path_seeds: Mapping[str, int] = field(default_factory=dict)
    student_seeds: Mapping[str, int] = field(default_factory=dict)

    def for_submission(self, path: str) -> Terms:
        """Return the grading settings for one submission. In an exam, each has its own seed."""
        return replace(self, seed=self.path_seeds.get(path, self.seed))

    def seeds(self, question: Question) -> list[int]:
        """Return the seeds of the random numbers with which answers to a question are graded."""
        if question.kind != "code":
            return [self.seed]
        shows_numbers = any(question.shown_numbers())
        if self.student_seeds and self.secrets and not shows_numbers:
            return [*self.secrets]
        return [self.seed, *self.secrets]


@dataclass
class Grade:
    """The grade of a submission, with a result for each question that was tried.

    `reasons` says what went wrong, and both the student and the teacher read it. Only the teacher
    reads `flags`, which says why the notebook should be looked at.
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
