"""Show the encoding as a heatmap, with the formula, the row and the column of a chosen cell."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class HeatmapExplorer(Explorer):
    """A heatmap of `encode(range(positions), d_model, base)` with one chosen cell.

    `d_model` is a power of 2 from 2 to 512, `base` is 2 to 10^6 and `positions` is 2 to 512. The
    chosen cell, (`position`, `dim`), lies in the table; `position` is between two rows only while a
    clock's hand moves. The story `numbers` fits a table with `d_model` 4 and eight positions.
    Raises `traitlets.TraitError` with the name of the argument for a value outside its range.
    """

    d_model = t.Enum([2**n for n in range(1, 10)], 16)
    base = t.Float(10_000.0, min=2, max=1e6)
    positions = t.Int(64, min=2, max=512)
    position = t.Float(5, min=0).tag(below="positions")
    dim = t.Int(2, min=0).tag(below="d_model")
