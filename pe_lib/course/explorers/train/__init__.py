"""Train it yourself: the small Transformer of chapters 6 and 7, trained in the page."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.model.schemes import SCHEMES

RUNS = Path(__file__).with_name("train.json")
CHOICES = ("scheme", "task", "layers", "length", "causal", "seed")
TASKS = {
    "previous": "the word before",
    "order": "who bites whom",
    "counting": "praise or complaint",
}
GUESSES = {"previous": 8, "order": 2, "counting": 2}  # classes


class TrainExplorer(Explorer):
    """A Transformer that is trained where it is shown, in JavaScript, without a kernel.

    `scheme`, `task`, `layers`, `length` of the sequences, `causal` mask and `seed`, 0 to 9, say
    what is trained, and `steps` how far, in presses of 300; `head` is the one that is shown.
    `right` holds what came out: the share of right answers at the length of the training, at one
    and a half times and at three times that; it is empty until then. The mathematics is that of
    `pe_lib.course.model` in float64, with batches of 24. The random numbers are not numpy's: the
    same seed repeats a training in the page, and is another training in `pe_lib`. Used in chapters
    6 and 7. Raises TraitError, which names it, for a value outside.

    The picture is that of a recorded training in the page (`make experiments`), where there is one.
    """

    kind = "train"

    scheme = t.Enum([*SCHEMES], "none").tag(sync=True, explorer=True)
    task = t.Enum([*TASKS], "previous").tag(sync=True, explorer=True)
    layers = t.Enum([1, 2], 1).tag(sync=True, explorer=True)
    length = t.Enum([8, 16, 24], 16).tag(sync=True, explorer=True)
    causal = t.Bool(True).tag(sync=True, explorer=True)
    seed = t.Int(0, min=0, max=9).tag(sync=True, explorer=True)
    steps = t.Enum([*range(0, 1_501, 300)], 0).tag(sync=True, explorer=True)
    head = t.Int(0, min=0, max=3).tag(sync=True, explorer=True)
    right = t.List(t.Float(min=0, max=1), maxlen=3).tag(sync=True, explorer=True)

    def recorded(self) -> dict[str, Any] | None:
        """The recorded training with these choices, None if there is none."""
        chosen = [getattr(self, name) for name in CHOICES]
        found = (run for run in _runs() if [run["settings"][name] for name in CHOICES] == chosen)
        return next(found, None) if self.steps <= 300 else None

    def map(self, name: str) -> NDArray[np.float64] | None:
        """The map "likeness", -1 to 1, or "attention", 0 to 1, of a recorded head after `steps`."""
        if not (run := self.recorded()):
            return None
        maps = run["looks"][self.steps // 300][name]
        numbers = np.frombuffer(base64.b64decode(maps[self.head % len(maps)]), np.uint8)
        square: NDArray[np.float64] = numbers.reshape(self.length, self.length) / 255
        return 2 * square - 1 if name == "likeness" else square

    def caption(self) -> str:
        layers = f"{self.layers} {'layer' if self.layers == 1 else 'layers'}"
        mask = "causal mask" if self.causal else "no mask"
        model = (
            f"A Transformer of {layers}, {mask}, positions: {self.scheme}; task:"
            f" {TASKS[self.task]}, at length {self.length}, seed {self.seed}."
        )
        run = self.recorded()
        if not self.steps:
            return f"{model} Not trained yet."
        if not run:
            return f"{model} To be trained for {self.steps} steps where this page runs."
        right = ", ".join(f"{share:.0%} at {length}" for length, share in run["right"].items())
        loss = run["loss"][-1]
        return f"{model} After {self.steps} steps the loss is {loss:.2f}; right: {right}."

    def picture(self) -> Figure:
        fig: Figure
        fig, axes = figures.subplots(6.8, 2.2, 1, 4)
        run = self.recorded()
        for ax, name in zip(axes, ("likeness", "attention"), strict=False):
            values = self.map(name)
            if values is not None:
                ax.imshow(values, cmap=figures.TIDE, vmin=-1, vmax=1)
            else:
                ax.set(xlim=(0, self.length), ylim=(self.length, 0), aspect="equal")
            ax.set_title("positions" if name == "likeness" else f"head {self.head + 1}", size=9)
        loss, right = axes[2:]
        guess = np.log(GUESSES[self.task])
        loss.axhline(guess, color=figures.PALETTE["muted"], linestyle="--", linewidth=0.8)
        loss.set(xlim=(0, 300), ylim=(0, 1.25 * guess), xlabel="step")
        loss.set_title("loss", size=9)
        right.set(xlim=(0.9, 3.1), ylim=(0, 1.05), xticks=[1, 2, 3], xlabel="times as long")
        right.set_title("share right", size=9)
        if run and self.steps:
            each = 300 / len(run["loss"])
            loss.plot((np.arange(len(run["loss"])) + 0.5) * each, run["loss"])
            far = np.array([int(length) for length in run["right"]]) / self.length
            right.plot(far, [*run["right"].values()], "o-", color=figures.PALETTE["orange"], ms=3)
        return fig


@cache
def _runs() -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = json.loads(RUNS.read_text("utf-8"))
    return recorded
