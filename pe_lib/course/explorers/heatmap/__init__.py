"""The encoding as a heatmap: point at a cell and see its formula, its row and its column."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class HeatmapExplorer(Explorer):
    """A heatmap of `encode(range(positions), d_model, base)` with one cell chosen.

    `d_model` is a power of 2, 2 to 512; `base` is 2 to 10^6; `positions` is 2 to 512. The chosen
    cell is (`position`, `dim`); it must lie in the table, between two rows only while the hands
    turn. The story `numbers` goes with a table of `d_model` 4 and eight positions. A value
    outside raises `traitlets.TraitError`, which names it.
    """

    d_model = t.Enum([2**n for n in range(1, 10)], 16)
    base = t.Float(10_000.0, min=2, max=1e6)
    positions = t.Int(64, min=2, max=512)
    position = t.Float(5, min=0).tag(below="positions")
    dim = t.Int(2, min=0).tag(below="d_model")
