"""Frequencies slowed for longer texts: all wavelengths, and a score that was fitted."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib import context
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import frequencies

D_HEAD, TRAINED, SAMPLES = 128, 2048, 256
METHODS = {
    "none": "unscaled",
    "interpolation": "position interpolation",
    "ntk": "NTK-aware",
    "dynamic": "dynamic NTK",
    "yarn": "YaRN",
}


class ContextExplorer(Explorer):
    """A rotary head of 128 dimensions, trained on 2,048 positions, with its frequencies scaled.

    `score` holds the 64 cosine and 64 sine coefficients of a score that was fitted at the offsets
    below 2,048 with the frequencies of base 10,000. `method` is "none", "interpolation", "ntk",
    "dynamic" or "yarn", `factor` (1 to 16, in quarters) the new length over the old, and `pair`
    (0 to 63) the one that is read out. Built in chapter 9. Raises TraitError, which names it, for a
    value outside.
    """

    kind = "context"

    method = t.Enum([*METHODS], "none").tag(sync=True, explorer=True)
    factor = t.Float(4.0, min=1, max=16).tag(sync=True, explorer=True)
    pair = t.Int(32, min=0, max=D_HEAD // 2 - 1).tag(sync=True, explorer=True)
    score = t.List(t.Float(), minlen=D_HEAD, maxlen=D_HEAD).tag(sync=True, explorer=True)

    @t.validate("factor")
    def _in_quarters(self, proposal: t.Bunch) -> float:
        if proposal.value * 4 % 1:
            raise t.TraitError(f"factor must be a multiple of 0.25, got {proposal.value}")
        return float(proposal.value)

    def scaled(self, factor: float | None = None) -> NDArray[np.float64]:
        """The frequencies of a text `factor` times as long: shape (64,), radians per position."""
        s = self.factor if factor is None else factor
        if self.method == "interpolation":
            return context.interpolated(D_HEAD, s)
        if self.method in ("ntk", "dynamic"):
            return context.ntk_aware(D_HEAD, s)
        if self.method == "yarn":
            return context.by_parts(D_HEAD, s, TRAINED)
        return frequencies(D_HEAD)

    def offsets(self) -> NDArray[np.float64]:
        """257 offsets, evenly spaced from 0 to the new length."""
        return np.linspace(0, self.factor * TRAINED, SAMPLES + 1)

    def scores(self) -> NDArray[np.float64]:
        """The score at each of the offsets: shape (257,).

        "dynamic" scales at each offset for a text that ends there; "yarn" multiplies the score by
        the square of its temperature.
        """
        offsets = self.offsets()
        w = self.scaled()
        if self.method == "dynamic":
            w = np.stack([self.scaled(max(1.0, k / TRAINED)) for k in offsets])
        angles = offsets[:, None] * w
        scale = context.temperature(self.factor) ** 2 if self.method == "yarn" else 1.0
        score: NDArray[np.float64] = (
            scale * np.hstack([np.cos(angles), np.sin(angles)]) @ np.array(self.score)
        )
        return score

    def largest(self) -> tuple[float, float | None]:
        """The largest size of the score at offsets below 2,048, and from there on, if any are."""
        size, inside = np.abs(self.scores()), self.offsets() < TRAINED
        beyond = None if self.factor == 1 else float(size[~inside].max())
        return float(size[inside].max()), beyond

    def new(self) -> int:
        """How many pairs reach angles that never occurred in training.

        They made less than a turn in it, and turn further in the longer text.
        """
        arc = TRAINED * frequencies(D_HEAD)
        further = self.factor * TRAINED * self.scaled() > arc * (1 + 1e-9)
        return int(((arc < 2 * np.pi) & further).sum())

    def caption(self) -> str:
        inside, beyond = self.largest()
        outside = "" if beyond is None else f", and up to {beyond:,.2f} from there on"
        return (
            f"A head of 64 pairs, trained on 2,048 positions, reads {self.factor * TRAINED:,.0f}, "
            f"{METHODS[self.method]}: {self.new()} pairs reach new angles. The fitted score is up "
            f"to {inside:,.2f} in size at offsets below 2,048{outside}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, (left, right) = figures.subplots(6.8, 3.1, 1, 2)
        pair = np.arange(D_HEAD // 2)
        left.plot(pair, 2 * np.pi / frequencies(D_HEAD), color=figures.PALETTE["muted"])
        left.plot(pair, 2 * np.pi / self.scaled(), "o", markersize=3)
        left.axhline(TRAINED, color=figures.PALETTE["orange"], linestyle="--")
        left.text(0, TRAINED * 1.4, "training length")
        left.set(yscale="log", ylim=(1, 2e6), xlabel="pair", ylabel="wavelength (positions)")
        right.plot(self.offsets(), self.scores().round(3))
        right.axvline(TRAINED, color=figures.PALETTE["orange"], linestyle="--")
        right.set_yscale("symlog", linthresh=1)
        right.set(ylim=(-2e4, 2e4), xlabel="offset (positions)", ylabel="score")
        return fig
