"""Run control experiments for the conclusions in chapters 6 and 7.

The task is always `previous`. The controls are texts that begin at a random position, a begin
token, steeper slopes, longer training, other bases, narrow tables, and a repaired attention
pointer.
"""

from collections.abc import Sequence
from datetime import date
from itertools import product
from typing import Any

import numpy as np

from pe_lib.course.model import tasks
from pe_lib.course.model.schemes import SCHEMES
from tools.experiments import models, skipping, tables
from tools.experiments.models import KINDS, LENGTH, PREVIOUS, ROWS, STEPS
from tools.experiments.schemes import Anywhere

SEEDS, BATCH = range(5), 64
LASTS = (0, 8, 16, 32)  # training texts begin at a random position up to one of these limits
# pairs of a number of layers and whether the model has a causal mask
LAYERS = ((1, False), (2, True))
SLOPES = ((1 / 16, 1 / 256), (1 / 4, 1 / 16), (1 / 2, 1 / 16), (1 / 2, 1 / 4))
BASES, WIDTHS, SIZES = (30, 300, 10_000), (8, 16, 32), (20, 24, 32, 48)
LONG, NARROW = 2000, 2000  # numbers of training steps


def train_shifted(
    kind: str, starts: Sequence[int], layers: int, causal: bool, seed: int, start: int = 0,
    length: int = ROWS,
) -> list[float]:  # fmt: skip
    """Train a model at random positions, and return its accuracy on a text that begins at `start`.

    In training, each text began at a random position from `starts`.
    """
    model = models.make_model_with_table(kind, seed, layers=layers, causal=causal, max_length=ROWS)
    rows = np.asarray(model.scheme.added(model.parameters, ROWS))
    model.scheme = Anywhere(rows, starts, seed, BATCH)
    models.train(model, PREVIOUS, seed, batch=BATCH)
    model.scheme.training, model.scheme.start = False, start
    return models.measure_accuracy_at(model, length)


def draw_behind_begin_token(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
    """Draw texts of the task `previous`, each of which starts with the same begin token."""
    tokens, targets = PREVIOUS(rng, batch, length - 1)
    tokens = np.pad(tokens, ((0, 0), (1, 0)), constant_values=8)
    return tokens, np.pad(targets, ((0, 0), (1, 0)), constant_values=-1)


BEHIND_BEGIN_TOKEN = tasks.Task("begun", 9, 8, False, draw_behind_begin_token)


def train_with_begin_token(layers: int, causal: bool, seed: int, steps: int = STEPS) -> list[float]:
    """Return the accuracy at words 1 to 47 of texts that start with a begin token.

    The model has no position encoding.
    """
    options = {"layers": layers, "causal": causal, "steps": steps, "length": LENGTH + 1}
    return models.measure_accuracy_at(
        models.train_model(BEHIND_BEGIN_TOKEN, "none", seed, **options),
        ROWS + 1,
        BEHIND_BEGIN_TOKEN,
        2,
    )


def repair_pointer(seed: int) -> dict[str, float]:
    """Return the accuracy at positions 16 to 47 after layer 2's attention weights were changed.

    The model has no position encoding. Layer 2 either has its attention weights sharpened, or puts
    all weight on the previous word. Multiplying the queries of a layer by c has the same effect as
    raising its weights to the power c.
    """
    model = skipping.train_reader("none", seed)
    tokens, targets = PREVIOUS(np.random.default_rng(1000), 512, ROWS)
    shares = {}
    for factor in (1, 1.5, 2, 3):

        def weigh(layer: int, weights: Any, factor: float = factor) -> Any:
            power = weights ** (factor if layer == 1 else 1)
            return power / power.sum(axis=-1, keepdims=True)

        right = model.forward(tokens, weigh)[0].argmax(axis=-1) == targets
        shares[f"queries x {factor}"] = round(float(right[:, LENGTH:].mean()), 3)
    return shares | skipping.shares_with_weights(model, {"before": {1: "before"}}, ROWS, LENGTH)


def curve(kind: str, seed: int, steps: int, every: int, **options: Any) -> list[float]:
    """Train a model with one layer and no mask, and return its accuracies during training.

    The interval is `every` steps. The `options` set another base or width.
    """
    model = models.make_model_with_table(kind, seed, max_length=LENGTH, **options)
    return models.shares(model, models.train(model, PREVIOUS, seed, steps=steps, record=every))


def record_controls() -> dict[str, Any]:
    """Train all control models, and return their results. This takes half an hour."""
    ten = range(skipping.SEEDS)
    return {
        "recorded": date.today().isoformat(),
        "settings": {"steps": STEPS, "long": LONG, "narrow": NARROW},
        "shifted": [
            {"kind": kind, "last": last, "layers": layers, "causal": causal,
             "right": [train_shifted(kind, range(last + 1), layers, causal, seed)
                       for seed in SEEDS]}
            for (layers, causal), last, kind in product(LAYERS, LASTS, KINDS)
        ],
        "late": {kind: [train_shifted(kind, range(33), 1, False, seed, 32, LENGTH)
                        for seed in SEEDS]
                 for kind in KINDS},
        "holed": {name: [train_shifted("sinusoidal", (0, 32), 2, True, seed, *read)
                         for seed in SEEDS]
                  for name, read in (("whole", ()), ("behind", (32, LENGTH)))},
        "begun": [
            {"layers": layers, "causal": causal,
             "right": [train_with_begin_token(layers, causal, seed) for seed in ten]}
            for layers, causal in ((2, True), (1, True), (2, False))
        ],
        "slopes": [
            {"slopes": slopes,
             "right": [skipping.measure_positions("none", seed, slopes=slopes) for seed in ten]}
            for slopes in SLOPES
        ],
        "pointed": [repair_pointer(seed) for seed in ten],
        "longer": {scheme: [skipping.measure_positions(scheme, seed, steps=LONG) for seed in SEEDS]
                   for scheme in SCHEMES}
        | {"begin token": [train_with_begin_token(2, True, seed, LONG) for seed in SEEDS]},
        "bases": {str(base): [curve("sinusoidal", seed, STEPS, 10, base=base) for seed in SEEDS]
                  for base in BASES},
        "widths": [
            {"kind": kind, "width": width,
             "right": [curve(kind, seed, NARROW, 50, d_model=width) for seed in SEEDS]}
            for width, kind in product(WIDTHS, KINDS)
        ],
        "resized": {str(size): [tables.resize_run(seed, size) for seed in SEEDS]
                    for size in SIZES},
    }  # fmt: skip
