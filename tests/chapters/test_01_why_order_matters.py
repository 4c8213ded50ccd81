"""Test the claims that chapter 1 makes without showing them, and its copy-and-paste code."""

import math
import re

import numpy as np
from cells import said

from pe_lib import encode

NAME = "01-why-order-matters"


def test_the_answers_at_the_end_are_right(chapter):
    x, order = chapter["X"], np.array([4, 0, 3, 1, 5, 2, 6])  # every word but the last moves

    def layer(rows, **kwargs):
        return chapter["attention"](rows, *chapter["W"], **kwargs)

    dogs = layer(x[[2, 3, 2]])
    np.testing.assert_allclose(dogs[0], dogs[2], atol=1e-12)
    second = layer(dogs + encode(range(3), 8))
    assert np.abs(second[0] - second[2]).max() > 1e-3
    one, there = layer(x, causal=True), layer(x[order], causal=True)
    np.testing.assert_allclose(one[-1], there[-1], atol=1e-12)
    assert np.abs(layer(one, causal=True)[-1] - layer(there, causal=True)[-1]).max() > 0.01

    def named_of_20(copies):
        rows = chapter["hands"]([2 * np.pi / 20] * copies, 20)
        return [chapter["named"](rows, seed=seed) for seed in range(50)]

    assert 0.5 < np.mean(named_of_20(1)) < 0.95 and np.mean(named_of_20(8)) > 0.999


def test_a_position_is_named_by_the_nearest_vector(chapter):
    rows = chapter["hands"]([1.0, 0.03], 60)
    noise = 0.2 * np.random.default_rng(3).standard_normal(rows.shape)
    right = [
        min(range(60), key=lambda s: math.dist(rows[t] + noise[t], rows[s])) == t for t in range(60)
    ]
    assert 0.1 < np.mean(right) < 0.9
    assert chapter["named"](rows, 0.2, seed=3) == np.mean(right)


def test_only_several_speeds_are_visible(chapter):
    """Test at 200 speeds that hands with a single speed are not enough. The chapter tries a few."""
    # Normal noise exceeds 2.576 standard deviations with a probability of 1 %.
    half_a_step, beyond = 0.0005, 2.576
    # So many slow hands would be needed to name 99 of 100 positions correctly.
    assert 2.4e5 < (beyond * 0.1 / half_a_step) ** 2 < 2.7e5
    for speed in np.linspace(0.0005, np.pi, 200):  # all 1,000 tips lie on one circle
        assert chapter["named"](chapter["hands"]([speed] * 8)) < 0.15
    for seed in range(20):  # random speeds work as well as the chapter's
        speeds = np.random.default_rng(seed).uniform(0.001, 1, 8)
        assert chapter["named"](chapter["hands"](speeds)) > 0.99


def test_the_check_to_paste_fails_where_positions_are_missing(chapter):
    check = re.search(r"```python\n(.*?assert.*?)```", said(NAME, "assert gap"), re.DOTALL)[1]
    vectors = np.random.default_rng(0).standard_normal((60, 8))

    def passes(model, length):
        names = {"order_gap": chapter["order_gap"], "model": model, "words": np.arange(length)}
        try:
            exec(check, names)
        except AssertionError:
            return False
        return True

    def layer(x, **kwargs):
        return chapter["attention"](x, *chapter["W"], **kwargs)

    for length in (5, 6, 7, 60):
        assert not passes(lambda words: layer(vectors[words]), length)
        assert passes(lambda words: layer(vectors[words], causal=True), length)
        places = encode(range(length), 8)
        assert passes(lambda words, places=places: layer(vectors[words] + places), length)
