"""Define the stories of explorers, each of which leads a reader in a few steps to a task."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# the largest number of characters in a sentence, so that it needs three lines on a phone
LONGEST_SENTENCE = 125


@dataclass(frozen=True)
class Step:
    """A step of a story: a sentence, trait values to set, and the parts that the sentence names.

    `look` is the name of a part of the scene, or a list of names. A part appears in the picture
    with the first step that names it.
    """

    says: str
    state: Mapping[str, Any] = field(default_factory=dict)
    look: str | Sequence[str] = ""

    @property
    def parts(self) -> list[str]:
        """The parts of the picture that `look` names, as a list."""
        return [self.look] * bool(self.look) if isinstance(self.look, str) else [*self.look]

    def script_data(self) -> dict[str, Any]:
        """Return the step in the form that the page's script needs."""
        return {"says": self.says, "state": self.state, "look": self.parts}


@dataclass(frozen=True)
class Task:
    """A task for the reader, whose `answer` holds the trait values that solve it."""

    says: str
    answer: Mapping[str, Any]


class Story:
    """A story of three to seven steps, followed by a task.

    >>> steps = Step("Noon."), Step("Noon, still."), Step("Two.", {"t": 2})
    >>> story = Story(*steps, task=Task("Half past?", {"t": 2.5}))
    >>> [state for _, state in story.states({"t": 0})]
    [{'t': 0}, {'t': 0}, {'t': 2}]
    """

    def __init__(self, *steps: Step, task: Task) -> None:
        if not 3 <= len(steps) <= 7:
            raise ValueError(f"a story has 3 to 7 steps, got {len(steps)}")
        for says in (*(step.says for step in steps), f"Your turn: {task.says}"):
            if len(says) > LONGEST_SENTENCE:
                raise ValueError(
                    f"a sentence of a story has at most {LONGEST_SENTENCE} characters,"
                    f" got {len(says)}: {says}"
                )
        self.steps, self.task = steps, task

    def states(self, start: Mapping[str, Any]) -> list[tuple[Step, dict[str, Any]]]:
        """Return each step with its state: `start`, changed by this step and all earlier steps."""
        state = dict(start)
        return [(step, state := {**state, **step.state}) for step in self.steps]

    def script_data(self) -> dict[str, Any]:
        """Return the story in the form that the page's script needs, without the task's answer."""
        return {"steps": [step.script_data() for step in self.steps], "task": self.task.says}


def read_stories(path: Path) -> dict[str, Story]:
    """Return the stories in a file, by their names, or no stories if the file does not exist."""
    if not path.exists():
        return {}
    tables = tomllib.loads(path.read_text("utf-8"))
    return {
        name: Story(*(Step(**step) for step in table["steps"]), task=Task(**table["task"]))
        for name, table in tables.items()
    }
