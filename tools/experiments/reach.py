"""Chapter 12: how far back each kind of layer finds a word, and tells which stands just before.

The task and the first recording are those of `since`: two layers answer what a text told. Here one
of the two is exchanged. As the second layer a kind has to find; as the first it has to tell which
word stands just before, and the second then turns nothing.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer
from pe_lib.course.model.schemes import Scheme
from tools.experiments import models
from tools.experiments.since import FACTS, SEEDS, STEPS, TRAINED, WINDOW

LENGTH, LONGER = 192, 96  # of the texts that are read; of those the control is trained on
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
    """Any of the KINDS in any of its layers: `slopes` names those with a bias."""

    slopes: dict[int, float]

    def _unseen(self, layer: int, length: int) -> NDArray[Any] | float:
        offset = np.subtract.outer(np.arange(length), np.arange(length))
        bias = -self.slopes.get(layer, 0.0) * np.maximum(offset, 0)
        return np.asarray(super()._unseen(layer, length) + bias, self.dtype)


def mixed(kind: str, job: str, seed: int) -> Mixed:
    """A model whose second layer, to "find", or first, to "tell", is of this kind."""
    model = Mixed(FACTS.vocabulary, FACTS.classes, "rotary", seed=seed, causal=True, layers=2)
    turns, window, slope = KINDS[kind]
    layer = {"tell": 0, "find": 1}[job]
    model.slopes = {layer: slope}
    model.windows = {layer: window} if window else {}
    if job == "find":
        model.windows[0] = WINDOW  # and rotary: the best first layer of `since`
    still = Scheme(model.scheme.d_model, model.heads, 0)
    model.turning = {n: still for n in range(2) if (n == layer and not turns) or n > layer}
    return model


def by_offset(model: Transformer, texts: int = 2048) -> dict[str, list[float]]:
    """For each range of EDGES: the share "right", and what the second layer "looks" at it with, the
    weight that the better of its heads gives to the number that is asked."""
    rng, offsets, right, looks = np.random.default_rng(1000), [], [], []
    for _ in range(texts // 128):
        tokens, targets = FACTS(rng, 128, LENGTH)
        logits, kept = model.forward(tokens)
        text, asked = np.nonzero(targets >= 0)
        told = (tokens[text] == tokens[text, asked][:, None]).argmax(axis=1) + 1
        offsets.append(asked - told)
        right.append(logits[text, asked].argmax(axis=-1) == targets[text, asked])
        looks.append(kept["layers"][1]["weights"][text, :, asked, told].max(axis=1))
    where = np.digitize(np.concatenate(offsets), EDGES[1:])
    return {
        name: [models.rounded(np.concatenate(found)[where == n].mean()) for n in range(7)]
        for name, found in (("right", right), ("looks", looks))
    }


def reach_run(kind: str, job: str, seed: int, length: int = TRAINED) -> dict[str, list[float]]:
    """One model, trained on texts of this length and read at LENGTH."""
    model = mixed(kind, job, seed)
    models.train(model, FACTS, seed, steps=STEPS, length=length)
    return by_offset(model)


def record_reach() -> dict[str, Any]:
    """Half an hour."""
    runs = {
        job: {kind: [reach_run(kind, job, seed) for seed in range(SEEDS)] for kind in KINDS}
        for job in ("find", "tell")
    }
    longer = [reach_run("rotary", "find", seed, LONGER) for seed in range(SEEDS)]
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "longer": LONGER, "length": LENGTH,
                     "steps": STEPS, "edges": EDGES},
        **runs, "find, trained at 96": longer,
    }  # fmt: skip
