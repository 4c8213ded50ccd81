"""Test Adam against plain numbers, the tasks by counting, and the training of a small model."""

import os
import subprocess
import sys
from math import sqrt
from typing import Any

import numpy as np
import pytest

from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.training import adam


def test_adam_is_that_of_the_paper() -> None:
    gradients = np.random.default_rng(0).standard_normal((20, 3))
    value, mean, square = np.ones(3), np.zeros(3), np.zeros(3)
    for step, gradient in enumerate(gradients, start=1):
        adam(value, gradient, mean, square, step, 0.1)
    for k in range(3):
        theta, m, v = 1.0, 0.0, 0.0
        for step in range(1, 21):
            g = gradients[step - 1, k]
            m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g**2
            theta -= 0.1 * (m / (1 - 0.9**step)) / (sqrt(v / (1 - 0.98**step)) + 1e-8)
        assert value[k] == pytest.approx(theta, rel=1e-12)


def draw_texts(task: tasks.Task, size: int, length: int) -> Any:
    tokens, targets = task(np.random.default_rng(2), size, length)
    return list(zip(tokens.tolist(), targets.tolist(), strict=True))


def test_tasks_have_the_right_answers() -> None:
    for row, answers in draw_texts(tasks.previous(5), 20, 9):
        assert answers == [-1, *row[:-1]]
    orders = draw_texts(tasks.order(4), 200, 8)
    for row, answer in orders:
        assert sorted(row)[:3] == [0, 1, 2] and min(sorted(row)[3:]) >= 3
        assert row.index(answer) < row.index(2) < row.index(1 - answer)
    assert 60 < sum(answer for _, answer in orders) < 140
    for length in (7, 8):
        for row, answer in draw_texts(tasks.counting(6), 50, length):
            assert answer == (sum(token < 3 for token in row) > length / 2)
    for row, answers in draw_texts(tasks.latest(3, 2, 0.3), 50, 8):
        last = -1
        for token, answer in zip(row, answers, strict=True):
            last = token if token < 3 else last
            assert answer == last
    assert all(min(answers) >= 0 for _, answers in draw_texts(tasks.latest(share=1), 2, 5))
    for length in (18, 33):
        for row, answers in draw_texts(tasks.facts(), 50, length):
            asked = [t for t, answer in enumerate(answers) if answer >= 0]
            assert len(asked) == len({row[t] for t in asked}) == 4 and min(asked) >= length // 2
            assert sum(token < 8 for token in row) == 8 and max(row) < 16
            for t in asked:
                first = row.index(row[t])
                assert first + 1 < length // 2 and row[first + 1] == answers[t] + 8


def test_what_stood_before_is_learned() -> None:
    """Test that a model with one position scheme learns the task. Nightly tests cover all."""
    task, model = tasks.previous(), Transformer(8, 8, "relative", causal=True)
    history = train(model, task, steps=300, progress=False)
    assert history.loss[0] > 1.8 > 0.3 > history.loss[-20:].mean()
    assert accuracy(model, task) > 0.95


def test_the_same_seeds_give_the_same_numbers() -> None:
    task, runs = tasks.counting(), []
    for seed in (0, 0, 1):
        model = Transformer(8, 2, "learned", pooled=True)
        runs.append(train(model, task, steps=5, seed=seed, progress=False).loss)
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0] != runs[2]).all()


def test_snapshots_are_copies_from_the_start_to_the_end() -> None:
    model = Transformer(8, 8)
    history = train(model, tasks.previous(), steps=7, record=3, progress=False)
    assert [step for step, _ in history.snapshots] == [0, 3, 6, 7]
    start = Transformer(8, 8).parameters
    for name, value in model.parameters.items():
        np.testing.assert_array_equal(history.snapshots[0][1][name], start[name])
        np.testing.assert_array_equal(history.snapshots[-1][1][name], value)
        assert history.snapshots[-1][1][name] is not value


MODEL = Transformer(8, 8)
REFUSED: list[tuple[str, Any]] = [
    ("model must have classes = 2 for the task 'counting'", lambda: train(MODEL, tasks.counting())),
    ("model must have vocabulary = 5", lambda: accuracy(MODEL, tasks.previous(5))),
    ("length must leave an answer that", lambda: train(MODEL, tasks.previous(), length=1)),
    ("rate must be positive, got 0", lambda: train(MODEL, tasks.previous(), rate=0)),
    ("share must lie in 0 < share <= 1, got 1.5", lambda: tasks.latest(share=1.5)),
    (
        "length must be at least 4 * count + 2 = 18, got 17",
        lambda: draw_texts(tasks.facts(), 1, 17),
    ),
    ("count must be at most names = 2, got 3", lambda: tasks.facts(2, count=3)),
]


@pytest.mark.parametrize(("message", "call"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_fit_is_refused_by_name(message: str, call: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("task", "name"),
    [(tasks.order, "fillers"), (tasks.counting, "words"), (tasks.previous, "vocabulary")],
)
def test_sizes_of_tasks_are_refused_by_name(task: Any, name: str) -> None:
    # The sum 255 + 1 exceeds a uint8, so it must be computed in a wider type.
    task(**{name: np.uint8(255)})(np.random.default_rng(0), 2, 5)
    with pytest.raises(ValueError, match=f"{name} must be at least [12], got 0"):
        task(**{name: 0})


THREADS = """
from threadpoolctl import threadpool_info, threadpool_limits
from pe_lib.course.model import Transformer, tasks, train

def threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

threadpool_limits(limits=2, user_api="blas")
before, during = threads(), []

class Seen(tasks.Task):
    def __call__(self, *given):
        during.append(threads())
        return super().__call__(*given)

task = Seen(**vars(tasks.previous()))
try:
    train(Transformer(8, 8), task, steps=50, rate=1e30, progress=False)
except FloatingPointError as error:
    print(*map(set, during[:2]), "smaller rate" in str(error), threads() == before)
"""


def test_training_takes_one_thread_and_gives_the_others_back() -> None:
    """Test in a separate process that training restores the number of threads, even on errors."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    command = [sys.executable, "-W", "ignore", "-c", THREADS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "{1} {1} True True\n"
