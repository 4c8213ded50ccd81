"""A story leads through an explorer: steps, each a sentence and a state, and a task at the end."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

LONGEST = 125  # characters: three lines on a phone, so that nothing below them moves


@dataclass(frozen=True)
class Step:
    """What is seen now, the values that changed for it, and the part that is ringed."""

    says: str
    state: Mapping[str, Any] = field(default_factory=dict)
    look: str = ""


@dataclass(frozen=True)
class Task:
    """What the reader finds out; `answer` holds the values of a state in which it is found."""

    says: str
    answer: Mapping[str, Any]


class Story:
    """Three to seven steps, then a task.

    >>> steps = Step("Noon."), Step("Noon, still."), Step("Two.", {"t": 2})
    >>> story = Story(*steps, task=Task("Half past?", {"t": 2.5}))
    >>> [state for _, state in story.states({"t": 0})]
    [{'t': 0}, {'t': 0}, {'t': 2}]
    """

    def __init__(self, *steps: Step, task: Task) -> None:
        if not 3 <= len(steps) <= 7:
            raise ValueError(f"a story has 3 to 7 steps, got {len(steps)}")
        for says in (*(step.says for step in steps), f"Your turn: {task.says}"):
            if len(says) > LONGEST:
                raise ValueError(f"at most {LONGEST} characters, got {len(says)}: {says}")
        self.steps, self.task = steps, task

    def states(self, start: Mapping[str, Any]) -> list[tuple[Step, dict[str, Any]]]:
        """Each step with its whole state: that of the steps so far over `start`."""
        state = dict(start)
        return [(step, state := {**state, **step.state}) for step in self.steps]

    def data(self) -> dict[str, Any]:
        """As the page's script reads it; the answer stays here."""
        return {"steps": [asdict(step) for step in self.steps], "task": self.task.says}


def read(path: Path) -> dict[str, Story]:
    """The stories of a file, by name; none where there is no file."""
    if not path.exists():
        return {}
    told = tomllib.loads(path.read_text("utf-8"))
    return {
        name: Story(*(Step(**step) for step in one["steps"]), task=Task(**one["task"]))
        for name, one in told.items()
    }
