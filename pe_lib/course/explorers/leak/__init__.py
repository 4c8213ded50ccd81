"""A random, untrained network: what it knows of the order, through mask, depth and encodings."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LETTERS = 6


class LeakExplorer(Explorer):
    """Attention layers with fixed random weights, and what a shuffle of the words changes in them.

    `causal` masks what comes later, `layers` is 1 to 3, `encoded` adds sinusoidal encodings;
    `shuffle` is the number of a shuffle of all six letters but the last, 0 for none, and `order`
    what stands at each place after it was moved by hand, as places of the shuffled sentence. Used
    in chapter 7. Raises TraitError, which names it, for a value outside.
    """

    causal = t.Bool(True)
    layers = t.Int(1, min=1, max=3)
    encoded = t.Bool(False)
    shuffle = t.Int(0, min=0, max=99)
    order = t.List(t.Int(), [*range(LETTERS)])

    @t.validate("order")
    def _all_places_and_the_last_one_last(self, proposal: t.Bunch) -> list[int]:
        order: list[int] = proposal.value
        if sorted(order[:-1]) != [*range(LETTERS - 1)] or order[-1] != LETTERS - 1:
            raise t.TraitError(f"order must hold 0 to {LETTERS - 1} once, the last at the end")
        return order
