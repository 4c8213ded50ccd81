"""A random, untrained network: what it knows of the order, through mask, depth and encodings."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.offset import scrambled
from pe_lib.course.model import Transformer

LENGTH, WIDTH, WORDS, SEQUENCES, DEEPEST = 16, 8, 12, 32, 3
LETTERS = "abcdefghijkl"  # one for each of the WORDS


class LeakExplorer(Explorer):
    """Attention layers with fixed random weights, and two meters of what they know of the order.

    `causal` masks what comes later, `layers` is 1 to 3, `encoded` adds sinusoidal encodings;
    `shuffle` is the number of a shuffle of all words but the last, 0 for none, and `order` what
    stands at each place after it was moved by hand, as places of the shuffled sentence. `meter`
    shows what a shuffle changes, or the variance of what attention adds. Used in chapter 7. Raises
    TraitError, which names it, for a value outside.
    """

    kind = "leak"

    causal = t.Bool(True).tag(sync=True, explorer=True)
    layers = t.Int(1, min=1, max=DEEPEST).tag(sync=True, explorer=True)
    encoded = t.Bool(False).tag(sync=True, explorer=True)
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
        """Which word of the first sentence stands at each place: (LENGTH,)."""
        return shuffled(self.shuffle)[self.order]

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
        """What the last layer leaves at each place of one sentence: (LENGTH, WIDTH)."""
        result: NDArray[np.float64] = self.network().hidden([tokens])[-1][0]
        return result

    def changes(self) -> NDArray[np.float64]:
        """By how much the output of the word at each place changes with the shuffle: (LENGTH,)."""
        first, order = sequences()[0], self.standing()
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

    def caption(self) -> str:
        mask = "causal mask" if self.causal else "no mask"
        positions = "sinusoidal encodings" if self.encoded else "no positions"
        network = (
            f"An untrained network of {self.layers} attention"
            f" {'layer' if self.layers == 1 else 'layers'} with {mask} and {positions}"
        )
        if self.meter == "variance":
            return (
                f"{network}: the logarithm of the variance of what attention adds at a position"
                f" explains {self.probe():.2f} of the variation of log(position + 1)."
            )
        if (self.standing() == np.arange(LENGTH)).all():
            return f"{network} reads sixteen words in their original order."
        last = self.changes()[-1]
        change = "does not change" if last < 1e-12 else f"changes by {last:.2f}"
        return f"{network}: when the words before it are shuffled, the last output {change}."

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(figures.WIDTH, 2.4)
        place = np.arange(LENGTH)
        if self.meter == "variance":
            spread, even = np.sqrt(self.variances()), np.sqrt(self.variances()[0] / (place + 1))
            ax.fill_between(place, spread, -spread, color=figures.PALETTE["blue"], alpha=0.15)
            for sign in (1, -1):
                ax.plot(place, sign * spread, color=figures.PALETTE["orange"], linewidth=2)
                ax.plot(place, sign * even, "--", color=figures.PALETTE["muted"], linewidth=1)
            ax.set(xlabel="position", ylabel="spread of what attention adds", ylim=(-1.5, 1.5))
            return fig
        order = self.standing()
        tokens = sequences()[0][order]
        blue, orange = figures.PALETTE["blue"], figures.PALETTE["orange"]
        for (to, word), weight in np.ndenumerate(self.network().attention([tokens])[-1][0, 0]):
            own = to == LENGTH - 1
            if weight > (0.01 if own else 0.06):
                ax.plot([word, to], [1, 0], color=orange if own else blue,
                        linewidth=8 * weight, alpha=0.9 if own else 0.12)  # fmt: skip
        if (order != place).any():
            changes = np.where(self.changes() < 1e-12, 0, self.changes())
            hues = [orange if k == LENGTH - 1 else blue for k in place]
            ax.bar(place, -changes / 4, 0.7, -0.06, color=hues)
            said = f"{changes[-1]:.2f}" if changes[-1] else "0"
            ax.text(LENGTH - 1, -0.1 - changes[-1] / 4, said, ha="center", va="top", size=9)
        ax.set_xticks(place, [LETTERS[token] for token in tokens])
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(yticks=[], xlim=(-0.5, LENGTH - 0.5))
        return fig


def sequences() -> NDArray[np.int64]:
    """Fixed random sentences: (SEQUENCES, LENGTH), words 0 to WORDS - 1."""
    numbers = scrambled(SEQUENCES * LENGTH, start=1)
    return np.floor((numbers + 1) / 2 * WORDS).astype(np.int64).reshape(SEQUENCES, LENGTH)


def shuffled(number: int) -> NDArray[np.int64]:
    """Shuffle `number` of all places but the last: (LENGTH,); shuffle 0 moves nothing."""
    if number == 0:
        return np.arange(LENGTH)
    order = np.argsort(scrambled(LENGTH - 1, start=100 + number), kind="stable")
    return np.append(order, LENGTH - 1)
