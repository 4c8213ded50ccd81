"""A binary counter whose clocks are rounded off until its digits are waves."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Drawn
from pe_lib.course.explorers._story import Step, Story, Task


class CounterExplorer(Drawn):
    """Four binary digits, a clock above each, and its shadow on the paper below.

    The hand of bit b stands at 2π (t + ½)/2^(b+1) radians at `position` t, from 0 to 15. In the
    right half its digit is 0, in the left half 1: equation (2.1). `roundness` turns the clocks from
    squares (0) to circles (1), and their shadows with them. Raises TraitError for values outside.
    """

    kind = "counter"
    stories = {
        "main": Story(
            Step("Count in binary: each number is a row, and its four digits stand in columns."),
            Step("Follow the last column down: 0, 1, 0, 1. The one before repeats every 4 numbers,"
                 " the others every 8 and 16.", {"position": 15}, "digits"),
            Step("Over each column a square clock. Hand in the right half: the digit is 0. In the"
                 " left half: it is 1.", {"position": 6}, "clock"),
            Step("The shadow of the hand falls on the paper. It jumps between right and left: a"
                 " square wave.", {"position": 9}, "wave"),
            Step("Round the clocks off, and the waves become sines. No digit changes: each is the"
                 " sign of a sine.", {"roundness": 1}, "clocks"),
            Step("Now a row is four shades in place of four digits. The encoding of positions is a"
                 " table of such waves.", {"position": 12}, "row"),
            task=Task("Keep the clocks round. At which number do all four digits flip in one step"
                      " to the next?", {"position": 7}),
        ),
    }  # fmt: skip

    position = t.Float(6.0, min=0, max=15).tag(sync=True, explorer=True)
    roundness = t.Float(0.0, min=0, max=1).tag(sync=True, explorer=True)
