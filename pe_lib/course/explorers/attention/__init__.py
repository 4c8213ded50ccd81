"""Words as arrows: drag one, and see the weights and the outputs of attention follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t

from pe_lib.course.explorers._base import Explorer

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

    words = t.List(t.Unicode(), minlen=2, maxlen=5)
    vectors = t.List(t.List(t.Float()))
    positions = t.Bool(False)
    backwards = t.Bool(False)
    chosen = t.Int(1, min=0)

    def __init__(self, **kwargs: Any) -> None:
        own = SENTENCES.get(kwargs.get("story", "main"), SENTENCES["main"])
        values = own | kwargs
        count = len(values["words"])
        shape = [len(vector) for vector in values["vectors"]]
        if shape != [2] * count or np.abs(values["vectors"]).max() > LIMIT:
            raise t.TraitError(
                f"vectors must hold two numbers from -{LIMIT} to {LIMIT} for each of {count} words"
            )
        if values.get("chosen", 0) >= count:
            raise t.TraitError(f"chosen must be below {count}, got {values['chosen']}")
        super().__init__(**values, _given=sorted(kwargs))

    def is_told_of(self) -> bool:
        return {"words": self.words, "vectors": self.vectors} == SENTENCES["main"]
