"""Three words as arrows: drag one, and see the weights and the outputs of attention follow."""

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

LIMIT = 2.5  # the plane reaches from -LIMIT to LIMIT


class AttentionExplorer(Explorer):
    """Attention among words with two numbers each; queries, keys and values are the words' vectors.

    `words` are two to five, `vectors` holds a pair of numbers between -2.5 and 2.5 for each.
    `positions` adds `encode(place, 2)`, `backwards` reads the sentence from its end, and `chosen`
    is the word that is described. Used in chapter 0. Raises TraitError, which names it, for a value
    that does not fit.
    """

    kind = "attention"

    words = t.List(t.Unicode(), minlen=2, maxlen=5).tag(sync=True, explorer=True)
    vectors = t.List(t.List(t.Float())).tag(sync=True, explorer=True)
    positions = t.Bool(False).tag(sync=True, explorer=True)
    backwards = t.Bool(False).tag(sync=True, explorer=True)
    chosen = t.Int(0, min=0).tag(sync=True, explorer=True)

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("words", ["good", "not", "bad"])
        kwargs.setdefault("vectors", [[1.8, 0.6], [0.4, 1.5], [-1.5, 0.8]])
        count = len(kwargs["words"])
        shape = [len(vector) for vector in kwargs["vectors"]]
        if shape != [2] * count or np.abs(kwargs["vectors"]).max() > LIMIT:
            raise t.TraitError(
                f"vectors must hold two numbers from -{LIMIT} to {LIMIT} for each of {count} words"
            )
        if kwargs.get("chosen", 0) >= count:
            raise t.TraitError(f"chosen must be below {count}, got {kwargs['chosen']}")
        super().__init__(**kwargs)

    def inputs(self) -> NDArray[np.float64]:
        """What attention gets, a row for each word in the order of `words`: (words, 2)."""
        places = np.arange(len(self.words))
        if self.backwards:
            places = places[::-1]
        return np.array(self.vectors) + (encode(places, 2) if self.positions else 0)

    def weights(self) -> NDArray[np.float64]:
        """The weight that each word (row) gives to each (column): (words, words)."""
        x = self.inputs()
        return attention(x, x, np.eye(len(x)))

    def outputs(self) -> NDArray[np.float64]:
        """The output for each word: (words, 2)."""
        x = self.inputs()
        return attention(x, x, x)

    def caption(self) -> str:
        word, (x, y) = self.words[self.chosen], self.outputs()[self.chosen]
        order = self.words[::-1] if self.backwards else self.words
        shares = ", ".join(
            f"{weight:.2f} to {other}"
            for weight, other in zip(self.weights()[self.chosen], self.words, strict=True)
        )
        added = "with positions added" if self.positions else "without positions"
        return (
            f"“{' '.join(order)}”, {added}: the word {word} gives the weights {shares}, and its "
            f"output is ({x:.2f}, {y:.2f})."
        ).replace("-", "−")

    def picture(self) -> Figure:
        fig: Figure
        fig, (plane, grid) = figures.subplots(6.5, 3.1, 1, 2)
        inputs, outputs, weights = self.inputs(), self.outputs(), self.weights()
        for (x, y), word in zip(inputs, self.words, strict=True):
            plane.plot([0, x], [0, y], "o-", markevery=[1], color=figures.PALETTE["blue"])
            plane.text(x + 0.1, y, word, va="center")
        plane.plot(*outputs.T, "o", mfc=figures.PALETTE["paper"], color=figures.PALETTE["orange"])
        plane.set(xlim=(-LIMIT, LIMIT), ylim=(-LIMIT, LIMIT), title="● inputs  ○ outputs")
        plane.set_aspect("equal")
        grid.imshow(weights, cmap=figures.TIDE, vmin=-1, vmax=1)
        for (row, column), weight in np.ndenumerate(weights):
            color = "#fefefe" if weight > 0.6 else "#010101"  # as in figures.draw_heatmap
            grid.text(column, row, f"{weight:.2f}", ha="center", va="center", color=color)
        grid.set_xticks(range(len(inputs)), self.words)
        grid.set_yticks(range(len(inputs)), self.words)
        grid.set(title="weight the row gives to the column")
        return fig
