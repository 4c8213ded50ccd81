"""Two causal layers without positions, and where they look for the word before."""

from __future__ import annotations

import base64

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers._story import Step, Story, Task

LENGTH = 16


def even() -> str:
    """The weights of a causal layer whose scores are all equal, packed as a recording is."""
    weights = np.tri(LENGTH) / np.arange(1, LENGTH + 1)[:, None]
    return base64.b64encode(np.rint(weights * 255).astype(np.uint8).tobytes()).decode()


class CircuitExplorer(Explorer):
    """The attention weights of two layers, from the word at `position`, 0 to 15, downwards.

    `maps` are those of the two layers, (16, 16), a byte a weight in base 64: of a trained model
    what `tools/experiments.py` leaves as "masked" in chapters/data/seeds.json. Without them, all
    scores are equal. Raises TraitError for other sizes and for a position outside.
    """

    kind = "circuit"
    stories = {
        "main": Story(
            Step("Sixteen words, a causal mask, no positions. Trained to name the word before."),
            Step("Over heads and 64 texts, layer 1 looks almost evenly at all that came before:"
                 " each word takes along a mean of its past.", look="first"),
            Step("Layer 2 reads these means. From 10, the largest weight goes to 9: the word"
                 " before.", look="second"),
            Step("One place on, its past has one word more, and the largest weight moves along.",
                 {"position": 11}, "second"),
            Step("It is no sharp pointer: at the end of the text, most of the weight lies"
                 " elsewhere.", {"position": 15}, "second"),
            task=Task("Near the beginning the word looks at itself first. Find the first place that"
                      " looks most at the word before.", {"position": 4}),
        ),
    }  # fmt: skip

    maps = t.List(t.Unicode(), minlen=2, maxlen=2).tag(sync=True, explorer=True)
    position = t.Int(10, min=0, max=LENGTH - 1).tag(sync=True, explorer=True)

    @t.default("maps")
    def _untrained(self) -> list[str]:
        return [even(), even()]

    @t.validate("maps")
    def _of_one_size(self, proposal: t.Bunch) -> list[str]:
        sizes = {len(base64.b64decode(text)) for text in proposal.value}
        if sizes != {LENGTH**2}:
            raise t.TraitError(f"maps must hold {LENGTH**2} weights each, got {sorted(sizes)}")
        return list(proposal.value)

    def weights(self) -> NDArray[np.float64]:
        """Of both layers, (2, 16, 16): how much the row's word looks at the column's."""
        packed = [np.frombuffer(base64.b64decode(text), np.uint8) for text in self.maps]
        shares: NDArray[np.float64] = np.array(packed).reshape(2, LENGTH, LENGTH) / 255
        return shares

    def is_told_of(self) -> bool:
        return self.maps != self._untrained()

    def caption(self) -> str:
        here = self.position
        first, second = self.weights()[:, here]
        most = int(second.argmax())
        name = {here: "itself", here - 1: "the word before"}.get(most, f"word {most}")
        return (
            f"From word {here}, layer 2 gives the largest weight, {second[most]:.2f}, to {name}."
            f" Layer 1 gives {first[:here].min(initial=1):.2f} to {first[:here].max(initial=0):.2f}"
            f" to each word before and {first[here]:.2f} to itself. Means over heads and texts."
            if here
            else "Word 0 sees itself alone, in both layers."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        first, second = self.weights()
        blue, orange = figures.PALETTE["blue"], figures.PALETTE["orange"]
        for middle, share in enumerate(second[self.position]):
            ax.plot([self.position, middle], [2, 1], color=orange, linewidth=12 * share)
        top = int(second[self.position].argmax())
        for below, share in enumerate(first[top]):
            ax.plot([top, below], [1, 0], color=blue, linewidth=12 * share)
        for level in range(3):
            ax.plot(range(LENGTH), [level] * LENGTH, "o", color=figures.PALETTE["muted"], ms=4)
        ax.set(yticks=range(3), yticklabels=["words", "after layer 1", "after layer 2"])
        ax.set(xlabel="word", xticks=range(0, LENGTH, 5))
        ax.spines[:].set_visible(False)
        return fig
