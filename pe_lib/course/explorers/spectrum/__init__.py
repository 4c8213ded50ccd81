"""A clock for each pair and beside it its wavelength, on one logarithmic scale with the context."""

import traitlets as t

from pe_lib.course.explorers._base import Explorer


class SpectrumExplorer(Explorer):
    """The spectrum `wavelengths(d_model, base)`, a context of `length` positions, and clocks.

    `d_model` is a power of two, 2 to 512; `base` is 2 to 10^6; `length` is 2 to 100,000 positions,
    and `position` lies below it, between two whole numbers while the hands turn. The story `hands`
    has four clocks and goes with `d_model` 8. A value outside raises `traitlets.TraitError`, which
    names it. Built in chapter 3.
    """

    d_model = t.Enum([2**n for n in range(1, 10)], 8)
    base = t.Float(10_000.0, min=2, max=1e6)
    length = t.Int(2048, min=2, max=100_000)
    position = t.Float(5, min=0).tag(below="length")
