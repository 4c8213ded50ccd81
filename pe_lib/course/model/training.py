"""Training a Transformer: Adam, the loop with a progress bar, and the share of right answers."""

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
    """What training leaves: the loss of each step, and (step, copy of the parameters) now and then.

    A snapshot is taken before its step; the last one is the end.
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
    """Train `model` in place on fresh sequences of `task`, by Adam, and return the `History`.

    `record` > 0 keeps a snapshot every so many steps. The progress bar goes to a terminal only: a
    notebook's outputs stay as they are. Raises TypeError or ValueError for counts that are no
    integers or too small, a rate that is not positive and a task that does not fit the model, and
    FloatingPointError, with the step, if the loss is no longer finite.

    Matrices this small are multiplied by one thread, since several spend their time waiting for
    each other; after the last step numpy has the threads it had.

    Adam is that of Kingma and Ba (2015), algorithm 1, with β = 0.9 and 0.98.

    >>> from pe_lib.course.model import tasks
    >>> history = train(Transformer(8, 8), tasks.previous(), steps=3, progress=False)
    >>> history.loss.shape
    (3,)
    """
    _fits(model, task)
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
                history.snapshots.append((step, _copy(model)))
            loss, gradients = model.loss_and_gradients(*_drawn(task, rng, batch, length))
            if not np.isfinite(loss):
                raise FloatingPointError(
                    f"the loss is {loss} at step {step} with rate {rate:g}: try a smaller rate"
                )
            history.loss[step] = loss
            for name, value in model.parameters.items():
                adam(value, gradients[name], mean[name], square[name], step + 1, rate)
            if show:
                _bar(step + 1, steps, loss)
    if record:
        history.snapshots.append((steps, _copy(model)))
    return history


def adam(value: Array, gradient: Array, mean: Array, square: Array, step: int, rate: float) -> None:
    """One step of Adam, the first being step 1; changes `value`, `mean` and `square` in place."""
    b1, b2 = 0.9, 0.98
    mean += (1 - b1) * (gradient - mean)
    square += (1 - b2) * (gradient * gradient - square)
    # both start at zero and are too small by 1 - b^step
    value -= rate * (mean / (1 - b1**step)) / (np.sqrt(square / (1 - b2**step)) + 1e-8)


def accuracy(
    model: Transformer, task: Task, length: int = 16, *, seed: int = 1000, batch: int = 512
) -> float:
    """The share of answers that count which are right, on fresh sequences of `length`.

    Raises TypeError or ValueError for counts that are no positive integers, if the task does not
    fit the model or the length a learned table, and if no answer counts.
    """
    _fits(model, task)
    rng = np.random.default_rng(_checks.integer("seed", seed, 0))
    tokens, targets = _drawn(task, rng, batch, length)
    counts = targets >= 0
    return float((model(tokens).argmax(axis=-1) == targets)[counts].mean())


def _keep_freed_memory() -> None:
    """So that a step takes over the arrays of the one before, which saves two fifths of the time.

    Linux's malloc hands them back to the system and asks anew, until it has once freed an array
    larger than all of them. This one, of 16 MB, is never written to. Elsewhere it does nothing.
    """
    np.empty(2**24, np.uint8)


def _fits(model: Transformer, task: Task) -> None:
    for name in ("vocabulary", "classes", "pooled"):
        if getattr(model, name) != getattr(task, name):
            raise ValueError(
                f"model must have {name} = {getattr(task, name)} for the task {task.name!r}, "
                f"got {getattr(model, name)}"
            )


def _drawn(
    task: Task, rng: np.random.Generator, batch: int, length: int
) -> tuple[Integers, Integers]:
    tokens, targets = task(rng, batch, length)
    if (targets < 0).all():  # as with `tasks.previous` and a length of 1
        raise ValueError(
            f"length must leave an answer that counts for the task {task.name!r}, got {length}"
        )
    return tokens, targets


def _copy(model: Transformer) -> dict[str, Array]:
    return {name: value.copy() for name, value in model.parameters.items()}


def _bar(done: int, steps: int, loss: float) -> None:
    filled = "█" * (30 * done // steps)
    end = "\n" if done == steps else ""
    print(f"\r{filled:30} {done}/{steps}, loss {loss:.3f}", end=end, file=sys.stderr, flush=True)
