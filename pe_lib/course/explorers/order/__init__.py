"""A sentence to put into another order, and what attention notices of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.attention import attention
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import encode

SENTENCE = ["the", "old", "dog", "bites", "a", "young", "man"]
VECTORS = [  # made up, so that words that belong together have large dot products
    [0.14, -1.0, -0.06, -0.34, 0.68, -1.32, 0.94, 0.78],
    [-0.38, -1.11, 0.83, -0.1, 0.11, 0.13, 0.35, -1.62],
    [0.68, -1.57, 0.56, -0.67, 0.68, 0.62, 0.31, -0.49],
    [1.58, -0.49, 0.16, -0.54, 0.7, 1.11, -0.03, 0.2],
    [0.15, -0.04, 0.29, 1.56, 1.26, -0.34, 0.72, 0.27],
    [1.03, 0.72, 0.42, -0.18, -0.32, -0.85, 0.69, -1.31],
    [1.98, 0.39, 0.4, 0.26, 0.33, 0.09, 0.47, -0.41],
]
NOTHING = 1e-12  # below this a change is the rounding of sums taken in another order
FOOT = 0.78  # of a word's place is the stretch on which its shares stand


class OrderExplorer(Explorer):
    """Words that change places. Queries, keys and values are the words' vectors themselves.

    `words`, and their `vectors` (a row of even length for each); `order`, the word at each place;
    `word` is the one whose weights are written out, and `place` where it stands, between two places
    while it is moved; `positions` adds the sinusoidal encoding of the place, `causal` lets a word
    see only itself and those before it, `pooled` compares the mean over all words instead of each
    word's output. Other words without vectors get fixed random ones. Built in chapter 1. Raises
    TraitError for an order that is no permutation of the words, and for what does not fit them.
    """

    kind = "order"

    words = t.List(t.Unicode()).tag(sync=True, explorer=True)
    vectors = t.List(t.List(t.Float())).tag(sync=True, explorer=True)
    order = t.List(t.Int()).tag(sync=True, explorer=True)
    word = t.Int(0, min=0).tag(sync=True, explorer=True)
    place = t.Float(0.0, min=0).tag(sync=True, explorer=True)
    positions = t.Bool(False).tag(sync=True, explorer=True)
    causal = t.Bool(False).tag(sync=True, explorer=True)
    pooled = t.Bool(False).tag(sync=True, explorer=True)

    def __init__(self, words: list[str] | None = None, **kwargs: Any) -> None:
        given = sorted([*kwargs, *([] if words is None else ["words"])])
        words = list(SENTENCE if words is None else words)
        count = len(words)
        if "vectors" not in kwargs:
            drawn = np.random.default_rng(1).standard_normal((count, 8)).round(2).tolist()
            kwargs["vectors"] = VECTORS if words == SENTENCE else drawn
        kwargs.setdefault("order", list(range(count)))
        kwargs.setdefault("word", min(2, count - 1))
        if sorted(kwargs["order"]) != list(range(count)):
            raise t.TraitError(
                f"order must hold each of 0 to {count - 1} once, got {kwargs['order']}"
            )
        lengths = {len(row) for row in kwargs["vectors"]}
        if len(kwargs["vectors"]) != count or len(lengths) != 1 or lengths.pop() % 2:
            raise t.TraitError("vectors must hold a row of one even length for each word")
        if kwargs["word"] not in kwargs["order"]:
            raise t.TraitError(f"word must be below {count}, got {kwargs['word']}")
        kwargs.setdefault("place", float(kwargs["order"].index(kwargs["word"])))
        if kwargs["place"] > count - 1:
            raise t.TraitError(f"place must be at most {count - 1}, got {kwargs['place']}")
        super().__init__(words=words, **kwargs, _given=given)

    def standing(self) -> list[int]:
        """The order that is read: `order`, with the chosen word at the place nearest to `place`."""
        others = [k for k in self.order if k != self.word]
        at = int(np.floor(self.place + 0.5))
        return [*others[:at], self.word, *others[at:]]

    def changes(self) -> NDArray[np.float64]:
        """The largest change in each place's output, or one number if pooled."""
        order = self.standing()
        before, after = self._outputs(sorted(order)), self._outputs(order)
        if self.pooled:
            before, after = before.mean(axis=0, keepdims=True), after.mean(axis=0, keepdims=True)
        else:
            before = before[order]
        changed: NDArray[np.float64] = np.abs(after - before).max(axis=1)
        return changed

    def weights(self) -> NDArray[np.float64]:
        """The weight that the word at each place (row) gives to that at each (column)."""
        x = self._inputs(self.standing())
        return attention(x, x, np.eye(len(x)), causal=self.causal)

    def outputs(self) -> NDArray[np.float64]:
        """What the word at each place gets, a row for each."""
        return self._outputs(self.standing())

    def _inputs(self, order: list[int]) -> NDArray[np.float64]:
        x = np.array(self.vectors)[order]
        return x + encode(np.arange(len(x)), x.shape[1]) if self.positions else x

    def _outputs(self, order: list[int]) -> NDArray[np.float64]:
        x = self._inputs(order)
        return attention(x, x, x, causal=self.causal)

    def is_told_of(self) -> bool:
        return self.words == SENTENCE and self.vectors == VECTORS

    def caption(self) -> str:
        sentence = " ".join(self.words[k] for k in self.standing())
        most = self.changes().max()
        what = "the mean of all outputs" if self.pooled else "any word's output"
        change = "does not change" if most < NOTHING else f"changes by up to {most:.4f}"
        return f"The words in the order “{sentence}”: {what} {change} against the original order."

    def picture(self) -> Figure:
        order, count = self.standing(), len(self.words)
        fig: Figure
        fig, (above, below) = figures.subplots(
            figures.WIDTH, 3.0, 2, 1, sharex=True, height_ratios=[2, 1]
        )
        chosen = order.index(self.word)
        feet = _feet(self.weights())
        for low, high in zip(*np.tril_indices(count, -1)[::-1], strict=True):
            _arch(above, feet[low, high], feet[high, low], chosen in (low, high))
        own = feet[chosen, chosen]
        above.plot(own, [0, 0], color=figures.PALETTE["orange"], linewidth=4)
        above.set(xlim=(-0.55, count - 0.45), ylim=(-0.02, 1.03))
        above.axis("off")

        changes = np.where(self.changes() < NOTHING, 0, self.changes())
        places = np.arange(count) if len(changes) == count else [(count - 1) / 2]
        below.bar(places, changes, FOOT, color=figures.PALETTE["orange"])
        for place, change in zip(places, changes, strict=True):
            if order == sorted(order):
                break  # there is nothing to compare
            said = f"{change:.2g}" if 0 < change < 0.01 else f"{change:.2f}" if change else "0"
            below.text(place, change + 0.05, said, ha="center", va="top", size=9)
        below.set_xticks(range(count), [self.words[k] for k in order])
        below.xaxis.tick_top()
        below.tick_params(length=0)
        below.spines[:].set_visible(False)
        below.set(ylim=(max(1, changes.max()) * 1.3, 0), yticks=[])  # bars hang from their words
        below.set_xlabel("change of the mean" if self.pooled else "change of each output")
        return fig


