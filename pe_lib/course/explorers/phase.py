"""From printed values back to the position: who agrees with each pair, and who with all."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.candidates import positions_from_pair, positions_from_value
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width
from pe_lib.sinusoidal import encode


class PhaseExplorer(Explorer):
    """The hands of a position, printed to `digits` decimals, and who else would print the same.

    The base is 10,000 and `d_model` even, 2 to 12. `position` lies below `positions`, 10 to 1000;
    `read` holds the pairs that are read, and without `cosines` only their sines are. Built in
    chapter 4. Raises TraitError, which names it, for a value outside.
    """

    kind = "phase"

    d_model = Width(8, min=2, max=12).tag(sync=True, explorer=True)
    positions = t.Int(400, min=10, max=1000).tag(sync=True, explorer=True)
    position = t.Int(11, min=0).tag(sync=True, explorer=True)
    digits = t.Int(2, min=1, max=6).tag(sync=True, explorer=True)
    read = t.List(t.Int(), [0]).tag(sync=True, explorer=True)
    cosines = t.Bool(False).tag(sync=True, explorer=True)

    @t.validate("position")
    def _on_the_line(self, proposal: t.Bunch) -> int:
        if proposal.value >= self.positions:
            raise t.TraitError(
                f"position must be below positions = {self.positions}, got {proposal.value}"
            )
        return int(proposal.value)

    @t.observe("positions")
    def _keep_the_position_inside(self, change: t.Bunch) -> None:
        self.position = min(self.position, self.positions - 1)

    @t.validate("read")
    def _pairs_exist(self, proposal: t.Bunch) -> list[int]:
        if not set(proposal.value) <= set(range(self.d_model // 2)):
            raise t.TraitError(
                f"read must hold pairs 0 to {self.d_model // 2 - 1}, got {proposal.value}"
            )
        return sorted(set(proposal.value))

    def agreeing(self, pair: int) -> NDArray[np.int64]:
        """The positions that print what this pair prints: its sine, and its cosine if those count.

        Sorted. The values count to half a unit of their last digit.
        """
        atol = 0.5 * 10.0**-self.digits
        printed = encode(self.position, self.d_model)[2 * pair : 2 * pair + 2].round(self.digits)
        sin, cos = printed.tolist()
        if self.cosines:
            return positions_from_pair(
                sin, cos, pair, self.d_model, max_position=self.positions, atol=atol
            )
        return positions_from_value(
            sin, 2 * pair, self.d_model, max_position=self.positions, atol=atol
        )

    def candidates(self) -> NDArray[np.int64]:
        """The positions that agree with every pair that is read, sorted."""
        everywhere = np.arange(self.positions)
        return reduce(np.intersect1d, [self.agreeing(pair) for pair in self.read], everywhere)

    def caption(self) -> str:
        found = self.candidates()
        some = ", ".join(map(str, found[:8])) + (", …" if len(found) > 8 else "")
        what = "sines and cosines" if self.cosines else "sines"
        pairs = f"pair{'s' if len(self.read) > 1 else ''} {', '.join(map(str, self.read))}"
        return (
            f"Of position {self.position} with d_model = {self.d_model}, the {what} of {pairs} are "
            f"read to {self.digits} decimals. Positions below {self.positions} that print the "
            f"same: {len(found)} ({some})."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 0.35 * self.d_model // 2 + 1.3)
        rows: list[tuple[str, Any]] = [(f"pair {i}", self.agreeing(i)) for i in self.read]
        rows.append(("all of them", self.candidates()))
        for row, (_, found) in enumerate(rows):
            ink = figures.PALETTE["ink" if row == len(rows) - 1 else "blue"]
            ax.vlines(found, row - 0.35, row + 0.35, color=ink, linewidth=1.5)
        ax.plot(self.position, len(rows) - 0.45, "^", color=figures.PALETTE["orange"])
        ax.set(xlabel="position", xlim=(-1, self.positions), ylim=(len(rows) - 0.2, -0.6))
        ax.set_yticks(range(len(rows)), [name for name, _ in rows])
        return fig
