"""Train a Transformer with Adam, and measure its accuracy."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pe_lib import _checks
from pe_lib.course.model.schemes import Array
from pe_lib.course.model.tasks import Integers, Task
from pe_lib.course.model.transformer import Transformer


@dataclass
class History:
    """The record of a training run: the loss at each step, and snapshots of the parameters.

    A snapshot is a pair of a step and a copy of the parameters before that step. The last snapshot
    is taken after the last step.
    """

    loss: NDArray[np.float64]
    snapshots: list[tuple[int, dict[str, Array]]] = field(default_factory=list)


def train(
    model: Transformer,
    task: Task,
    *,
    steps: int = 500,
    batch: int = 64,
    length: int = 16,
    rate: float = 3e-3,
    seed: int = 0,
    record: int = 0,
    progress: bool = True,
) -> History:
    """Train `model` in place with Adam, on new sequences of `task`, and return the `History`.

    With `record` > 0 a snapshot is kept every `record` steps. A progress bar is shown on a terminal
    only, so that the outputs of a notebook do not change.

    Matrix products run on a single thread. With matrices as small as these, several threads spend
    their time waiting for each other. After the last step numpy has its threads back.

    Raises TypeError or ValueError, naming the argument, for a count that is not an integer or too
    small, a rate that is not positive, and a task that does not fit the model. Raises
    FloatingPointError, naming the step, if the loss is no longer finite.
    Source: Kingma and Ba (2015), algorithm 1, with β = 0.9 and 0.98.

    >>> from pe_lib.course.model import tasks
    >>> history = train(Transformer(8, 8), tasks.previous(), steps=3, progress=False)
    >>> history.loss.shape
    (3,)
    """
    _check_task(model, task)
    steps, record = _checks.integer("steps", steps, 1), _checks.integer("record", record, 0)
    rate = _checks.real("rate", rate)
    if rate <= 0:
        raise ValueError(f"rate must be positive, got {rate}")
    rng = np.random.default_rng(_checks.integer("seed", seed, 0))
    _keep_freed_memory()
    mean = {name: np.zeros_like(value) for name, value in model.parameters.items()}
    square = {name: np.zeros_like(value) for name, value in model.parameters.items()}
    history = History(np.empty(steps))
    show = progress and sys.stderr.isatty()
    with threadpool_limits(limits=1, user_api="blas"):
        for step in range(steps):
            if record and step % record == 0:
                history.snapshots.append((step, _copy_parameters(model)))
            loss, gradients = model.loss_and_gradients(*_draw_batch(task, rng, batch, length))
            if not np.isfinite(loss):
                raise FloatingPointError(
                    f"the loss is {loss} at step {step} with rate {rate:g}: try a smaller rate"
                )
            history.loss[step] = loss
            for name, value in model.parameters.items():
                adam(value, gradients[name], mean[name], square[name], step + 1, rate)
            if show:
                _print_progress(step + 1, steps, loss)
    if record:
        history.snapshots.append((steps, _copy_parameters(model)))
    return history


def adam(value: Array, gradient: Array, mean: Array, square: Array, step: int, rate: float) -> None:
    """Take one step of Adam, changing `value`, `mean` and `square` in place. `step` starts at 1."""
    b1, b2 = 0.9, 0.98
    mean += (1 - b1) * (gradient - mean)
    square += (1 - b2) * (gradient * gradient - square)
    # Both averages start at zero, so dividing them by 1 - b^step removes the bias.
    value -= rate * (mean / (1 - b1**step)) / (np.sqrt(square / (1 - b2**step)) + 1e-8)


def accuracy(
    model: Transformer, task: Task, length: int = 16, *, seed: int = 1000, batch: int = 512
) -> float:
    """Return the model's share of correct answers on new sequences of `length`.

    Raises TypeError or ValueError, naming the argument, for a count that is not a positive integer,
    for a task that does not fit the model, and for a length beyond a learned table. Raises
    ValueError if no answer counts.
    """
    _check_task(model, task)
    rng = np.random.default_rng(_checks.integer("seed", seed, 0))
    tokens, targets = _draw_batch(task, rng, batch, length)
    counts = targets >= 0
    return float((model(tokens).argmax(axis=-1) == targets)[counts].mean())


def _keep_freed_memory() -> None:
    """Make malloc keep the memory of freed arrays, so that later steps reuse it.

    The malloc of Linux returns large arrays to the system and requests new ones, until the program
    has freed an array that is larger than all of them. So we allocate one of 16 MB and free it at
    once. This saves two fifths of the training time. On other systems it has no effect.
    """
    np.empty(2**24, np.uint8)


def _check_task(model: Transformer, task: Task) -> None:
    """Raise ValueError if the tokens, classes or pooling of `model` do not fit `task`."""
    for name in ("vocabulary", "classes", "pooled"):
        if getattr(model, name) != getattr(task, name):
            raise ValueError(
                f"model must have {name} = {getattr(task, name)} for the task {task.name!r}, "
                f"got {getattr(model, name)}"
            )


def _draw_batch(
    task: Task, rng: np.random.Generator, batch: int, length: int
) -> tuple[Integers, Integers]:
    """Draw a batch of tokens and targets, or raise ValueError if no target counts."""
    tokens, targets = task(rng, batch, length)
    if (targets < 0).all():  # for example, `tasks.previous` at length 1 has no answers
        raise ValueError(
            f"length must leave an answer that counts for the task {task.name!r}, got {length}"
        )
    return tokens, targets


def _copy_parameters(model: Transformer) -> dict[str, Array]:
    return {name: value.copy() for name, value in model.parameters.items()}


def _print_progress(done: int, steps: int, loss: float) -> None:
    """Print a progress bar in place of the previous one in the terminal."""
    bar = "█" * (30 * done // steps)
    end = "\n" if done == steps else ""
    print(f"\r{bar:30} {done}/{steps}, loss {loss:.3f}", end=end, file=sys.stderr, flush=True)
