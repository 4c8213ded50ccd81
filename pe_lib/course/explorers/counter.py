"""A binary counter whose clocks are rounded off until its digits are waves."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers._story import Step, Story, Task

BITS = (3, 2, 1, 0)  # the highest first, as numbers are written
LAST = 2 ** len(BITS) - 1


class CounterExplorer(Explorer):
    """Four binary digits, a clock above each, and its shadow on the paper below.

    The hand of bit b stands at 2π (t + ½)/2^(b+1) radians at `position` t, from 0 to 15. In the
    right half its digit is 0, in the left half 1: equation (2.1). `roundness` turns the clocks from
    squares (0) to circles (1), and their shadows with them. Raises TraitError for values outside.
    """

    kind = "counter"
    stories = {
        "main": Story(
            Step("Count in binary: each number is a row, and its four digits stand in columns."),
            Step("Follow the last column down: 0, 1, 0, 1. The one before repeats every 4 numbers,"
                 " the others every 8 and 16.", {"position": 15}, "digits"),
            Step("Over each column a square clock. Hand in the right half: the digit is 0. In the"
                 " left half: it is 1.", {"position": 6}, "clock"),
            Step("The shadow of the hand falls on the paper. It jumps between right and left: a"
                 " square wave.", {"position": 9}, "wave"),
            Step("Round the clocks off, and the waves become sines. No digit changes: each is the"
                 " sign of a sine.", {"roundness": 1}, "clocks"),
            Step("Now a row is four shades in place of four digits. The encoding of positions is a"
                 " table of such waves.", {"position": 12}, "row"),
            task=Task("Keep the clocks round. At which number do all four digits flip in one step"
                      " to the next?", {"position": 7}),
        ),
    }  # fmt: skip

    position = t.Float(6.0, min=0, max=LAST).tag(sync=True, explorer=True)
    roundness = t.Float(0.0, min=0, max=1).tag(sync=True, explorer=True)

    def number(self) -> int:
        """The whole number nearest to the position; in the middle between two, the next."""
        return int(self.position + 0.5)

    def hands(self, positions: ArrayLike) -> NDArray[np.float64]:
        """How far right and up each hand reaches: shape (4, …, 2), the highest bit first."""
        t = np.asarray(positions) + 0.5
        angles = np.array([2 * np.pi * t / 2 ** (b + 1) for b in BITS])
        return rounded(np.stack([np.sin(angles), np.cos(angles)], axis=-1), self.roundness)

    def caption(self) -> str:
        number = self.number()
        half = self.position + 0.5
        sines = [np.sin(2 * np.pi * half / 2 ** (b + 1)) for b in BITS]
        shape = {0.0: "square", 1.0: "round"}.get(self.roundness, "half rounded")
        values = ", ".join(f"{s:.2f}" for s in sines).replace("-", "−")
        return (
            f"The number {number} is {number:04b} in binary. Over each digit stands a {shape} clock"
            " whose hand is back after 16, 8, 4 and 2 positions. The sines of the four angles,"
            f" 2π · {half:g} divided by 16, 8, 4 and 2, are {values}: negative where the digit is"
            " 1."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, axes = figures.subplots(6.5, 4.6, 2, 4, height_ratios=[1, 2.6])
        rim = np.linspace(0, 2 * np.pi, 65)
        outline = rounded(np.stack([np.sin(rim), np.cos(rim)]), self.roundness)
        here = self.hands(self.position)
        inside = [
            1e-9,
            0.1,
            0.25,
            0.5,
            0.75,
            0.9,
            1 - 1e-9,
        ]  # a square wave has edges at the halves
        fine = np.add.outer(np.arange(LAST + 1) - 0.5, inside).ravel()
        for k, (bit, (dial, paper)) in enumerate(zip(BITS, axes.T, strict=True)):
            dial.plot(*outline, color=figures.PALETTE["muted"], linewidth=1)
            dial.plot(*np.stack([[0, 0], here[k]], axis=1), color=figures.PALETTE["blue"])
            dial.set(xlim=(-2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=f"every {2 << bit}")
            dial.axis("off")
            paper.plot(self.hands(fine)[k, :, 0], fine, color=figures.PALETTE["blue"])
            paper.plot(here[k, 0], self.position, "o", color=figures.PALETTE["ink"])
            for number in range(self.number() + 1):
                paper.text(-1.8, number, number >> bit & 1, ha="center", va="center", size=8)
            paper.set(xlim=(-2, 1.2), ylim=(LAST + 0.6, -0.6), xticks=[], yticks=range(0, 16, 3))
        axes[1, 0].set(ylabel="position")
        return fig


def rounded(values: ArrayLike, roundness: float) -> NDArray[np.float64]:
    """Each value's size to the power of `roundness`, with its sign: 0 leaves the signs alone.

    The tip (sine, cosine) goes round a circle with 1, round a square with 0.

    >>> rounded([0.25, -0.25, 0.0], 0.5), rounded([0.25, -0.25, 0.0], 0)
    (array([ 0.5, -0.5,  0. ]), array([ 1., -1.,  0.]))
    """
    exact = np.where(np.abs(values) < 1e-12, 0, values)  # sin π is 0, not 1.2e-16
    result: NDArray[np.float64] = np.sign(exact) * np.abs(exact) ** roundness
    return result
