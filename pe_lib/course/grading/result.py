"""What a check found, and how a learner reads it: one line of text, or a framed note."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading import feedback
from pe_lib.course.grading.sheet import Question


@dataclass(frozen=True, repr=False)
class Result:
    """What a check found: status is 'right', 'partly', 'wrong' or 'open' (not answered yet).

    `good` names the parts that are right, `mistake` the known mistake or `relation` how the values
    are related to the right ones where no mistake fits, and `compared` holds a part's name, the
    learner's values and the right ones, where they can be drawn.
    """

    question: Question
    status: str
    hint: str = ""
    mistake: str = ""
    good: tuple[str, ...] = ()
    compared: tuple[str, NDArray[np.float64], NDArray[np.float64]] | None = None
    relation: str = ""
    step: str = ""  # where a hint is to be had

    @property
    def score(self) -> float:
        return sum(self.question.points[part] for part in self.good)

    def __repr__(self) -> str:
        sign, words, _ = feedback.STATUS[self.status]
        points = feedback.points(self.score, self.question.total)
        return " ".join(filter(None, [f"{sign} {words}: {points}.", self._said()]))

    def _repr_html_(self) -> str:
        points = feedback.points(self.score, self.question.total)
        picture = feedback.compared(*self.compared) if self.compared else ""
        return feedback.framed(self.status, points, self._said(), picture)

    def _said(self) -> str:
        right = ""
        if self.status == "partly":
            right = f"Right: {', '.join(f'`{part}`' for part in self.good)}."
        return " ".join(filter(None, [right, self.hint, self.step]))
