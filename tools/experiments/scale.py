"""Chapter 2: embeddings that start short, and longer ones, beside the encodings added to them."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode
from pe_lib.course.model import tasks
from tools.experiments import models
from tools.experiments.models import LENGTH, right

WORDS, WIDTH, SCALES = 64, 64, (0.02, 0.125, 1.0)


def named(words: NDArray[np.float32], places: NDArray[np.floating[Any]]) -> float:
    """The share of all sums word + place whose largest dot product with a word is with its own."""
    found = ((words[:, None] + places) @ words.T).argmax(axis=-1)
    return round(float((found == np.arange(len(words))[:, None]).mean()), 3)


def scaled(scheme: str, scale: float, seed: int) -> dict[str, list[float]]:
    """One training, before and after: the embeddings start at `scale` times N(0, 1).

    `length` is the mean length of their rows; `named` the share of words that are named when a
    sinusoidal encoding of the same width is added to them; `right` the share of right answers.
    """
    task = tasks.previous(WORDS)
    model = models.new(task, scheme, seed, d_model=WIDTH, max_length=LENGTH)
    model.parameters["embedding"] *= np.float32(scale)
    found: dict[str, list[float]] = {"length": [], "named": [], "right": []}
    for steps in (0, 600):
        if steps:
            models.train(model, task, seed, steps=steps)
        words = model.parameters["embedding"]
        found["length"].append(round(float(np.linalg.norm(words, axis=1).mean()), 3))
        found["named"].append(named(words, encode(range(LENGTH), WIDTH)))
        found["right"].append(right(model, task))
    return found


def record_scale() -> list[dict[str, Any]]:
    """Two minutes."""
    return [
        {"scheme": scheme, "scale": scale, "runs": [scaled(scheme, scale, s) for s in range(5)]}
        for scheme, scale in product(("sinusoidal", "rotary"), SCALES)
    ]
