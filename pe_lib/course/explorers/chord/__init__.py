"""The chord between the hands of two positions: its length knows the offset, and nothing else."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import encode, frequencies

WIDTH = 16  # d_model
REACH = 20  # the largest offset
LAST = 100  # the largest position of the first hand


class ChordExplorer(Explorer):
    """Two hands on the clock of one pair of d_model 16, base 10,000, and the chord between them.

    `pair` is 0 to 7; the first hand stands at `position`, 0 to 100, and the second `offset`
    positions further on, 0 to 20. Built in chapter 5. Raises TraitError, which names it, for a
    value outside.
    """

    kind = "chord"

    pair = t.Int(1, min=0, max=WIDTH // 2 - 1).tag(sync=True, explorer=True)
    position = t.Float(2.0, min=0, max=LAST).tag(sync=True, explorer=True)
    offset = t.Float(1.0, min=0, max=REACH).tag(sync=True, explorer=True)

    def chord(self) -> float:
        """The distance of the two positions' rows in this pair."""
        here, there = encode([self.position, self.position + self.offset], WIDTH)
        both = slice(2 * self.pair, 2 * self.pair + 2)
        return float(np.linalg.norm(there[both] - here[both]))

    def caption(self) -> str:
        omega = frequencies(WIDTH)[self.pair]
        return (
            f"The hands of positions {self.position:g} and {self.position + self.offset:g} in pair"
            f" {self.pair}, {omega:.4g} radians a position: the chord between their tips is"
            f" {self.chord():.4f} long, and so it is wherever the step of {self.offset:g} starts."
        )

    def picture(self) -> Figure:
        omega, k = frequencies(WIDTH)[self.pair], np.linspace(0, REACH, 401)
        fig: Figure
        fig, (clock, curve) = figures.subplots(6.5, 2.9, 1, 2, width_ratios=[1, 1.5])
        ends = omega * np.array([self.position, self.position + self.offset])
        figures.draw_clock(clock, ends[0])
        x, y = np.sin(ends), np.cos(ends)
        clock.plot([0, x[1]], [0, y[1]], "--", color=figures.PALETTE["orange"])
        clock.plot(x, y, color=figures.PALETTE["ink"], linewidth=3)
        curve.plot(k, 2 * np.abs(np.sin(omega * k / 2)))
        curve.plot([self.offset] * 2, [0, self.chord()], color=figures.PALETTE["ink"], linewidth=3)
        curve.set(xlabel="offset (positions)", ylabel="chord", ylim=(0, 2.1))
        return fig
