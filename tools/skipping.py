"""Train what chapter 7 shows of networks without positions, and record it: make experiments.

Alone, some minutes: python tools/experiments.py skipping. All is about the task `previous`, under a
causal mask, in models trained for 400 steps on texts of 16 words. Each number is recorded for each
of ten seeds.
"""

import json
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import SCHEMES
from pe_lib.course.model.transformer import norm, root, softmax
from tools.experiments import DATA, LENGTH, STEPS, packed, right_at, train

FAR, SEEDS = 48, 10
ADDED = ("sinusoidal", "learned")
Weights = NDArray[np.float32]


def trained(
    scheme: str, seed: int, *, layers: int = 2, causal: bool = True, steps: int = STEPS
) -> Transformer:
    """A model that names the word before; after 0 steps it is as random as it began."""
    model = Transformer(8, 8, scheme, causal=causal, layers=layers, max_length=FAR, seed=seed)
    if steps:
        train(model, tasks.previous(), steps=steps, length=LENGTH, seed=seed)
    return model


def forward(
    model: Transformer,
    tokens: NDArray[np.integer[Any]],
    instead: dict[int, Weights],
    since: int = 0,
) -> NDArray[np.float32]:
    """The logits of a causal model, with other weights `instead` in some layers.

    `instead` holds (queries, keys) by the number of the layer; {} gives what the model gives.
    Queries before position `since` keep their own. For models without positions or with added ones.
    """
    length = tokens.shape[1]
    p, hidden = model.parameters, np.where(np.tri(length), 0, -np.inf).astype(np.float32)
    late = np.arange(length)[:, None] >= since
    x = p["embedding"][tokens] + np.asarray(model.scheme.added(p, length), np.float32)
    for n in range(model.layers):
        u, _ = norm(x)
        q, k, v = (model._split(u @ p[f"{name}{n}"]) for name in ("query", "key", "value"))
        weights = softmax(q @ k.swapaxes(-1, -2) / root(q) + hidden)
        if n in instead:
            weights = np.where(late, instead[n], weights)
        x = x + model._join(weights @ v) @ p[f"output{n}"]
        m, _ = norm(x)
        x = x + np.maximum(m @ p[f"up{n}"] + p[f"threshold{n}"], 0) @ p[f"down{n}"]
    logits: NDArray[np.float32] = norm(x)[0] @ p["unembedding"]
    return logits


def fixed(length: int) -> dict[str, Weights]:
    """Weights that no training chose, (length, length): even ones, and all on one word."""
    even = np.tri(length) / np.arange(1, length + 1)[:, None]
    before = np.eye(length, k=-1)
    before[0, 0] = 1  # nothing stands before the first word
    ways = {"even": even, "itself": np.eye(length), "before": before}
    return {name: weights.astype(np.float32) for name, weights in ways.items()}


def swapped(model: Transformer) -> dict[str, float]:
    """The share right at 16 when the weights of one layer are replaced by fixed ones."""
    tokens, targets = tasks.previous()(np.random.default_rng(1000), 512, LENGTH)
    weights = fixed(LENGTH)
    ways: dict[str, dict[int, Weights]] = {
        "as trained": {},
        "layer 1 even": {0: weights["even"]},
        "layer 1 itself": {0: weights["itself"]},
        "layer 2 even": {1: weights["even"]},
        "both even": {0: weights["even"], 1: weights["even"]},
        "layer 2 before": {1: weights["before"]},
    }
    found = {}
    for name, instead in ways.items():
        right = (forward(model, tokens, instead).argmax(axis=-1) == targets)[:, 1:]
        found[name] = round(float(right.mean()), 3)
    return found


def looks(model: Transformer) -> list[list[list[float]]]:
    """Of each layer the weight on the word before and on the word itself: (layers, 2, 15).

    At positions 1 to 15, the mean over heads and 256 texts of 16 words.
    """
    tokens, _ = tasks.previous()(np.random.default_rng(9), 256, LENGTH)
    found = []
    for weights in model.attention(tokens):
        mean = weights.mean(axis=(0, 1))
        found.append([np.diagonal(mean, -k)[1 - k :].round(3).tolist() for k in (1, 0)])
    return [[[round(share, 3) for share in row] for row in layer] for layer in found]


def sharpest(model: Transformer) -> list[list[float]]:
    """Of each layer the largest and the smallest weight of a row at position 15: (layers, 2).

    Of each single row, head by head; then the mean over both heads and 256 texts of 16 words.
    """
    tokens, _ = tasks.previous()(np.random.default_rng(9), 256, LENGTH)
    rows = [weights[:, :, -1] for weights in model.attention(tokens)]
    ends = [(row.max(axis=-1).mean(), row.min(axis=-1).mean()) for row in rows]
    return [[round(float(end), 3) for end in layer] for layer in ends]


