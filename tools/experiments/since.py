"""Chapters 12 and 13: layers that differ, how far back each finds a word, and dropped positions.

A model of two layers answers what a text told (`tasks.facts`): the first layer has to see which
word stands just before, the second to find a word wherever it stands.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary
from tools.experiments import grids, models
from tools.experiments.models import PREVIOUS, right, rounded

SEEDS, TRAINED, REACHES, STEPS = 5, 32, (32, 64, 96, 192), 1000
WINDOW, WIDTH = 8, 16  # what a windowed first layer sees; entries of a head
FACTS = tasks.facts()


def spaced(base: float, share: float = 1.0) -> NDArray[np.float64]:
    """The frequencies of a head for this base; all but the first `share` of the pairs stand."""
    w = frequencies(WIDTH, base)
    w[round(share * len(w)) :] = 0
    return w


R, N, WINDOWED = spaced(10_000), spaced(10_000, 0.0), (WINDOW, None)
# of the first and the second layer the frequencies, which are 0 where there are no positions, and
# how many keys each sees (None: all)
STACKS: dict[str, tuple[Any, ...]] = {
    "rotary, rotary": ((R, R), (None, None)),
    "rotary, none": ((R, N), (None, None)),
    "none, rotary": ((N, R), (None, None)),
    "none, none": ((N, N), (None, None)),
    "window, rotary": ((R, R), WINDOWED),
    "window, none": ((R, N), WINDOWED),
    "window, base 10": ((R, spaced(10)), WINDOWED),
    "window, base 1,000,000": ((R, spaced(1e6)), WINDOWED),
    "window, a quarter turned": ((R, spaced(10_000, 0.25)), WINDOWED),
}
# by what the second layer does, of which the last may be the slope; the first has a window
KINDS: dict[str, tuple[Any, ...]] = {
    "rotary": STACKS["window, rotary"],
    "none": STACKS["window, none"],
    "window": ((R, R), (WINDOW, 24)),
    "ALiBi, 1/2": ((R, N), WINDOWED, 1 / 2),
    "ALiBi, 1/16": ((R, N), WINDOWED, 1 / 16),
    "ALiBi, 1/256": ((R, N), WINDOWED, 1 / 256),
}


class Stack(Transformer):
    """Two layers, each with these frequencies and this window; the second has a `slope`."""

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


def stacked(name: str, seed: int) -> Stack:
    """One of the STACKS or KINDS, before it is trained."""
    return Stack(seed, *(STACKS | KINDS)[name])


def stack_run(name: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """The share right at each of REACHES, and what each pair of the second layer adds: `pairs`."""
    model = stacked(name, seed)
    models.train(model, FACTS, seed, steps=steps, length=TRAINED)
    shares = [right(model, FACTS, length) for length in REACHES]
    return {"right": shares, "pairs": rounded(pairs(model))}


def pairs(model: Transformer) -> NDArray[np.float64]:
    """By how much each pair of the second layer prefers the word that was told, (heads, pairs).

    It is the score of a name that is asked with the number just after its first place, less its
    mean score with all words before; the sum over pairs is the score of the head.
    """
    tokens, targets = FACTS(np.random.default_rng(1000), 512, TRAINED)
    second = model.forward(tokens)[1]["layers"][1]
    q, k = (second[name].astype(np.float64) for name in ("q", "k"))
    q, k = (part.reshape(*part.shape[:-1], -1, 2) for part in (q, k))
    text, asked, told = tell(tokens, targets)
    at, there = q[text, :, asked], k[text, :, told]  # (asked, heads, pairs, 2)
    before = np.arange(TRAINED) < asked[:, None]
    every = np.einsum("ahpc,ahlpc->ahlp", at, k[text]) * before[:, None, :, None]
    mean = every.sum(axis=2) / before.sum(axis=1)[:, None, None]
    prefers = (at * there).sum(axis=-1) - mean
    return prefers.mean(axis=0) / np.sqrt(WIDTH)


def tell(tokens: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Of each question its text, where the name is asked, and where its number was told."""
    text, asked = np.nonzero(targets >= 0)
    told = (tokens[text] == tokens[text, asked][:, None]).argmax(axis=1) + 1
    return text, asked, told


