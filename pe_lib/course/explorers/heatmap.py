"""The encoding as a heatmap: point at a cell and see its formula, its row and its column."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width
from pe_lib.sinusoidal import encode


class HeatmapExplorer(Explorer):
    """A heatmap of `encode(range(positions), d_model, base)` with one cell chosen.

    `d_model` is even, 2 to 512; `base` is above 1, at most 10^6; `positions` is 2 to 512. The
    chosen cell is (`position`, `dim`); it must lie in the table. A value outside raises
    `traitlets.TraitError`, which names it.
    """

    kind = "heatmap"

    d_model = Width(64, min=2, max=512).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, max=1e6).tag(sync=True, explorer=True)
    positions = t.Int(64, min=2, max=512).tag(sync=True, explorer=True)
    position = t.Int(5, min=0).tag(sync=True, explorer=True)
    dim = t.Int(2, min=0).tag(sync=True, explorer=True)

    @t.validate("base")
    def _above_one(self, proposal: t.Bunch) -> float:
        if not proposal.value > 1:
            raise t.TraitError(f"base must be above 1, got {proposal.value}")
        return float(proposal.value)

    @t.validate("position")
    def _row_exists(self, proposal: t.Bunch) -> int:
        return _below("position", proposal.value, "positions", self.positions)

    @t.validate("dim")
    def _column_exists(self, proposal: t.Bunch) -> int:
        return _below("dim", proposal.value, "d_model", self.d_model)

    @t.observe("positions", "d_model")
    def _keep_the_cell_inside(self, change: t.Bunch) -> None:
        self.position = min(self.position, self.positions - 1)
        self.dim = min(self.dim, self.d_model - 1)

    def caption(self) -> str:
        name = "cosine" if self.dim % 2 else "sine"
        value = f"{self._value():.4f}".replace("-", "−")
        return (
            f"Heatmap of the encoding of positions 0 to {self.positions - 1} with d_model = "
            f"{self.d_model} and base {self.base:,.15g}. The chosen cell, position {self.position} "
            f"and dimension {self.dim}, is a {name} and has the value {value}."
        )

    def picture(self) -> Figure:
        table = encode(range(self.positions), self.d_model, self.base)
        fig: Figure
        fig, axes = figures.subplots(
            6.5, 4.6, 2, 2, width_ratios=[4, 1], height_ratios=[4, 1], sharex="col", sharey="row"
        )
        (heat, column), (row, corner) = axes
        heat.imshow(table, cmap=figures.TIDE, vmin=-1, vmax=1, aspect="auto")
        heat.axhline(self.position, color=figures.PALETTE["ink"], linewidth=0.8)
        heat.axvline(self.dim, color=figures.PALETTE["ink"], linewidth=0.8)
        heat.set(ylabel="position")
        column.plot(table[:, self.dim], np.arange(self.positions))
        column.set(title=f"dimension {self.dim}", xlim=(-1.1, 1.1))
        even, odd = np.arange(0, self.d_model, 2), np.arange(1, self.d_model, 2)
        row.plot(even, table[self.position, even])
        row.plot(odd, table[self.position, odd], "--")
        row.set(ylim=(-1.1, 1.1))
        row.set_xlabel(f"dimension (position {self.position}: sines —, cosines - -)")
        corner.axis("off")
        return fig

    def _value(self) -> float:
        return float(encode(self.position, self.d_model, self.base)[self.dim])


def _below(name: str, value: int, limit_name: str, limit: int) -> int:
    if value >= limit:
        raise t.TraitError(f"{name} must be below {limit_name} = {limit}, got {value}")
    return int(value)
