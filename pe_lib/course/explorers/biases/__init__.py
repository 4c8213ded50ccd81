"""What ALiBi and T5 add to the scores by distance, and the attention it leaves for equal words."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

REACH = 150  # offsets shown to either side
TEXT = (
    "The clock in the hall was older than the house. Every evening my grandfather wound it with a"
    " small brass key, and every morning it was four minutes slow. Nobody minded. Trains, he said,"
    " wait for no one, but breakfast does. When he died we stopped winding it, and for the first"
    " time in my life the house was quiet, and the clock was right twice a day."
)


class BiasesExplorer(Explorer):
    """The weights of the words of a text for one of them, the query, if all score the same.

    `scheme` is "alibi", of 8 heads, with `head`, counted from 1, in front, or "t5", with `buckets`,
    4 to 64 by doubling, up to a distance of 128. T5 learns its numbers; the example takes off 0.1
    for each bucket further out. `causal` hides the words after the query. `query` is a position in
    `words`, and `offset` the key that is read, key minus query, -150 to 150. Built in chapter 9.
    Raises TraitError, which names it, for a value outside.
    """

    words = t.List(t.Unicode(), TEXT.split(), minlen=2, maxlen=100).tag(own=True)
    scheme = t.Enum(["alibi", "t5"], "alibi")
    head = t.Int(3, min=1, max=8)
    buckets = t.Enum([4, 8, 16, 32, 64], 32)
    causal = t.Bool(True)
    query = t.Int(40, min=0).tag(below="words")
    offset = t.Int(-10, min=-REACH, max=REACH)
