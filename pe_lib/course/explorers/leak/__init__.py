"""Show what the outputs of a random, untrained network reveal about the order of the words."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LETTERS = 6


class LeakExplorer(Explorer):
    """Attention layers with fixed random weights, and the effect of word order on their outputs.

    `causal` masks later words, `layers` is 1 to 3, and `encoded` adds sinusoidal encodings.
    `shuffle` is the number of a permutation of all six letters except the last, where 0 stands for
    the original order. If the reader moved letters by hand, `order` holds for each place the place
    in the shuffled sentence from which its letter came. Used in chapter 7. Raises TraitError with
    the name of the argument for a value outside its range.
    """

    causal = t.Bool(True)
    layers = t.Int(1, min=1, max=3)
    encoded = t.Bool(False)
    shuffle = t.Int(0, min=0, max=99)
    order = t.List(t.Int(), [*range(LETTERS)])

    @t.validate("order")
    def _check_order(self, proposal: t.Bunch) -> list[int]:
        order: list[int] = proposal.value
        if sorted(order[:-1]) != [*range(LETTERS - 1)] or order[-1] != LETTERS - 1:
            raise t.TraitError(
                f"order must hold each of 0 to {LETTERS - 1} once, and {LETTERS - 1} at the end,"
                f" got {order}"
            )
        return order
