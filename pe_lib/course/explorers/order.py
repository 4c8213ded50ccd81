"""A sentence to put into another order, and what attention notices of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.attention import attention
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import encode

SENTENCE = ["the", "old", "dog", "bites", "a", "young", "man"]
NOTHING = 1e-12  # below this a change is the rounding of sums taken in another order


class OrderExplorer(Explorer):
    """Words that change places. Queries, keys and values are the words' vectors themselves.

    `words`, and their `vectors` (a row of even length for each); `order`, the word at each place;
    `positions` adds the sinusoidal encoding of the place, `causal` lets a word see only itself and
    those before it, `pooled` compares the mean over all words instead of each word's output.
    Without vectors, fixed random ones are taken. Built in chapter 1. Raises TraitError for an order
    that is no permutation of the words, and for vectors that do not fit.
    """

    kind = "order"

    words = t.List(t.Unicode()).tag(sync=True, explorer=True)
    vectors = t.List(t.List(t.Float())).tag(sync=True, explorer=True)
    order = t.List(t.Int()).tag(sync=True, explorer=True)
    positions = t.Bool(False).tag(sync=True, explorer=True)
    causal = t.Bool(False).tag(sync=True, explorer=True)
    pooled = t.Bool(False).tag(sync=True, explorer=True)

    def __init__(self, words: list[str] | None = None, **kwargs: Any) -> None:
        words = list(SENTENCE if words is None else words)
        if "vectors" not in kwargs:
            drawn = np.random.default_rng(1).standard_normal((len(words), 8))
            kwargs["vectors"] = drawn.round(2).tolist()
        kwargs.setdefault("order", list(range(len(words))))
        if sorted(kwargs["order"]) != list(range(len(words))):
            raise t.TraitError(
                f"order must hold each of 0 to {len(words) - 1} once, got {kwargs['order']}"
            )
        lengths = {len(row) for row in kwargs["vectors"]}
        if len(kwargs["vectors"]) != len(words) or len(lengths) != 1 or lengths.pop() % 2:
            raise t.TraitError("vectors must hold a row of one even length for each word")
        super().__init__(words=words, **kwargs)

    def changes(self) -> NDArray[np.float64]:
        """The largest change in each place's output, or one number if pooled."""
        before, after = self._outputs(list(range(len(self.words)))), self._outputs(self.order)
        if self.pooled:
            before, after = before.mean(axis=0, keepdims=True), after.mean(axis=0, keepdims=True)
        else:
            before = before[self.order]
        changed: NDArray[np.float64] = np.abs(after - before).max(axis=1)
        return changed

    def _outputs(self, order: list[int]) -> NDArray[np.float64]:
        x = np.array(self.vectors)[order]
        if self.positions:
            x = x + encode(np.arange(len(x)), x.shape[1])
        return attention(x, x, x, causal=self.causal)

    def caption(self) -> str:
        sentence = " ".join(self.words[k] for k in self.order)
        most = self.changes().max()
        what = "the mean of all outputs" if self.pooled else "any word's output"
        change = "does not change" if most < NOTHING else f"changes by up to {most:.4f}"
        return f"The words in the order “{sentence}”: {what} {change} against the original order."

    def picture(self) -> Figure:
        changes = np.where(self.changes() < NOTHING, 0, self.changes())
        names = ["mean of all"] if self.pooled else [self.words[k] for k in self.order]
        fig: Figure
        fig, ax = figures.subplots(6, 0.35 * len(names) + 0.8)
        places = np.arange(len(names))
        ax.barh(places, changes, color=figures.PALETTE["orange"])
        for place, change in zip(places, changes, strict=True):
            ax.text(change + 0.02, place, f"{change:.4f}" if change else "0", va="center")
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.set(xlabel="largest change in the output", xlim=(0, max(1.0, changes.max() * 1.2)))
        return fig
