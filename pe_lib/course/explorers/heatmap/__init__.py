"""The encoding as a heatmap: point at a cell and see its formula, its row and its column."""

from __future__ import annotations

import math

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width, number
from pe_lib.sinusoidal import encode, frequencies


class HeatmapExplorer(Explorer):
    """A heatmap of `encode(range(positions), d_model, base)` with one cell chosen.

    `d_model` is even, 2 to 512; `base` is above 1, at most 10^6; `positions` is 2 to 512. The
    chosen cell is (`position`, `dim`); it must lie in the table, between two rows only while the
    hands turn. The story `numbers` goes with a table of `d_model` 4 and eight positions. A value
    outside raises `traitlets.TraitError`, which names it.
    """

    kind = "heatmap"

    d_model = Width(16, min=2, max=512).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, max=1e6).tag(sync=True, explorer=True)
    positions = t.Int(64, min=2, max=512).tag(sync=True, explorer=True)
    position = t.Float(5, min=0).tag(sync=True, explorer=True)
    dim = t.Int(2, min=0).tag(sync=True, explorer=True)

    @t.validate("base")
    def _above_one(self, proposal: t.Bunch) -> float:
        if not proposal.value > 1:
            raise t.TraitError(f"base must be above 1, got {proposal.value}")
        return float(proposal.value)

    @t.validate("position")
    def _row_exists(self, proposal: t.Bunch) -> float:
        return _below("position", proposal.value, "positions", self.positions)

    @t.validate("dim")
    def _column_exists(self, proposal: t.Bunch) -> int:
        return int(_below("dim", proposal.value, "d_model", self.d_model))

    @t.observe("positions", "d_model")
    def _keep_the_cell_inside(self, change: t.Bunch) -> None:
        self.position = min(self.position, self.positions - 1)
        self.dim = min(self.dim, self.d_model - 1)

    def here(self) -> int:
        """The row that is read: the nearest, while the hands turn."""
        return math.floor(self.position + 0.5)

    def caption(self) -> str:
        return (
            f"Heatmap of the encoding of positions 0 to {self.positions - 1} with d_model ="
            f" {self.d_model} and base {self.base:,.15g}. The chosen cell, position {self.here()}"
            f" and dimension {self.dim}, is a {'cosine' if self.dim % 2 else 'sine'} and has the"
            f" value {number(self._value(), '.4f')}."
        )

    def picture(self) -> Figure:
        d, here, few = self.d_model, self.here(), self.d_model <= 8 and self.positions <= 16
        table = encode(range(self.positions), d, self.base)
        line = np.linspace(-0.5, self.positions - 0.5, 8 * self.positions)
        sine, cosine = figures.PALETTE["blue"], figures.PALETTE["orange"]
        fig: Figure
        fig, axes = figures.subplots(
            6.5, 4.8, 2, 2, width_ratios=[4, 1], height_ratios=[1, 3], sharex="col", sharey="row"
        )
        (row, clock), (heat, column) = axes
        for odd, colour in enumerate((sine, cosine)):
            dims = np.arange(odd, d, 2)
            row.vlines(dims, 0, table[here, dims], color=colour, linewidth=1.5)
            fill = "none" if odd else "full"
            row.plot(dims, table[here, dims], "o", color=colour, markersize=3, fillstyle=fill)
        row.axhline(0, color=figures.PALETTE["muted"], linewidth=0.6)
        row.set_title(f"position {here}: sines ●, cosines ○")
        figures.draw_clock(clock, here * frequencies(d, self.base)[self.dim // 2])
        if few:
            figures.draw_heatmap(heat, table, numbers=True)
        else:
            heat.imshow(table, cmap=figures.TIDE, vmin=-1, vmax=1, aspect="auto")
            heat.set(xlabel="dimension", ylabel="position")
            heat.axhline(here, color=figures.PALETTE["ink"], linewidth=0.8)
            heat.axvline(self.dim, color=figures.PALETTE["ink"], linewidth=0.8)
        own = cosine if self.dim % 2 else sine
        column.plot(encode(line, d, self.base)[:, self.dim], line, color=own)
        column.plot(self._value(), here, "o", color=figures.PALETTE["ink"])
        column.set(xlabel=f"dimension {self.dim}", xlim=(-1.1, 1.1))
        return fig

    def _value(self) -> float:
        return float(encode(self.here(), self.d_model, self.base)[self.dim])


def _below(name: str, value: float, limit_name: str, limit: int) -> float:
    if value > limit - 1:
        raise t.TraitError(f"{name} must be below {limit_name} = {limit}, got {value:g}")
    return value
