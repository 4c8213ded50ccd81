"""Two causal layers without positions, and how one text goes through them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import traitlets as t

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

    text = t.Dict()
    trained = t.Bool(True)
    position = t.Int(8, min=0, max=LENGTH - 1)

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

    def is_told_of(self) -> bool:
        return self.text != even()
