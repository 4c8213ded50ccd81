"""The one picture of the course: a word's position turns clocks, and the clocks are its row."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width, number
from pe_lib.course.explorers._story import Step, Story, Task
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
    stories = {
        "main": Story(
            Step("A word stands at a place in the sentence: its position, counted from 0.",
                 look="sentence"),
            Step("Position 1. Each clock has turned; the first by one radian, about a sixth of a"
                 " turn.", {"position": 1}, "clocks"),
            Step("Position 5. The first clock is quick, four fifths round; each further one is"
                 " slower.", {"position": 5}, "quick"),
            Step("How far right and how far up a hand points are two numbers. All hands together:"
                 " the row of position 5.", look="row"),
            Step("Each word passed leaves its row in the table: stripes that change quickly on the"
                 " left, hardly at all on the right.", {"position": 31}, "table"),
            Step("Back at 5. Pull the sentence, wind a hand, point at a row of the table: it all"
                 " moves together.", {"position": 5}, "sentence"),
            task=Task("Find a place after 12 where the first hand stands as it does at 5. And the"
                      " others?", {"position": 5 + 2 * 6.283185}),
        ),
        "speeds": Story(
            Step("A clock for each pair of dimensions. At position 0 all hands point straight up.",
                 {"position": 0}, "clocks"),
            Step("After 6.28 positions, 2π, the first hand has been round once: that is its"
                 " wavelength.", {"position": 6.28}, "quick"),
            Step("After 19.87 the first has been round three times, the second, √10 times slower,"
                 " once.", {"position": 19.87}, "clocks"),
            Step("At 31 the third is half round; each further hand has gone √10 times less far.",
                 {"position": 31}, "clocks"),
            task=Task("Where does the second hand point straight down?", {"position": 10}),
        ),
    }  # fmt: skip

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
