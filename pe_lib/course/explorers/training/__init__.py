"""A recorded training, played back: the rows of the table move, and the maps form."""

from __future__ import annotations

import base64

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

ROWS = 48


class TrainingExplorer(Explorer):
    """A table that is learned and the sinusoidal one, step by step.

    `recording` is what `make experiments` leaves in chapters/data/training.json: the `length`
    of the sequences, the `steps` of the training, `every` how many it was looked at, and two
    `runs`. `look` is the number of the look, from 0, `scheme` the run that is shown, "learned" or
    "sinusoidal", and `row`, 0 to 47, the row that is followed. Used in chapter 6. Raises TraitError
    for a look that was not recorded.
    """

    kind = "training"

    recording = t.Dict().tag(sync=True, explorer=True)
    look = t.Int(0, min=0).tag(sync=True, explorer=True)
    scheme = t.Enum(["learned", "sinusoidal"], "learned").tag(sync=True, explorer=True)
    row = t.Int(7, min=0, max=ROWS - 1).tag(sync=True, explorer=True)

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
        maps = self._numbers(run, name).reshape(-1, length, length)
        shares: NDArray[np.float64] = maps[self.look]
        return shares

    def places(self, run: int) -> NDArray[np.float64]:
        """Where the rows are at each look, in the plane in which they move most: (looks, 48, 2)."""
        shares = self._numbers(run, "plane").reshape(-1, ROWS, 2)
        places: NDArray[np.float64] = self.recording["runs"][run]["reach"] * (2 * shares - 1)
        return places

    def shown(self) -> int:
        """The number of the run that is shown."""
        return [run["scheme"] for run in self.recording["runs"]].index(self.scheme)

    def caption(self) -> str:
        parts = []
        for n, run in enumerate(self.recording["runs"]):
            looks = self.map(n, "attention").argmax(axis=1)
            back = int((looks[1:] == np.arange(len(looks) - 1)).sum())
            parts.append(
                f"{run['scheme']}: {run['right'][self.look]:.0%} right, attention looks one back in"
                f" {back} of {len(looks) - 1} rows"
            )
        far = np.linalg.norm(np.subtract(*self.places(self.shown())[[self.look, 0], self.row]))
        moved = f"has moved by {far:.2f} in the plane" if far else "has not moved"
        return (
            f"Step {self.step()} of {self.recording['steps']}. {'; '.join(parts)}."
            f" Row {self.row} of the {self.scheme} table {moved}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, axes = figures.subplots(6.8, 2.5, 1, 3)
        n = self.shown()
        places = self.places(n)[: self.look + 1].round(3)
        for row in range(self.recording["length"]):
            axes[0].plot(*places[:, row].T, color=figures.PALETTE["blue"], linewidth=1)
        axes[0].plot(*places[-1].T, ".", color=figures.PALETTE["muted"], markersize=4)
        axes[0].plot(*places[-1, self.row], "o", color=figures.PALETTE["orange"])
        reach = self.recording["runs"][n]["reach"]
        axes[0].set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[],
                    aspect="equal")  # fmt: skip
        axes[0].set_title(f"rows of the table:\n{self.scheme}, step {self.step()}", size=9)
        for ax, name in zip(axes[1:], ("similarity", "attention"), strict=True):
            values = self.map(n, name)
            ax.imshow(2 * values - 1 if name == "similarity" else values, cmap=figures.TIDE,
                      vmin=-1, vmax=1)  # fmt: skip
            ax.set_title(name, size=9)
        return fig

    def _numbers(self, run: int, name: str) -> NDArray[np.float64]:
        """What was recorded as bytes, 0 to 1."""
        numbers = base64.b64decode(self.recording["runs"][run][name])
        shares: NDArray[np.float64] = np.frombuffer(numbers, np.uint8) / 255
        return shares
