"""Words as arrows: drag one, and see the weights and the outputs of attention follow."""

from typing import Any

import numpy as np
import traitlets as t

from pe_lib.course.explorers._base import Explorer

LIMIT = 2.5  # the plane reaches from -LIMIT to LIMIT
THREE = {
    "words": ["dog", "bites", "man"],
    "vectors": [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    "chosen": 0,
}


class AttentionExplorer(Explorer):
    """Attention among words with two numbers each; queries, keys and values are the words' vectors.

    `words` are two to five, `vectors` holds a pair of numbers between -2.5 and 2.5 for each; those
    of the story unless given. `positions` adds `encode(place, 2)`, `backwards` reads the sentence
    from its end, and `chosen` is the word that is described. Used in chapter 0. Raises TraitError,
    which names it, for a value that does not fit.
    """

    words = t.List(t.Unicode(), ["good", "not", "bad"], minlen=2, maxlen=5).tag(own=True)
    vectors = t.List(t.List(t.Float()), [[1.8, 0.6], [0.4, 1.5], [-1.5, 0.8]]).tag(own=True)
    positions = t.Bool(False)
    backwards = t.Bool(False)
    chosen = t.Int(1, min=0).tag(below="words")

    def __init__(self, **kwargs: Any) -> None:
        own = THREE if kwargs.get("story") == "three" else {}
        super().__init__(**own | kwargs, _given=sorted(kwargs))

    @t.validate("vectors")
    def _a_pair_for_each_word(self, proposal: t.Bunch) -> list[list[float]]:
        vectors: list[list[float]] = proposal.value
        pairs = [len(vector) for vector in vectors] == [2] * len(self.words)
        if not pairs or np.abs(vectors).max() > LIMIT:
            raise t.TraitError(
                f"vectors must hold two numbers from -{LIMIT} to {LIMIT} for each of "
                f"{len(self.words)} words"
            )
        return vectors
