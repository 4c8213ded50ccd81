"""Show two positions and their score, and test whether the score depends only on their offset."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class OffsetExplorer(Explorer):
    """The scores encode(t) · W · encode(t - offset), divided by d_model/2, for positions t.

    The offset is the position of the query, t, minus that of the key, as in the whole chapter.

    `d_model` is a power of 2 from 2 to 512, and the base is 10,000. `position` is 100 to 400 and
    `offset` is -100 to 100, so that no position is negative. While they move, both may lie between
    two whole numbers. `between` says what W is: the identity ("nothing"), the `rotation` by 20
    ("rotation"), or a matrix of fixed random numbers ("random"). The story `chord` shows the two
    hands of one clock and fits `d_model` 2. Built in chapter 5. Raises TraitError with the name of
    the argument for a value outside its range.
    """

    d_model = t.Enum([2**n for n in range(1, 10)], 64)
    position = t.Float(150.0, min=100, max=400)
    # links call it "back", because `offset` has the opposite sign in older links
    offset = t.Float(10.0, min=-100, max=100).tag(link="back")
    between = t.Enum(["nothing", "rotation", "random"], "nothing")
