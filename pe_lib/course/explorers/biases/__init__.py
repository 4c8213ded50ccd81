"""Show the biases that ALiBi and T5 add to scores at each offset, and the resulting attention."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer

REACH = 150  # the largest offset that is shown on each side
TEXT = (
    "The clock in the hall was older than the house. Every evening my grandfather wound it with a"
    " small brass key, and every morning it was four minutes slow. Nobody minded. Trains, he said,"
    " wait for no one, but breakfast does. When he died we stopped winding it, and for the first"
    " time in my life the house was quiet, and the clock was right twice a day."
)


class BiasesExplorer(Explorer):
    """The attention weights of one query, if all scores are equal before the bias is added.

    `scheme` is "alibi" or "t5". ALiBi has 8 heads, of which `head`, counted from 1, is highlighted.
    T5 has `buckets`, a power of two from 4 to 64, for distances up to 128. A model would learn the
    values of the buckets; this example subtracts 0.1 for each bucket further away. `causal` hides
    the words after the query. `query` is a position in `words`. `offset`, from -150 to 150, is the
    key's position minus the query's, for the key whose values are displayed. Built in chapter 9.
    Raises TraitError with the name of the argument for a value outside its range.
    """

    words = t.List(t.Unicode(), TEXT.split(), minlen=2, maxlen=100).tag(own=True)
    scheme = t.Enum(["alibi", "t5"], "alibi")
    head = t.Int(3, min=1, max=8)
    buckets = t.Enum([4, 8, 16, 32, 64], 32)
    causal = t.Bool(True)
    query = t.Int(40, min=0).tag(below="words")
    offset = t.Int(-10, min=-REACH, max=REACH)
