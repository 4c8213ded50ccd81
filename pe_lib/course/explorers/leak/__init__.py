"""A random, untrained network: what it knows of the order, through mask, depth and encodings."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from numpy.typing import NDArray

from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.offset import scrambled
from pe_lib.course.model import Transformer

LENGTH, WIDTH, WORDS, SEQUENCES, DEEPEST = 16, 8, 12, 32, 3


class LeakExplorer(Explorer):
    """Attention layers with fixed random weights, and two meters of what they know of the order.

    `causal` masks what comes later, `layers` is 1 to 3, `encoded` adds sinusoidal encodings;
    `letters` are read of a sentence of 16; `shuffle` is the number of a shuffle of all of them but
    the last, 0 for none, and `order` what stands at each place after it was moved by hand, as
    places of the shuffled sentence: where more than the `letters` were moved, all are read. `meter`
    shows what a shuffle changes, or the variance of what attention adds. Used in chapter 7. Raises
    TraitError, which names it, for a value outside.
    """

    kind = "leak"

    causal = t.Bool(True).tag(sync=True, explorer=True)
    layers = t.Int(1, min=1, max=DEEPEST).tag(sync=True, explorer=True)
    encoded = t.Bool(False).tag(sync=True, explorer=True)
    letters = t.Int(6, min=3, max=LENGTH).tag(sync=True, explorer=True)
    shuffle = t.Int(0, min=0, max=99).tag(sync=True, explorer=True)
    order = t.List(t.Int(), list(range(LENGTH))).tag(sync=True, explorer=True)
    meter = t.Enum(("shuffle", "variance"), "shuffle").tag(sync=True, explorer=True)

    def __init__(self, **kwargs: Any) -> None:
        if kwargs.get("story") == "variance":
            kwargs.setdefault("meter", "variance")
        super().__init__(**kwargs)

    @t.validate("order")
    def _all_places_and_the_last_one_last(self, proposal: t.Bunch) -> list[int]:
        order = list(proposal.value)
        if sorted(order) != list(range(LENGTH)) or order[-1] != LENGTH - 1:
            raise t.TraitError(f"order must hold 0 to {LENGTH - 1} once, the last at the end")
        return order

    def standing(self) -> NDArray[np.int64]:
        """Which word of the first sentence stands at each place: (letters,)."""
        count = self.letters
        if self.order[count - 1 :] != list(range(count - 1, LENGTH)):
            count = LENGTH
        return shuffled(self.shuffle, count)[self.order[:count]]

    def network(self) -> Transformer:
        """The network of these choices, whose weights are the same random ones each time."""
        scheme = "sinusoidal" if self.encoded else "none"
        model = Transformer(
            WORDS, 1, scheme, d_model=WIDTH, heads=1, layers=self.layers, causal=self.causal,
            mlp=False, dtype=np.float64,
        )  # fmt: skip
        numbers = np.sqrt(3) * scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH)
        embedding, rest = np.split(numbers, [WORDS * WIDTH])
        matrices = rest.reshape(DEEPEST, 4, WIDTH, WIDTH) / np.sqrt(WIDTH)
        model.parameters["embedding"] = embedding.reshape(WORDS, WIDTH)
        for n in range(self.layers):
            for name, matrix in zip(("query", "key", "value", "output"), matrices[n], strict=True):
                model.parameters[f"{name}{n}"] = matrix
        return model

    def outputs(self, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the last layer leaves at each place of one sentence: (letters, WIDTH)."""
        result: NDArray[np.float64] = self.network().hidden([tokens])[-1][0]
        return result

    def changes(self) -> NDArray[np.float64]:
        """By how much the output of the word at each place changes with the shuffle: (letters,)."""
        order = self.standing()
        first = sequences()[0, : len(order)]
        change = np.abs(self.outputs(first[order]) - self.outputs(first)[order])
        largest: NDArray[np.float64] = change.max(axis=1)
        return largest

    def variances(self) -> NDArray[np.float64]:
        """The variance of what attention adds at each position, over sequences: (LENGTH,)."""
        *_, before, after = self.network().hidden(sequences())
        return np.asarray((after - before).var(axis=0).mean(axis=1))

    def probe(self) -> float:
        """The share of the variation of log(position + 1) that log(variance) explains: R²."""
        x, y = np.log(self.variances()), np.log(np.arange(LENGTH) + 1)
        return float(np.corrcoef(x, y)[0, 1] ** 2)


def sequences() -> NDArray[np.int64]:
    """Fixed random sentences: (SEQUENCES, LENGTH), words 0 to WORDS - 1."""
    numbers = scrambled(SEQUENCES * LENGTH, start=1)
    return np.floor((numbers + 1) / 2 * WORDS).astype(np.int64).reshape(SEQUENCES, LENGTH)


def shuffled(number: int, count: int = LENGTH) -> NDArray[np.int64]:
    """Shuffle `number` of all of `count` places but the last; shuffle 0 moves nothing."""
    if number == 0:
        return np.arange(count)
    order = np.argsort(scrambled(count - 1, start=100 + number), kind="stable")
    return np.append(order, count - 1)
