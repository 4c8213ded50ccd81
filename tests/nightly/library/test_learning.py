"""Test that the small Transformer learns a task about positions only with a position scheme."""

import pytest

from pe_lib.course.model import Transformer, accuracy, tasks, train


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "rotary", "relative"])
def test_what_stood_before_is_learned(scheme, seed):
    task, model = tasks.previous(), Transformer(8, 8, scheme, causal=True, seed=seed)
    history = train(model, task, steps=400, seed=seed, progress=False)
    assert history.loss[0] > 1.8 > 0.2 > history.loss[-20:].mean()
    assert accuracy(model, task) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_without_positions_and_mask_it_is_not(seed):
    task, model = tasks.previous(), Transformer(8, 8, "none", seed=seed)
    train(model, task, steps=200, seed=seed, progress=False)
    assert accuracy(model, task) < 0.35
