"""Train models for chapters 12 and 13 whose layers differ, and models that lose their positions.

A model of two layers answers questions with a fact that the text has stated (`tasks.facts`). The
first layer has to find the word just before, and the second layer has to find a word anywhere in
the text.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary
from tools.experiments import grids, models
from tools.experiments.models import PREVIOUS, measure_accuracy, round_numbers

SEEDS, TRAINED, REACHES, STEPS = 5, 32, (32, 64, 96, 192), 1000
# WINDOW is the number of keys in a window, and WIDTH the number of entries in a head
WINDOW, WIDTH = 8, 16
FACTS = tasks.facts()


def space_frequencies(base: float, share: float = 1.0) -> NDArray[np.float64]:
    """Return a head's frequencies after setting all but the fastest `share` of them to 0."""
    w = frequencies(WIDTH, base)
    w[round(share * len(w)) :] = 0
    return w


R, N, WINDOWED = space_frequencies(10_000), space_frequencies(10_000, 0.0), (WINDOW, None)
# Each entry gives both layers' frequencies, and how many keys each layer sees.
# Frequencies of 0 mean no positions. None means that the layer sees all keys.
STACKS: dict[str, tuple[Any, ...]] = {
    "rotary, rotary": ((R, R), (None, None)),
    "rotary, none": ((R, N), (None, None)),
    "none, rotary": ((N, R), (None, None)),
    "none, none": ((N, N), (None, None)),
    "window, rotary": ((R, R), WINDOWED),
    "window, none": ((R, N), WINDOWED),
    "window, base 10": ((R, space_frequencies(10)), WINDOWED),
    "window, base 1,000,000": ((R, space_frequencies(1e6)), WINDOWED),
    "window, a quarter turned": ((R, space_frequencies(10_000, 0.25)), WINDOWED),
}
# The models for reach.json, in which the second layer varies. The first layer has a window.
KINDS: dict[str, tuple[Any, ...]] = {
    "rotary": STACKS["window, rotary"],
    "none": STACKS["window, none"],
    "window": ((R, R), (WINDOW, 24)),
    "ALiBi, 1/2": ((R, N), WINDOWED, 1 / 2),
    "ALiBi, 1/16": ((R, N), WINDOWED, 1 / 16),
    "ALiBi, 1/256": ((R, N), WINDOWED, 1 / 256),
}


class Stack(Transformer):
    """A model of two layers, each of which has its own frequencies and its own window of keys.

    The second layer may have an ALiBi slope.
    """

    def __init__(self, seed: int, turning: Any, windows: Any, slope: float = 0.0) -> None:
        size = FACTS.vocabulary, FACTS.classes
        super().__init__(*size, "rotary", seed=seed, causal=True, layers=2)
        for layer, w in enumerate(turning):
            self.turning[layer] = turns = Rotary(self.scheme.d_model, self.heads, 0)
            turns.frequencies = w
        self.windows = {layer: window for layer, window in enumerate(windows) if window}
        self.slope = slope

    def _window_mask(self, layer: int, length: int) -> NDArray[Any] | float:
        back = np.maximum(np.subtract.outer(np.arange(length), np.arange(length)), 0)
        mask = super()._window_mask(layer, length)
        return np.asarray(mask - layer * self.slope * back, self.dtype)


def make_stack(name: str, seed: int) -> Stack:
    """Return the untrained model with this name in STACKS or KINDS."""
    return Stack(seed, *(STACKS | KINDS)[name])


def stack_run(name: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """Train one of the STACKS, and return its accuracy at each length in REACHES.

    The result also holds what `pairs` returns.
    """
    model = make_stack(name, seed)
    models.train(model, FACTS, seed, steps=steps, length=TRAINED)
    shares = [measure_accuracy(model, FACTS, length) for length in REACHES]
    return {"right": shares, "pairs": round_numbers(pairs(model))}


def pairs(model: Transformer) -> NDArray[np.float64]:
    """Return how much each pair in layer 2 favours the word that the text stated as the answer.

    The result has shape (heads, pairs).

    The preference is the score between the name in a question and the number that follows the
    name's first occurrence, minus the mean score between the name and all words before it. The sum
    over the pairs is the preference of the head.
    """
    tokens, targets = FACTS(np.random.default_rng(1000), 512, TRAINED)
    second = model.forward(tokens)[1]["layers"][1]
    q, k = (second[name].astype(np.float64) for name in ("q", "k"))
    q, k = (part.reshape(*part.shape[:-1], -1, 2) for part in (q, k))
    text, asked_at, told_at = find_facts(tokens, targets)
    # both have shape (questions, heads, pairs, 2)
    at, there = q[text, :, asked_at], k[text, :, told_at]
    before = np.arange(TRAINED) < asked_at[:, None]
    every = np.einsum("ahpc,ahlpc->ahlp", at, k[text]) * before[:, None, :, None]
    mean = every.sum(axis=2) / before.sum(axis=1)[:, None, None]
    prefers = (at * there).sum(axis=-1) - mean
    return np.asarray(prefers.mean(axis=0) / np.sqrt(WIDTH), np.float64)


def find_facts(tokens: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """For each question, find its text, its position, and the position of the answering fact."""
    text, asked_at = np.nonzero(targets >= 0)
    told_at = (tokens[text] == tokens[text, asked_at][:, None]).argmax(axis=1) + 1
    return text, asked_at, told_at


def record_since() -> dict[str, Any]:
    """Train the models for since.json and return their results. This takes half an hour."""
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "reaches": REACHES, "steps": STEPS,
                     "window": WINDOW, "grid": grids.SIDE, "grid_steps": grids.STEPS},
        "stacks": {name: [stack_run(name, seed) for seed in range(SEEDS)] for name in STACKS},
        "axes": grids.axes_runs(),
    }  # fmt: skip


