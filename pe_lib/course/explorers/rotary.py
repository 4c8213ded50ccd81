"""A query and a key, turned by their positions: the score knows how far apart they are, no more."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, number
from pe_lib.course.explorers._story import Step, Story, Task
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
    stories: ClassVar[dict[str, Story]] = {
        "main": Story(
            Step("A query at position 7 and a key at 3, as two hands on one sheet. Each is turned"
                 " by its own position."),
            Step("Both walk on by five. Both hands turn, and the angle between them stays.",
                 {"shift": 5}, "sheet"),
            Step("A thousand further on they are elsewhere again, and the angle is the same, in"
                 " every pair.", {"shift": 1_000}, "small"),
            Step("So the score is the same. It knows the offset, 4, and not where the two stand.",
                 {}, "curve"),
            Step("The query alone walks six further: in every pair the angle changes, and with it"
                 " the score.",
                 {"query": 13}, "sheet"),
            task=Task("Find the other offset that scores 47.87: put the query before the key.",
                      {"query": 3, "key": 7}),
        ),
        "decay": Story(
            Step("All entries 1, at one place: every pair agrees and adds 2, together 64."),
            Step("Ten positions on, the fast hands have turned far apart, the slow ones hardly.",
                 {"query": 13}, "small"),
            Step("At 200, fast pairs agree only by chance: pair 4 does. Slow ones still agree; the"
                 " score is 22.87.",
                 {"query": 203}, "curve"),
            Step("A random query and key never agreed: their score does not fade, it swings.",
                 {"vectors": "random"}, "curve"),
            Step("This key was built from the query. Its score is highest at one offset, which is"
                 " not 0.",
                 {"vectors": "peak", "query": 13}, "curve"),
            task=Task("Which offset was it built for? Move a word until every hand of the key"
                      " lies on the query's.", {"query": 43}),
        ),
    }  # fmt: skip

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
