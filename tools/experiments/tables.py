"""Train models with learned, frozen and sinusoidal position tables for chapter 6.

The task is `previous`.
"""

from copy import deepcopy
from datetime import date
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import History, Transformer
from tools.experiments import models
from tools.experiments.models import KINDS, LENGTH, PREVIOUS, ROWS, STEPS, round_numbers

LOOKS_EVERY, SEEDS = 16, range(5)


def training(scheme: str, steps: int = STEPS) -> dict[str, Any]:
    """Train a model, and record every 16 steps what an explorer shows later.

    `loss` holds the mean of every four losses, and `right` the accuracy at each snapshot.
    `similarity` and `attention` hold maps of shape (snapshots, 16, 16), packed as bytes. The
    similarities are cosines of position vectors, from -1 to 1. The attention weights are means over
    heads and 64 sequences, from 0 to 1. `plane` holds the coordinates of all 48 rows, with shape
    (snapshots, 48, 2), packed as bytes from -`reach` to `reach`: see the function `plane`.
    """
    model = models.make_model(PREVIOUS, scheme, max_length=ROWS)
    history = models.train(model, PREVIOUS, steps=steps, record=LOOKS_EVERY)
    tokens, _ = PREVIOUS(np.random.default_rng(9), 64, LENGTH)
    rights, similarity, attention, tables = [], [], [], []
    for _ in models.looks(model, history):
        rights.append(models.measure_accuracy(model, PREVIOUS))
        tables.append(np.array(model.scheme.added(model.parameters, ROWS), np.float64))
        rows = tables[-1][:LENGTH] / np.linalg.norm(tables[-1][:LENGTH], axis=1, keepdims=True)
        similarity.append((rows @ rows.T + 1) / 2)
        attention.append(model.attention(tokens)[0].mean(axis=(0, 1)))
    places = plane(np.array(tables))
    reach = round(1.08 * float(np.abs(places).max()), 2)
    return {
        "scheme": scheme,
        "loss": every_fourth(history),
        "right": rights,
        "similarity": models.pack(np.array(similarity)),
        "attention": models.pack(np.array(attention)),
        "plane": models.pack((places / reach + 1) / 2),
        "reach": reach,
    }


