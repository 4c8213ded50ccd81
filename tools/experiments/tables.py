"""Train learned, frozen and sinusoidal tables for chapter 6, on the task `previous`."""

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
    """Train once and record what an explorer plays back, every 16 steps.

    `loss` holds the mean of every 4 steps; `right` the share of right answers of each look, and
    `similarity` and `attention` its maps, (looks, 16, 16), as bytes: cosines of the position
    vectors from -1 to 1, and weights, the mean over heads and 64 sequences, from 0 to 1. `plane`
    has the places of all 48 rows, (looks, 48, 2), as bytes from -`reach` to `reach`: see `plane`.
    """
    model = models.new(PREVIOUS, scheme, max_length=ROWS)
    history = models.train(model, PREVIOUS, steps=steps, record=LOOKS_EVERY)
    tokens, _ = PREVIOUS(np.random.default_rng(9), 64, LENGTH)
    rights, similarity, attention, tables = [], [], [], []
    for _ in models.looks(model, history):
        rights.append(models.right(model, PREVIOUS))
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
    """Return where the rows are, look by look, in the plane in which they moved most.

    For a table that does not move it is the plane in which its rows differ most. The result has
    shape (looks, rows, 2).
    """
    moved = tables[-1] - tables[0]
    spread = moved if moved.any() else tables[0] - tables[0].mean(axis=0)
    axes: NDArray[np.float64] = np.linalg.svd(spread)[2][:2]
    axes *= np.sign(axes.sum(axis=1, keepdims=True))  # an SVD leaves the sign of an axis open
    return tables @ axes.T


def every_fourth(history: History) -> Any:
    """Return the means of every four losses."""
    return round_numbers(history.loss.reshape(-1, 4).mean(axis=1))


def lengths(scheme: str) -> list[list[float]]:
    """Train at 16 with each seed; return the share right at 16, 24 and 48."""
    runs = [models.trained(PREVIOUS, scheme, seed, max_length=ROWS) for seed in SEEDS]
    return [[models.right(model, PREVIOUS, length) for length in (16, 24, 48)] for model in runs]


def record_training() -> dict[str, Any]:
    """Record training.json, which an explorer plays back."""
    schemes = ("learned", "sinusoidal")
    return {"length": LENGTH, "steps": STEPS, "every": LOOKS_EVERY,
            "runs": [training(scheme) for scheme in schemes],
            "lengths": {scheme: lengths(scheme) for scheme in schemes}}  # fmt: skip


WAYS = ("untrained", "clamp", "wrap", "interpolate")


def resize_table(table: NDArray[np.float32], way: str, length: int) -> NDArray[np.float32]:
    """Return `length` rows, in one of the WAYS, from a table whose first 16 are trained."""
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
    """Return a model for longer texts with the weights of a trained one, its table resized."""
    longer = models.new(PREVIOUS, "learned", seed, max_length=length)
    longer.parameters = deepcopy(model.parameters)
    longer.parameters["positions"] = resize_table(model.parameters["positions"], way, length)
    return longer


def table(scheme: str, seed: int) -> dict[str, Any]:
    """Train once; return the loss, and the share right at each of 48 positions.

    For a learned table the recording also says how far each row moved, as a share of its length,
    and the share right at each of 24 positions in each of the WAYS.
    """
    model = models.new(PREVIOUS, scheme, seed, max_length=ROWS)
    before = deepcopy(model.parameters)
    recording = {
        "loss": every_fourth(models.train(model, PREVIOUS, seed)),
        "right": models.right_at(model, ROWS),
    }
    if scheme == "learned":
        rows, after = before["positions"], model.parameters["positions"]
        far = np.linalg.norm(after - rows, axis=1) / np.linalg.norm(rows, axis=1)
        recording["moved"] = round_numbers(far)
        recording["resized"] = {
            way: models.right_at(lengthen_model(model, way, seed), 24) for way in WAYS
        }
    return recording


