"""The layers of a real model: which see a word so far back, and which can tell how far that is."""

import json
from pathlib import Path
from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

# Of each model its length, its layers from below as letters, and what each letter stands for: made
# by tools/layers.py from the configurations that the table of models holds.
MODELS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("layers.json").read_text("utf-8")
)
FURTHEST = 10_000_000  # positions back, where the axis ends


class LayersExplorer(Explorer):
    """Which layers of `model` can tell the distance of `query` and `key`, and how.

    Positions count from 0, and the key is the earlier one: 0 <= key < query < the model's length.
    A turned pair tells a distance if it makes less than half a turn within it: its part of the
    score, the cosine of the angle, then falls at every step up to there. A head of ALiBi tells it
    while it takes off less than ln 1000; a bucket of T5 its own distance, and roughly those that
    share one, but for the last. Layers of one kind share a letter. Used in chapters 11 to 13.
    Raises TraitError for another model and other positions.
    """

    shown = {"models": MODELS}

    model = t.Enum(list(MODELS), "Gemma 3 1B")
    query = t.Int(10_000, min=1, max=FURTHEST)
    key = t.Int(5_000, min=0).tag(below="query")

    @t.validate("query")
    def _within_the_model(self, proposal: t.Bunch) -> int:
        length = MODELS[self.model]["length"]
        if proposal.value >= length:
            raise t.TraitError(
                f"query must be below the {length:,} positions of {self.model},"
                f" got {proposal.value:,}"
            )
        return int(proposal.value)
