"""Chapter 12: how far back each kind of layer finds a word.

The task and the first layer are those of `since`: two layers answer what a text told, and the
second, which has to find, is exchanged here.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer
from pe_lib.course.model.schemes import Scheme
from tools.experiments import models
from tools.experiments.since import FACTS, SEEDS, TRAINED, WINDOW

STEPS, LENGTH, LONGER = 500, 192, 96  # of the texts that are read; of those a control trains on
MORE = STEPS * LONGER // TRAINED  # steps of another control: as many words, in texts of TRAINED
EDGES = (1, 16, 32, 64, 96, 128, 160, 191)  # offsets from the name that is asked to its number
# by kind: does it turn, how many keys it sees, and the slope of its bias
KINDS: dict[str, tuple[bool, int | None, float]] = {
    "rotary": (True, None, 0.0),
    "none": (False, None, 0.0),
    "window": (True, 24, 0.0),
    "ALiBi, 1/2": (False, None, 1 / 2),
    "ALiBi, 1/16": (False, None, 1 / 16),
    "ALiBi, 1/256": (False, None, 1 / 256),
}


class Mixed(Transformer):
    """`slopes` names the layers that have a bias of their own."""

    slopes: dict[int, float]

    def _unseen(self, layer: int, length: int) -> NDArray[Any] | float:
        offset = np.subtract.outer(np.arange(length), np.arange(length))
        bias = -self.slopes.get(layer, 0.0) * np.maximum(offset, 0)
        return np.asarray(super()._unseen(layer, length) + bias, self.dtype)


def mixed(kind: str, seed: int) -> Mixed:
    """A model whose second layer is of this kind; the first is rotary, with a window."""
    model = Mixed(FACTS.vocabulary, FACTS.classes, "rotary", seed=seed, causal=True, layers=2)
    turns, window, slope = KINDS[kind]
    model.slopes, model.windows = {1: slope}, {0: WINDOW} | ({1: window} if window else {})
    if not turns:
        model.turning[1] = Scheme(model.scheme.d_model, model.heads, 0)
    return model


def by_offset(model: Transformer, texts: int = 512) -> list[float]:
    """The share of right answers for each range of EDGES."""
    rng, offsets, right = np.random.default_rng(1000), [], []
    for _ in range(texts // 64):
        tokens, targets = FACTS(rng, 64, LENGTH)
        text, asked = np.nonzero(targets >= 0)
        told = (tokens[text] == tokens[text, asked][:, None]).argmax(axis=1) + 1
        offsets.append(asked - told)
        right.append(model(tokens)[text, asked].argmax(axis=-1) == targets[text, asked])
    where, hits = np.digitize(np.concatenate(offsets), EDGES[1:]), np.concatenate(right)
    found: list[float] = models.rounded([hits[where == n].mean() for n in range(len(EDGES) - 1)])
    return found


def reach_run(kind: str, seed: int, length: int = TRAINED, steps: int = STEPS) -> list[float]:
    """One model, trained on texts of this length and read at LENGTH."""
    model = mixed(kind, seed)
    models.train(model, FACTS, seed, steps=steps, length=length)
    return by_offset(model)


def record_reach() -> dict[str, Any]:
    """Fifteen minutes."""
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "longer": LONGER, "length": LENGTH,
                     "steps": STEPS, "more": MORE, "edges": EDGES},
        "right": {kind: [reach_run(kind, seed) for seed in range(SEEDS)] for kind in KINDS}
        | {f"rotary, {LONGER}": [reach_run("rotary", seed, LONGER) for seed in range(SEEDS)]}
        | {"rotary, more": [reach_run("rotary", seed, steps=MORE) for seed in range(SEEDS)]},
    }  # fmt: skip
