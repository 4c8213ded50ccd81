"""Test biases and masks whose heads, keys or entries differ from the usual ones.

All arrays are computed here, without the library.
"""

import numpy as np
import pytest

from pe_lib.doctor import examine, identify

T = 40
OFFSETS = np.arange(T) - np.arange(T)[:, None]
SLOPES = 2.0 ** -np.arange(1, 9)
LONG = 2.0 ** (-np.arange(1, 17) / 2)
BIAS = -SLOPES[:, None, None] * np.abs(OFFSETS)
BLOOM = {"model_type": "bloom", "n_head": 16, "hidden_size": 256, "n_layer": 2}


def hide(hidden):
    return np.where(hidden, -np.inf, 0.0)


def change(x, at, value):
    x = np.array(x)
    x[at] = value
    return x


@pytest.mark.parametrize("value", [0.0, -0.25, np.nan, LONG[4]])
def test_a_wrong_slope_is_named_among_right_ones(value):
    d = identify(change(LONG, 5, value))
    assert (d.scheme, d.sure, d.exceptions["pairs"]) == ("alibi", True, [5]), str(d)
    assert "heads_off" in d.problems and ("not_finite" in d.problems) == np.isnan(value)
    report = examine({"alibi_slopes": change(LONG, 5, value)}, BLOOM)
    assert "heads_off" in report.problems and "fits" not in str(report), str(report)


def test_slopes_of_few_heads_are_not_certain_if_one_is_wrong():
    assert not identify(change(SLOPES, 3, 0.0)).sure


def test_slopes_that_begin_again_are_named():
    d = identify(np.concatenate([SLOPES, SLOPES[:4]]))
    assert (d.scheme, d.sure, d.problems) == ("alibi", True, ["slopes_repeated"]), str(d)


def test_zeros_in_place_of_slopes_give_no_warning():
    assert examine({"alibi_slopes": np.zeros(16)}, BLOOM).problems == ["all_zero"]


HEALTHY = {
    "signed": (SLOPES[:, None, None] * OFFSETS, "alibi", "needs a causal mask"),
    "lifted": (BIAS - SLOPES[:, None, None], "alibi", "softmax does not see that number"),
    "padding": (BIAS + hide((OFFSETS > 0) | (np.arange(T) < 5)), "alibi",
                "5 keys are masked, the first of them key 0"),
    "padding behind": (BIAS + hide(np.arange(T) > T - 4), "alibi",
                       "3 keys are masked, the first of them key 37"),
    "marked": (np.triu(np.ones((T, T)), 1), "mask", "1 means masked"),
    "both sides": (hide(np.abs(OFFSETS) > 6), "mask", "up to 6 positions before or after"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HEALTHY)
def test_these_biases_are_healthy(kind):
    x, scheme, words = HEALTHY[kind]
    d = identify(x)
    assert (d.scheme, d.sure, d.problems) == (scheme, True, []) and words in str(d), str(d)


FAULTS = {
    "a lowest value": (np.maximum(BIAS, -6), "bias_clipped"),
    "a farthest distance": (np.maximum(BIAS, BIAS[:, :1, 16:17]), "bias_clipped"),
    "the own key masked": (hide(OFFSETS >= 0), "mask_strict"),
    "the next key seen": (hide(OFFSETS > 1), "mask_ahead"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_these_biases_are_named(kind):
    x, problem = FAULTS[kind]
    d = identify(x)
    assert d.sure and d.problems == [problem], str(d)


def test_masks_and_biases_without_a_rule_are_described():
    prefix = hide((OFFSETS > 0) & (np.arange(T) >= 10))
    packed = hide((OFFSETS > 0) | (np.arange(T) // 10 != np.arange(T)[:, None] // 10))
    hole = change(hide(OFFSETS > 0), (5, 20), 0)
    for x, words in ((prefix, "some of those after it"), (packed, "some of those before it"),
                     (hole, "in 1 entries, the first of them in row 5, column 20")):  # fmt: skip
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("mask", False, []) and words in str(d), str(d)
    clipped = np.random.default_rng(0).normal(size=33)[np.clip(OFFSETS, -16, 16) + 16]
    d = identify(clipped)
    assert (d.scheme, d.sure) == ("unknown", False), str(d)
    assert "Before offset -15 and after offset 15 the bias stays the same." in str(d)


def test_the_settings_of_buckets_and_heads_are_said():
    assert "8 heads." in str(identify(BIAS))
    far = np.minimum(8 + (np.log(np.maximum(np.abs(OFFSETS), 1) / 8) / np.log(16) * 8), 15)
    kind = 16 * (OFFSETS > 0) + np.where(np.abs(OFFSETS) < 8, np.abs(OFFSETS), far.astype(int))
    bias = np.random.default_rng(1).normal(size=(4, 32))[:, kind]
    assert "32 buckets up to distance 128 on both sides" in str(identify(bias))


def test_slopes_times_keys_are_known_under_a_causal_mask():
    bias = hide(OFFSETS > 0) + SLOPES[:, None, None] * np.arange(T)
    for x in (bias, bias.astype(np.float32)):
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("alibi", True, []), str(d)
    d = identify(change(bias, (2, 30, 7), 5.0))
    assert not d.sure or d.problems, str(d)
