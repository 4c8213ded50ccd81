"""Show a binary counter whose square clocks become round, so that its digits become waves."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class CounterExplorer(Explorer):
    """Four binary digits. Above each of them is a clock, whose hand casts a shadow on the paper.

    The hand of bit b stands at 2π (t + ½)/2^(b+1) radians at `position` t, 0 to 15. The digit is 0
    while the hand is in the right half and 1 while it is in the left half: equation (2.1).
    `roundness` turns the clocks from squares (0) into circles (1), and their shadows with them.
    Raises TraitError for values outside these ranges.
    """

    position = t.Float(6.0, min=0, max=15)
    roundness = t.Float(0.0, min=0, max=1)
