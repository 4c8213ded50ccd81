"""Build and train the models in the experiments, and measure their accuracy."""

import base64
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode
from pe_lib.course import model as course_model
from pe_lib.course.model import History, Transformer, accuracy, tasks
from tools.experiments.schemes import Fixed, Sloped

# ROWS is the number of words in the longest test texts, and of rows in position tables
LENGTH, STEPS, ROWS = 16, 400, 48
PREVIOUS = tasks.previous()
KINDS = ("trained", "frozen", "sinusoidal")  # kinds of position tables


def neighbour(back: int, columns: int) -> tasks.Task:
    """Return the task of naming the patch that is `back` places earlier in a grid.

    The grid is read row by row, so this is the patch above if `back` equals `columns`, and the
    patch to the left if `back` is 1. The first row or the first column has no answer.
    """

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        tokens = rng.integers(8, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, back:] = tokens[:, :-back]
        if back < columns:
            targets[:, ::columns] = -1
        return tokens, targets

    return tasks.Task(f"{back} back", 8, 8, False, draw)


def make_model(
    task: tasks.Task, scheme: str, seed: int = 0, *, slopes: tuple[float, ...] = (), **options: Any
) -> Transformer:
    """Return an untrained model for a task.

    If there are `slopes`, one for each head, the model gets ALiBi's bias with these slopes.
    """
    model = Transformer(
        task.vocabulary, task.classes, scheme, pooled=task.pooled, seed=seed, **options
    )
    if slopes:
        model.scheme = Sloped(*slopes)
    return model


def make_model_with_table(
    kind: str, seed: int, scale: float = 1.0, base: float = 10_000.0, **options: Any
) -> Transformer:
    """Return an untrained model for the task `previous`, with one of the KINDS of position table.

    The rows of the table are multiplied by `scale`. The frozen table equals the trained table at
    the start of training. All other weights are the same for every kind.
    """
    model = make_model(PREVIOUS, "learned", seed, **options)
    rows = model.parameters["positions"]
    rows *= np.float32(scale)
    if kind != "trained":
        del model.parameters["positions"]
        waves = scale * encode(range(len(rows)), rows.shape[1], base)
        model.scheme = Fixed(rows if kind == "frozen" else waves.astype(np.float32))
    return model


def train(
    model: Transformer, task: tasks.Task, seed: int = 0, *, steps: int = STEPS, **options: Any
) -> History:
    """Train a model as the library does, and print a dot to stderr when it is done.

    The dots show progress, because a part with many models takes minutes.
    """
    history = course_model.train(model, task, steps=steps, seed=seed, progress=False, **options)
    print(".", end="", file=sys.stderr, flush=True)
    return history


def train_model(
    task: tasks.Task, scheme: str, seed: int = 0, *, steps: int = STEPS, length: int = LENGTH,
    **options: Any,
) -> Transformer:  # fmt: skip
    """Train a new model and return it, or return it untrained if `steps` is 0."""
    model = make_model(task, scheme, seed, **options)
    if steps:
        train(model, task, seed, steps=steps, length=length)
    return model


def looks(model: Transformer, history: History) -> Iterator[Transformer]:
    """Put the parameters of each snapshot into the model, and yield the model each time."""
    for _, parameters in history.snapshots:
        model.parameters.update(parameters)
        yield model


def measure_accuracy(
    model: Transformer, task: tasks.Task, length: int = LENGTH, batch: int = 512
) -> float:
    """Return a model's accuracy on texts of this length, rounded to three digits."""
    return round(accuracy(model, task, length, batch=batch), 3)


def shares(model: Transformer, history: History) -> list[float]:
    """Return the model's accuracy at length 16 for each snapshot of its training."""
    return [measure_accuracy(then, PREVIOUS, batch=256) for then in looks(model, history)]


def measure_beyond(model: Transformer, task: tasks.Task, length: int, trained_length: int) -> float:
    """Return the accuracy on the words of a text that lie beyond the length of the training texts.

    Under a causal mask, the earlier words are answered as in a shorter text. All answers count if
    the text is not longer than in training, or if the task has a single answer for each text.
    """
    if task.pooled or length <= trained_length:
        return measure_accuracy(model, task, length)
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    counts = targets[:, trained_length:] >= 0
    is_right = (model(tokens).argmax(axis=-1) == targets)[:, trained_length:]
    return round(float(is_right[counts].mean()), 3)


def measure_accuracy_at(
    model: Transformer, length: int, task: tasks.Task = PREVIOUS, first: int = 1
) -> list[float]:
    """Return the accuracy at each position from `first` to the end of texts of this length."""
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    shares: list[float] = round_numbers(
        (model(tokens).argmax(axis=-1) == targets).mean(axis=0)[first:]
    )
    return shares


def round_numbers(numbers: ArrayLike, digits: int = 3) -> Any:
    """Return nested lists of numbers, rounded to `digits` decimal places, for storage as JSON."""
    if np.ndim(numbers):
        return [round_numbers(model, digits) for model in np.asarray(numbers)]
    return round(float(np.asarray(numbers)), digits)


def pack(shares: NDArray[np.floating[Any]]) -> str:
    """Return numbers between 0 and 1 as base64 text, with one byte for each number."""
    return base64.b64encode(np.rint(shares * 255).clip(0, 255).astype(np.uint8)).decode()