def record_since() -> dict[str, Any]:
    """Half an hour."""
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "reaches": REACHES, "steps": STEPS,
                     "window": WINDOW, "grid": grids.SIDE, "grid_steps": grids.STEPS},
        "stacks": {name: [stack_run(name, seed) for seed in range(SEEDS)] for name in STACKS},
        "axes": grids.axes_runs(),
    }  # fmt: skip


FEW, LENGTH, LONGER = 500, 192, 96  # steps; texts that are read; texts that a control trains on
MORE = FEW * LONGER // TRAINED  # steps of another control: as many words, in texts of TRAINED
EDGES = (1, 16, 32, 64, 96, 128, 160, 191)  # offsets from the name that is asked to its number


def by_offset(model: Transformer, texts: int = 512) -> list[float]:
    """The share of right answers for each range of EDGES."""
    rng, offsets, right = np.random.default_rng(1000), [], []
    for _ in range(texts // 64):
        tokens, targets = FACTS(rng, 64, LENGTH)
        text, asked, told = tell(tokens, targets)
        offsets.append(asked - told)
        right.append(model(tokens)[text, asked].argmax(axis=-1) == targets[text, asked])
    where, hits = np.digitize(np.concatenate(offsets), EDGES[1:]), np.concatenate(right)
    return rounded([hits[where == n].mean() for n in range(len(EDGES) - 1)])


def reach_run(kind: str, seed: int, length: int = TRAINED, steps: int = FEW) -> list[float]:
    """One model, trained on texts of this length and read at LENGTH."""
    model = stacked(kind, seed)
    models.train(model, FACTS, seed, steps=steps, length=length)
    return by_offset(model)


def record_reach() -> dict[str, Any]:
    """Fifteen minutes."""
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
    """Keys and values in turn; in each text a key has one value. Asked at a key: its value, if the
    key was there before.

    >>> tokens, targets = recall(2, 2)(np.random.default_rng(1), 1, 8)
    >>> print(tokens, targets)
    [[1 3 1 3 0 2 0 2]] [[-1 -1  1 -1 -1 -1  0 -1]]
    """

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        pairs = (length + 1) // 2
        book = rng.integers(values, size=(batch, keys))
        asked = rng.integers(keys, size=(batch, pairs))
        value = np.take_along_axis(book, asked, axis=1)
        before = np.tri(pairs, k=-1, dtype=bool)  # [n, m]: pair m stands before pair n
        known = ((asked[:, :, None] == asked[:, None]) & before).any(axis=2)
        tokens, targets = np.empty((batch, 2 * pairs), int), np.full((batch, 2 * pairs), -1)
        tokens[:, 0::2], tokens[:, 1::2] = asked, keys + value
        targets[:, 0::2] = np.where(known, value, -1)
        return tokens[:, :length], targets[:, :length]

    return tasks.Task("recall", keys + values, values, False, draw)


DROPPED = {"previous": PREVIOUS, "latest": tasks.latest(), "recall": recall()}
READ = (32, 64, 96)
WAYS = {"kept": "rotary", "dropped 600": "rotary", "never, on": "none"}  # as they begin


def dropped(task: str, name: str, seed: int, steps: int = 600) -> list[float]:
    """The share right at READ of a model of two layers, trained at 32 for so many `steps` and for
    as many once more: with its positions kept, with every frequency 0 from then on, or without
    positions all the time."""
    asked, made = DROPPED[task], {"causal": True, "layers": 2}
    model = models.trained(asked, WAYS[name], seed, steps=steps, length=READ[0], **made)
    if name.startswith("dropped"):
        model.scheme.frequencies = np.zeros(8)  # type: ignore[attr-defined]
    models.train(model, asked, seed + 1000, steps=steps, length=READ[0])
    return [models.beyond(model, asked, length, READ[0]) for length in READ]


def record_dropped() -> dict[str, Any]:
    """A quarter of an hour."""
    right = {task: {name: [dropped(task, name, seed) for seed in range(SEEDS)] for name in WAYS}
             for task in DROPPED}  # fmt: skip
    return {"lengths": READ, "right": right}
