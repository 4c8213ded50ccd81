"""A clock for each pair and beside it its wavelength, on one logarithmic scale with the context."""

from __future__ import annotations

import traitlets as t

from pe_lib.course.explorers._base import Explorer, Width


class SpectrumExplorer(Explorer):
    """The spectrum `wavelengths(d_model, base)`, a context of `length` positions, and clocks.

    `d_model` is a power of two, 2 to 512; `base` is 2 to 10^6; `length` is 2 to 100,000 positions,
    and `position` lies below it, between two whole numbers while the hands turn. A value outside
    raises `traitlets.TraitError`, which names it. Built in chapter 3.
    """

    kind = "spectrum"

    d_model = Width(8, min=2, max=512).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, min=2, max=1e6).tag(sync=True, explorer=True)
    length = t.Int(2048, min=2, max=100_000).tag(sync=True, explorer=True)
    position = t.Float(5, min=0).tag(sync=True, explorer=True)

    @t.validate("d_model")
    def _power_of_two(self, proposal: t.Bunch) -> int:
        if proposal.value & (proposal.value - 1):
            raise t.TraitError(f"d_model must be a power of two, got {proposal.value}")
        return int(proposal.value)

    @t.validate("position")
    def _inside(self, proposal: t.Bunch) -> float:
        if proposal.value > self.length - 1:
            raise t.TraitError(
                f"position must be below length = {self.length}, got {proposal.value:g}"
            )
        return float(proposal.value)

    @t.observe("length")
    def _keep_the_position_inside(self, change: t.Bunch) -> None:
        self.position = min(self.position, self.length - 1)
