"""Train models for chapter 6 with other fixed tables, with weight decay, and with other widths.

These runs are the controls of the chapter's rule: what does it mean if frozen rows fail? The task
is always `previous`, in one layer without a mask.
"""

from collections.abc import Collection
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode
from pe_lib.course.model import History, Transformer
from tools.experiments import models
from tools.experiments.models import LENGTH, PREVIOUS, ROWS
from tools.experiments.schemes import Anywhere, Fixed
from tools.experiments.tables import RATE, new_as_started

TWO, SEEDS, SIX = range(2), range(5), range(6)
DECAY_STEPS, DECAY_EVERY = 5000, 100
SHORT, SHORT_EVERY = 600, 10
RETURN_BASES = (1_000, 3_000, 10_000, 30_000)


class Decaying:
    """A model whose weights become a little smaller at each step, as with AdamW's weight decay.

    `names` are the parameters that shrink; all others are left to Adam.
    """

    def __init__(self, model: Transformer, decay: float, names: Collection[str]) -> None:
        self.model, self.factor, self.names = model, np.float32(1 - RATE * decay), names

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def loss_and_gradients(self, *batch: Any) -> Any:
        """Return the loss and its gradients, and make the weights smaller in place."""
        result = self.model.loss_and_gradients(*batch)
        for name in self.names:
            self.model.parameters[name] *= self.factor
        return result


def rms(rows: NDArray[Any]) -> float:
    """Return the root mean square of an array."""
    return float(np.sqrt((np.asarray(rows, np.float64) ** 2).mean()))


def train_with_decay(decay: float, which: str, seed: int, kind: str = "frozen") -> dict[str, Any]:
    """Train a model with small frozen rows and weight decay, and return its accuracy.

    `which` says whether "all" weights decay, only the "words", or all "but words". `words` holds
    the size of the word embeddings at each snapshot.
    """
    model = new_as_started(kind, "small", False, seed)
    names = {
        "all": list(model.parameters),
        "words": ["embedding"],
        "but words": [name for name in model.parameters if name != "embedding"],
    }[which]
    decaying: Any = Decaying(model, decay, names)
    history = models.train(
        decaying, PREVIOUS, seed, steps=DECAY_STEPS, rate=RATE, record=DECAY_EVERY
    )
    words = [round(rms(parameters["embedding"]), 3) for _, parameters in history.snapshots]
    return {"right": models.shares(model, history), "words": words}


def train_narrow(kind: str, seed: int) -> list[float]:
    """Train a model of width 8 for 6,000 steps, and return its accuracy every 100 steps."""
    model = models.make_model_with_table(kind, seed, max_length=LENGTH, d_model=8)
    return models.shares(model, models.train(model, PREVIOUS, seed, steps=6000, record=100))


def train_crowded(seed: int) -> list[float]:
    """Train on 64 frozen rows of width 32, and return the accuracy every 100 steps."""
    model = models.make_model_with_table("frozen", seed, max_length=64)
    history = models.train(model, PREVIOUS, seed, steps=2000, length=64, record=100)
    return [
        models.measure_accuracy(then, PREVIOUS, 64, batch=64)
        for then in models.looks(model, history)
    ]


def new_with_rows(rows: NDArray[Any], seed: int, *, trained: bool = False) -> Transformer:
    """Return a model with this position table, which stays fixed unless `trained` is true."""
    kind = "trained" if trained else "frozen"
    model = models.make_model_with_table(kind, seed, max_length=len(rows))
    if trained:
        model.parameters["positions"][:] = rows
    else:
        model.scheme = Fixed(np.asarray(rows, np.float32))
    return model


def train_briefly(model: Transformer, seed: int) -> History:
    """Train a model for 600 steps, and take a snapshot of it every 10 steps."""
    return models.train(model, PREVIOUS, seed, steps=SHORT, rate=RATE, record=SHORT_EVERY)


def shuffle_sinusoids(seed: int) -> NDArray[Any]:
    """Return the sinusoidal rows of positions 0 to 15 in a random order."""
    order = np.random.default_rng(100 + seed).permutation(LENGTH)
    return np.asarray(encode(range(LENGTH), 32)[order])