def plane(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project the rows of each snapshot onto the plane in which the rows moved most in training.

    For a table that does not move, this is the plane in which its rows differ most. The result has
    shape (snapshots, rows, 2).
    """
    moved = tables[-1] - tables[0]
    spread = moved if moved.any() else tables[0] - tables[0].mean(axis=0)
    axes: NDArray[np.float64] = np.linalg.svd(spread)[2][:2]
    # an SVD may give each axis either sign, so the signs are fixed here
    axes *= np.sign(axes.sum(axis=1, keepdims=True))
    return tables @ axes.T


def every_fourth(history: History) -> Any:
    """Average the losses over groups of four steps."""
    return round_numbers(history.loss.reshape(-1, 4).mean(axis=1))


def lengths(scheme: str) -> list[list[float]]:
    """Train models for all seeds at length 16, and return accuracies at lengths 16, 24 and 48."""
    runs = [models.train_model(PREVIOUS, scheme, seed, max_length=ROWS) for seed in SEEDS]
    return [
        [models.measure_accuracy(model, PREVIOUS, length) for length in (16, 24, 48)]
        for model in runs
    ]


def record_training() -> dict[str, Any]:
    """Train the models for training.json, and return what an explorer plays back."""
    schemes = ("learned", "sinusoidal")
    return {"length": LENGTH, "steps": STEPS, "every": LOOKS_EVERY,
            "runs": [training(scheme) for scheme in schemes],
            "lengths": {scheme: lengths(scheme) for scheme in schemes}}  # fmt: skip


WAYS = ("untrained", "clamp", "wrap", "interpolate")


def resize_table(table: NDArray[np.float32], way: str, length: int) -> NDArray[np.float32]:
    """Return a position table of `length` rows, built from a table with 16 trained rows.

    `way` is one of the WAYS to resize a table.
    """
    at = {
        "untrained": np.arange(length),
        "clamp": np.minimum(np.arange(length), LENGTH - 1),
        "wrap": np.arange(length) % LENGTH,
        "interpolate": np.linspace(0, LENGTH - 1, length),
    }[way]
    low = np.floor(at).astype(int)
    part = (at - low)[:, None]
    rows = (1 - part) * table[low] + part * table[np.ceil(at).astype(int)]
    return np.asarray(rows, np.float32)


def lengthen_model(model: Transformer, way: str, seed: int, length: int = 24) -> Transformer:
    """Return a model that reads longer texts, with the weights of a trained model.

    The position table is resized in the given `way`.
    """
    longer = models.make_model(PREVIOUS, "learned", seed, max_length=length)
    longer.parameters = deepcopy(model.parameters)
    longer.parameters["positions"] = resize_table(model.parameters["positions"], way, length)
    return longer


def table(scheme: str, seed: int) -> dict[str, Any]:
    """Train a model, and return its loss, and its accuracy at each of 48 positions.

    For a learned table, the result also holds how far each row moved, relative to the length of the
    row, and the accuracy at each of 24 positions for each of the WAYS to resize the table.
    """
    model = models.make_model(PREVIOUS, scheme, seed, max_length=ROWS)
    before = deepcopy(model.parameters)
    recording = {
        "loss": every_fourth(models.train(model, PREVIOUS, seed)),
        "right": models.measure_accuracy_at(model, ROWS),
    }
    if scheme == "learned":
        rows, after = before["positions"], model.parameters["positions"]
        far = np.linalg.norm(after - rows, axis=1) / np.linalg.norm(rows, axis=1)
        recording["moved"] = round_numbers(far)
        recording["resized"] = {
            way: models.measure_accuracy_at(lengthen_model(model, way, seed), 24) for way in WAYS
        }
    return recording


def record_seeds() -> dict[str, Any]:
    """Train the models for seeds.json and return their results. This takes a minute."""
    kinds = ("learned", "sinusoidal")
    return {"table": {kind: [table(kind, seed) for seed in SEEDS] for kind in kinds}}


# For each kind of start, the standard deviations that word embeddings and position rows have before
# training. "ours" is the start that the course uses. "tiny" divides both numbers of "small" by 50.
STARTS = {
    "ours": (1, 0.5**0.5), "small": (1, 0.02), "BERT": (0.02, 0.02), "GPT-2": (0.02, 0.01),
    "tiny": (0.02, 0.0004),
}  # fmt: skip
TABLE_STEPS, TABLE_EVERY, RATE = 600, 10, 0.003


def new_as_started(kind: str, start: str, causal: bool, seed: int) -> Transformer:
    """Return an untrained model with a position table, and with initial weights of a given size.

    Words and positions are as large as one of the STARTS says.
    """
    words, positions = STARTS[start]
    model = models.make_model_with_table(
        kind, seed, positions * 2**0.5, causal=causal, max_length=ROWS
    )
    model.parameters["embedding"] *= np.float32(words)
    return model


def start_run(
    kind: str, start: str, causal: bool, seed: int, steps: int = TABLE_STEPS
) -> dict[str, Any]:
    """Train a model, and return its accuracy at length 16 after every 10 steps.

    For a trained table, the result also holds the mean cosine between its rows 0 to 15 by their
    offset, beginning at offset 1.
    """
    model = new_as_started(kind, start, causal, seed)
    history = models.train(model, PREVIOUS, seed, steps=steps, rate=RATE, record=TABLE_EVERY)
    recording: dict[str, Any] = {"right": models.shares(model, history)}
    if kind == "trained":
        recording["cosine"] = by_offset(model.parameters["positions"][:LENGTH])
    return recording


def by_offset(rows: NDArray[np.float32]) -> Any:
    """Return the mean cosine similarity of rows that are 1 apart, of rows 2 apart, and so on."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    return round_numbers([np.diagonal(cosines, offset).mean() for offset in range(1, len(rows))])


def resize_run(seed: int, length: int, steps: int = 150) -> dict[str, Any]:
    """Train a model, resize its position table in several ways, and continue each training.

    The first training is at length 16. "afresh" is the control, a model without this training.
    `old` and `new` hold the accuracy every 5 steps, at positions 1 to 15 and from 16 on.
    """
    recording = {}
    start = models.train_model(PREVIOUS, "learned", seed, max_length=ROWS)
    models_to_tune = {way: lengthen_model(start, way, seed, length) for way in WAYS}
    models_to_tune["afresh"] = models.make_model(PREVIOUS, "learned", seed, max_length=length)
    for way, model in models_to_tune.items():
        history = models.train(model, PREVIOUS, seed + 10, steps=steps, length=length, record=5)
        right = np.array(
            [models.measure_accuracy_at(then, length) for then in models.looks(model, history)]
        )
        old, new = np.split(right, [LENGTH - 1], axis=1)
        recording[way] = {
            "old": round_numbers(old.mean(axis=1)),
            "new": round_numbers(new.mean(axis=1)),
        }
    return recording


REACHES = (16, 24, 32, 48)


def shared_run(kind: str, causal: bool, seed: int) -> dict[str, Any]:
    """Train a model at length 16, and measure how longer texts affect its first 15 answers.

    For each length, `right` holds the accuracy at each of these positions, and `beyond` the
    attention weight that each position sends beyond position 15, averaged over two heads and 512
    texts. In a control of length 48, all words from position 16 on are the same word. For this
    control, `alike` holds the accuracy, and `astray` the weight beyond position 15. `wrong` holds
    the number of wrong answers, and how many of them are that word.
    """
    model = new_as_started(kind, "ours", causal, seed)
    models.train(model, PREVIOUS, seed)

    def read(tokens: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Run the model on texts, and look at positions 1 to 15 only.

        Return the answers at these positions, and how much attention they pay to words after
        position 15.
        """
        logits, cache = model.forward(tokens)
        far = cache["layers"][0]["weights"][:, :, 1:LENGTH, LENGTH:].sum(axis=-1)
        return logits.argmax(axis=-1)[:, 1:LENGTH], round_numbers(far.mean(axis=(0, 1)))

    recording: dict[str, Any] = {"right": [], "beyond": []}
    for length in REACHES:
        tokens, targets = PREVIOUS(np.random.default_rng(1000), 512, length)
        answers, far = read(tokens)
        recording["right"].append(round_numbers((answers == targets[:, 1:LENGTH]).mean(axis=0)))
        recording["beyond"].append(far)
    tokens[:, LENGTH:] = tokens[:, LENGTH : LENGTH + 1]
    answers, recording["astray"] = read(tokens)
    wrong = answers != targets[:, 1:LENGTH]
    recording["alike"] = round_numbers((~wrong).mean(axis=0))
    that = answers == tokens[:, LENGTH:][:, :1]
    recording["wrong"] = [int(wrong.sum()), int((that & wrong).sum())]
    return recording


def record_tables() -> dict[str, Any]:
    """Train the models for tables.json and return their results. This takes some minutes."""
    return {
        "date": date.today().isoformat(),
        "settings": {
            "task": "previous", "seeds": len(SEEDS), "trained": LENGTH, "steps": TABLE_STEPS,
            "every": TABLE_EVERY, "batch": 64, "rate": RATE, "starts": STARTS,
            "reaches": REACHES,
        },
        "starts": [
            {"start": start, "kind": kind, "causal": causal,
             "runs": [start_run(kind, start, causal, seed) for seed in SEEDS]}
            for start, kind, causal in product(STARTS, KINDS, (False, True))
        ],
        # With the start "small" and no mask, the accuracy is recorded every 500 steps.
        "long": [
            {"kind": kind,
             "right": [start_run(kind, "small", False, s, 5000)["right"][::50] for s in SEEDS]}
            for kind in KINDS[1:]
        ],
        "shared": [
            {"kind": kind, "causal": causal,
             "runs": [shared_run(kind, causal, seed) for seed in SEEDS]}
            for kind, causal in product(("trained", "sinusoidal"), (False, True))
        ],
    }  # fmt: skip
