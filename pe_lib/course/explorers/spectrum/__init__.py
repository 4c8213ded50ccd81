"""A clock for each pair and beside it its wavelength, on one logarithmic scale with the context."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width
from pe_lib.sinusoidal import frequencies, wavelengths

CLOCKS = 8  # at most


class SpectrumExplorer(Explorer):
    """The spectrum `wavelengths(d_model, base)`, a context of `length` positions, and clocks.

    `d_model` is a power of two, 2 to 512; `base` is 2 to 10^6; `length` is 2 to 100,000 positions,
    and `position` lies below it, between two whole numbers while the hands turn. A value outside
    raises `traitlets.TraitError`, which names it. Built in chapter 3.
    """

    kind = "spectrum"

    d_model = Width(8, min=2, max=512).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, min=2, max=1e6).tag(sync=True, explorer=True)
    length = t.Int(2048, min=2, max=100_000).tag(sync=True, explorer=True)
    position = t.Float(5, min=0).tag(sync=True, explorer=True)

    @t.validate("d_model")
    def _power_of_two(self, proposal: t.Bunch) -> int:
        if proposal.value & (proposal.value - 1):
            raise t.TraitError(f"d_model must be a power of two, got {proposal.value}")
        return int(proposal.value)

    @t.validate("position")
    def _inside(self, proposal: t.Bunch) -> float:
        if proposal.value > self.length - 1:
            raise t.TraitError(
                f"position must be below length = {self.length}, got {proposal.value:g}"
            )
        return float(proposal.value)

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
        return (
            f"Spectrum for d_model = {self.d_model} and base {self.base:,.15g}:"
            f" {waves if pairs > 1 else f'a wavelength of {first:.2f}'} positions."
            f" Of {pairs} {'pair' if pairs == 1 else 'pairs'}, {count}"
            f" {'is' if count == 1 else 'are'} hollow: longer than the context of"
            f" {self.length:,} positions."
            f" The {'clock shows' if pairs == 1 else 'clocks show'} position {self.position:,.0f}."
        )

    def picture(self) -> Figure:
        length, clocks = wavelengths(self.d_model, self.base), self.clocks()
        blue, pair = figures.PALETTE["blue"], np.arange(length.size)
        shown = pair if pair.size <= 64 else clocks  # more dots would be one thick line
        inside = shown[length[shown] <= self.length]
        outside = shown[length[shown] > self.length]
        fig: Figure
        fig, (left, ax) = figures.subplots(6.5, 4.4, 1, 2, width_ratios=[1, 7])
        left.axis("off")
        for k, i in enumerate(clocks):
            face = left.inset_axes((0, 1 - (k + 1) / len(clocks), 1, 1 / len(clocks)))
            figures.draw_clock(face, self.position * frequencies(self.d_model, self.base)[i])
        ax.plot(length[inside], inside, "o", color=blue, markersize=4)
        ax.plot(length[outside], outside, "o", color=blue, markersize=4, fillstyle="none")
        ax.plot(length, pair, color=blue, linewidth=0.8)
        ax.axvline(self.length, color=figures.PALETTE["orange"])
        half = length.size / len(clocks) / 2  # a row of a clock, in pairs
        ax.set(xscale="log", xlim=(1, 1e7), xlabel="wavelength (positions)", ylabel="pair")
        ax.set(ylim=(length.size - 1 + half, -half), title=f"context: {self.length:,} positions")
        ax.yaxis.get_major_locator().set_params(integer=True)
        return fig
