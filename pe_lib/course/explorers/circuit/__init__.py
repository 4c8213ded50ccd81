"""Two causal layers without positions, and how one text goes through them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

LENGTH = 16
LETTERS = "abcdefgh"


def even() -> dict[str, Any]:
    """A text, through layers whose scores are all equal, packed as a recording is."""
    weights = np.tri(LENGTH) / np.arange(1, LENGTH + 1)[:, None]
    packed = base64.b64encode(np.rint(weights * 255).astype(np.uint8).tobytes()).decode()
    words = [place * 5 % 8 for place in range(LENGTH)]
    network = {"maps": [packed, packed], "answers": words}
    return {"words": words, "trained": network, "untrained": network}


class CircuitExplorer(Explorer):
    """Where two layers look, from the word at `position`, 0 to 15, downwards, and what it answers.

    `text` is what `make experiments` leaves as "sentence" in chapters/data/skipping.json: 16
    `words`, 0 to 7, and of a network that was `trained` to name the word before, and as it was
    before that, the `maps` of both layers, (16, 16), a byte a weight in base 64, and its `answers`.
    Without it, all scores are equal. Used in chapter 7. Raises TraitError for other sizes and for a
    position outside.
    """

    kind = "circuit"

    text = t.Dict().tag(sync=True, explorer=True)
    trained = t.Bool(True).tag(sync=True, explorer=True)
    position = t.Int(8, min=0, max=LENGTH - 1).tag(sync=True, explorer=True)

    @t.default("text")
    def _all_equal(self) -> dict[str, Any]:
        return even()

    @t.validate("text")
    def _of_one_size(self, proposal: t.Bunch) -> dict[str, Any]:
        text = dict(proposal.value)
        for name in ("trained", "untrained"):
            sizes = [len(base64.b64decode(map_)) for map_ in text[name]["maps"]]
            if sizes != [LENGTH**2, LENGTH**2]:
                raise t.TraitError(
                    f"text must hold 2 maps of {LENGTH**2} weights for {name!r}, got {sizes}"
                )
        for words in (text["words"], *(text[name]["answers"] for name in ("trained", "untrained"))):
            if len(words) != LENGTH or not set(words) <= set(range(len(LETTERS))):
                raise t.TraitError(f"text must hold {LENGTH} words from 0 to 7, got {words}")
        return text

    def network(self) -> dict[str, Any]:
        """What was recorded of the network that is shown."""
        network: dict[str, Any] = self.text["trained" if self.trained else "untrained"]
        return network

    def weights(self) -> NDArray[np.float64]:
        """Of both layers, (2, 16, 16): how much the row's word looks at the column's."""
        packed = [
            np.frombuffer(base64.b64decode(map_), np.uint8) for map_ in self.network()["maps"]
        ]
        shares: NDArray[np.float64] = np.array(packed).reshape(2, LENGTH, LENGTH) / 255
        return shares

    def is_told_of(self) -> bool:
        return self.text != even()

    def caption(self) -> str:
        here, words = self.position, self.text["words"]
        layers = "Two trained layers" if self.trained else "Two untrained layers"
        if here == 0:
            return f"{layers}: word 0, {LETTERS[words[0]]}, sees itself alone, in both."
        first, second = self.weights()[:, here]
        least, most = first[: here + 1].min(), first[: here + 1].max()
        answer, asked = (LETTERS[k] for k in (self.network()["answers"][here], words[here - 1]))
        verdict = "right" if answer == asked else f"before it stands {asked}"
        return (
            f"{layers}, from word {here}, {LETTERS[words[here]]}: layer 2 gives"
            f" {second[here - 1]:.2f} to the word before and {second[here]:.2f} to itself; layer 1"
            f" gives {least:.2f} to {most:.2f} to each word. It answers {answer}: {verdict}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(6.5, 3)
        first, second = self.weights()
        blue, orange = figures.PALETTE["blue"], figures.PALETTE["orange"]
        for middle, share in enumerate(second[self.position]):
            ax.plot([self.position, middle], [2, 1], color=orange, linewidth=12 * share)
        before = max(self.position - 1, 0)
        for below, share in enumerate(first[before]):
            ax.plot([before, below], [1, 0], color=blue, linewidth=12 * share)
        for level in range(3):
            ax.plot(range(LENGTH), [level] * LENGTH, "o", color=figures.PALETTE["muted"], ms=4)
        ax.set(yticks=range(3), yticklabels=["words", "after layer 1", "after layer 2"])
        ax.set_xticks(range(LENGTH), [LETTERS[word] for word in self.text["words"]])
        ax.spines[:].set_visible(False)
        return fig
