"""Test the claims of chapter 9 with loops and with closed forms."""

import math

import numpy as np
import pytest
from cells import run_cells

from pe_lib import biases

NAME = "09-biases"


@pytest.fixture(scope="module")
def deeper():
    """Run the cells of the Deeper page, and return all names that they define."""
    return run_cells("09-biases-deeper")


def test_reversed_words_give_reversed_outputs_without_a_mask():
    """Test that all ALiBi heads are symmetric, and that a mask or T5's table is not."""
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 7, 4))

    def output(q, k, v, bias):
        powers = np.exp(q @ k.T / 2 + bias)
        return powers / powers.sum(axis=1, keepdims=True) @ v

    def is_mirrored(bias):
        back = slice(None, None, -1)
        return np.allclose(output(q[back], k[back], v[back], bias)[back], output(q, k, v, bias))

    for bias in biases.alibi_bias(length=7, heads=8, causal=False):
        assert is_mirrored(bias)
    assert not is_mirrored(biases.alibi_bias(length=7, heads=8)[0])
    assert not is_mirrored(biases.t5_bias(7, rng.standard_normal((32, 1)))[0])
    behind = np.array([0, *range(6, 0, -1)])  # reverses all but the first token
    bias = biases.alibi_bias(length=7, heads=8, causal=False)[0]
    for order, alike in ((np.arange(7)[::-1], True), (behind, False)):
        means = output(q[order], k[order], v[order], bias).mean(0), output(q, k, v, bias).mean(0)
        assert np.allclose(*means) == alike


def count_window(weights):
    """Return how many of the nearest words hold nine tenths, by adding up one word at a time."""
    words = total = 0
    while total < 0.9 * sum(weights):
        total += weights[words]
        words += 1
    return words


def test_a_slope_is_a_window_and_a_price(chapter):
    """Test with plain loops at which distance a word with score 8 gets half of the attention."""
    for slope, far in ((1 / 2, 14), (1 / 16, 83), (1 / 256, 628)):
        weights = [math.exp(-slope * n) for n in range(20_000)]
        for n, most in ((far, True), (far + 1, False)):
            found = math.exp(8) * weights[n]
            share = found / (found + sum(weights) - weights[n])
            assert chapter["attend_to_key"](slope)[n] == pytest.approx(share)
            assert (share >= 0.5) == most


def test_random_scores_lengthen_a_window(deeper):
    """Test the windows of the Deeper page with different seeds and with plain loops."""
    for slope in (1 / 2, 1 / 16, 1 / 256, 0):
        equal = [math.exp(-slope * n) for n in range(512)]
        for seed in (11, 12, 13):
            longer = deeper["windows"](1, seed, slope)[0] - count_window(equal)
            assert 0 <= longer <= 1, slope
    wild = np.exp(5 * np.random.default_rng(17).standard_normal((4000, 512)) - np.arange(512) / 16)
    # With five times larger scores, the window is nearly twice as long as with equal scores.
    assert 62 <= count_window((wild / wild.sum(1)[:, None]).mean(0)) <= 74


def test_the_chapters_buckets_are_those_of_the_library(chapter):
    """Test that the formula in floating point agrees with the library's integers up to 2,000."""
    for k in range(-2000, 2001):
        assert chapter["bucket"](k) == biases.t5_buckets(k), k


def test_a_bucket_of_seven_places_cannot_name_one(chapter):
    """Test which distances share bucket 10, and how often their commonest word is the right one."""
    assert [n for n in range(99) if chapter["bucket"](-n) == 10] == list(range(16, 23))
    seven = np.random.default_rng(5).integers(8, size=(20_000, 7)).tolist()
    answers = [max(set(words), key=words.count) == words[4] for words in seven]
    assert sum(answers) / len(answers) == pytest.approx(0.34, abs=0.015)


def test_the_table_climbs_the_slope_of_the_loss(deeper):
    """Test one step of the fit against a difference quotient of the mean log-probability."""
    table = deeper["fit_table"](deeper["t5"], 3, seed=5, steps=1)
    words = np.random.default_rng(5).integers(8, size=(64, 32))

    def log_probability(table):
        w = [math.exp(table[b]) for b in deeper["t5"]]
        shares = [sum(w[s] for s in range(32) if row[s] == row[28]) / sum(w) for row in words]
        return sum(map(math.log, shares)) / 64

    for b in range(32):
        step = np.zeros(32)
        step[b] = 1e-5
        slope = (log_probability(step) - log_probability(-step)) / 2e-5
        assert table[b] == pytest.approx(slope, abs=1e-8)


def test_a_table_singles_out_near_words_and_no_far_ones(deeper):
    """Test the learned tables and both controls with other seeds."""
    fit, right, t5 = (deeper[name] for name in ("fit_table", "share_right", "t5"))
    offsets = np.arange(32) - 31
    assert [n for n in range(32) if t5[31 - n] == 10] == list(range(16, 23))
    for seed in (11, 12, 13):
        assert right(fit(t5, 3, seed)[t5], 3, seed) > 0.99
        far = fit(t5, 20, seed)
        assert right(far[t5], 20, seed) == pytest.approx(0.34, abs=0.03)
        assert not far[12:].any()
        assert right(fit(-offsets, 20, seed)[-offsets], 20, seed) > 0.99
        slopes = np.linspace(0, 3, 31)
        assert max(right(m * offsets, 3, seed) for m in slopes) < 1 / 3
        assert max(right(m * offsets, 20, seed) for m in slopes) < 1 / 4


def test_the_window_of_the_smallest_slope_in_a_long_text():
    """Test the window of 590 words by adding up the weights."""
    assert count_window([math.exp(-n / 256) for n in range(20_000)]) == 590
