"""A random, untrained network: what it knows of the order, through mask, depth and encodings."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.attention import attention
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.offset import scrambled
from pe_lib.sinusoidal import encode

LENGTH, WIDTH, WORDS, SEQUENCES, DEEPEST = 16, 8, 12, 32, 3


class LeakExplorer(Explorer):
    """Attention layers with fixed random weights, and three meters of what they know of the order.

    `causal` masks what comes later, `layers` is 1 to 3, `encoded` adds sinusoidal encodings, and
    `shuffle` is the number of a shuffle of all words but the last, 0 for none. Used in chapter 7.
    Raises TraitError, which names it, for a value outside.
    """

    kind = "leak"

    causal = t.Bool(True).tag(sync=True, explorer=True)
    layers = t.Int(1, min=1, max=DEEPEST).tag(sync=True, explorer=True)
    encoded = t.Bool(False).tag(sync=True, explorer=True)
    shuffle = t.Int(1, min=0, max=99).tag(sync=True, explorer=True)

    def run(self, tokens: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The stream after the last layer, and what its attention added: (LENGTH, WIDTH) each."""
        numbers = np.sqrt(3) * scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH)
        embedding, weights = np.split(numbers, [WORDS * WIDTH])
        matrices = weights.reshape(DEEPEST, 4, WIDTH, WIDTH) / np.sqrt(WIDTH)
        x = embedding.reshape(WORDS, WIDTH)[tokens]
        if self.encoded:
            x = x + encode(np.arange(LENGTH), WIDTH)
        added = x
        for query, key, value, output in matrices[: self.layers]:
            u = x / np.sqrt((x * x).mean(axis=1, keepdims=True))
            added = attention(u @ query, u @ key, u @ value, causal=self.causal) @ output
            x = x + added
        return x, added

    def changes(self) -> NDArray[np.float64]:
        """By how much each position's output changes with the shuffle: (LENGTH,)."""
        first = sequences()[0]
        change = np.abs(self.run(first[shuffled(self.shuffle)])[0] - self.run(first)[0])
        largest: NDArray[np.float64] = change.max(axis=1)
        return largest

    def variances(self) -> NDArray[np.float64]:
        """The variance of what attention adds at each position, over sequences: (LENGTH,)."""
        added = np.stack([self.run(tokens)[1] for tokens in sequences()])
        return np.asarray(added.var(axis=0).mean(axis=1))

    def probe(self) -> float:
        """The share of the variation of log(position + 1) that log(variance) explains: R²."""
        x, y = np.log(self.variances()), np.log(np.arange(LENGTH) + 1)
        return float(np.corrcoef(x, y)[0, 1] ** 2)

    def caption(self) -> str:
        last = self.changes()[-1]
        mask = "causal mask" if self.causal else "no mask"
        added = "sinusoidal encodings" if self.encoded else "no positions"
        moved = "does not change" if last < 1e-12 else f"changes by {last:.2f}"
        return (
            f"An untrained network of {self.layers} attention layer{'s'[: self.layers > 1]} with "
            f"{mask} and {added}: when all words but the last are shuffled, the last output "
            f"{moved}. The logarithm of the variance of what attention adds at a position explains "
            f"{self.probe():.2f} of the variation of log(position + 1)."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, (left, right) = figures.subplots(6.6, 2.6, 1, 2)
        place = np.arange(LENGTH)
        left.bar(place, np.where(self.changes() < 1e-12, 0, self.changes()))
        left.set(xlabel="position", title="change after the shuffle", xticks=place[::5])
        right.loglog(place + 1, self.variances(), "o-", markersize=3)
        right.set(xlabel="position + 1", title="variance of what attention adds")
        return fig


def sequences() -> NDArray[np.int64]:
    """Fixed random sentences: (SEQUENCES, LENGTH), words 0 to WORDS - 1."""
    numbers = scrambled(SEQUENCES * LENGTH, start=1)
    return np.floor((numbers + 1) / 2 * WORDS).astype(np.int64).reshape(SEQUENCES, LENGTH)


def shuffled(number: int) -> NDArray[np.int64]:
    """Shuffle `number` of all places but the last: (LENGTH,); shuffle 0 moves nothing."""
    if number == 0:
        return np.arange(LENGTH)
    order = np.argsort(scrambled(LENGTH - 1, start=number), kind="stable")
    return np.append(order, LENGTH - 1)
