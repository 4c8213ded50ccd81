"""The one picture of the course: a word's position turns clocks, and the clocks are its row."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width, number
from pe_lib.sinusoidal import encode, frequencies

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

    words = t.List(t.Unicode(), TEXT.split(), minlen=2, maxlen=64).tag(sync=True, explorer=True)
    d_model = Width(16, min=2, max=32).tag(sync=True, explorer=True)
    position = t.Float(5.0, min=0).tag(sync=True, explorer=True)
    playing = t.Bool(False).tag(sync=True, explorer=True)

    @t.validate("position")
    def _in_the_sentence(self, proposal: t.Bunch) -> float:
        last = len(self.words) - 1
        if proposal.value > last:
            raise t.TraitError(f"position must be at most {last}, got {proposal.value}")
        return float(proposal.value)

    def caption(self) -> str:
        word = self.words[round(self.position)]
        row = ", ".join(number(value, ".2f") for value in encode(self.position, self.d_model)[:4])
        return (
            f"Position {self.position:g}, “{word}”: {self.d_model // 2} clocks, each slower than"
            " the one before. What their hands point at, right and up, is the row that is added to"
            f" the word: {row}, …"
        )

    def picture(self) -> Figure:
        fig: Figure
        pairs = self.d_model // 2
        fig, axes = figures.subplots(6.5, 3.4, 2, 1, height_ratios=[1, 2.4])
        top, bottom = axes
        turn = np.linspace(0, 2 * np.pi, 61)
        tips: list[Any] = [self.position * omega for omega in frequencies(self.d_model)]
        for pair, angle in enumerate(tips):
            x = 2 * pair + 0.5
            rim, hand = figures.PALETTE["grid"], figures.PALETTE["blue"]
            top.plot(x + 0.8 * np.sin(turn), 0.8 * np.cos(turn), color=rim, linewidth=1.2)
            top.plot([x, x + 0.8 * np.sin(angle)], [0, 0.8 * np.cos(angle)], color=hand)
        top.set(xlim=(-0.5, 2 * pairs - 0.5), ylim=(-0.9, 0.9), aspect="equal")
        top.axis("off")
        table = encode(range(len(self.words)), self.d_model)
        bottom.imshow(table, cmap=figures.TIDE, vmin=-1, vmax=1, aspect="auto")
        bottom.axhline(self.position, color=figures.PALETTE["ink"], linewidth=1.2)
        bottom.set(xlabel="dimension", ylabel="position")
        return fig
