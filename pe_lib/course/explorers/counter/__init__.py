"""A binary counter whose clocks are rounded off until its digits are waves."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class CounterExplorer(Explorer):
    """Four binary digits, a clock above each, and its shadow on the paper below.

    The hand of bit b stands at 2π (t + ½)/2^(b+1) radians at `position` t, from 0 to 15. In the
    right half its digit is 0, in the left half 1: equation (2.1). `roundness` turns the clocks from
    squares (0) to circles (1), and their shadows with them. Raises TraitError for values outside.
    """

    position = t.Float(6.0, min=0, max=15)
    roundness = t.Float(0.0, min=0, max=1)
