"""A recorded training, played back: loss, similarity of positions, and attention, step by step."""

from __future__ import annotations

import base64

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer


class TrainingExplorer(Explorer):
    """Two trainings beside one another, scrubbed by hand.

    `recording` is what `tools/experiments.py` leaves in chapters/data/training.json: the `length`
    of the sequences, the `steps` of the training, `every` how many it was looked at, and two
    `runs`. `look` is the number of the look, from 0. Used in chapter 6. Raises TraitError for a
    look that was not recorded.
    """

    kind = "training"

    recording = t.Dict().tag(sync=True, explorer=True)
    look = t.Int(0, min=0).tag(sync=True, explorer=True)

    @t.validate("look")
    def _recorded(self, proposal: t.Bunch) -> int:
        looks = len(self.recording["runs"][0]["right"])
        if proposal.value >= looks:
            raise t.TraitError(f"look must be below {looks}, got {proposal.value}")
        return int(proposal.value)

    def step(self) -> int:
        """The step of training that is looked at."""
        return int(self.look * self.recording["every"])

    def map(self, run: int, name: str) -> NDArray[np.float64]:
        """The map `name`, "similarity" or "attention", of a run now: (length, length), 0 to 1."""
        length = self.recording["length"]
        numbers = base64.b64decode(self.recording["runs"][run][name])
        frames = np.frombuffer(numbers, np.uint8).reshape(-1, length, length)
        shares: NDArray[np.float64] = frames[self.look] / 255
        return shares

    def caption(self) -> str:
        parts = []
        for n, run in enumerate(self.recording["runs"]):
            looks = self.map(n, "attention").argmax(axis=1)
            back = int((looks[1:] == np.arange(len(looks) - 1)).sum())
            parts.append(
                f"{run['scheme']}: {run['right'][self.look]:.0%} right, attention looks one back "
                f"in {back} of {len(looks) - 1} rows"
            )
        return f"Step {self.step()} of {self.recording['steps']}. {'; '.join(parts)}."

    def picture(self) -> Figure:
        fig: Figure
        fig, axes = figures.subplots(6.8, 2.2, 1, 4)
        places = [(n, name) for n in (0, 1) for name in ("similarity", "attention")]
        for ax, (n, name) in zip(axes, places, strict=True):
            values = self.map(n, name)
            ax.imshow(2 * values - 1 if name == "similarity" else values, cmap=figures.TIDE,
                      vmin=-1, vmax=1)  # fmt: skip
            ax.set_title(f"{self.recording['runs'][n]['scheme']}\n{name}", size=9)
        return fig
