"""The terms under which a submission is graded, and the grade that it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from classroom.running import sandbox
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question


@dataclass(frozen=True)
class Terms:
    """The terms under which a sheet is graded.

    A question whose answer is typed in is graded on the numbers of `seed`, and a function on those
    and on the numbers of each of `secrets`. `seconds` limits one cell or one part of a question,
    `total` a whole submission, and `memory` what it may use, in megabytes. `sandbox` is the kind of
    sandbox that it runs in.

    In an exam `path_seeds` holds a seed for each submission, by its path in the folder, and
    `student_seeds` one for each student. A function whose question shows no numbers is then tried
    on the secret seeds only, so that it is tried on the same numbers for everybody.
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
        """Return the terms of the submission at this path, which in an exam has its own seed."""
        return replace(self, seed=self.path_seeds.get(path, self.seed))

    def seeds(self, question: Question) -> list[int]:
        """Return the seeds on whose numbers the question is graded."""
        if question.kind != "code":
            return [self.seed]
        shows_numbers = any(question.shown_numbers())
        if self.student_seeds and self.secrets and not shows_numbers:
            return [*self.secrets]
        return [self.seed, *self.secrets]


@dataclass
class Grade:
    """A submission's grade: a result for each question that was tried, and what went wrong.

    The student reads `reasons` as well as the teacher. Only the teacher reads `flags`, which say
    why to look at the notebook.
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