def record_seeds() -> dict[str, Any]:
    """Record seeds.json, which takes a minute."""
    kinds = ("learned", "sinusoidal")
    return {"table": {kind: [table(kind, seed) for seed in SEEDS] for kind in kinds}}


# The standard deviations of words and positions at the start: the course's own, the same with small
# positions, those of BERT and of GPT-2, and "small" with a fiftieth of both
STARTS = {
    "ours": (1, 0.5**0.5), "small": (1, 0.02), "BERT": (0.02, 0.02), "GPT-2": (0.02, 0.01),
    "tiny": (0.02, 0.0004),
}  # fmt: skip
TABLE_STEPS, TABLE_EVERY, RATE = 600, 10, 0.003


def new_as_started(kind: str, start: str, causal: bool, seed: int) -> Transformer:
    """Return a model with one of the KINDS of table, as large as one of the STARTS says."""
    words, positions = STARTS[start]
    model = models.new_with_table(kind, seed, positions * 2**0.5, causal=causal, max_length=ROWS)
    model.parameters["embedding"] *= np.float32(words)
    return model


def start_run(
    kind: str, start: str, causal: bool, seed: int, steps: int = TABLE_STEPS
) -> dict[str, Any]:
    """Train once; return the share right at length 16 every 10 steps.

    For a trained table also the mean cosine of two of its rows 0 to 15 by their offset, from 1 on.
    """
    model = new_as_started(kind, start, causal, seed)
    history = models.train(model, PREVIOUS, seed, steps=steps, rate=RATE, record=TABLE_EVERY)
    recording: dict[str, Any] = {"right": models.shares(model, history)}
    if kind == "trained":
        recording["cosine"] = by_offset(model.parameters["positions"][:LENGTH])
    return recording


def by_offset(rows: NDArray[np.float32]) -> Any:
    """Return the mean cosine of rows that are 1 apart, 2 apart, and so on."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    return round_numbers([np.diagonal(cosines, offset).mean() for offset in range(1, len(rows))])


def resize_run(seed: int, length: int, steps: int = 150) -> dict[str, Any]:
    """Train at 16, resize the table in each of the WAYS, and train on at the new length.

    "afresh" is the control, a model that was not trained before. `old` and `new` hold the share
    right every 5 steps, at the positions 1 to 15 and from 16 on.
    """
    recording = {}
    start = models.trained(PREVIOUS, "learned", seed, max_length=ROWS)
    models_to_tune = {way: lengthen_model(start, way, seed, length) for way in WAYS}
    models_to_tune["afresh"] = models.new(PREVIOUS, "learned", seed, max_length=length)
    for way, model in models_to_tune.items():
        history = models.train(model, PREVIOUS, seed + 10, steps=steps, length=length, record=5)
        right = np.array([models.right_at(then, length) for then in models.looks(model, history)])
        old, new = np.split(right, [LENGTH - 1], axis=1)
        recording[way] = {
            "old": round_numbers(old.mean(axis=1)),
            "new": round_numbers(new.mean(axis=1)),
        }
    return recording


REACHES = (16, 24, 32, 48)


def shared_run(kind: str, causal: bool, seed: int) -> dict[str, Any]:
    """Train at 16; return what longer texts do to the positions 1 to 15 that were trained.

    For each length the share `right` at each of them, and the weight that each sends `beyond`
    position 15, the mean of two heads and 512 texts. `alike` is the share right at length 48 where
    all words from 16 on are one and the same, `astray` the weight beyond there, and `wrong` how
    many answers are wrong and how many of these are that word.
    """
    model = new_as_started(kind, "ours", causal, seed)
    models.train(model, PREVIOUS, seed)

    def read(tokens: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Return the answers at 1 to 15, and the weight that is sent beyond, rounded."""
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
    """Record tables.json, which takes some minutes."""
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
        # "small" without a mask: the share right every 500 steps
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
