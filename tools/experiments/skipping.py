"""Chapter 7: networks with and without positions; and, about the task `previous` under a causal
mask, two layers that have none, looked into. Of ten seeds each."""

from collections.abc import Callable, Iterable
from datetime import date
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import SCHEMES
from tools.experiments import models
from tools.experiments.models import LENGTH, PREVIOUS, ROWS, STEPS, packed, rounded

CURVE = tuple(range(16, 49, 4))  # trained at the first
ORDERLY = {"previous": PREVIOUS, "order": tasks.order(), "counting": tasks.counting()}


def setting(
    task: str, scheme: str, causal: bool, layers: int, seeds: Iterable[int] = range(5)
) -> dict[str, Any]:
    """One cell of the table: the share right at each of the lengths of CURVE, for each seed.

    Where each word has an answer, longer texts count those alone that stand beyond the training.
    """
    asked, right = ORDERLY[task], []
    for seed in seeds:
        made = {"causal": causal, "layers": layers, "max_length": max(CURVE)}
        model = models.trained(asked, scheme, seed, **made)
        right.append([models.beyond(model, asked, length, CURVE[0]) for length in CURVE])
    return {"task": task, "scheme": scheme, "causal": causal, "layers": layers, "right": right}


def record_lengths() -> dict[str, Any]:
    """The whole table; some minutes."""
    settings = [setting(*cell) for cell in product(ORDERLY, SCHEMES, (False, True), (1, 2))]
    recorded = dict.fromkeys(ORDERLY, date.today().isoformat())
    return {"recorded": recorded, "lengths": CURVE, "steps": STEPS, "settings": settings}


SEEDS = 10
ADDED = ("sinusoidal", "learned")
Weights = NDArray[np.float32]


def reader(scheme: str, seed: int, **other: Any) -> Transformer:
    """A model that names the word before; of two layers under a mask, unless `other` says so."""
    made = {"layers": 2, "causal": True, "max_length": ROWS} | other
    return models.trained(PREVIOUS, scheme, seed, **made)


def far(scheme: str, seed: int, length: int = ROWS, **other: Any) -> list[float]:
    """The share that such a model has right at each position of texts of this length, from 1 on."""
    return models.right_at(reader(scheme, seed, **other), length)


def fixed(length: int) -> dict[str, Weights]:
    """Weights that no training chose, (length, length): even ones, and all on one word."""
    even = np.tri(length) / np.arange(1, length + 1)[:, None]
    before = np.eye(length, k=-1)
    before[0, 0] = 1  # nothing stands before the first word
    ways = {"even": even, "itself": np.eye(length), "before": before}
    return {name: weights.astype(np.float32) for name, weights in ways.items()}


def instead(given: dict[int, Weights], since: int) -> Callable[[int, Weights], Weights]:
    """Puts the weights given for a layer in place of its own, for the queries from `since` on."""

    def weigh(layer: int, weights: Weights) -> Weights:
        late = np.arange(weights.shape[-1])[:, None] >= since
        return np.where(late, given[layer], weights) if layer in given else weights

    return weigh


def replaced(
    model: Transformer, ways: dict[str, dict[int, str]], length: int, since: int
) -> dict[str, float]:
    """The share right from position `since` on, where layers have `fixed` weights, way by way."""
    tokens, targets = PREVIOUS(np.random.default_rng(1000), 512, length)
    weights, found = fixed(length), {}
    for name, way in ways.items():
        weigh = instead({layer: weights[kind] for layer, kind in way.items()}, since)
        right = model.forward(tokens, weigh)[0].argmax(axis=-1) == targets
        found[name] = round(float(right[:, max(since, 1) :].mean()), 3)
    return found


SWAPS: dict[str, dict[int, str]] = {
    "as trained": {},
    "layer 1 even": {0: "even"},
    "layer 1 itself": {0: "itself"},
    "layer 2 even": {1: "even"},
    "both even": {0: "even", 1: "even"},
    "layer 2 before": {1: "before"},
}


def looked(model: Transformer, texts: int, length: int) -> list[Weights]:
    """The weights of each layer, (texts, heads, queries, keys)."""
    return model.attention(PREVIOUS(np.random.default_rng(9), texts, length)[0])


def looks(model: Transformer) -> Any:
    """Of each layer the weight on the word before and on the word itself: (layers, 2, 15).

    At positions 1 to 15, the mean over heads and 256 texts of 16 words.
    """
    means = [weights.mean(axis=(0, 1)) for weights in looked(model, 256, LENGTH)]
    return rounded([[np.diagonal(mean, -1), np.diagonal(mean)[1:]] for mean in means])


def repaired(model: Transformer) -> dict[str, float]:
    """The share right at 16 to 47 with the weights there replaced, in one layer or in both.

    One layer, put on the word before: the one whose head gives most weight there at 1 to 15.
    """
    near = [
        np.diagonal(weights.mean(axis=0), -1, axis1=1, axis2=2)[:, : LENGTH - 1].mean(axis=1).max()
        for weights in looked(model, 128, ROWS)
    ]
    ways: dict[str, dict[int, str]] = {
        "as trained": {},
        "before": {int(np.argmax(near)): "before"},
        "both even": dict.fromkeys(range(model.layers), "even"),
    }
    return replaced(model, ways, ROWS, LENGTH)


def sentence(seed: int = 0) -> dict[str, Any]:
    """One text of 16 words through two layers: its words, the weights of each layer, the answers.

    The weights are the mean over the two heads, a byte each, trained and as random as they began.
    """
    tokens, _ = PREVIOUS(np.random.default_rng(15), 1, LENGTH)
    found: dict[str, Any] = {"words": tokens[0].tolist()}
    for name, steps in (("trained", STEPS), ("untrained", 0)):
        model = reader("none", seed, steps=steps)
        maps = [packed(weights.mean(axis=(0, 1))) for weights in model.attention(tokens)]
        found[name] = {"maps": maps, "answers": model(tokens)[0].argmax(axis=-1).tolist()}
    return found


def inside(seed: int) -> dict[str, Any]:
    """One model of two layers without positions, looked into, and the same before its training."""
    model = reader("none", seed)
    return {
        "swapped": replaced(model, SWAPS, LENGTH, 0),
        "looks": looks(model),
        "untrained": looks(reader("none", seed, steps=0)),
    }


CONTROLS: dict[str, dict[str, Any]] = {  # at positions 1 to 15, with one thing missing
    "one layer": {"layers": 1},
    "no mask": {"causal": False},
    "untrained": {"steps": 0},
}


def record_skipping() -> dict[str, Any]:
    """Some minutes."""
    seeds = range(SEEDS)
    return {
        "recorded": date.today().isoformat(), "steps": STEPS, "trained": LENGTH, "seeds": SEEDS,
        "far": {scheme: [far(scheme, seed) for seed in seeds] for scheme in SCHEMES},
        "controls": {name: [far("none", seed, LENGTH, **other) for seed in seeds]
                     for name, other in CONTROLS.items()},
        "inside": [inside(seed) for seed in seeds],
        "repaired": {s: [repaired(reader(s, seed)) for seed in seeds] for s in ADDED},
        "sentence": sentence(),
    }  # fmt: skip
