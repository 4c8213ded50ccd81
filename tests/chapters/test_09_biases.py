"""Test the claims of chapter 9 with loops and with closed forms."""

import math

import numpy as np
import pytest

from pe_lib import biases

NAME = "09-biases"


def test_reversed_words_give_reversed_outputs_without_a_mask():
    """Test that all ALiBi heads are symmetric, and that a mask or T5's table is not."""
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 7, 4))

    def output(q, k, v, bias):
        powers = np.exp(q @ k.T / 2 + bias)
        return powers / powers.sum(axis=1, keepdims=True) @ v

    def mirrored(bias):
        back = slice(None, None, -1)
        return np.allclose(output(q[back], k[back], v[back], bias)[back], output(q, k, v, bias))

    for bias in biases.alibi_bias(length=7, heads=8, causal=False):
        assert mirrored(bias)
    assert not mirrored(biases.alibi_bias(length=7, heads=8)[0])
    assert not mirrored(biases.t5_bias(7, rng.standard_normal((32, 1)))[0])
    behind = np.array([0, *range(6, 0, -1)])  # reverses all but the first token
    bias = biases.alibi_bias(length=7, heads=8, causal=False)[0]
    for order, alike in ((np.arange(7)[::-1], True), (behind, False)):
        means = output(q[order], k[order], v[order], bias).mean(0), output(q, k, v, bias).mean(0)
        assert np.allclose(*means) == alike


def test_a_slope_is_a_window_and_a_price(chapter):
    """Test the window and the price of each slope with different seeds and with plain loops."""
    for slope in (1 / 2, 1 / 16, 1 / 256, 0):
        equal = [math.exp(-slope * n) for n in range(512)]
        share = sum(equal[:32]) / sum(equal)
        for seed in (11, 12, 13):
            weights = chapter["attended"](slope, seed)
            assert weights.sum() == pytest.approx(1)
            assert weights[:32].sum() == pytest.approx(share, abs=0.012)
    wild = np.exp(5 * np.random.default_rng(17).standard_normal((4000, 512)) - np.arange(512) / 16)
    # With five times larger scores, the nearest 32 words get a clearly smaller share.
    assert 0.55 < (wild[:, :32].sum(1) / wild.sum(1)).mean() < 0.7
    scores = np.random.default_rng(15).standard_normal((500, 512))
    for n in (0, 75, 300):
        total = 0.0
        for row in scores:
            row[n] = 8
            power = [math.exp(x - s / 16) for s, x in enumerate(row)]
            total += power[n] / sum(power)
        scores = np.random.default_rng(15).standard_normal((500, 512))
        assert chapter["heard"](1 / 16, 15)[n] == pytest.approx(total / 500)