def pointer(model: Transformer) -> tuple[list[float], list[float]]:
    """The head that gives most weight to the word before at 1 to 15: that weight, and its largest.

    At positions 1 to 47, the mean over 128 texts; the largest of a row, wherever it lies.
    """
    tokens, _ = tasks.previous()(np.random.default_rng(9), 128, FAR)
    heads = np.concatenate(model.attention(tokens), axis=1)  # (texts, heads of all layers, 48, 48)
    by_head = np.diagonal(heads.mean(axis=0), -1, axis1=1, axis2=2)
    best = by_head[:, : LENGTH - 1].mean(axis=1).argmax()
    largest = heads[:, best].max(axis=-1).mean(axis=0)[1:]
    return by_head[best].round(3).tolist(), largest.round(3).tolist()


def repaired(model: Transformer) -> dict[str, float]:
    """The share right at 16 to 47 with the weights there replaced, in one layer or in both.

    One layer: the one with the head of `pointer`, put on the word before.
    """
    tokens, targets = tasks.previous()(np.random.default_rng(1000), 512, FAR)
    looked, _ = tasks.previous()(np.random.default_rng(9), 128, FAR)
    near = [  # by layer, the weight that its better head gives to the word before at 1 to 15
        np.diagonal(weights.mean(axis=0), -1, axis1=1, axis2=2)[:, : LENGTH - 1].mean(axis=1).max()
        for weights in model.attention(looked)
    ]
    weights = fixed(FAR)
    ways: dict[str, dict[int, Weights]] = {
        "as trained": {},
        "before": {int(np.argmax(near)): weights["before"]},
        "both even": dict.fromkeys(range(model.layers), weights["even"]),
    }
    found = {}
    for name, instead in ways.items():
        right = forward(model, tokens, instead, since=LENGTH).argmax(axis=-1) == targets
        found[name] = round(float(right[:, LENGTH:].mean()), 3)
    return found


def sentence(seed: int = 0) -> dict[str, Any]:
    """One text of 16 words through two layers: its words, the weights of each layer, the answers.

    The weights are the mean over the two heads, a byte each, trained and as random as they began.
    """
    tokens, _ = tasks.previous()(np.random.default_rng(15), 1, LENGTH)
    found: dict[str, Any] = {"words": tokens[0].tolist()}
    for name, steps in (("trained", STEPS), ("untrained", 0)):
        model = trained("none", seed, steps=steps)
        maps = [packed(weights.mean(axis=(0, 1))) for weights in model.attention(tokens)]
        found[name] = {"maps": maps, "answers": model(tokens)[0].argmax(axis=-1).tolist()}
    return found


def by_position(scheme: str, seed: int) -> dict[str, list[float]]:
    """Of one model of two layers: the share right, and what its pointer does, at 1 to 47."""
    model = trained(scheme, seed)
    back, largest = pointer(model)
    rounded = [[round(share, 3) for share in shares] for shares in (back, largest)]
    return {"right": right_at(model, FAR), "pointer": rounded[0], "largest": rounded[1]}


def inside(seed: int) -> dict[str, Any]:
    """One model of two layers without positions, looked into, and the same before its training."""
    model, before = trained("none", seed), trained("none", seed, steps=0)
    return {
        "swapped": swapped(model), "looks": looks(model), "untrained": looks(before),
        "sharpest": {"trained": sharpest(model), "untrained": sharpest(before)},
    }  # fmt: skip


CONTROLS: dict[str, dict[str, Any]] = {
    "one layer": {"layers": 1},
    "no mask": {"causal": False},
    "untrained": {"steps": 0},
}


def control(name: str, seed: int) -> list[float]:
    """The share right at positions 1 to 15, without positions, with one thing missing."""
    return right_at(trained("none", seed, **CONTROLS[name]), LENGTH)


def record() -> None:
    """All of it, to chapters/data/skipping.json."""
    seeds = range(SEEDS)
    recording = {
        "recorded": date.today().isoformat(), "steps": STEPS, "trained": LENGTH, "seeds": SEEDS,
        "far": {scheme: [by_position(scheme, seed) for seed in seeds] for scheme in SCHEMES},
        "controls": {name: [control(name, seed) for seed in seeds] for name in CONTROLS},
        "inside": [inside(seed) for seed in seeds],
        "repaired": {s: [repaired(trained(s, seed)) for seed in seeds] for s in ADDED},
        "sentence": sentence(),
    }  # fmt: skip
    (DATA / "skipping.json").write_text(json.dumps(recording) + "\n", "utf-8")
