"""Show which layers of a published model see a distant word, and which can tell how far it is."""

import json
from pathlib import Path
from typing import Any

import traitlets as t

from pe_lib.course.explorers._base import Explorer

# layers.json has, for each model, its context length, a letter for each layer, and descriptions.
# tools/layers.py writes layers.json, from the configurations in the table of models.
MODELS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("layers.json").read_text("utf-8")
)
FURTHEST = 10_000_000  # the largest possible position of the query


class LayersExplorer(Explorer):
    """The layers of `model`, and which of them can tell how far `key` is from `query`.

    `query` and `key` are positions, and the key comes first: 0 <= key < query < the model's length.
    A rotated pair tells a distance if it makes less than half a turn over it, because the pair's
    part of the score, the cosine of the angle, falls at every step up to there. An ALiBi head tells
    a distance while it subtracts less than ln 1000. A T5 bucket that holds a single distance tells
    that distance exactly, and a bucket that holds several tells them roughly, except for the last
    bucket, which tells none. Layers of one kind share a letter. Used in chapters 11 to 13. Raises
    TraitError for an unknown model and for positions outside these limits.
    """

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
