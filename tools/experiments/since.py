"""Chapter 12: layers that differ, axes that share, and positions that are dropped.

A model of two layers answers what a text told (`tasks.facts`): the first layer has to see which
word stands just before, the second to find a word wherever it stands. A model of one layer names
the patch above, or the one to the left.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary, Scheme
from pe_lib.grid import round_robin, sections
from tools.experiments import models
from tools.experiments.models import PREVIOUS, neighbour, right, rounded
from tools.experiments.schemes import Axes

SEEDS, TRAINED, REACHES, STEPS = 5, 32, (32, 64, 96, 192), 1000
WINDOW, WIDTH = 8, 16  # what a windowed layer sees; entries of a head
FACTS = tasks.facts()


def spaced(base: float, share: float = 1.0) -> NDArray[np.float64]:
    """The frequencies of a head for this base; all but the first `share` of the pairs stand."""
    w = frequencies(WIDTH, base)
    w[round(share * len(w)) :] = 0
    return w


# what the first and the second layer do: frequencies (none: no positions), and whether the first
# sees a window only
R, N = spaced(10_000), None
STACKS: dict[str, tuple[Any, Any, bool]] = {
    "rotary, rotary": (R, R, False),
    "rotary, none": (R, N, False),
    "none, rotary": (N, R, False),
    "none, none": (N, N, False),
    "window, rotary": (R, R, True),
    "window, none": (R, N, True),
    "window, base 10": (R, spaced(10), True),
    "window, base 1,000,000": (R, spaced(1e6), True),
    "window, a quarter turned": (R, spaced(10_000, 0.25), True),
}


def stacked(name: str, seed: int) -> Transformer:
    """One of the STACKS, before it is trained."""
    first, second, windowed = STACKS[name]
    model = models.new(FACTS, "rotary", seed, causal=True, layers=2)
    for layer, w in enumerate((first, second)):
        if w is None:
            model.turning[layer] = Scheme(model.scheme.d_model, model.heads, 0)
        else:
            model.turning[layer] = turns = Rotary(model.scheme.d_model, model.heads, 0)
            turns.frequencies = w
    model.windows = {0: WINDOW} if windowed else {}
    return model


def stack_run(name: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """The share right at each of REACHES, and what each pair of the second layer adds: `pairs`."""
    model = stacked(name, seed)
    models.train(model, FACTS, seed, steps=steps, length=TRAINED)
    shares = [right(model, FACTS, length) for length in REACHES]
    return {"right": shares, "pairs": rounded(pairs(model))}


def pairs(model: Transformer, length: int = TRAINED) -> NDArray[np.float64]:
    """By how much each pair of the second layer prefers the word that was told, (heads, pairs).

    It is the score of a name that is asked with the number just after its first place, less its
    mean score with all words before; the sum over pairs is the score of the head.
    """
    tokens, targets = FACTS(np.random.default_rng(1000), 512, length)
    second = model.forward(tokens)[1]["layers"][1]
    q, k = (second[name].astype(np.float64) for name in ("q", "k"))
    q, k = (part.reshape(*part.shape[:-1], -1, 2) for part in (q, k))
    text, asked = np.nonzero(targets >= 0)
    first = (tokens[text] == tokens[text, asked][:, None]).argmax(axis=1)
    at, there = q[text, :, asked], k[text, :, first + 1]  # (asked, heads, pairs, 2)
    told = (at * there).sum(axis=-1)
    before = np.arange(length) < asked[:, None]
    every = np.einsum("ahpc,ahlpc->ahlp", at, k[text]) * before[:, None, :, None]
    mean = every.sum(axis=2) / before.sum(axis=1)[:, None, None]
    found: NDArray[np.float64] = (told - mean).mean(axis=0) / np.sqrt(WIDTH)
    return found


GRID, GRID_STEPS, GRID_WIDTH = 12, 600, 32  # patches a side; entries of a head
SHARES = {
    "sections": sections([4, 6, 6]),
    "sections, width first": sections([4, 6, 6])[::-1],
    "round robin": round_robin([6, 5, 5]),
}


def axes_run(share: str, base: float, axis: str, seed: int, steps: int = GRID_STEPS) -> float:
    """The share right after training on one of the two neighbours."""
    asked = neighbour(GRID if axis == "row" else 1, GRID)
    model = models.new(asked, "none", seed, d_model=2 * GRID_WIDTH)
    model.scheme = Axes(SHARES[share], base, GRID)
    models.train(model, asked, seed, steps=steps, batch=16, length=GRID**2)
    return right(model, asked, GRID**2, batch=64)


def axes_runs() -> list[dict[str, Any]]:
    """Each of the SHARES with base 1,000,000; as controls, two with base 100."""
    arms = [(share, 1_000_000) for share in SHARES] + [("sections", 100), ("round robin", 100)]
    return [
        {"share": share, "base": base, "axis": axis,
         "right": [axes_run(share, base, axis, seed) for seed in range(SEEDS)]}
        for share, base in arms for axis in ("row", "column")
    ]  # fmt: skip


def record_since() -> dict[str, Any]:
    """Half an hour."""
    return {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "reaches": REACHES, "steps": STEPS,
                     "window": WINDOW, "grid": GRID, "grid_steps": GRID_STEPS},
        "stacks": {name: [stack_run(name, seed) for seed in range(SEEDS)] for name in STACKS},
        "axes": axes_runs(),
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


def dropped(task: str, seed: int, steps: int = 600) -> dict[str, list[float]]:
    """The share right at READ of models of two layers, trained at 32 for so many `steps` and for as
    many once more: with their positions kept, with every frequency 0 from then on, and without
    positions all the time."""
    asked, found = DROPPED[task], {}
    made = {"steps": steps, "length": READ[0], "causal": True, "layers": 2}
    for name, scheme in WAYS.items():
        model = models.trained(asked, scheme, seed, **made)
        if name.startswith("dropped"):
            model.scheme.frequencies = np.zeros(8)  # type: ignore[attr-defined]
        models.train(model, asked, seed + 1000, steps=steps, length=READ[0])
        found[name] = [models.beyond(model, asked, length, READ[0]) for length in READ]
    return found


def record_dropped(seeds: int = 5) -> dict[str, Any]:
    """A quarter of an hour."""
    right: dict[str, dict[str, list[list[float]]]] = {}
    for task in DROPPED:
        runs = [dropped(task, seed) for seed in range(seeds)]
        right[task] = {name: [run[name] for run in runs] for name in WAYS}
    return {"lengths": READ, "right": right}
