"""Show a text that grows beyond the training length, and the new angles that the clocks reach."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

D_HEAD, TRAINED = 128, 2048


class ContextExplorer(Explorer):
    """A rotary head with 128 dimensions, trained on 2,048 positions, that reads a growing text.

    `method` is "none", "interpolation", "ntk", "dynamic" or "yarn", and `factor`, a power of two
    from 1 to 16, is the new length divided by the old one. `length` is the current length of the
    text, at most the new length, and `pair`, 0 to 63, is the pair whose values are displayed.
    `score` holds the 64 cosine and 64 sine coefficients of a score that was fitted at offsets below
    2,048 with the frequencies of base 10,000. Without `score` only the clocks are shown, and no
    method changes the frequencies. Built in chapter 10. Raises TraitError with the name of the
    argument for a value outside its range.
    """

    method = t.Enum(["none", "interpolation", "ntk", "dynamic", "yarn"], "none")
    factor = t.Enum([1.0, 2.0, 4.0, 8.0, 16.0], 4.0)
    length = t.Int(TRAINED, min=0, max=16 * TRAINED)
    pair = t.Int(50, min=0, max=D_HEAD // 2 - 1)
    score = t.List(t.Float())

    @t.validate("score")
    def _check_score(self, proposal: t.Bunch) -> list[float]:
        if len(proposal.value) not in (0, D_HEAD):
            raise t.TraitError(f"score must hold {D_HEAD} numbers, got {len(proposal.value)}")
        return list(proposal.value)
