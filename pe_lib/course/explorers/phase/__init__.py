"""Show which positions agree with the printed values of a pair, and how to find these positions."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class PhaseExplorer(Explorer):
    """A position's values, rounded to `digits` decimals, and all positions with the same values.

    The base is 10,000 and `d_model` is 8. `position` is less than `positions`, 10 to 1000, and lies
    between two whole numbers only while it moves. `read` lists the pairs that are used. The story
    `find` reads each hand only to the nearest of twelve hours, and shows the positions that are
    left after each clock, from the fastest to the slowest. The story `nearest` shows how each pair
    corrects the guess of the slower pair before it, even if the hands are misread by `off` radians,
    alternately forwards and backwards. The other stories show the first pair in `read` (pair 0 if
    `read` is empty) between two walls, of which the second counts only with `cosines`. Built in
    chapter 4. Raises TraitError with the name of the argument for a value outside its range.
    """

    positions = t.Int(400, min=10, max=1000)
    position = t.Float(11, min=0).tag(below="positions")
    digits = t.Int(2, min=1, max=6)
    read = t.List(t.Int(), [0])
    cosines = t.Bool(False)
    off = t.Float(0, min=0, max=0.6)

    @t.validate("read")
    def _check_read(self, proposal: t.Bunch) -> list[int]:
        if not set(proposal.value) <= {0, 1, 2, 3}:
            raise t.TraitError(f"read must hold pairs 0 to 3, got {proposal.value}")
        return sorted(set(proposal.value))
