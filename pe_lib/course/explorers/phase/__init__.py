"""From printed values back to the position: who agrees with a pair, and where all pairs lead."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class PhaseExplorer(Explorer):
    """What a position prints, to `digits` decimals, and who else would print the same.

    The base is 10,000 and `d_model` 8. `position` lies below `positions`, 10 to 1000,
    and between two whole numbers only on its way; `read` holds the pairs that are read. The story
    `nearest` shows what each clock makes of the guess of the one above, also if hands are misread
    by `off` radians, by turns forwards and back; the others show the first pair that is read
    (0 if none is) between two walls, the second of which counts with `cosines` alone. Built in
    chapter 4. Raises TraitError for a value outside and names it.
    """

    positions = t.Int(400, min=10, max=1000)
    position = t.Float(11, min=0).tag(below="positions")
    digits = t.Int(2, min=1, max=6)
    read = t.List(t.Int(), [0])
    cosines = t.Bool(False)
    off = t.Float(0, min=0, max=0.6)

    @t.validate("read")
    def _pairs_exist(self, proposal: t.Bunch) -> list[int]:
        if not set(proposal.value) <= {0, 1, 2, 3}:
            raise t.TraitError(f"read must hold pairs 0 to 3, got {proposal.value}")
        return sorted(set(proposal.value))
