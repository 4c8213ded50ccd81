"""Store the result of a check, and show it as a line of text or as a framed message."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading import feedback
from pe_lib.course.grading.afterwards import Afterwards
from pe_lib.course.grading.sheet import Question


@dataclass(frozen=True, repr=False)
class Result:
    """The result of checking an answer.

    `status` is 'right', 'partly', 'wrong' or 'open', which means not answered yet. `good` names the
    parts that are right, and `mistake` names the known mistake. If no mistake fits, `relation` says
    how the values are related to the right values. `comparison` contains a part's name, the
    learner's values and the right values, if they can be drawn. `after` is shown after a right
    answer, together with the sentence `onward`, which says what the learner can do next.
    """

    question: Question
    status: str
    hint: str = ""
    mistake: str = ""
    good: tuple[str, ...] = ()
    comparison: tuple[str, NDArray[np.float64], NDArray[np.float64]] | None = None
    relation: str = ""
    step: str = ""  # a sentence that says how the learner can get a hint
    after: Afterwards | None = None
    onward: str = ""

    @property
    def score(self) -> float:
        return sum(self.question.points[part] for part in self.good)

    def __repr__(self) -> str:
        sign, words, _ = feedback.STATUS[self.status]
        points = feedback.format_points(self.score, self.question.total)
        lines = [" ".join(filter(None, [f"{sign} {words}: {points}.", self._message()]))]
        if self.after:
            lines += self.after.lines()
        return "\n".join(filter(None, [*lines, self.onward]))

    def _repr_html_(self) -> str:
        points = feedback.format_points(self.score, self.question.total)
        picture = feedback.draw_comparison(*self.comparison) if self.comparison else ""
        if self.after:
            picture += feedback.frame_afterwards(self.after.lines(), self.onward)
        return feedback.frame_message(self.status, points, self._message(), picture)

    def _message(self) -> str:
        right = ""
        if self.status == "partly":
            right = f"Right: {', '.join(f'`{part}`' for part in self.good)}."
        return " ".join(filter(None, [right, self.hint, self.step]))
