"""What chapter 1 claims: theorems on other words than its own, and its code to paste."""

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

    def over_the_words(rows):
        rows = layer(rows)
        return (rows - rows.mean(axis=0)) / rows.std(axis=0)

    np.testing.assert_allclose(over_the_words(x[order]), over_the_words(x)[order], atol=1e-10)
    dogs = layer(x[[2, 3, 2]])
    np.testing.assert_allclose(dogs[0], dogs[2], atol=1e-12)
    second = layer(dogs + encode(range(3), 8))
    assert np.abs(second[0] - second[2]).max() > 1e-3
    turned, behind = np.array([1, 0, 2, 3, 4, 5, 6]), np.array([0, 3, 2, 5, 1, 6, 4])
    assert np.abs(layer(x)[0] - layer(x[turned])[0]).max() > 0.1
    np.testing.assert_allclose(layer(x)[0], layer(x[behind])[0], atol=1e-12)
    one, there = layer(x, causal=True), layer(x[order], causal=True)
    np.testing.assert_allclose(one[-1], there[-1], atol=1e-12)
    assert np.abs(layer(one, causal=True)[-1] - layer(there, causal=True)[-1]).max() > 0.01
    digits = chapter["binary"]([0, 1, 2, 1024], 10)
    np.testing.assert_array_equal(digits[0], digits[3])
    assert chapter["miss"](digits[:3] * 1.0, k=1) > 0.7  # no matrix makes 1 out of zeros


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
