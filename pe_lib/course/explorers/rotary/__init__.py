"""A query and a key, turned by their positions: the score knows how far apart they are, no more."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, number
from pe_lib.course.explorers.offset import scrambled
from pe_lib.rotary import rotate, score

WIDTH = 64  # of the query and the key
REACH = 250  # the largest offset, and the largest position before both are moved on
FURTHEST = 5_000  # how far both can be moved on
PEAK = 40  # the offset at which "peak" scores most


class RotaryExplorer(Explorer):
    """Scores rotate(query, m) · rotate(key, n) of two vectors with 64 entries, base 10,000.

    `query` and `key` are positions from 0 to 250, and `shift`, 0 to 5,000, moves both on; on their
    way all three may lie between two positions. `vectors` says which two are turned: all entries 1
    ("ones"), two random vectors ("random"), or a random query and the same vector turned by 40 as
    the key ("peak"); each has length 8. Built in chapter 8. Raises TraitError, which names it, for
    a value outside.
    """

    kind = "rotary"

    query = t.Float(7.0, min=0, max=REACH).tag(sync=True, explorer=True)
    key = t.Float(3.0, min=0, max=REACH).tag(sync=True, explorer=True)
    shift = t.Float(0.0, min=0, max=FURTHEST).tag(sync=True, explorer=True)
    vectors = t.Enum(["ones", "random", "peak"], "ones").tag(sync=True, explorer=True)

    def pair(self) -> NDArray[np.float64]:
        """The query and the key before they are turned: shape (2, 64)."""
        if self.vectors == "ones":
            return np.ones((2, WIDTH))
        both = scrambled(2 * WIDTH, start=8).reshape(2, WIDTH)
        both *= 8 / np.linalg.norm(both, axis=1, keepdims=True)
        if self.vectors == "peak":
            both[1] = rotate(both[0], PEAK)
        return both

    def score(self) -> float:
        """The score at the two positions."""
        query, key = self.pair()
        there = rotate(query, self.query + self.shift) @ rotate(key, self.key + self.shift)
        return float(there)

    def curve(self) -> NDArray[np.float64]:
        """The score at the offsets -250 to 250, query minus key: shape (501,)."""
        query, key = self.pair()
        return np.asarray(score(query, key, range(-REACH, REACH + 1)))

    def caption(self) -> str:
        vectors = {
            "ones": "all entries 1",
            "random": "random vectors",
            "peak": f"a key built for offset {PEAK}",
        }[self.vectors]
        query, key = number(self.query + self.shift), number(self.key + self.shift)
        scores = self.curve()
        most, best = number(scores.max(), ".1f"), number(int(scores.argmax()) - REACH)
        return (
            f"A query at {query} and a key at {key} ({vectors}, 64 entries): their score is"
            f" {number(self.score(), '.4f')}, and so it is at every two positions with the offset"
            f" {number(self.query - self.key)}. The largest is {most}, at offset {best}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        ax.plot(np.arange(-REACH, REACH + 1), self.curve())
        ax.plot(self.query - self.key, self.score(), "o", color=figures.PALETTE["ink"])
        ax.set(xlabel="offset: query minus key (positions)", ylabel="score", ylim=(-32, 70))
        return fig
