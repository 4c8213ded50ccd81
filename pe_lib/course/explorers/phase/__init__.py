"""From printed values back to the position: who agrees with each pair, and who with all."""

from __future__ import annotations

from functools import reduce
from math import floor
from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.candidates import positions_from_pair, positions_from_value
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width
from pe_lib.sinusoidal import encode, frequencies

# Where the stories begin
FOUR = {"d_model": 8, "positions": 22, "position": 4, "digits": 1, "read": [0], "cosines": False}
HIDDEN = {"d_model": 8, "positions": 400, "position": 137, "digits": 1, "read": [], "cosines": True}

SLACK = 0.3  # radians by which the slowest hand may be pushed back past 0, as in chapter 4


class PhaseExplorer(Explorer):
    """What a position prints, to `digits` decimals, and who else would print the same.

    The base is 10,000 and `d_model` even, 2 to 12. `position` lies below `positions`, 10 to 1000,
    and between two whole numbers only on its way; `read` holds the pairs that are read, and without
    `cosines` only their sines are. The story `decoding` shows a row for each clock and who prints
    the same, `nearest` what each clock makes of the guess of the one above if hands are misread by
    `off` radians, by turns forwards and back; the others show one clock between two walls. Built in
    chapter 4. Raises TraitError for a value outside and names it.
    """

    kind = "phase"

    d_model = Width(8, min=2, max=12).tag(sync=True, explorer=True)
    positions = t.Int(400, min=10, max=1000).tag(sync=True, explorer=True)
    position = t.Float(11, min=0).tag(sync=True, explorer=True)
    digits = t.Int(2, min=1, max=6).tag(sync=True, explorer=True)
    read = t.List(t.Int(), [0]).tag(sync=True, explorer=True)
    cosines = t.Bool(False).tag(sync=True, explorer=True)
    off = t.Float(0, min=0, max=0.6).tag(sync=True, explorer=True)

    @t.validate("position")
    def _on_the_line(self, proposal: t.Bunch) -> float:
        if proposal.value > self.positions - 1:
            raise t.TraitError(
                f"position must be below positions = {self.positions}, got {proposal.value:g}"
            )
        return float(proposal.value)

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

    def here(self) -> int:
        """The whole position that is read: the nearest, while the hand is on its way."""
        return floor(self.position + 0.5)

    def agreeing(self, pair: int) -> NDArray[np.int64]:
        """The positions that print what this pair prints: its sine, and its cosine if those count.

        Sorted. The values count to half a unit of their last digit.
        """
        atol = 0.5 * 10.0**-self.digits
        printed = encode(self.here(), self.d_model)[2 * pair : 2 * pair + 2].round(self.digits)
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

    def guesses(self) -> list[tuple[int, float]]:
        """Each pair that is read, the slowest first, and the position that it leads to, (4.4)."""
        w, guess = frequencies(self.d_model), None
        printed = encode(self.here(), self.d_model).round(self.digits).reshape(-1, 2)
        found: list[tuple[int, float]] = []
        for i in reversed(self.read):
            angle = np.arctan2(*printed[i]) + self._misread(i)
            if guess is None:
                guess = ((angle + SLACK) % (2 * np.pi) - SLACK) / w[i]
            else:
                guess = (angle + 2 * np.pi * np.rint((w[i] * guess - angle) / (2 * np.pi))) / w[i]
            found.append((i, float(guess)))
        return found

    def _misread(self, pair: int) -> float:
        """By how much a hand is misread: forwards the slowest, back the next, and so on."""
        return -self.off if (self.d_model // 2 - 1 - pair) % 2 else self.off

    def caption(self) -> str:
        decimals = f"{self.digits} {'decimal' if self.digits == 1 else 'decimals'}"
        position = f"Of position {self.here()} with d_model = {self.d_model}"
        if self.story == "nearest":
            led = " → ".join(f"{guess:.1f}" for _, guess in self.guesses()).replace("-", "−")
            return (
                f"{position}, the hands are read to {decimals} and misread by {self.off:.2f}"
                f" radians. From the slowest that is read on, they lead to {led or 'nothing'}."
            )
        found, pairs = self.candidates(), ", ".join(map(str, self.read))
        some = ", ".join(map(str, found[:8])) + (", …" if len(found) > 8 else "")
        what = "sines and cosines" if self.cosines else "sines"
        what = f"the {what} of {'pair' if len(self.read) == 1 else 'pairs'} {pairs}"
        return (
            f"{position}, {what if self.read else 'the values of no pair'} are read to {decimals}."
            f" Positions below {self.positions} that print the same: {len(found)} ({some})."
        )

    def picture(self) -> Figure:
        if self.story == "nearest":
            return self._places()
        return self._rows() if self.story == "decoding" or len(self.read) != 1 else self._walls()

    def _walls(self) -> Figure:
        """A clock, under it the sine of every position, beside it the cosine."""
        w = float(frequencies(self.d_model)[self.read[0]])
        line, found = np.linspace(0, self.positions - 1, 12 * self.positions), self.candidates()
        fig: Figure
        fig, axes = figures.subplots(
            6.5, 4, 2, 2, width_ratios=[1, 3], height_ratios=[1, 1.3], sharex="col", sharey="row"
        )
        (clock, wall), (under, corner) = axes
        figures.draw_clock(clock, w * self.here())
        under.plot(np.sin(w * line), line, linewidth=0.7)
        under.plot(np.sin(w * found), found, "o", color=figures.PALETTE["ink"])
        under.set(xlabel="sine", ylabel="position", ylim=(self.positions - 0.5, -0.5))
        if self.cosines:
            wall.plot(line, np.cos(w * line), color=figures.PALETTE["orange"], linewidth=0.7)
            wall.plot(found, np.cos(w * found), "o", color=figures.PALETTE["ink"])
            wall.set(xlabel="position", ylabel="cosine")
        else:
            wall.axis("off")
        corner.axis("off")
        return fig

    def _rows(self) -> Figure:
        """A row for each pair that is read, slow ones first, and one for all: where they agree."""
        fig: Figure
        fig, ax = figures.subplots(6.5, 0.35 * self.d_model // 2 + 1.3)
        rows: list[tuple[str, Any]] = [(f"pair {i}", self.agreeing(i)) for i in reversed(self.read)]
        rows.append(("all of them", self.candidates()))
        for row, (_, found) in enumerate(rows):
            ink = figures.PALETTE["ink" if row == len(rows) - 1 else "blue"]
            first = found[np.diff(found, prepend=-2) > 1]  # positions side by side are one bar
            last = found[np.diff(found, append=2 * self.positions) > 1]
            bars = np.column_stack([first - 0.5, last - first + 1])
            ax.broken_barh(bars, (row - 0.35, 0.7), color=ink, linewidth=0.8)
        ax.plot(self.here(), len(rows) - 0.45, "^", color=figures.PALETTE["orange"])
        ax.set(xlabel="position", xlim=(-1, self.positions), ylim=(len(rows) - 0.2, -0.6))
        ax.set_yticks(range(len(rows)), [name for name, _ in rows])
        return fig

    def _places(self) -> Figure:
        """A row for each pair that is read: its places, and half a turn around the guess so far."""
        fig: Figure
        led = self.guesses()
        fig, axes = figures.subplots(6.5, len(led) + 0.6, max(len(led), 1), squeeze=False)
        before = None
        for (i, guess), ax in zip(led, axes[:, 0], strict=False):
            turn = 2 * np.pi / float(frequencies(self.d_model)[i])
            low, high = min(0.0, guess), turn
            if before is not None:
                low, high = min(guess, max(0.0, before - 1.25 * turn)), before + 1.25 * turn
                half = max(low, before - turn / 2), before + turn / 2
                ax.axvspan(*half, color=figures.PALETTE["grid"], linewidth=0)
            for place in guess + turn * np.arange(-3, 4):
                if low <= place <= high:
                    colour = figures.PALETTE["orange" if place == guess else "blue"]
                    ax.plot([place, place], [0, 1], color=colour, linewidth=3)
                    ax.text(place, 1.1, f"{place:.1f}", color=colour, ha="center")
            ax.set(ylabel=f"pair {i}", ylim=(0, 1.6), yticks=[], xlim=(low, high))
            before = guess
        axes[-1, 0].set(xlabel="position")
        return fig
