"""What experiments share: models, as they begin and trained, and the share that they have right."""

import base64
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode
from pe_lib.course import model
from pe_lib.course.model import History, Transformer, accuracy, tasks
from tools.experiments.schemes import Fixed, Sloped

LENGTH, STEPS, ROWS = 16, 400, 48  # of most trainings; of the longest text that is read after it
PREVIOUS = tasks.previous()
KINDS = ("trained", "frozen", "sinusoidal")  # of tables


def neighbour(back: int, columns: int) -> tasks.Task:
    """Name the patch so many places `back` in a grid of so many columns, read row by row: the one
    above, or, one place back, the one to the left. The first row, or column, has none."""

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Any, Any]:
        tokens = rng.integers(8, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, back:] = tokens[:, :-back]
        if back < columns:
            targets[:, ::columns] = -1
        return tokens, targets

    return tasks.Task(f"{back} back", 8, 8, False, draw)


def new(
    task: tasks.Task, scheme: str, seed: int = 0, *, slopes: tuple[float, ...] = (), **made: Any
) -> Transformer:
    """A model for what this task asks, as it begins; with `slopes`, one a head, ALiBi's bias."""
    one = Transformer(task.vocabulary, task.classes, scheme, pooled=task.pooled, seed=seed, **made)
    if slopes:
        one.scheme = Sloped(*slopes)
    return one


def tabled(
    kind: str, seed: int, scale: float = 1.0, base: float = 10_000.0, **made: Any
) -> Transformer:
    """A model for `previous` that has one of the KINDS of table, its rows times `scale`.

    The frozen table is the one from which the trained one starts. All other weights are alike.
    """
    one = new(PREVIOUS, "learned", seed, **made)
    rows = one.parameters["positions"]
    rows *= np.float32(scale)
    if kind != "trained":
        del one.parameters["positions"]
        waves = scale * encode(range(len(rows)), rows.shape[1], base)
        one.scheme = Fixed(rows if kind == "frozen" else waves.astype(np.float32))
    return one


def train(
    one: Transformer, task: tasks.Task, seed: int = 0, *, steps: int = STEPS, **options: Any
) -> History:
    """As the library's, with a dot for each training: parts take minutes."""
    history = model.train(one, task, steps=steps, seed=seed, progress=False, **options)
    print(".", end="", file=sys.stderr, flush=True)
    return history


def trained(
    task: tasks.Task, scheme: str, seed: int = 0, *, steps: int = STEPS, length: int = LENGTH,
    **made: Any,
) -> Transformer:  # fmt: skip
    """A model after its training; after 0 steps it is as random as it began."""
    one = new(task, scheme, seed, **made)
    if steps:
        train(one, task, seed, steps=steps, length=length)
    return one


def looks(one: Transformer, history: History) -> Iterator[Transformer]:
    """The model as it was at each snapshot."""
    for _, parameters in history.snapshots:
        one.parameters.update(parameters)
        yield one


def right(one: Transformer, task: tasks.Task, length: int = LENGTH, batch: int = 512) -> float:
    """The share of right answers."""
    return round(accuracy(one, task, length, batch=batch), 3)


def shares(one: Transformer, history: History) -> list[float]:
    """The share right at length 16, snapshot by snapshot."""
    return [right(then, PREVIOUS, batch=256) for then in looks(one, history)]


def beyond(one: Transformer, task: tasks.Task, length: int, known: int) -> float:
    """The share of right answers in texts of `length`: if they are longer than `known`, from there
    on. Under a mask the words before are those of a shorter text."""
    if task.pooled or length <= known:
        return right(one, task, length)
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    counts = targets[:, known:] >= 0
    found = (one(tokens).argmax(axis=-1) == targets)[:, known:]
    return round(float(found[counts].mean()), 3)


def right_at(
    one: Transformer, length: int, task: tasks.Task = PREVIOUS, first: int = 1
) -> list[float]:
    """The share of right answers at each position from the `first` on, in 512 texts."""
    tokens, targets = task(np.random.default_rng(1000), 512, length)
    return rounded((one(tokens).argmax(axis=-1) == targets).mean(axis=0)[first:])


def rounded(numbers: ArrayLike, digits: int = 3) -> Any:
    """Lists of numbers with so many digits after the point, of whatever precision they were."""
    if np.ndim(numbers):
        return [rounded(one, digits) for one in np.asarray(numbers)]
    return round(float(np.asarray(numbers)), digits)


def packed(shares: NDArray[np.floating[Any]]) -> str:
    """Numbers from 0 to 1, a byte each, in base 64."""
    return base64.b64encode(np.rint(shares * 255).clip(0, 255).astype(np.uint8)).decode()