# FEW is the number of training steps. The test texts have LENGTH words, and the training texts of a
# control have LONGER words.
FEW, LENGTH, LONGER = 500, 192, 96
# after this many steps on short texts, a control has seen as many words as with longer texts
MORE = FEW * LONGER // TRAINED
# the limits of ranges, over which accuracies are averaged, of the distance from question to fact
EDGES = (1, 16, 32, 64, 96, 128, 160, 191)


def by_offset(model: Transformer, texts: int = 512) -> list[float]:
    """Return the accuracy on questions, averaged over ranges of the distance to their facts."""
    rng, offsets, right = np.random.default_rng(1000), [], []
    for _ in range(texts // 64):
        tokens, targets = FACTS(rng, 64, LENGTH)
        text, asked_at, told_at = find_facts(tokens, targets)
        offsets.append(asked_at - told_at)
        right.append(model(tokens)[text, asked_at].argmax(axis=-1) == targets[text, asked_at])
    where, hits = np.digitize(np.concatenate(offsets), EDGES[1:]), np.concatenate(right)
    shares: list[float] = round_numbers([hits[where == n].mean() for n in range(len(EDGES) - 1)])
    return shares


def reach_run(kind: str, seed: int, length: int = TRAINED, steps: int = FEW) -> list[float]:
    """Train a model on texts of `length`, and return what `by_offset` measures on long texts.

    The test texts have LENGTH words.
    """
    model = make_stack(kind, seed)
    models.train(model, FACTS, seed, steps=steps, length=length)
    return by_offset(model)


def record_reach() -> dict[str, Any]:
    """Train the models for reach.json and return their results. This takes 15 minutes."""
    arms: dict[str, tuple[Any, ...]] = {kind: (kind,) for kind in KINDS}
    arms |= {f"rotary, {LONGER}": ("rotary", LONGER), "rotary, more": ("rotary", TRAINED, MORE)}
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "longer": LONGER, "length": LENGTH,
                     "steps": FEW, "more": MORE, "edges": EDGES},
        "right": {name: [reach_run(kind, seed, *how) for seed in range(SEEDS)]
                  for name, (kind, *how) in arms.items()},
    }  # fmt: skip


def recall(keys: int = 8, values: int = 8) -> tasks.Task:
    """Return the task of recalling the value that stood behind a key earlier in the text.

    Keys and values alternate, and a key keeps its value throughout a text.

    >>> tokens, targets = recall(2, 2)(np.random.default_rng(1), 1, 8)
    >>> print(tokens, targets)
    [[1 3 1 3 0 2 0 2]] [[-1 -1  1 -1 -1 -1  0 -1]]
    """

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        pairs = (length + 1) // 2
        book = rng.integers(values, size=(batch, keys))
        questions = rng.integers(keys, size=(batch, pairs))
        value = np.take_along_axis(book, questions, axis=1)
        # entry [n, m] says whether pair m comes before pair n
        before = np.tri(pairs, k=-1, dtype=bool)
        is_known = ((questions[:, :, None] == questions[:, None]) & before).any(axis=2)
        tokens, targets = np.empty((batch, 2 * pairs), int), np.full((batch, 2 * pairs), -1)
        tokens[:, 0::2], tokens[:, 1::2] = questions, keys + value
        targets[:, 0::2] = np.where(is_known, value, -1)
        return tokens[:, :length], targets[:, :length]

    return tasks.Task("recall", keys + values, values, False, draw)


DROPPED = {"previous": PREVIOUS, "latest": tasks.latest(), "recall": recall()}
READ = (32, 64, 96)
# the position scheme in the first phase of training
WAYS = {"kept": "rotary", "dropped 600": "rotary", "never, on": "none"}


def drop_positions(task: str, name: str, seed: int, steps: int = 600) -> list[float]:
    """Train a model, continue the training with or without positions, and return its accuracies.

    Each phase has `steps` steps on texts of 32 words. In the second phase, the positions are kept,
    or all frequencies are set to 0. A control has no positions in either phase.
    """
    learned_task, options = DROPPED[task], {"causal": True, "layers": 2}
    model = models.train_model(
        learned_task, WAYS[name], seed, steps=steps, length=READ[0], **options
    )
    if name.startswith("dropped"):
        model.scheme.frequencies = np.zeros(8)  # type: ignore[attr-defined]
    models.train(model, learned_task, seed + 1000, steps=steps, length=READ[0])
    return [models.measure_beyond(model, learned_task, length, READ[0]) for length in READ]


def record_dropped() -> dict[str, Any]:
    """Train the models for dropped.json and return their results. This takes 15 minutes."""
    right = {
        task: {name: [drop_positions(task, name, seed) for seed in range(SEEDS)] for name in WAYS}
        for task in DROPPED
    }
    return {"lengths": READ, "right": right}
