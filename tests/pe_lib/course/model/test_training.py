"""Training: Adam against scalars, tasks by plain counting, and small models that learn."""

import io
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


def test_tasks_have_the_right_answers() -> None:
    rng = np.random.default_rng(2)
    tokens, targets = tasks.previous(5)(rng, 20, 9)
    assert (targets[:, 0] == -1).all()
    for row, answers in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert answers[1:] == row[:-1]
    tokens, targets = tasks.order(4)(rng, 200, 8)
    for row, answer in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert sorted(row)[:3] == [0, 1, 2] and min(sorted(row)[3:]) >= 3
        assert row.index(answer) < row.index(2) < row.index(1 - answer)
    assert 60 < targets.sum() < 140
    for length in (7, 8):
        tokens, targets = tasks.counting(6)(rng, 50, length)
        for row, answer in zip(tokens.tolist(), targets.tolist(), strict=True):
            assert answer == (sum(token < 3 for token in row) > length / 2)
    tokens, targets = tasks.latest(3, 2, 0.3)(rng, 50, length)
    for row, answers in zip(tokens.tolist(), targets.tolist(), strict=True):
        last = -1
        for token, answer in zip(row, answers, strict=True):
            last = token if token < 3 else last
            assert answer == last
    tokens, targets = tasks.position(4)(rng, 3, 6)
    assert targets.tolist() == [[0, 1, 2, 3, -1, -1]] * 3
    for length in (18, 33):
        tokens, targets = tasks.facts()(rng, 50, length)
        for row, answers in zip(tokens.tolist(), targets.tolist(), strict=True):
            asked = [t for t, answer in enumerate(answers) if answer >= 0]
            assert len(asked) == len({row[t] for t in asked}) == 4 and min(asked) >= length // 2
            assert sum(token < 8 for token in row) == 8 and max(row) < 16
            for t in asked:
                first = row.index(row[t])
                assert first + 1 < length // 2 and row[first + 1] == answers[t] + 8
    with pytest.raises(ValueError, match=r"length must be at least 4 \* told \+ 2 = 18, got 17"):
        tasks.facts()(rng, 1, 17)
    with pytest.raises(ValueError, match="told must be at most names = 2, got 3"):
        tasks.facts(2, told=3)
    with pytest.raises(ValueError, match="length must be at least 3"):
        tasks.order()(rng, 1, 2)


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "rotary", "relative"])
def test_what_stood_before_is_learned(scheme: str) -> None:
    task = tasks.previous()
    model = Transformer(8, 8, scheme, causal=True)
    history = train(model, task, steps=400, progress=False)
    assert history.loss[0] > 1.8 > 0.2 > history.loss[-20:].mean()
    assert accuracy(model, task) > 0.95


def test_without_positions_and_mask_it_is_not_learned() -> None:
    task = tasks.previous()
    model = Transformer(8, 8, "none")
    train(model, task, steps=200, progress=False)
    assert accuracy(model, task) < 0.35


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


def test_a_terminal_sees_a_bar_and_a_notebook_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (True, False):
        shown = io.StringIO()
        monkeypatch.setattr(shown, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr(sys, "stderr", shown)
        train(Transformer(8, 8), tasks.previous(), steps=2)
        assert ("2/2, loss" in shown.getvalue()) == terminal


def test_what_does_not_fit_is_refused_by_name() -> None:
    model = Transformer(8, 8)
    with pytest.raises(ValueError, match="model must have classes = 2 for the task 'counting'"):
        train(model, tasks.counting(), progress=False)
    with pytest.raises(ValueError, match="model must have vocabulary = 5"):
        accuracy(model, tasks.previous(5))
    with pytest.raises(ValueError, match="steps must be at least 1"):
        train(model, tasks.previous(), steps=0)
    with (
        np.errstate(all="ignore"),
        pytest.raises(FloatingPointError, match=r"at step .* smaller rate"),
    ):
        train(model, tasks.previous(), steps=50, rate=1e30, progress=False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": 2.5}, r"steps must be an integer, got 2\.5"),
        ({"batch": 0}, "batch must be at least 1, got 0"),
        ({"length": 1}, "length must leave an answer that counts for the task 'previous', got 1"),
        ({"length": 2.5}, r"length must be an integer, got 2\.5"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"record": -1}, "record must be at least 0, got -1"),
        ({"rate": 0}, "rate must be positive, got 0"),
        ({"rate": "3"}, "rate must be a real number, got '3'"),
        ({"rate": np.nan}, "rate must be finite, got nan"),
    ],
)
def test_settings_of_training_are_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        train(Transformer(8, 8), tasks.previous(), **settings, progress=False)


def test_accuracy_needs_an_answer() -> None:
    with pytest.raises(ValueError, match=r"length must leave an answer .* got 1"):
        accuracy(Transformer(8, 8), tasks.previous(), 1)
    with pytest.raises(TypeError, match="seed must be an integer, got None"):
        accuracy(Transformer(8, 8), tasks.previous(), seed=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("task", "name", "least"),
    [
        (tasks.previous, "vocabulary", 1),
        (tasks.order, "fillers", 1),
        (tasks.counting, "words", 2),
        (tasks.position, "classes", 1),
        (tasks.position, "vocabulary", 1),
        (tasks.latest, "marked", 1),
        (tasks.latest, "fillers", 1),
    ],
)
def test_sizes_of_tasks_are_refused_by_name(task: Any, name: str, least: int) -> None:
    task(**{name: np.uint8(255)})(np.random.default_rng(0), 2, 5)  # 255 + 1 is no uint8
    with pytest.raises(ValueError, match=f"{name} must be at least {least}, got {least - 1}"):
        task(**{name: least - 1})
    with pytest.raises(TypeError, match=f"{name} must be an integer, got 2.5"):
        task(**{name: 2.5})


def test_the_share_of_marked_tokens() -> None:
    for share in (0, -0.5, 1.5):
        with pytest.raises(ValueError, match=f"share must lie in 0 < share <= 1, got {share}"):
            tasks.latest(share=share)
    assert (tasks.latest(share=1)(np.random.default_rng(0), 2, 5)[1] >= 0).all()