def mean_neighbour_cosine(rows: NDArray[Any]) -> float:
    """Return the mean cosine similarity between neighbouring rows."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return round(float((rows[1:] * rows[:-1]).sum(axis=1).mean()), 3)


def train_on_rows(rows: NDArray[Any], seed: int) -> dict[str, Any]:
    """Train a model with a fixed table. Return the accuracies, and how alike neighbours are."""
    model = new_with_rows(rows, seed)
    right = models.shares(model, train_briefly(model, seed))
    return {"cosine": mean_neighbour_cosine(rows), "right": right}


def train_from_waves(seed: int) -> dict[str, Any]:
    """Train a table that starts as sinusoids. Return its accuracies and how far its rows moved.

    `far` holds the accuracy at each position of a text of 48 words after 400 steps.
    """
    waves = encode(range(ROWS), 32)
    model = new_with_rows(waves, seed, trained=True)
    history = train_briefly(model, seed)
    right, far = [], []
    for (step, _), then in zip(history.snapshots, models.looks(model, history), strict=True):
        right.append(models.measure_accuracy(then, PREVIOUS, batch=256))
        if step == models.STEPS:
            far = models.measure_accuracy_at(then, ROWS)
            rows = np.array(then.parameters["positions"])
            moved = np.linalg.norm(rows - waves, axis=1) / np.linalg.norm(waves, axis=1)
            near = mean_neighbour_cosine(rows[:LENGTH])
    return {"right": right, "far": far, "moved": models.round_numbers(moved), "cosine": near}


def measure_return(base: float, seed: int) -> dict[str, list[float]]:
    """Train on texts that begin at 0 to 8, and return the accuracy at each word of longer texts.

    The rows are sinusoids with this base, and training visits rows 0 to 23. `right` is measured on
    texts of 48 words and `longer` on texts of 64. For `fast` all hands but the three fastest are
    set to zero in the rows from 24 on, and for `slow` these three are.
    """
    model = models.make_model_with_table("sinusoidal", seed, base=base, max_length=ROWS)
    rows = np.asarray(model.scheme.added(model.parameters, ROWS))
    model.scheme = Anywhere(rows, range(9), seed, 64)
    models.train(model, PREVIOUS, seed, batch=64)
    tables = {"right": rows.copy(), "fast": rows.copy(), "slow": rows.copy()}
    tables["fast"][24:, 6:] = 0
    tables["slow"][24:, :6] = 0
    tables["longer"] = encode(range(64), 32, base)
    recording = {}
    for name, table in tables.items():
        model.scheme = Fixed(np.asarray(table, np.float32))
        recording[name] = models.measure_accuracy_at(model, len(table))
    return recording


def record_frozen() -> dict[str, Any]:
    """Train the models for frozen.json and return their results. This takes four minutes."""
    decays = [(0.01, "all"), (0.1, "all"), (0.1, "words"), (0.1, "but words")]
    bases = {"base 3": 3.0, "base 10,000": 10_000.0}
    rows = {name: [encode(range(LENGTH), 32, base)] * len(SEEDS) for name, base in bases.items()}
    rows["shuffled"] = [shuffle_sinusoids(seed) for seed in SEEDS]
    return {
        "recorded": date.today().isoformat(),
        "settings": {"rate": RATE, "decay steps": DECAY_STEPS, "decay every": DECAY_EVERY},
        "decays": [
            {"decay": decay, "which": which,
             "runs": [train_with_decay(decay, which, seed) for seed in TWO]}
            for decay, which in decays
        ],
        "narrow": [train_narrow("frozen", seed) for seed in SIX],
        "crowded": [train_crowded(seed) for seed in TWO],
        "rows": {name: [train_on_rows(tables[seed], seed) for seed in SEEDS]
                 for name, tables in rows.items()},
        "begun as waves": [train_from_waves(seed) for seed in SEEDS],
        "returning": {str(base): [measure_return(base, seed) for seed in SEEDS]
                      for base in RETURN_BASES},
    }  # fmt: skip
