"""The one picture of the course: a word's position turns clocks, and the clocks are its row."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Explorer, Width

TEXT = (
    "Attention sees every word at once and none of them in its place so before the first layer"
    " each word is given a row of numbers that tells it where it stands"
)


class HandsExplorer(Explorer):
    """A sentence under a pointer, a clock for each pair, the row they make, and the table of rows.

    `position` is where the pointer stands, from 0 to the last of the `words`, also between two;
    `playing` lets the sentence run as soon as somebody is there. The base is 10,000, `d_model`
    even, 2 to 32. Built in chapter 2. Raises TraitError, which names it, for a value outside.
    """

    kind = "hands"

    words = t.List(t.Unicode(), TEXT.split(), minlen=2, maxlen=64)
    d_model = Width(16, min=2, max=32)
    position = t.Float(5.0, min=0).tag(below="words")
    playing = t.Bool(False)
