"""The layers of a real model: which of them see a distant word and can tell its distance."""

import json
from pathlib import Path
from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

# For each model its length, its layers from below as letters, and what each letter stands for.
# tools/layers.py computes it from the configurations in the table of models.
MODELS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("layers.json").read_text("utf-8")
)
FURTHEST = 10_000_000  # positions back, where the axis ends


class LayersExplorer(Explorer):
    """The layers of `model` that can tell the distance from `query` to `key`, and how they do it.

    Both are positions, and the key comes first: 0 <= key < query < the model's length. A pair that
    is rotated tells a distance if it makes less than half a turn within it, because its part of the
    score, the cosine of the angle, falls at every step up to there. A head of ALiBi tells a
    distance while it subtracts less than ln 1000. A bucket of T5 that holds one distance tells it;
    one that holds several tells it roughly, except for the last. Layers of one kind share a letter.
    Used in chapters 11 to 13. Raises TraitError for another model and for positions outside.
    """

    script_data = {"models": MODELS}

    model = t.Enum(list(MODELS), "Gemma 3 1B")
    query = t.Int(10_000, min=1, max=FURTHEST)
    key = t.Int(5_000, min=0).tag(below="query")

    @t.validate("query")
    def _check_query(self, proposal: t.Bunch) -> int:
        length = MODELS[self.model]["length"]
        if proposal.value >= length:
            raise t.TraitError(
                f"query must be below the {length:,} positions of {self.model},"
                f" got {proposal.value:,}"
            )
        return int(proposal.value)
