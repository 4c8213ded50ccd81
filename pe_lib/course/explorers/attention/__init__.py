"""Show attention among words drawn as arrows, whose weights change when a reader drags an arrow."""

from typing import Any

import numpy as np
import traitlets as t

from pe_lib.course.explorers._base import Explorer

LIMIT = 2.5  # both coordinates of the plane run from -LIMIT to LIMIT
THREE_WORDS = {  # the words and vectors at the beginning of the story "three"
    "words": ["dog", "bites", "man"],
    "vectors": [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    "chosen": 0,
}


class AttentionExplorer(Explorer):
    """Attention among two to five words. The vector of each word has two entries.

    The vectors themselves serve as queries, keys and values. `vectors` has a pair of numbers from
    -2.5 to 2.5 for each word. Unless `words` and `vectors` are given, they come from the story.
    `positions` adds `encode(position, 2)` to each word, `backwards` reads the sentence from its
    end, and `chosen` is the word whose weights are shown. Used in chapter 0. Raises TraitError with
    the name of the argument for a value that does not fit.
    """

    words = t.List(t.Unicode(), ["good", "not", "bad"], minlen=2, maxlen=5).tag(own=True)
    vectors = t.List(t.List(t.Float()), [[1.8, 0.6], [0.4, 1.5], [-1.5, 0.8]]).tag(own=True)
    positions = t.Bool(False)
    backwards = t.Bool(False)
    chosen = t.Int(1, min=0).tag(below="words")

    def __init__(self, **kwargs: Any) -> None:
        defaults = THREE_WORDS if kwargs.get("story") == "three" else {}
        super().__init__(**defaults | kwargs, _argument_names=sorted(kwargs))

    @t.validate("vectors")
    def _check_vectors(self, proposal: t.Bunch) -> list[list[float]]:
        vectors: list[list[float]] = proposal.value
        are_pairs = [len(vector) for vector in vectors] == [2] * len(self.words)
        if not are_pairs or np.abs(vectors).max() > LIMIT:
            raise t.TraitError(
                f"vectors must hold two numbers from -{LIMIT} to {LIMIT} for each of "
                f"{len(self.words)} words"
            )
        return vectors
