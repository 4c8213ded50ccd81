"""Show a sentence whose words can be moved, and whether attention depends on their order."""

from typing import Any

import numpy as np
import traitlets as t

from pe_lib.course.explorers._base import Explorer

SENTENCE = ["the", "old", "dog", "bites", "a", "young", "man"]
VECTORS = [  # random vectors, chosen so that words with related meanings have large dot products
    [0.14, -1.0, -0.06, -0.34, 0.68, -1.32, 0.94, 0.78],
    [-0.38, -1.11, 0.83, -0.1, 0.11, 0.13, 0.35, -1.62],
    [0.68, -1.57, 0.56, -0.67, 0.68, 0.62, 0.31, -0.49],
    [1.58, -0.49, 0.16, -0.54, 0.7, 1.11, -0.03, 0.2],
    [0.15, -0.04, 0.29, 1.56, 1.26, -0.34, 0.72, 0.27],
    [1.03, 0.72, 0.42, -0.18, -0.32, -0.85, 0.69, -1.31],
    [1.98, 0.39, 0.4, 0.26, 0.33, 0.09, 0.47, -0.41],
]


class OrderExplorer(Explorer):
    """Attention among words that can be moved. A word's vector is its query, key and value.

    `words` are the words of the sentence, and `vectors` has a row of even length for each word.
    Words without vectors get fixed random vectors. `order` holds the index of the word at each
    place. `word` is the word whose weights are written out, and `place` is its place, which is
    between two places while the word moves. `positions` adds the sinusoidal encoding of the place,
    and `causal` lets a word see only itself and the words before it. `view` is "ribbons" to show
    the weights as ribbons, or "scores" to show the table of scores behind them, which the story
    "mask" explains. Built in chapter 1. Raises TraitError if `order` is not a permutation of the
    words, and for a value that does not fit them.
    """

    words = t.List(t.Unicode(), SENTENCE).tag(own=True)
    vectors = t.List(t.List(t.Float()), VECTORS).tag(own=True)
    order = t.List(t.Int())
    word = t.Int(0, min=0).tag(below="words")
    place = t.Float(0.0, min=0).tag(below="words")
    positions = t.Bool(False)
    causal = t.Bool(False)
    view = t.Enum(("ribbons", "scores"), "ribbons")

    def __init__(self, words: list[str] | None = None, **kwargs: Any) -> None:
        arguments = kwargs if words is None else {"words": words, **kwargs}
        words = SENTENCE if words is None else words
        count = len(words)
        random = np.random.default_rng(1).standard_normal((count, 8)).round(2).tolist()
        order, word = kwargs.get("order", [*range(count)]), kwargs.get("word", min(2, count - 1))
        if sorted(order) != [*range(count)]:
            raise t.TraitError(f"order must hold each of 0 to {count - 1} once, got {order}")
        values = {
            "words": words,
            "vectors": VECTORS if words == SENTENCE else random,
            "order": order,
            "word": word,
            "place": float(order.index(word)) if word in order else 0.0,
            "view": "scores" if kwargs.get("story") == "mask" else "ribbons",
        } | kwargs
        lengths = {len(row) for row in values["vectors"]}
        if len(values["vectors"]) != count or len(lengths) != 1 or lengths.pop() % 2:
            raise t.TraitError("vectors must hold a row of one even length for each word")
        super().__init__(**values, _argument_names=sorted(arguments))
