"""Define the class Sheet, with which an exercise notebook checks a learner's answers."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from pe_lib.course.grading.afterwards import find_afterwards
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.feedback import Note, Prose
from pe_lib.course.grading.progress import Progress, record
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sealed import check_form, is_sealed
from pe_lib.course.grading.sheet import Given, Question, SheetError, load

PRACTICE = (
    "*For practice. In a notebook that you hand in, answer for the numbers that it came with: run"
    " the first cell again, and they are back.*"
)


class Sheet:
    """An exercise sheet in a notebook, with methods that a learner calls.

    `name` is the sheet's name or its number. `seed` chooses the numbers in the questions, so that
    each class may have different numbers. With `keep=False` no check counts towards the learner's
    progress.

    >>> sheet = Sheet("04", keep=False)
    >>> slow_k = ...
    >>> sheet.check("slow_sine", {"slow_k": slow_k})
    ○ Not answered yet: 0 of 2 points. `slow_k` is still empty. Put your answer in place of `...`
    """

    def __init__(self, name: str, seed: int = 0, keep: bool = True) -> None:
        self._content = load(name)
        self._keep = keep
        self._seed = seed
        self._hint_counts = dict.fromkeys(self._content.questions, 0)
        # how often the learner has called `again` for each question
        self._again_counts = dict.fromkeys(self._content.questions, 0)

    def __repr__(self) -> str:
        return f"Sheet({self._content.name!r}): {', '.join(self._content.questions)}"

    def _question(self, name: str) -> Question:
        try:
            return self._content.questions[name]
        except (KeyError, TypeError):
            problem = f"there is no question {name!r} here" if name else "no question is named"
            raise SheetError(
                f"{problem}; there are: {', '.join(self._content.questions)}"
            ) from None

    def _seed_of(self, question: str) -> int:
        """Return the seed for a question's random numbers, which each call of `again` changes."""
        count = self._again_counts[question]
        practice_seed = np.random.default_rng([self._seed, count]).integers(2**31)
        return int(practice_seed) if count else self._seed

    def given(self, question: str = "") -> Given:
        """Return an object that has a question's random numbers as attributes."""
        return self._question(question).given_numbers(self._seed_of(question))

    def check(self, question: str = "", names: dict[str, Any] | None = None) -> Result | Note:
        """Check an answer, and show whether it is right or which mistake it contains.

        The answer is looked up in the notebook, or in `names` if that argument is given.
        """
        if names is None:
            names = sys._getframe(1).f_globals
        content = self._question(question)
        if is_sealed(content):
            return Note(check_form(content, names))
        seed = self._seed_of(question)
        result = grade(content, names, seed)
        if self._keep and (problem := record(result, seed)):
            print(problem)
        if result.status != "right":
            return result
        if self._again_counts[question]:
            practice = "These are the numbers of `sheet.again`, for practice."
            result = replace(result, hint=practice)
        if not self._keep:
            return result
        return replace(result, after=find_afterwards(content), onward=self._describe_next())

    def _describe_next(self) -> str:
        """Return a sentence that tells a learner which question or which command comes next."""
        best = Progress().best
        for name, question in self._content.questions.items():
            if best.get((question.sheet, name), 0) < question.total:
                return f"Next: {question.title}, `{name}`."
        return "You have solved this sheet. Next: `python -m pe_lib.course.grading next`."

    def hint(self, question: str = "") -> Note:
        """Return the next hint for a question.

        The first hint is a nudge, and the last hint gives the idea.
        """
        hints = self._question(question).hints
        count = self._hint_counts[question]
        if not hints:
            return Note("There are no hints here.")
        if count == len(hints):
            return Note(f'That was the last hint. The solution: `sheet.solution("{question}")`')
        self._hint_counts[question] += 1
        return Note(f"Hint {count + 1} of {len(hints)}. {hints[count]}")

    def solution(self, question: str = "") -> Prose:
        """Return a question's solution with an explanation."""
        solution = self._question(question).solution
        return Prose(f"{solution.text}\n\n```python\n{solution.code}\n```")

    def again(self, question: str = "") -> Prose | Note:
        """Return the question with new random numbers, for more practice.

        Afterwards run the cell with your answer once more. A class is graded on the numbers that
        the notebook had when it was handed out.
        """
        content = self._question(question)
        if not content.given_code:
            return Note("This question has no numbers that could change.")
        self._again_counts[question] += 1
        return Prose(f"{content.format_prompt(self._seed_of(question))}\n\n{PRACTICE}")

    def progress(self) -> Progress:
        """Return an overview of the learner's points and mistakes on every sheet."""
        return Progress()
