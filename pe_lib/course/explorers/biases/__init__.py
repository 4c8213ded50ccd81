"""What ALiBi and T5 add to the scores by distance, and the attention it leaves for equal words."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, Width

REACH = 150  # offsets shown to either side
COST = 0.1  # what T5's example numbers take off for each bucket further out
TEXT = (
    "The clock in the hall was older than the house. Every evening my grandfather wound it with a"
    " small brass key, and every morning it was four minutes slow. Nobody minded. Trains, he said,"
    " wait for no one, but breakfast does. When he died we stopped winding it, and for the first"
    " time in my life the house was quiet, and the clock was right twice a day."
)


class BiasesExplorer(Explorer):
    """The weights of the words of a text for one of them, the query, if all score the same.

    `scheme` is "alibi", of `heads` 1 to 16 with `head`, counted from 1, in front, or "t5", with
    `buckets`, even, 4 to 64, and `max_distance` 40 to 512. T5 learns its numbers; the example takes
    off 0.1 for each bucket further out. `causal` hides the words after the query. `query` is a
    position in `words`, and `offset` the key that is read, key minus query, -150 to 150. Built in
    chapter 9. Raises TraitError, which names it, for a value outside.
    """

    kind = "biases"

    words = t.List(t.Unicode(), TEXT.split(), minlen=2, maxlen=100).tag(sync=True, explorer=True)
    scheme = t.Enum(["alibi", "t5"], "alibi").tag(sync=True, explorer=True)
    heads = t.Int(8, min=1, max=16).tag(sync=True, explorer=True)
    head = t.Int(3, min=1).tag(sync=True, explorer=True)
    buckets = Width(32, min=4, max=64).tag(sync=True, explorer=True)
    max_distance = t.Int(128, min=40, max=512).tag(sync=True, explorer=True)
    causal = t.Bool(True).tag(sync=True, explorer=True)
    query = t.Int(40, min=0).tag(sync=True, explorer=True)
    offset = t.Int(-10, min=-REACH, max=REACH).tag(sync=True, explorer=True)

    @t.validate("head")
    def _one_of_them(self, proposal: t.Bunch) -> int:
        if proposal.value > self.heads:
            raise t.TraitError(f"head must be at most heads = {self.heads}, got {proposal.value}")
        return int(proposal.value)

    @t.validate("query")
    def _in_the_text(self, proposal: t.Bunch) -> int:
        if proposal.value >= len(self.words):
            last = len(self.words) - 1
            raise t.TraitError(f"query must be at most {last}, got {proposal.value}")
        return int(proposal.value)

    @t.observe("heads")
    def _keep_the_head_inside(self, change: t.Bunch) -> None:
        self.head = min(self.head, self.heads)

    def bias(self, offsets: ArrayLike) -> NDArray[np.float64]:
        """What is added to the score at each offset, key minus query."""
        offsets = np.asarray(offsets)
        if self.scheme == "alibi":
            slope = float(alibi_slopes(self.heads)[self.head - 1])
            return np.asarray(-slope * np.abs(offsets), np.float64)
        found = t5_buckets(offsets, self.buckets, self.max_distance, not self.causal)
        further = found % (self.buckets if self.causal else self.buckets // 2)
        return np.asarray(-COST * further, np.float64)

    def weights(self) -> NDArray[np.float64]:
        """The attention that the query gives to each word: shape (len(words),), sum 1."""
        offsets = np.arange(len(self.words)) - self.query
        power = np.exp(self.bias(offsets))
        if self.causal:
            power[offsets > 0] = 0
        result: NDArray[np.float64] = power / power.sum()
        return result

    def is_told_of(self) -> bool:
        return self.words == TEXT.split()

    def caption(self) -> str:
        seen = "words up to the query" if self.causal else "words on both sides"
        if self.scheme == "alibi":
            slope = alibi_slopes(self.heads)[self.head - 1]
            what = f"ALiBi, head {self.head} of {self.heads}: slope {slope:.6g}, {seen}."
        else:
            what = f"T5, {self.buckets} buckets, largest distance {self.max_distance}, {seen}."
        near = self.weights()[np.abs(np.arange(len(self.words)) - self.query) <= 10].sum()
        return (
            f"{what} From “{self.words[self.query]}” at position {self.query}, the words at most 10"
            f" away get {near:.3f} of the attention if all score the same before."
        )

    def picture(self) -> Figure:
        offsets = np.arange(-REACH, 1 if self.causal else REACH + 1)
        fig: Figure
        fig, (top, bottom) = figures.subplots(6.5, 4.2, 2, 1)
        top.plot(offsets, self.bias(offsets))
        top.set(xlabel="offset: key minus query (positions)", ylabel="bias")
        places = np.arange(len(self.words))
        bottom.bar(places, self.weights(), width=1)
        shown = places[self.query % 5 :: 5]
        bottom.set_xticks(shown, [self.words[s] for s in shown], rotation=60, ha="right")
        bottom.set(ylabel="weight")
        return fig
