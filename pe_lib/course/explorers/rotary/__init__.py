"""Show a rotated query and a rotated key. Their score depends only on the offset between them."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class RotaryExplorer(Explorer):
    """The scores rotate(query, m) · rotate(key, n) of two vectors with 64 entries and base 10,000.

    `query` and `key` are positions from 0 to 250, and `shift`, 0 to 5,000, is added to both. While
    they move, all three may lie between two whole numbers. `vectors` chooses the vectors that are
    rotated: two vectors of ones ("ones"), two random vectors ("random"), or a random query and the
    same vector rotated by 40 as the key ("peak"). Each vector has length 8. `near` enlarges the
    curve to the offsets from -32 to 32, while the current offset is one of them. Built in chapter
    8. Raises TraitError with the name of the argument for a value outside its range.
    """

    query = t.Float(7.0, min=0, max=250)
    key = t.Float(3.0, min=0, max=250)
    shift = t.Float(0.0, min=0, max=5_000)
    vectors = t.Enum(["ones", "random", "peak"], "ones")
    near = t.Bool(False)
