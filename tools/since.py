"""Train what chapter 11 shows of layers that differ and of axes that share: make experiments.

Alone, half an hour: python tools/experiments.py since. A model of two layers answers what a text
told (`tasks.facts`): the first layer has to see which word stands just before, the second to find a
word wherever it stands. A model of one layer names the patch above, or the one to the left.
"""

import json
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Rotary, Scheme
from pe_lib.course.model.transformer import norm
from pe_lib.grid import interleaved, rotate_axes, sections
from tools.experiments import DATA

SEEDS, TRAINED, REACHES, STEPS = 5, 32, (32, 64, 96, 192), 1000
WINDOW, WIDTH = 8, 16  # what a windowed layer sees; entries of a head


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
    *turning, windowed = STACKS[name]
    asked = tasks.facts()
    model = Transformer(
        asked.vocabulary, asked.classes, "rotary", causal=True, layers=2, seed=seed
    )  # fmt: skip
    for layer, w in enumerate(turning):
        if w is None:
            model.turning[layer] = Scheme(model.scheme.d_model, model.heads, 0)
        else:
            model.turning[layer] = turns = Rotary(model.scheme.d_model, model.heads, 0)
            turns.frequencies = w
    model.windows = {0: WINDOW} if windowed else {}
    return model


def stack_run(name: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """The share right at each of REACHES, and what each pair of the second layer adds: `pairs`."""
    model, asked = stacked(name, seed), tasks.facts()
    train(model, asked, steps=steps, length=TRAINED, seed=seed, progress=False)
    right = [round(accuracy(model, asked, length), 3) for length in REACHES]
    return {"right": right, "pairs": pairs(model).round(3).tolist()}


def pairs(model: Transformer, length: int = TRAINED) -> NDArray[np.float64]:
    """By how much each pair of the second layer prefers the word that was told, (heads, pairs).

    It is the score of a name that is asked with the number just after its first place, less its
    mean score with all words before; the sum over pairs is the score of the head.
    """
    tokens, targets = tasks.facts()(np.random.default_rng(1000), 512, length)
    u, _ = norm(model.hidden(tokens)[1])
    q, k = (model._split(u @ model.parameters[f"{name}1"]) for name in ("query", "key"))
    turned = model.turning[1].turned
    q, k = (turned(part).astype(np.float64).reshape(*part.shape[:-1], -1, 2) for part in (q, k))
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
    "interleaved": interleaved([6, 5, 5]),
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
    model = Transformer(
        asked.vocabulary, asked.classes, "none", d_model=heads * GRID_WIDTH, heads=heads, seed=seed
    )
    model.scheme = Axes(SHARES[share], base, heads, GRID)
    train(model, asked, steps=steps, batch=16, length=GRID**2, seed=seed, progress=False)
    return round(accuracy(model, asked, GRID**2, batch=64), 3)


def axes_runs() -> list[dict[str, Any]]:
    """Each of the SHARES with base 1,000,000; as controls, two with base 100."""
    arms = [(share, 1_000_000) for share in SHARES] + [("sections", 100), ("interleaved", 100)]
    return [
        {"share": share, "base": base, "axis": axis,
         "right": [axes_run(share, base, axis, seed) for seed in range(SEEDS)]}
        for share, base in arms for axis in ("row", "column")
    ]  # fmt: skip


def record() -> None:
    recording = {
        "recorded": date.today().isoformat(),
        "settings": {"seeds": SEEDS, "trained": TRAINED, "reaches": REACHES, "steps": STEPS,
                     "window": WINDOW, "grid": GRID, "grid_steps": GRID_STEPS},
        "stacks": {name: [stack_run(name, seed) for seed in range(SEEDS)] for name in STACKS},
        "axes": axes_runs(),
    }  # fmt: skip
    (DATA / "since.json").write_text(json.dumps(recording) + "\n", "utf-8")
