"""The chord between the hands of two positions: its length knows the offset, and nothing else."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class ChordExplorer(Explorer):
    """Two hands on the clock of one pair of d_model 16, base 10,000, and the chord between them.

    `pair` is 0 to 7; the first hand stands at `position`, 0 to 100, and the second `offset`
    positions further on, 0 to 20. Built in chapter 5. Raises TraitError, which names it, for a
    value outside.
    """

    kind = "chord"

    pair = t.Int(1, min=0, max=7)
    position = t.Float(2.0, min=0, max=100)
    offset = t.Float(1.0, min=0, max=20)
