"""The wavelengths of all pairs against the length of a context, and clocks that can be wound."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import frequencies, wavelengths

CLOCKS = 8  # at most


class SpectrumExplorer(Explorer):
    """The spectrum `wavelengths(d_model, base)`, a context of `length` positions, and clocks.

    `d_model` is a power of two, 2 to 512; `base` is 2 to 10^6; `length` is 2 to 100,000 positions,
    and `position` lies in range(length). A value outside raises `traitlets.TraitError`, which names
    it. Built in chapter 3.
    """

    kind = "spectrum"

    d_model = t.Int(512, min=2, max=512).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, min=2, max=1e6).tag(sync=True, explorer=True)
    length = t.Int(2048, min=2, max=100_000).tag(sync=True, explorer=True)
    position = t.Int(5, min=0).tag(sync=True, explorer=True)

    @t.validate("d_model")
    def _power_of_two(self, proposal: t.Bunch) -> int:
        if proposal.value & (proposal.value - 1):
            raise t.TraitError(f"d_model must be a power of two, got {proposal.value}")
        return int(proposal.value)

    @t.validate("position")
    def _inside(self, proposal: t.Bunch) -> int:
        if proposal.value >= self.length:
            raise t.TraitError(
                f"position must be below length = {self.length}, got {proposal.value}"
            )
        return int(proposal.value)

    @t.observe("length")
    def _keep_the_position_inside(self, change: t.Bunch) -> None:
        self.position = min(self.position, self.length - 1)

    def longer(self) -> int:
        """How many pairs are longer than the context."""
        return int((wavelengths(self.d_model, self.base) > self.length).sum())

    def clocks(self) -> NDArray[np.int64]:
        """The pairs that get a clock: at most eight, evenly spread from the first to the last."""
        pairs = self.d_model // 2
        return np.floor(np.linspace(0, pairs - 1, min(CLOCKS, pairs)) + 0.5).astype(np.int64)

    def caption(self) -> str:
        first, last = wavelengths(self.d_model, self.base)[[0, -1]]
        pairs, count = self.d_model // 2, self.longer()
        waves = f"wavelengths from {first:.2f} to {last:,.1f}"
        clocks = "clocks show"
        if pairs == 1:
            waves, clocks = f"a wavelength of {first:.2f}", "clock shows"
        return (
            f"Spectrum for d_model = {self.d_model} and base {self.base:,.15g}: {waves} positions. "
            f"Of {pairs} pair{'s'[: pairs > 1]}, {count} {'is' if count == 1 else 'are'} hollow: "
            f"longer than the context of {self.length:,} positions. The {clocks} position "
            f"{self.position:,}."
        )

    def picture(self) -> Figure:
        length = wavelengths(self.d_model, self.base)
        fig: Figure
        fig, (top, row) = figures.subplots(6.5, 4.4, 2, 1, height_ratios=[3, 1])
        pair = np.arange(length.size)
        inside = length <= self.length
        blue = figures.PALETTE["blue"]
        top.plot(pair[inside], length[inside], "o", color=blue, markersize=4)
        top.plot(pair[~inside], length[~inside], "o", color=blue, markersize=4, fillstyle="none")
        top.axhline(self.length, color=figures.PALETTE["orange"])
        top.text(0, self.length * 1.3, f"context: {self.length:,}")
        top.set(yscale="log", ylim=(1, 2e7), xlabel="pair", ylabel="wavelength (positions)")
        top.xaxis.get_major_locator().set_params(integer=True)
        middle = (len(self.clocks()) - 1) / 2
        row.set(xlim=(middle - 4, middle + 4), ylim=(-1, 0.7), aspect="equal")
        row.axis("off")
        rim = np.linspace(0, 2 * np.pi, 61)
        for k, i in enumerate(self.clocks()):
            angle = self.position * frequencies(self.d_model, self.base)[i]
            row.plot(k + 0.4 * np.sin(rim), 0.4 * np.cos(rim), color=figures.PALETTE["muted"])
            row.plot([k, k + 0.4 * np.sin(angle)], [0, 0.4 * np.cos(angle)], color=blue)
            row.text(k, -0.5, f"pair\n{i}", ha="center", va="top")
        return fig