def _feet(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """From where to where each share of each word stands on the line, (words, words, 2).

    What goes to the left lies left, the nearest outermost, so that ribbons do not cross.
    """
    count = len(weights)
    feet = np.empty((count, count, 2))
    for place, row in enumerate(weights):
        apart = np.arange(count) - place
        outwards = np.argsort(np.divide(1, apart, where=apart != 0, out=np.zeros(count)))
        ends = np.cumsum(row[outwards])
        feet[place, outwards] = place + FOOT * (np.stack([ends - row[outwards], ends], 1) - 0.5)
    return feet


def _arch(ax: Axes, low: NDArray[np.float64], high: NDArray[np.float64], own: bool) -> None:
    """A ribbon between two stretches of the line."""
    (a, b), (c, d) = low, high
    outer = ((high.mean() - low.mean()) / 6) ** 0.75 / 0.75
    inner = max(0.0, outer - (b - a + d - c) / 4)
    corners = [(a, 0), (a, outer), (d, outer), (d, 0), (c, 0), (c, inner), (b, inner), (b, 0)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3]
    hue, alpha = ("orange", 0.75) if own else ("blue", 0.16)
    ribbon = Path(corners, codes)
    ax.add_patch(PathPatch(ribbon, fc=figures.PALETTE[hue], ec="none", alpha=alpha))
