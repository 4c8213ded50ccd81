"""Train models with and without positions for chapter 7, and inspect the models without positions.

The inspected models have two layers and a causal mask, and they name the previous word. There are
ten seeds.
"""

from collections.abc import Callable, Iterable
from datetime import date
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import SCHEMES
from tools.experiments import models
from tools.experiments.models import LENGTH, PREVIOUS, ROWS, STEPS, pack, round_numbers

# models are trained at the first of these lengths, and tested at all of them
CURVE = tuple(range(16, 49, 4))
ORDERLY = {"previous": PREVIOUS, "order": tasks.order(), "counting": tasks.counting()}


def setting(
    task: str, scheme: str, causal: bool, layers: int, seeds: Iterable[int] = range(5)
) -> dict[str, Any]:
    """Train models with one combination of settings, and return their accuracies at each length.

    If each word has an answer, only the words beyond the trained length count.
    """
    orderly_task, right = ORDERLY[task], []
    for seed in seeds:
        options = {"causal": causal, "layers": layers, "max_length": max(CURVE)}
        model = models.train_model(orderly_task, scheme, seed, **options)
        right.append(
            [models.measure_beyond(model, orderly_task, length, CURVE[0]) for length in CURVE]
        )
    return {"task": task, "scheme": scheme, "causal": causal, "layers": layers, "right": right}


def record_lengths() -> dict[str, Any]:
    """Train the models for lengths.json and return their results. This takes some minutes."""
    settings = [setting(*cell) for cell in product(ORDERLY, SCHEMES, (False, True), (1, 2))]
    recorded = dict.fromkeys(ORDERLY, date.today().isoformat())
    return {"recorded": recorded, "lengths": CURVE, "steps": STEPS, "settings": settings}


SEEDS = 10
ADDED = ("sinusoidal", "learned")
Weights = NDArray[np.float32]


def train_reader(scheme: str, seed: int, **other: Any) -> Transformer:
    """Train a model to name the previous word, and return the model.

    It has two layers and a causal mask, unless `other` says otherwise.
    """
    options = {"layers": 2, "causal": True, "max_length": ROWS} | other
    return models.train_model(PREVIOUS, scheme, seed, **options)


def measure_positions(scheme: str, seed: int, length: int = ROWS, **other: Any) -> list[float]:
    """Train a model to name the previous word, and return its accuracy at each position of a text.

    The positions begin at 1.
    """
    return models.measure_accuracy_at(train_reader(scheme, seed, **other), length)


def fixed_weights(length: int) -> dict[str, Weights]:
    """Return three sets of fixed attention weights, which can replace what a model has learned.

    They are spread evenly over all visible words, or are all on the word itself or on the word
    before it.
    """
    even = np.tri(length) / np.arange(1, length + 1)[:, None]
    before = np.eye(length, k=-1)
    before[0, 0] = 1  # position 0 has no previous word, so it attends to itself
    ways = {"even": even, "itself": np.eye(length), "before": before}
    return {name: weights.astype(np.float32) for name, weights in ways.items()}


def replace_weights(
    weights_of_layer: dict[int, Weights], since: int
) -> Callable[[int, Weights], Weights]:
    """Return a function that replaces the attention weights in some layers.

    It replaces only the weights of queries from position `since` on.
    """

    def weigh(layer: int, weights: Weights) -> Weights:
        late = np.arange(weights.shape[-1])[:, None] >= since
        return (
            np.where(late, weights_of_layer[layer], weights)
            if layer in weights_of_layer
            else weights
        )

    return weigh


def shares_with_weights(
    model: Transformer, ways: dict[str, dict[int, str]], length: int, since: int
) -> dict[str, float]:
    """Return a model's accuracies after some layers get fixed attention weights in several ways.

    Weights are replaced, and answers counted, from position `since` on.
    """
    tokens, targets = PREVIOUS(np.random.default_rng(1000), 512, length)
    weights, recording = fixed_weights(length), {}
    for name, way in ways.items():
        weigh = replace_weights({layer: weights[kind] for layer, kind in way.items()}, since)
        right = model.forward(tokens, weigh)[0].argmax(axis=-1) == targets
        recording[name] = round(float(right[:, max(since, 1) :].mean()), 3)
    return recording


SWAPS: dict[str, dict[int, str]] = {
    "as trained": {},
    "layer 1 even": {0: "even"},
    "layer 1 itself": {0: "itself"},
    "layer 2 even": {1: "even"},
    "both even": {0: "even", 1: "even"},
    "layer 2 before": {1: "before"},
}


def measure_weights(model: Transformer, texts: int, length: int) -> list[Weights]:
    """Return each layer's attention weights: (texts, heads, queries, keys)."""
    return model.attention(PREVIOUS(np.random.default_rng(9), texts, length)[0])


