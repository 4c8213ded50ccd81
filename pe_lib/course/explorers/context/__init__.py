"""A text that grows past those of training: where the clocks' hands get to, and a fitted score."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

D_HEAD, TRAINED = 128, 2048


class ContextExplorer(Explorer):
    """A rotary head of 128 dimensions, trained on 2,048 positions, reads a text that grows.

    `score` holds the 64 cosine and 64 sine coefficients of a score that was fitted at the offsets
    below 2,048 with the frequencies of base 10,000, or nothing: then the clocks alone are shown and
    the frequencies are left as they are. `method` is "none", "interpolation", "ntk",
    "dynamic" or "yarn", `factor` (1 to 16, by doubling) the new length over the old, `length` how
    far the text has come, at most to the new length, and `pair` (0 to 63) the one that is read out.
    Built in chapter 10. Raises TraitError, which names it, for a value outside.
    """

    method = t.Enum(["none", "interpolation", "ntk", "dynamic", "yarn"], "none")
    factor = t.Enum([1.0, 2.0, 4.0, 8.0, 16.0], 4.0)
    length = t.Int(TRAINED, min=0, max=16 * TRAINED)
    pair = t.Int(50, min=0, max=D_HEAD // 2 - 1)
    score = t.List(t.Float())

    @t.validate("score")
    def _whole_or_none(self, proposal: t.Bunch) -> list[float]:
        if len(proposal.value) not in (0, D_HEAD):
            raise t.TraitError(f"score must hold {D_HEAD} numbers, got {len(proposal.value)}")
        return list(proposal.value)
