"""The encoding as a heatmap: point at a cell and see its formula, its row and its column."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Explorer, Width


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


def _below(name: str, value: float, limit_name: str, limit: int) -> float:
    if value > limit - 1:
        raise t.TraitError(f"{name} must be below {limit_name} = {limit}, got {value:g}")
    return value
