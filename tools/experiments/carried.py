"""Measure for chapter 2 whether residual streams or attention outputs reveal the positions.

The models name the previous word, of 16, in texts of 16 words.
"""

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer, accuracy, tasks, train
from tools.experiments.models import LENGTH

TASK = tasks.previous(16)
STEPS, SEEDS, LAYERS, TEXTS = 300, 3, 4, 400
SCALES = (1.0, 0.1, 0.02)


def read_positions(rows: NDArray[Any]) -> float:
    """Return the share of positions that a linear model can decode from rows of activations.

    `rows` has shape (texts, length, d). Least squares on the first half of the texts gives the
    reader, and the second half is the test.
    """
    texts, length, d = rows.shape
    half = texts // 2
    rows = np.concatenate([rows, np.ones((texts, length, 1))], axis=2).astype(float)
    goal = np.tile(np.eye(length), (half, 1))
    weights = np.linalg.lstsq(rows[:half].reshape(-1, d + 1), goal, rcond=None)[0]
    guesses = (rows[half:] @ weights).argmax(axis=2)
    return float((guesses == np.arange(length)).mean())


def measure_carried(residual: bool, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """Train a model of four layers, and measure how well positions can be decoded in each layer.

    The shares are those of the residual stream before the first layer and after each layer, and
    those of each layer's attention output alone.
    """
    model = Transformer(16, 16, d_model=64, heads=4, layers=LAYERS, seed=seed)
    model.residual = residual
    if steps:
        train(model, TASK, steps=steps, length=LENGTH, seed=seed, progress=False)
    texts = np.random.default_rng(seed).integers(16, size=(TEXTS, LENGTH))
    activations = model.forward(texts)[1]
    outputs = [
        layer["o"] @ model.parameters[f"output{n}"] for n, layer in enumerate(activations["layers"])
    ]
    return {
        "right": round(accuracy(model, TASK), 3),
        "stream": [round(read_positions(x), 3) for x in activations["stream"]],
        "attention": [round(read_positions(x), 3) for x in outputs],
    }


def count_steps_to_learn(scale: float, seed: int, steps: int = STEPS) -> tuple[int, float]:
    """Count the steps in which a model of one layer learns the task, and measure its accuracy.

    Its embeddings start with the standard deviation `scale`. It has learned the task when the loss,
    averaged over ten steps, is below 0.1 nats. The number is `steps` if that does not happen.
    """
    model = Transformer(16, 16, d_model=64, heads=4, seed=seed)
    model.parameters["embedding"] *= np.float32(scale)
    loss = train(model, TASK, steps=steps, length=LENGTH, seed=seed, progress=False).loss
    low = np.flatnonzero(np.convolve(loss, np.full(10, 0.1), "valid") < 0.1)
    return (int(low[0]) + 10 if len(low) else steps), round(accuracy(model, TASK), 3)


def record_carried() -> dict[str, Any]:
    """Train the models for carried.json and return their results. This takes about two minutes."""
    runs = {
        "residual": [measure_carried(True, seed) for seed in range(SEEDS)],
        "replaced": [measure_carried(False, seed) for seed in range(SEEDS)],
    }
    starts = {str(s): [count_steps_to_learn(s, seed) for seed in range(SEEDS)] for s in SCALES}
    return {"recorded": date.today().isoformat(), "steps": STEPS, **runs, "starts": starts}
