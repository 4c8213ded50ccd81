"""Words as arrows: drag one, and see the weights and the outputs of attention follow."""

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
SENTENCES: dict[str, dict[str, Any]] = {
    "main": {"words": ["good", "not", "bad"], "vectors": [[1.8, 0.6], [0.4, 1.5], [-1.5, 0.8]]},
    "three": {
        "words": ["dog", "bites", "man"],
        "vectors": [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        "chosen": 0,
    },
}


class AttentionExplorer(Explorer):
    """Attention among words with two numbers each; queries, keys and values are the words' vectors.

    `words` are two to five, `vectors` holds a pair of numbers between -2.5 and 2.5 for each; those
    of the story unless given. `positions` adds `encode(place, 2)`, `backwards` reads the sentence
    from its end, and `chosen` is the word that is described. Used in chapter 0. Raises TraitError,
    which names it, for a value that does not fit.
    """

    kind = "attention"

    words = t.List(t.Unicode(), minlen=2, maxlen=5).tag(sync=True, explorer=True)
    vectors = t.List(t.List(t.Float())).tag(sync=True, explorer=True)
    positions = t.Bool(False).tag(sync=True, explorer=True)
    backwards = t.Bool(False).tag(sync=True, explorer=True)
    chosen = t.Int(1, min=0).tag(sync=True, explorer=True)

    def __init__(self, **kwargs: Any) -> None:
        given = sorted(kwargs)
        for name, value in SENTENCES.get(kwargs.get("story", "main"), SENTENCES["main"]).items():
            kwargs.setdefault(name, value)
        count = len(kwargs["words"])
        shape = [len(vector) for vector in kwargs["vectors"]]
        if shape != [2] * count or np.abs(kwargs["vectors"]).max() > LIMIT:
            raise t.TraitError(
                f"vectors must hold two numbers from -{LIMIT} to {LIMIT} for each of {count} words"
            )
        if kwargs.get("chosen", 0) >= count:
            raise t.TraitError(f"chosen must be below {count}, got {kwargs['chosen']}")
        super().__init__(**kwargs, _given=given)

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

    def is_told_of(self) -> bool:
        return {"words": self.words, "vectors": self.vectors} == SENTENCES["main"]

    def caption(self) -> str:
        shares = ", ".join(
            f"{weight:.2f} to {other}"
            for weight, other in zip(self.weights()[self.chosen], self.words, strict=True)
        )
        x, y = (f"{v:.2f}".replace("-", "−") for v in self.outputs()[self.chosen])
        sentence = " ".join(self.words[::-1] if self.backwards else self.words)
        added = "with positions added" if self.positions else "without positions"
        return (
            f"“{sentence}”, {added}: the word {self.words[self.chosen]} gives the weights {shares},"
            f" and its output is ({x}, {y})."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, (plane, bars) = figures.subplots(figures.WIDTH, 2.5, 1, 2, width_ratios=[3, 2])
        blue, orange = figures.PALETTE["blue"], figures.PALETTE["orange"]
        inputs, outputs, weights = self.inputs(), self.outputs(), self.weights()
        for tip, weight in zip(inputs, weights[self.chosen], strict=True):
            ends = np.stack([outputs[self.chosen], tip], axis=1)
            plane.plot(*ends, color=orange, linewidth=7 * weight)
        for k, ((x, y), word) in enumerate(zip(inputs, self.words, strict=True)):
            width = 2.4 if k == self.chosen else 1.4
            arrow = {"arrowstyle": "->", "color": blue, "linewidth": width}
            plane.annotate("", (x, y), (0, 0), arrowprops=arrow)
            aside = {"va": "baseline"} if y > 0.1 else {"va": "top"}  # away from the strings
            plane.text(x, y + (0.12 if y > 0.1 else -0.12), word, ha="center", **aside)
            if self.positions:
                ends = np.stack([self.vectors[k], (x, y)], axis=1)
                plane.plot(*ends, ":", color=figures.PALETTE["muted"])
        plane.plot(*outputs.T, "o", mfc=figures.PALETTE["paper"], color=orange)
        most = max(2.0, np.abs(inputs).max() + 0.4)
        plane.set(xlim=(-most, most), ylim=(-most, most), aspect="equal")
        plane.set(xticks=range(-int(most), int(most) + 1, 2), yticks=[-2, 0, 2])

        starts = np.cumsum(weights, axis=1) - weights
        for column in range(len(self.words)):
            share = weights[:, column]
            bars.barh(range(len(share)), share, 0.8, starts[:, column],
                      color=[orange if k == self.chosen else blue for k in range(len(share))],
                      alpha=0.3, ec=figures.PALETTE["paper"])  # fmt: skip
            for row, (start, width) in enumerate(zip(starts[:, column], share, strict=True)):
                if width > 0.14:
                    bars.text(start + width / 2, row, f"{width:.2f}", ha="center", va="center",
                              size=8)  # fmt: skip
        bars.set_yticks(range(len(self.words)), self.words)
        bars.invert_yaxis()
        bars.set(xticks=[], xlim=(0, 1), title="gives to " + ", ".join(self.words))
        bars.title.set_size(9)
        bars.spines[:].set_visible(False)
        bars.tick_params(length=0)
        return fig
