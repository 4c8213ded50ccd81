"""Make and train the models of the experiments, and count how often they are right."""

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

LENGTH, STEPS, ROWS = 16, 400, 48  # of most trainings; the longest text that is read afterwards
PREVIOUS = tasks.previous()
KINDS = ("trained", "frozen", "sinusoidal")  # of tables


def neighbour(back: int, columns: int) -> tasks.Task:
    """Return the task to name the patch so many places `back` in a grid that is read row by row.

    That is the patch above or, one place back, the one to the left. The first row, or column, has
    no answer.
    """

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        tokens = rng.integers(8, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, back:] = tokens[:, :-back]
        if back < columns:
            targets[:, ::columns] = -1
        return tokens, targets

    return tasks.Task(f"{back} back", 8, 8, False, draw)


def new(
    task: tasks.Task, scheme: str, seed: int = 0, *, slopes: tuple[float, ...] = (), **options: Any
) -> Transformer:
    """Return an untrained model for this task; `slopes`, one a head, give it ALiBi's bias."""
    model = Transformer(
        task.vocabulary, task.classes, scheme, pooled=task.pooled, seed=seed, **options
    )
    if slopes:
        model.scheme = Sloped(*slopes)
    return model


def new_with_table(
    kind: str, seed: int, scale: float = 1.0, base: float = 10_000.0, **options: Any
) -> Transformer:
    """Return a model for `previous` with one of the KINDS of table, its rows times `scale`.

    The frozen table is the one from which the trained one starts. All other weights are alike.
    """
    model = new(PREVIOUS, "learned", seed, **options)
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
    """Train as the library does, and print a dot, since a part of many trainings takes minutes."""
    history = course_model.train(model, task, steps=steps, seed=seed, progress=False, **options)
    print(".", end="", file=sys.stderr, flush=True)
    return history


def trained(
    task: tasks.Task, scheme: str, seed: int = 0, *, steps: int = STEPS, length: int = LENGTH,
    **options: Any,
) -> Transformer:  # fmt: skip
    """Return a trained model; after 0 steps it is as random as it began."""
    model = new(task, scheme, seed, **options)
    if steps:
        train(model, task, seed, steps=steps, length=length)
    return model


def looks(model: Transformer, history: History) -> Iterator[Transformer]:
    """Yield the model as it was at each snapshot."""
    for _, parameters in history.snapshots:
        model.parameters.update(parameters)
        yield model


def right(model: Transformer, task: tasks.Task, length: int = LENGTH, batch: int = 512) -> float:
    """Return the share of right answers."""
    return round(accuracy(model, task, length, batch=batch), 3)


def shares(model: Transformer, history: History) -> list[float]:
    """Return the share right at length 16, snapshot by snapshot."""
    return [right(then, PREVIOUS, batch=256) for then in looks(model, history)]


def beyond(model: Transformer, task: tasks.Task, length: int, trained_length: int) -> float:
    """Return the share right in texts of `length`, from `trained_length` on if they are longer.

    Under a causal mask the words before it are answered as in a shorter text.
    """
    if task.pooled or length <= trained_length:
        return right(model, task, length)
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    counts = targets[:, trained_length:] >= 0
    is_right = (model(tokens).argmax(axis=-1) == targets)[:, trained_length:]
    return round(float(is_right[counts].mean()), 3)


def right_at(
    model: Transformer, length: int, task: tasks.Task = PREVIOUS, first: int = 1
) -> list[float]:
    """Return the share right at each position from the `first` on, in 512 texts."""
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    shares: list[float] = round_numbers(
        (model(tokens).argmax(axis=-1) == targets).mean(axis=0)[first:]
    )
    return shares


def round_numbers(numbers: ArrayLike, digits: int = 3) -> Any:
    """Return lists of numbers with so many digits after the point, for JSON."""
    if np.ndim(numbers):
        return [round_numbers(model, digits) for model in np.asarray(numbers)]
    return round(float(np.asarray(numbers)), digits)


def pack(shares: NDArray[np.floating[Any]]) -> str:
    """Return numbers from 0 to 1 as bytes in base 64."""
    return base64.b64encode(np.rint(shares * 255).clip(0, 255).astype(np.uint8)).decode()
