"""The encoding as a heatmap: point at a cell and see its formula, its row and its column."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Base, Explorer, Width


class HeatmapExplorer(Explorer):
    """A heatmap of `encode(range(positions), d_model, base)` with one cell chosen.

    `d_model` is even, 2 to 512; `base` is above 1, at most 10^6; `positions` is 2 to 512. The
    chosen cell is (`position`, `dim`); it must lie in the table, between two rows only while the
    hands turn. The story `numbers` goes with a table of `d_model` 4 and eight positions. A value
    outside raises `traitlets.TraitError`, which names it.
    """

    kind = "heatmap"

    d_model = Width(16, min=2, max=512)
    base = Base()
    positions = t.Int(64, min=2, max=512)
    position = t.Float(5, min=0).tag(below="positions")
    dim = t.Int(2, min=0).tag(below="d_model")
