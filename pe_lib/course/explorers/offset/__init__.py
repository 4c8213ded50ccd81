"""Two positions at an offset, and their score: a function of the offset alone, or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, number
from pe_lib.relative import rotation
from pe_lib.sinusoidal import encode

REACH = 100  # offsets shown to either side
PLACES = range(100, 401, 50)  # positions whose scores are drawn for comparison
BACK = 20  # how far the rotation looks back


class OffsetExplorer(Explorer):
    """Scores encode(t) · W · encode(t + offset), divided by d_model/2, for positions t.

    `d_model` is a power of 2 from 2 to 512, `base` is above 1, at most 10^6; `position` is 100 to
    400 and `offset` -100 to 100, so that no position is negative; on their way both may lie between
    two positions. `between` says what W is: the identity ("nothing"), the `rotation` by 20
    ("rotation"), or fixed random numbers ("random"). Built in chapter 5. Raises TraitError, which
    names it, for a value outside.
    """

    kind = "offset"

    d_model = t.Enum([2**n for n in range(1, 10)], 64).tag(sync=True, explorer=True)
    base = t.Float(10_000.0, max=1e6).tag(sync=True, explorer=True)
    position = t.Float(150.0, min=100, max=400).tag(sync=True, explorer=True)
    offset = t.Float(10.0, min=-REACH, max=REACH).tag(sync=True, explorer=True)
    between = t.Enum(["nothing", "rotation", "random"], "nothing").tag(sync=True, explorer=True)

    @t.validate("base")
    def _above_one(self, proposal: t.Bunch) -> float:
        if not proposal.value > 1:
            raise t.TraitError(f"base must be above 1, got {proposal.value}")
        return float(proposal.value)

    def scores(self, position: float) -> NDArray[np.float64]:
        """The scores of a position with those at the offsets -100 to 100: shape (201,)."""
        keys = encode(np.arange(-REACH, REACH + 1) + position, self.d_model, self.base)
        result: NDArray[np.float64] = keys @ self._query(position) / (self.d_model / 2)
        return result

    def score(self, position: float) -> float:
        """The score of a position with the one at the offset."""
        key = encode(position + self.offset, self.d_model, self.base)
        return float(key @ self._query(position) / (self.d_model / 2))

    def _query(self, position: float) -> NDArray[np.floating[Any]]:
        query = encode(position, self.d_model, self.base)
        if self.between == "rotation":
            return query @ rotation(BACK, self.d_model, self.base)
        return query @ scrambler(self.d_model) if self.between == "random" else query

    def caption(self) -> str:
        spread = np.ptp([self.score(p) for p in PLACES])
        matrix = {
            "nothing": "",
            "rotation": f" with the rotation by {number(BACK)} between them",
            "random": " with a random matrix between them",
        }[self.between]
        largest = "the largest possible without a matrix"
        others = "the same" if spread < 1e-9 else f"anything within a range of {spread:.2f}"
        return (
            f"Positions {number(self.position)} and {number(self.position + self.offset)}, d_model"
            f" = {self.d_model}: their score{matrix} is {number(self.score(self.position), '.4f')}"
            f" of {largest}. At the same offset of {number(self.offset)}, other positions score"
            f" {others}."
        )

    def picture(self) -> Figure:
        offsets = np.arange(-REACH, REACH + 1)
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        for place in PLACES:
            ax.plot(offsets, self.scores(place), color=figures.PALETTE["grid"], linewidth=1)
        ax.plot(offsets, self.scores(self.position))
        ax.plot(self.offset, self.score(self.position), "o", color=figures.PALETTE["ink"])
        ax.set(xlabel="offset (positions)", ylabel="score", ylim=(-1.3, 1.3))
        return fig


def scrambler(d_model: int) -> NDArray[np.float64]:
    """A matrix of numbers that look random: shape (d_model, d_model)."""
    return scrambled(d_model * d_model).reshape(d_model, d_model)


def scrambled(count: int, start: int = 0) -> NDArray[np.float64]:
    """Numbers in [-1, 1) that look random: shape (count,); another `start`, other numbers.

    From a linear congruential generator, x → 1664525 x + 1013904223 modulo 2^32, so that the
    browser has exactly the same.
    """
    x, numbers = start * 2_654_435_761 % 2**32, np.empty(count)
    for k in range(count):
        x = (1_664_525 * x + 1_013_904_223) % 2**32
        numbers[k] = x / 2**31 - 1
    return numbers
