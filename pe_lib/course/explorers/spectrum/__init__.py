"""Show up to eight pairs as clocks, and compare all wavelengths with the context length."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class SpectrumExplorer(Explorer):
    """The wavelengths of all pairs and a context of `length` positions on one logarithmic scale.

    The wavelengths are `wavelengths(d_model, base)`. At most eight pairs are shown as clocks.

    `d_model` is a power of two from 2 to 512, `base` is 2 to 10^6 and `length` is 2 to 100,000
    positions. `position` is less than `length`, and lies between two whole numbers only while the
    hands move. The story `hands` shows four clocks and fits `d_model` 8. Built in chapter 3. Raises
    `traitlets.TraitError` with the name of the argument for a value outside its range.
    """

    d_model = t.Enum([2**n for n in range(1, 10)], 8)
    base = t.Float(10_000.0, min=2, max=1e6)
    length = t.Int(2048, min=2, max=100_000)
    position = t.Float(5, min=0).tag(below="length")
