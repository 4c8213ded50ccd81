"""A picture in patches: the score of one with all others, for five ways to say where a patch is."""

from pathlib import Path

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LAST = 13  # row and column


class GridExplorer(Explorer):
    """Scores of the patch at (`row`, `column`) with all patches of a 14 by 14 grid.

    `scheme` says how patches are encoded, with base 100: by their number ("numbered"), by two
    numbers ("coordinates"), by `encode_grid` without ("axial") and with angles ("mixed"), or by
    `rotate_grid` of a fixed query and key ("rotary"). A score is the dot product divided by its
    largest value, that of a patch with itself (with two numbers: of the last patch with itself).
    `down` and `right`, -13 to 13, are the offset of a second patch, in the grid or not. Built in
    chapter 11. Raises TraitError, which names it, for a value outside.
    """

    shown = {"picture": Path(__file__).with_name("harbour.svg").read_text("utf-8")}

    scheme = t.Enum(["numbered", "coordinates", "axial", "mixed", "rotary"], "numbered")
    row = t.Int(6, min=0, max=LAST)
    column = t.Int(6, min=0, max=LAST)
    down = t.Int(1, min=-LAST, max=LAST)
    right = t.Int(0, min=-LAST, max=LAST)
