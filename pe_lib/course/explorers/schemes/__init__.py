"""Recorded experiments as curves: which scheme learns which task, and how far it goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

SCHEMES = ["none", "sinusoidal", "learned", "rotary", "alibi", "relative"]


class SchemesExplorer(Explorer):
    """Shares of right answers of six schemes, as texts grow from 16 words to 48.

    `recording` is what `make experiments` leaves in chapters/data/lengths.json: the `lengths`
    of the tests, the first being that of the training, and a list of `settings` with the shares
    `right`, (seeds, lengths), in longer texts of "previous" of the answers beyond the first length
    alone. `task`, "previous", "order" or "counting", `causal` and `layers`, 1
    or 2, choose; `scheme` is in front, and the curves have come to `length`. Used in chapter 7.
    Raises TraitError for a choice that was not recorded.
    """

    kind = "schemes"

    recording = t.Dict().tag(sync=True, explorer=True)
    task = t.Enum(["previous", "order", "counting"], "order").tag(sync=True, explorer=True)
    causal = t.Bool(False).tag(sync=True, explorer=True)
    layers = t.Enum([1, 2], 1).tag(sync=True, explorer=True)
    scheme = t.Enum(SCHEMES, "alibi").tag(sync=True, explorer=True)
    length = t.Float(16.0, min=16, max=48).tag(sync=True, explorer=True)

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

    def now(self) -> dict[str, NDArray[np.float64]]:
        """The shares of each scheme at `length`, (seeds,), on a line between recorded lengths."""
        lengths = self.recording["lengths"]
        return {
            scheme: np.array([np.interp(self.length, lengths, seed) for seed in right])
            for scheme, right in self.chosen().items()
        }

    def read(self) -> str:
        """At how many words, and which answers count where not all do."""
        known = self.recording["lengths"][0]
        length = f"{self.length:.0f}"
        if self.task == "previous" and self.length > known:
            return f"{length} from word {known} on"
        return length

    def caption(self) -> str:
        layers = f"{self.layers} {'layer' if self.layers == 1 else 'layers'}"
        mask = "causal" if self.causal else "bidirectional"
        means = {scheme: shares.mean() for scheme, shares in self.now().items()}
        ranked = sorted(means, key=lambda scheme: -means[scheme])
        shares = "; ".join(f"{scheme} {means[scheme]:.2f}" for scheme in ranked)
        return (
            f"Share of right answers in the task “{self.task}”, {mask}, {layers}, trained at"
            f" {self.recording['lengths'][0]} words, read at {self.read()}, mean of the seeds:"
            f" {shares}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        chosen, lengths = self.chosen(), np.array(self.recording["lengths"], dtype=float)
        x = np.append(lengths[lengths < self.length], self.length)
        ends: dict[str, float] = {}
        for scheme, right in chosen.items():
            front = scheme == self.scheme
            colour = figures.PALETTE["orange" if front else "muted"]
            curves = np.array([np.interp(x, lengths, seed) for seed in right]).round(4)
            if front:
                ax.plot(x, curves.T, color=colour, linewidth=0.7)
            ax.plot(x, curves.mean(axis=0), color=colour, linewidth=3 if front else 1.5)
            ax.plot(x[-1], curves[:, -1].mean(), "o", color=colour, markersize=4)
            ends[scheme] = float(curves[:, -1].mean())
        place = 2.0
        for scheme in sorted(ends, key=lambda scheme: -ends[scheme]):  # none on top of another
            place = min(place - 0.09, ends[scheme])
            ax.text(self.length + 0.7, place, scheme, size=8, va="center",
                    weight="bold" if scheme == self.scheme else "normal")  # fmt: skip
        ax.set(xlabel="words in the text", ylabel="share right", xlim=(15, 54), ylim=(-0.1, 1.1),
               xticks=[16, 24, 32, 40, 48])  # fmt: skip
        return fig
