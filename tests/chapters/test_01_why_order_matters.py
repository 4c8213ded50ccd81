"""What chapter 1 claims: theorems on other words than its own, and its code to paste."""

import math
import re

import numpy as np
import pytest
from cells import executed, said

from pe_lib import encode

NAME = "01-why-order-matters"


@pytest.fixture(scope="module")
def chapter():
    return executed(NAME)


def test_a_stack_is_as_blind_as_a_layer(chapter):
    """For other words and shuffles than the chapter's, and not once positions are added."""
    stack = chapter["stack"]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, order = rng.standard_normal((7, 8)), np.roll(rng.permutation(7), 1)
        for layers in (1, 2, 4):
            blind = stack(x[order], layers) - stack(x, layers)[order]
            seeing = stack(x[order] + encode(range(7), 8), layers)
            seeing -= stack(x + encode(range(7), 8), layers)[order]
            assert np.abs(blind).max() < 1e-10 < 1e-3 < np.abs(seeing).max()


def test_the_answers_at_the_end_are_right(chapter):
    x, order = chapter["X"], np.array([4, 0, 3, 1, 5, 2, 6])  # the last word stays

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
    """With other seeds than the chapter's; and no single speed at all is visible."""
    low = {
        name: chapter["named"](chapter["hands"](w), seed=9) for name, w in chapter["eight"].items()
    }
    assert low["slow"] < 0.03 and low["fast"] < 0.1 and 0.25 < low["slow and fast"] < 0.4
    assert low["4 speeds"] > 0.99 and low["8 speeds"] > 0.99
    half_a_step, beyond = 0.0005, 2.576  # standard deviations, which noise exceeds once in 100
    assert 2.4e5 < (beyond * 0.1 / half_a_step) ** 2 < 2.7e5  # slow hands, for 99 of 100
    for speed in np.linspace(0.0005, np.pi, 200):  # 1000 tips on one rim
        assert chapter["named"](chapter["hands"]([speed] * 8)) < 0.15
    for seed in range(20):  # nor need the speeds be regular
        speeds = np.random.default_rng(seed).uniform(0.001, 1, 8)
        assert chapter["named"](chapter["hands"](speeds)) > 0.99


def test_the_missing_wish_is_to_be_visible(chapter):
    """What passes all others fails it alone, and what is built passes all."""
    fails = {
        name: [wish for wish, kept in chapter["score"](f).items() if not kept]
        for name, f in chapter["ideas"].items()
    }
    visible, near = "equal, visible steps", "near is near"
    assert fails["t/1000"] == fails["slow hand"] == [visible]
    assert fails["fast hand"] == [visible, near] and fails["integers"] == ["bounded"]
    assert fails["fractions"] == ["linear offset", "any length", visible]
    assert fails["binary"] == ["linear offset", "any length", visible, near]
    assert [name for name, wishes in fails.items() if not wishes] == ["chapter 2"]
    more = chapter["binary"](range(1030), 11) * 1.0  # with one digit more it goes on
    assert chapter["distinct"](more) and not chapter["near"](more[:1000])
    far = np.linalg.norm(encode(range(14), 16) - encode(8, 16), axis=1)
    assert far[13] < far[12]


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
