"""What ALiBi and T5 add to the scores by distance, and the attention it leaves for equal words."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

REACH = 150  # keys shown to either side of the query
COST = 0.1  # what T5's example numbers take off for each bucket further out


class BiasesExplorer(Explorer):
    """The bias of each offset, key minus query, and the weights if all words score the same.

    `scheme` is "alibi", of `heads` 1 to 16 with `head`, counted from 1, in front, or "t5", with
    `buckets`, even, 4 to 64, and `max_distance` 40 to 512. T5 learns its numbers; the example takes
    off 0.1 for each bucket further out. `causal` hides the keys after the query; `offset` is the
    key that is read, -150 to 150. Built in chapter 8. Raises TraitError, which names it, for a
    value outside.
    """

    kind = "biases"

    scheme = t.Enum(["alibi", "t5"], "alibi").tag(sync=True, explorer=True)
    heads = t.Int(8, min=1, max=16).tag(sync=True, explorer=True)
    head = t.Int(3, min=1).tag(sync=True, explorer=True)
    buckets = t.Int(32, min=4, max=64).tag(sync=True, explorer=True)
    max_distance = t.Int(128, min=40, max=512).tag(sync=True, explorer=True)
    causal = t.Bool(True).tag(sync=True, explorer=True)
    offset = t.Int(-20, min=-REACH, max=REACH).tag(sync=True, explorer=True)

    @t.validate("head")
    def _one_of_them(self, proposal: t.Bunch) -> int:
        if proposal.value > self.heads:
            raise t.TraitError(f"head must be at most heads = {self.heads}, got {proposal.value}")
        return int(proposal.value)

    @t.validate("buckets")
    def _even(self, proposal: t.Bunch) -> int:
        if proposal.value % 2:
            raise t.TraitError(f"buckets must be even, got {proposal.value}")
        return int(proposal.value)

    @t.observe("heads")
    def _keep_the_head_inside(self, change: t.Bunch) -> None:
        self.head = min(self.head, self.heads)

    def offsets(self) -> NDArray[np.int64]:
        """The offsets of the keys that are seen: -150 to 0, and to 150 if nothing is hidden."""
        return np.arange(-REACH, 1 if self.causal else REACH + 1)

    def bucket(self) -> NDArray[np.int64]:
        """T5's bucket of each offset."""
        found = t5_buckets(self.offsets(), self.buckets, self.max_distance, not self.causal)
        return np.asarray(found)

    def bias(self) -> NDArray[np.float64]:
        """What is added to the score at each offset."""
        if self.scheme == "alibi":
            slope = float(alibi_slopes(self.heads)[self.head - 1])
            return np.asarray(-slope * np.abs(self.offsets()), np.float64)
        further = self.bucket() % (self.buckets if self.causal else self.buckets // 2)
        return np.asarray(-COST * further, np.float64)

    def weights(self) -> NDArray[np.float64]:
        """The attention at each offset if all scores are equal before the bias: they sum to 1."""
        power = np.exp(self.bias())
        result: NDArray[np.float64] = power / power.sum()
        return result

    def caption(self) -> str:
        seen = "keys up to the query" if self.causal else "keys on both sides"
        if self.scheme == "alibi":
            slope = alibi_slopes(self.heads)[self.head - 1]
            what = f"ALiBi, head {self.head} of {self.heads}: slope {slope:.6g}"
        else:
            what = f"T5, {self.buckets} buckets, largest distance {self.max_distance}"
        near = self.weights()[np.abs(self.offsets()) <= 10].sum()
        return (
            f"{what}, {seen}. With equal scores before the bias, the keys at most 10 away get "
            f"{near:.3f} of the attention."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, (top, bottom) = figures.subplots(6.5, 4, 2, 1, sharex=True)
        top.plot(self.offsets(), self.bias())
        top.set(ylabel="bias")
        bottom.fill_between(self.offsets(), self.weights(), step="mid")
        bottom.set(xlabel="offset: key minus query (positions)", ylabel="weight")
        return fig
