"""Show a picture divided into patches, and the scores between patches in five encodings."""

from pathlib import Path

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LAST = 13  # the largest index of a row or a column


class GridExplorer(Explorer):
    """The scores of the patch at (`row`, `column`) with every patch of a 14 by 14 grid.

    `scheme` says how a patch's place is encoded, always with base 100: as its number ("numbered"),
    as two numbers ("coordinates"), by `encode_grid` without angles ("axial") or with angles
    ("mixed"), or by `rotate_grid` of a fixed query and key ("rotary"). Each score is divided by the
    largest score, which is that of a patch with itself; for "coordinates" it is that of the last
    patch with itself. `down` and `right`, -13 to 13, are the offset of a second patch, which may
    lie outside the grid. Built in chapter 11. Raises TraitError with the name of the argument for a
    value outside its range.
    """

    script_data = {"picture": Path(__file__).with_name("harbour.svg").read_text("utf-8")}

    scheme = t.Enum(["numbered", "coordinates", "axial", "mixed", "rotary"], "numbered")
    row = t.Int(6, min=0, max=LAST)
    column = t.Int(6, min=0, max=LAST)
    down = t.Int(1, min=-LAST, max=LAST)
    right = t.Int(0, min=-LAST, max=LAST)
