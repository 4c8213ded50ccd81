"""Show which words each word of a text attends to, in two causal layers without positions."""

import base64
from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

LENGTH = 16
STATES = ("trained", "untrained")


class CircuitExplorer(Explorer):
    """Two attention layers. The word at `position`, 0 to 15, attends to earlier words in both.

    `text` is "sentence" in chapters/data/skipping.json, which `make experiments` writes. It holds
    16 `words`, which are numbers from 0 to 7. It also holds the attention `maps` of both layers,
    and the `answers`, for a network that was `trained` to name the previous word and for the same
    network before training. A map has shape (16, 16) and is stored as base 64 with one byte per
    weight. Used in chapter 7. Raises TraitError for other sizes and for a position outside the
    text.
    """

    text = t.Dict()
    trained = t.Bool(True)
    position = t.Int(8, min=0, max=LENGTH - 1)

    def __init__(self, *, text: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(text=text, **kwargs)

    @t.validate("text")
    def _check_text(self, proposal: t.Bunch) -> dict[str, Any]:
        text: dict[str, Any] = proposal.value
        for name in STATES:
            sizes = [len(base64.b64decode(map_)) for map_ in text[name]["maps"]]
            if sizes != [LENGTH**2] * 2:
                raise t.TraitError(
                    f"text must hold 2 maps of {LENGTH**2} weights for {name!r}, got {sizes}"
                )
        for words in (text["words"], *(text[name]["answers"] for name in STATES)):
            if len(words) != LENGTH or not set(words) <= set(range(8)):
                raise t.TraitError(f"text must hold {LENGTH} words from 0 to 7, got {words}")
        return text
