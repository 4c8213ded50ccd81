"""A recorded table of experiments: which scheme of position learns which task, and how far."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer


class SchemesExplorer(Explorer):
    """Shares of right answers, filtered by task, mask and depth.

    `recording` is what `tools/experiments.py` leaves in chapters/data/schemes.json: the `lengths`
    of the tests, the first being that of the training, and a list of `settings` with the shares
    `right`, (seeds, lengths). `task`, `causal` and `layers` choose. Used in chapter 7. Raises
    TraitError for a choice that was not recorded.
    """

    kind = "schemes"

    recording = t.Dict().tag(sync=True, explorer=True)
    task = t.Unicode("previous").tag(sync=True, explorer=True)
    causal = t.Bool(False).tag(sync=True, explorer=True)
    layers = t.Int(1).tag(sync=True, explorer=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not self.chosen():
            raise t.TraitError(
                f"no setting was recorded with task {self.task!r}, causal {self.causal} and "
                f"layers {self.layers}"
            )

    def chosen(self) -> dict[str, NDArray[np.float64]]:
        """The shares of each scheme, (seeds, lengths), for the task, mask and depth chosen."""
        return {
            cell["scheme"]: np.array(cell["right"])
            for cell in self.recording["settings"]
            if all(cell[name] == getattr(self, name) for name in ("task", "causal", "layers"))
        }

    def caption(self) -> str:
        lengths = " and ".join(map(str, self.recording["lengths"]))
        mask = "causal" if self.causal else "bidirectional"
        means = "; ".join(
            f"{scheme} {', '.join(f'{share:.2f}' for share in right.mean(axis=0))}"
            for scheme, right in self.chosen().items()
        )
        return (
            f"Share of right answers in the task “{self.task}”, {mask}, {self.layers} "
            f"layer{'s'[: self.layers > 1]}, at lengths {lengths}, mean of the seeds: {means}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        chosen = self.chosen()
        marks, colours = "o^s", ("blue", "orange", "green")
        for row, right in enumerate(chosen.values()):
            for n, length in enumerate(self.recording["lengths"]):
                y, colour = row + 0.22 * (n - 1), figures.PALETTE[colours[n]]
                ax.plot([right[:, n].min(), right[:, n].max()], [y, y], color=colour)
                ax.plot(right[:, n].mean(), y, marks[n], color=colour)
                ax.text(1.03, y, str(length), size=7, va="center")
        ax.set_yticks(range(len(chosen)), list(chosen))
        ax.invert_yaxis()
        ax.set(xlabel="share right: mean and range of the seeds", xlim=(0, 1.1))
        return fig
