"""A table of scores whose words change places, and a causal mask that stays where it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.order import SENTENCE

LIMIT = 2.5  # scores beyond it have its colour


class MaskExplorer(Explorer):
    """Scores of queries with keys, rows and columns in the order of the words: P S Pᵀ.

    `words` and their `scores`, a row for each query; `order`, the word at each place; `causal` cuts
    what lies above the diagonal; `query` and `key` name the two words whose score is framed.
    Without scores, fixed random ones are taken. Raises TraitError for an order that is no
    permutation of the words, and for scores that do not fit.
    """

    kind = "mask"

    words = t.List(t.Unicode(), SENTENCE).tag(sync=True, explorer=True)
    scores = t.List(t.List(t.Float())).tag(sync=True, explorer=True)
    order = t.List(t.Int()).tag(sync=True, explorer=True)
    causal = t.Bool(False).tag(sync=True, explorer=True)
    query = t.Int(2, min=0).tag(sync=True, explorer=True)
    key = t.Int(6, min=0).tag(sync=True, explorer=True)

    def __init__(self, words: list[str] | None = None, **kwargs: Any) -> None:
        given = sorted([*kwargs, *([] if words is None else ["words"])])
        words = list(SENTENCE if words is None else words)
        n = len(words)
        if "scores" not in kwargs:
            q, k = np.random.default_rng(3).standard_normal((2, n, 8))
            kwargs["scores"] = (q @ k.T / np.sqrt(8)).round(2).tolist()
        kwargs.setdefault("order", list(range(n)))
        if sorted(kwargs["order"]) != list(range(n)):
            raise t.TraitError(f"order must hold each of 0 to {n - 1} once, got {kwargs['order']}")
        if [len(row) for row in kwargs["scores"]] != [n] * n:
            raise t.TraitError(f"scores must hold {n} rows of {n}, one for each word")
        if max(kwargs.get("query", 0), kwargs.get("key", 0)) >= n:
            raise t.TraitError(f"query and key must be words from 0 to {n - 1}")
        super().__init__(words=words, **kwargs, _given=given)

    def table(self) -> NDArray[np.float64]:
        """The scores in the order of the words; -inf where the mask cuts."""
        table = np.array(self.scores)[np.ix_(self.order, self.order)]
        return np.where(np.tri(len(table)) > 0, table, -np.inf) if self.causal else table

    def is_told_of(self) -> bool:
        return self.words == SENTENCE and "scores" not in self._given

    def caption(self) -> str:
        sentence = " ".join(self.words[k] for k in self.order)
        query, key = self.words[self.query], self.words[self.key]
        hidden = self.causal and self.order.index(self.key) > self.order.index(self.query)
        score = f"{self.scores[self.query][self.key]:.2f}".replace("-", "−")
        if hidden:
            mask = "The causal mask cuts it."
        elif self.causal:
            mask = "The causal mask lets it through."
        else:
            mask = "There is no mask."
        return f"The scores of “{sentence}”: {query} asks for {key} with {score}. {mask}"

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(4.4, 3.6)
        names, n = [self.words[k] for k in self.order], len(self.words)
        table = np.ma.masked_invalid(self.table())
        ax.imshow(table, cmap=figures.TIDE, vmin=-LIMIT, vmax=LIMIT)
        for row, column in zip(*np.nonzero(table.mask & np.ones((n, n), bool)), strict=True):
            ends = [column - 0.3, column + 0.3], [row + 0.3, row - 0.3]
            ax.plot(*ends, color=figures.PALETTE["muted"], linewidth=1)
        place = self.order.index(self.key), self.order.index(self.query)
        ax.plot(*place, "s", ms=22, mfc="none", mec=figures.PALETTE["ink"], mew=2)
        ax.set_xticks(range(n), names)
        ax.set_yticks(range(n), names)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        return fig
