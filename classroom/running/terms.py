"""Under which terms a submission is graded, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from classroom.running import jail
from classroom.running.shown import Shown
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

    def whose(self, seed: int) -> str:
        """Whose numbers those of a seed are, in words."""
        return next((who for who, theirs in self.people.items() if theirs == seed), f"seed {seed}")

    def seeds(self, question: Question) -> list[int]:
        if question.kind != "code":
            return [self.seed]
        same_for_all = self.people and self.secrets and not any(question.places())
        return [*self.secrets] if same_for_all else [self.seed, *self.secrets]


@dataclass
class Grade:
    """What a submission got: a result for each question that was tried, and what went wrong.

    `tried` holds a question's result on each seed, `results` what is right on all of them.
    `reason` says what is to be known of the notebook, and `stopped` that part of it which kept it
    from running to its end. `shown` is what it says of itself, None if it couldn't be read, and
    `own` the points that it would get by the numbers that it shows, where these are not those that
    are graded. `flags` are reasons to read it: what its code touches, and whose code it equals.
    `foreign` says that it is no answer to this sheet, but to another one or to none.
    `private` is the part of `reason` that is the teacher's alone, such as another student's id, and
    `aloud` what the student reads in its place. The flags are the teacher's, too.
    """

    results: dict[str, Result] = field(default_factory=dict)
    reason: str = ""
    tried: dict[str, dict[int, Result]] = field(default_factory=dict)
    stopped: str = ""
    shown: Shown | None = None
    own: float | None = None
    flags: tuple[str, ...] = ()
    foreign: bool = False
    private: str = ""
    aloud: str = ""

    @property
    def score(self) -> float:
        return sum(result.score for result in self.results.values())

    def add(self, reason: str) -> None:
        self.reason = "; ".join(filter(None, [self.reason, reason]))

    def said(self, instead: str) -> str:
        """The reason, with `instead` in place of what is the teacher's alone."""
        return self.reason.replace(self.private, instead) if self.private else self.reason
