"""A few questions about what is to be read, and the scheme of position that they lead to."""

from __future__ import annotations

import textwrap
from typing import Any

import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.chooser.choices import ADVICE, FIRST, QUESTIONS, SCHEMES, SHORT


class ChooserExplorer(Explorer):
    """Asks in the order of chapter 11's table, and stops at the first line that fits.

    `answers` are those given so far, such as ["no", "sequence", "no", "yes"]. Raises TraitError for
    one that the question does not have, and for one too many.
    """

    kind = "chooser"

    answers = t.List(t.Unicode()).tag(sync=True, explorer=True)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """Its script has to know the table, too."""
        table = {"questions": QUESTIONS, "short": SHORT, "advice": ADVICE, "schemes": SCHEMES}
        return super().about() | {"table": table | {"first": FIRST}}

    @t.validate("answers")
    def _to_questions(self, proposal: t.Bunch) -> list[str]:
        follow(proposal.value)
        return list(proposal.value)

    def caption(self) -> str:
        asked, end = follow(self.answers)
        answered = "; ".join(
            f"{QUESTIONS[q]['asks']} {QUESTIONS[q]['answers'][a][0]}" for q, a in asked
        )
        last = ADVICE[end]["says"] if end in ADVICE else f"The next question: {_in_full(end)}."
        return f"{answered}. {last}" if answered else last

    def picture(self) -> Figure:
        asked, end = follow(self.answers)
        lines = [f"{QUESTIONS[q]['asks']}  {QUESTIONS[q]['answers'][a][0]}" for q, a in asked]
        says = ADVICE[end]["says"] if end in ADVICE else _in_full(end)
        last = textwrap.wrap(says, 60)
        left = possible(end)
        fig: Figure
        fig, ax = figures.subplots(6.5, 0.32 * (len(lines) + len(last) + 2))
        for y, line in enumerate(lines):
            ax.text(0.03, y, line, va="center")
        ax.plot(
            [0.01] * (len(lines) + 1), range(len(lines) + 1), "o-", color=figures.PALETTE["blue"]
        )
        for y, line in enumerate(last, len(lines)):
            ax.text(0.03, y, line, va="center", weight="bold")
        names = ", ".join(name for scheme, name in SCHEMES.items() if scheme in left)
        ax.text(0, len(lines) + len(last), f"possible: {names}", va="center")
        ax.set(xlim=(0, 1), ylim=(len(lines) + len(last) + 0.5, -0.5))
        ax.axis("off")
        return fig


def _in_full(question: str) -> str:
    """A question with its answers, for readers without buttons."""
    options = [words for words, _ in QUESTIONS[question]["answers"].values()]
    return f"{QUESTIONS[question]['asks']} {'; or '.join(options)}"


def follow(answers: list[str]) -> tuple[list[tuple[str, str]], str]:
    """Each question with its answer, and where they lead: a question that is open, or advice.

    >>> follow(["no", "set"])
    ([('weights', 'no'), ('reads', 'set')], 'set')
    """
    asked: list[tuple[str, str]] = []
    at = FIRST
    for answer in answers:
        if at in ADVICE:
            raise t.TraitError(f"answers must end with {asked[-1][1]!r}: no question is left")
        options = QUESTIONS[at]["answers"]
        if answer not in options:
            names = ", ".join(options)
            raise t.TraitError(f"answers to {QUESTIONS[at]['asks']!r} are {names}, got {answer!r}")
        asked.append((at, answer))
        at = options[answer][1]
    return asked, at


def ends(at: str) -> list[str]:
    """The advice that can still be reached."""
    if at in ADVICE:
        return [at]
    return [end for _, to in QUESTIONS[at]["answers"].values() for end in ends(to)]


def possible(at: str) -> set[str]:
    """The schemes in that advice."""
    return {scheme for end in ends(at) for scheme in ADVICE[end]["schemes"]}