def looks(model: Transformer) -> Any:
    """Return how much each layer attends to the previous word and to the word itself.

    The weights are means over heads and 256 texts of 16 words, at positions 1 to 15. The shape is
    (layers, 2, 15).
    """
    means = [weights.mean(axis=(0, 1)) for weights in measure_weights(model, 256, LENGTH)]
    return round_numbers([[np.diagonal(mean, -1), np.diagonal(mean)[1:]] for mean in means])


def repair(model: Transformer) -> dict[str, float]:
    """Return the accuracy at positions 16 to 47 after fixing attention weights at these positions.

    Either one layer puts all weight on the previous word, or both layers spread it evenly. The one
    layer is the layer whose head attends most to the previous word at positions 1 to 15.
    """
    near = [
        np.diagonal(weights.mean(axis=0), -1, axis1=1, axis2=2)[:, : LENGTH - 1].mean(axis=1).max()
        for weights in measure_weights(model, 128, ROWS)
    ]
    ways: dict[str, dict[int, str]] = {
        "as trained": {},
        "before": {int(np.argmax(near)): "before"},
        "both even": dict.fromkeys(range(model.layers), "even"),
    }
    return shares_with_weights(model, ways, ROWS, LENGTH)


def sentence(seed: int = 0) -> dict[str, Any]:
    """Return a text of 16 words, with attention weights and answers before and after training.

    The weights are means over both heads, for a trained and for an untrained model.
    """
    tokens, _ = PREVIOUS(np.random.default_rng(15), 1, LENGTH)
    recording: dict[str, Any] = {"words": tokens[0].tolist()}
    for name, steps in (("trained", STEPS), ("untrained", 0)):
        model = train_reader("none", seed, steps=steps)
        maps = [pack(weights.mean(axis=(0, 1))) for weights in model.attention(tokens)]
        recording[name] = {"maps": maps, "answers": model(tokens)[0].argmax(axis=-1).tolist()}
    return recording


def inspect_model(seed: int) -> dict[str, Any]:
    """Train a model of two layers without positions, and inspect its attention weights."""
    model = train_reader("none", seed)
    return {
        "swapped": shares_with_weights(model, SWAPS, LENGTH, 0),
        "looks": looks(model),
        "untrained": looks(train_reader("none", seed, steps=0)),
    }


# each control differs from the inspected model in one respect
CONTROLS: dict[str, dict[str, Any]] = {
    "one layer": {"layers": 1},
    "no mask": {"causal": False},
    "untrained": {"steps": 0},
}


def record_skipping() -> dict[str, Any]:
    """Train the models for skipping.json and return their results. This takes some minutes."""
    seeds = range(SEEDS)
    return {
        "recorded": date.today().isoformat(), "steps": STEPS, "trained": LENGTH, "seeds": SEEDS,
        "far": {scheme: [measure_positions(scheme, seed) for seed in seeds] for scheme in SCHEMES},
        "controls": {name: [measure_positions("none", seed, LENGTH, **other) for seed in seeds]
                     for name, other in CONTROLS.items()},
        "inside": [inspect_model(seed) for seed in seeds],
        "repaired": {s: [repair(train_reader(s, seed)) for seed in seeds] for s in ADDED},
        "sentence": sentence(),
    }  # fmt: skip


# Each entry names the layers that get a window. Then a query in these layers sees only as many
# words as in training.
WINDOWED: dict[str, tuple[int, ...]] = {
    "as trained": (),
    "layer 1": (0,),
    "layer 2": (1,),
    "both layers": (0, 1),
}
WINDOWED_SEEDS = {STEPS: 10, 2000: 5}  # maps numbers of training steps to numbers of seeds


def shares_with_windows(model: Transformer) -> dict[str, float]:
    """Return the accuracies at positions 16 to 47 if some layers see only 16 words.

    A window hides the older words from each query. It narrows no query of the trained length.
    """
    tokens, targets = PREVIOUS(np.random.default_rng(1000), 512, ROWS)
    recording = {}
    for name, layers in WINDOWED.items():
        model.windows = dict.fromkeys(layers, LENGTH)
        right = model(tokens).argmax(axis=-1) == targets
        recording[name] = round(float(right[:, LENGTH:].mean()), 3)
    model.windows = {}
    return recording


def record_windows() -> dict[str, Any]:
    """Train models without positions for windows.json, and return their results.

    This takes some minutes.
    """
    right = {
        str(steps): [shares_with_windows(train_reader("none", s, steps=steps)) for s in range(many)]
        for steps, many in WINDOWED_SEEDS.items()
    }
    return {"recorded": date.today().isoformat(), "window": LENGTH, "right": right}
