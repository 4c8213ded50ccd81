"""Chapter 12: layers that differ, axes that share, and positions that are dropped.

A model of two layers answers what a text told (`tasks.facts`): the first layer has to see which
word stands just before, the second to find a word wherever it stands. A model of one layer names
the patch above, or the one to the left.
"""

from copy import deepcopy
from datetime import date
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Rotary, Scheme
from pe_lib.grid import rotate_axes, round_robin, sections
from tools.experiments import models
from tools.experiments.models import PREVIOUS, right, rounded

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


class Axes(Scheme):
    """Turns each pair by its axis of the grid, (frame, row, column); the frame is 0."""

    def __init__(self, axes: NDArray[np.intp], base: float, heads: int, side: int) -> None:
        super().__init__(heads * 2 * len(axes), heads, side * side)
        self.axes, self.frequencies = axes, frequencies(2 * len(axes), base)
        row, column = np.divmod(np.arange(side * side), side)
        self.places = np.stack([0 * row, row, column], axis=1)

    def turned(self, heads: NDArray[Any], back: bool = False) -> NDArray[Any]:
        places = -self.places if back else self.places
        return rotate_axes(heads, places, self.axes, frequencies=self.frequencies)


def neighbour(axis: str, side: int = GRID, vocabulary: int = 8) -> tasks.Task:
    """Name the patch just above ("row") or just to the left ("column") of each."""

    def draw(
        rng: np.random.Generator, batch: int, length: int
    ) -> tuple[tasks.Integers, tasks.Integers]:
        image = rng.integers(vocabulary, size=(batch, side, side))
        answer = np.full_like(image, -1)
        if axis == "row":
            answer[:, 1:] = image[:, :-1]
        else:
            answer[:, :, 1:] = image[:, :, :-1]
        return image.reshape(batch, -1), answer.reshape(batch, -1)

    return tasks.Task(f"{axis} before", vocabulary, vocabulary, False, draw)


def axes_run(share: str, base: float, axis: str, seed: int, steps: int = GRID_STEPS) -> float:
    """The share right after training on one of the two neighbours."""
    asked, heads = neighbour(axis), 2
    model = models.new(asked, "none", seed, d_model=heads * GRID_WIDTH, heads=heads)
    model.scheme = Axes(SHARES[share], base, heads, GRID)
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
READ, AGAIN = (32, 64, 96), (60, 300, 600)  # lengths, and steps of recalibration


def dropped(
    task: str, seed: int, steps: int = 600, again: tuple[int, ...] = AGAIN
) -> dict[str, list[float]]:
    """A rotary model of two layers, trained at 32, loses its positions: the share right at READ.

    "trained" is that model; "dropped 0" the same with every frequency 0, "dropped 60" and so on
    after as many more steps at 32; "kept" has its positions in the longest of these. "never" had
    none, and trains as long as "trained"; "never, on" as long as "kept".
    """
    asked, found = DROPPED[task], {}
    made = {"steps": steps, "length": READ[0], "causal": True, "layers": 2}

    def shares(model: Transformer) -> list[float]:
        return [models.beyond(model, asked, length, READ[0]) for length in READ]

    def on(model: Transformer, more: int) -> list[float]:
        one = deepcopy(model)
        if more:
            models.train(one, asked, seed + 1000, steps=more, length=READ[0])
        return shares(one)

    model = models.trained(asked, "rotary", seed, **made)
    found["trained"], found["kept"] = shares(model), on(model, again[-1])
    model.scheme.frequencies = np.zeros(8)  # type: ignore[attr-defined]
    found |= {f"dropped {more}": on(model, more) for more in (0, *again)}
    model = models.trained(asked, "none", seed, **made)
    found["never"], found["never, on"] = shares(model), on(model, again[-1])
    return found


def record_dropped(seeds: int = 5) -> dict[str, Any]:
    """A quarter of an hour."""
    shares: dict[str, dict[str, list[list[float]]]] = {task: {} for task in DROPPED}
    for task, seed in product(DROPPED, range(seeds)):
        for model, found in dropped(task, seed).items():
            shares[task].setdefault(model, []).append(found)
    return {"lengths": READ, "again": AGAIN, "right": shares}
