"""A few questions about what is to be read, and the scheme of position that they lead to."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

# The schemes, the first question, each question's answers and what they lead to, and the advice
TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("choices.toml").read_text("utf-8"))


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
        return super().about() | {"table": TABLE}

    @t.validate("answers")
    def _to_questions(self, proposal: t.Bunch) -> list[str]:
        at = TABLE["first"]
        for n, answer in enumerate(proposal.value):
            if at in TABLE["advice"]:
                last = proposal.value[n - 1]
                raise t.TraitError(f"answers must end with {last!r}: no question is left")
            question = TABLE["questions"][at]
            found = {one["answer"]: one["to"] for one in question["answers"]}
            if answer not in found:
                names = ", ".join(found)
                raise t.TraitError(f"answers to {question['asks']!r} are {names}, got {answer!r}")
            at = found[answer]
        return list(proposal.value)
