"""A query and a key, turned by their positions: the score knows how far apart they are, no more."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class RotaryExplorer(Explorer):
    """Scores rotate(query, m) · rotate(key, n) of two vectors with 64 entries, base 10,000.

    `query` and `key` are positions from 0 to 250, and `shift`, 0 to 5,000, moves both on; on their
    way all three may lie between two positions. `vectors` says which two are turned: all entries 1
    ("ones"), two random vectors ("random"), or a random query and the same vector turned by 40 as
    the key ("peak"); each has length 8. Built in chapter 8. Raises TraitError, which names it, for
    a value outside.
    """

    query = t.Float(7.0, min=0, max=250)
    key = t.Float(3.0, min=0, max=250)
    shift = t.Float(0.0, min=0, max=5_000)
    vectors = t.Enum(["ones", "random", "peak"], "ones")
