"""Test the claims on the Deeper page of chapter 3."""

import math

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, wavelengths
from pe_lib.course.readers import list_spacings, measure_accuracy, measure_misses, reading_error


@pytest.fixture(scope="module")
def built():
    """Return a dictionary of the functions that the page defines."""
    return functions("03-frequencies-deeper", np=np, math=math, frequencies=frequencies)


def test_the_fastest_pair_within_half_a_turn_shows_an_offset_best(built):
    for s, t in ((5, 6), (5, 50), (5, 500)):
        apart, half = built["apart"](s, t, 8), wavelengths(8) / 2
        within = np.flatnonzero(t - s < half)
        assert within[0] == within[np.argmax(apart[within])] == {6: 0, 50: 2, 500: 3}[t]
    # Beyond half a turn the angle becomes smaller again, and after a whole turn it is almost zero.
    assert built["apart"](0, 3, 8)[0] > 170 and built["apart"](6, 50, 8)[0] < 2


@pytest.mark.parametrize("base", [2.0, 100.0, 1e4])
@pytest.mark.parametrize("length", [7, 627, 629, 62_831])
def test_the_formula_counts_the_pairs_that_never_come_round(built, length, base):
    expected = (wavelengths(64, base) > length).sum()
    assert built["pairs_longer"](length, 64, base) == expected


def test_distances_are_those_of_the_rows(built):
    rows = encode(range(500), 64)
    expected = np.linalg.norm(rows - rows[0], axis=1)
    np.testing.assert_allclose(built["distances"](frequencies(64), range(500)), expected)
    expected = np.linalg.norm(rows[100:] - rows[100], axis=1)  # any position gives the same result
    np.testing.assert_allclose(
        built["distances"](frequencies(64), range(400)), expected, atol=1e-12
    )


@pytest.mark.parametrize(("hands", "low", "high"), [(4, 0.2, 0.4), (8, 0.95, 1), (16, 0.99, 1)])
def test_how_often_random_speeds_beat_the_ladder_depends_on_the_hands(built, hands, low, high):
    """Test how often random speeds beat regular speeds, with seeds that the page does not use."""
    offsets = np.arange(1, 2048)
    ladder = built["distances"](frequencies(2 * hands), offsets).min()
    draws = list_spacings(hands, range(5000, 5300))["random speeds"]
    share = np.mean([built["distances"](w, offsets).min() > ladder for w in draws])
    assert low <= share <= high


def test_the_rule_of_four_contexts_needs_many_hands(built):
    """Test that the rule needs at least 16 hands, with bases that the page does not use."""
    worst = {}
    for d_model in (8, 16, 32, 64):
        excess = []
        for length in (512, 2048):
            rule = encode(range(length), d_model, built["base_for"](length, d_model))
            bases = 10.0 ** np.linspace(1, 8, 43)
            tables = [encode(range(length), d_model, base) for base in bases]
            for noise in (0.1, 1.0):
                best = min(reading_error(table, noise) for table in tables)
                excess.append(reading_error(rule, noise) / best - 1)
        worst[d_model] = max(excess)
    assert max(worst[32], worst[64]) < 0.075 and min(worst[8], worst[16]) > 0.15


def test_louder_noise_gives_the_nearest_row_a_use_for_slower_hands():
    far, missed = {}, {}
    for base in (2.0, 100.0, 1e4, 1e6):
        table = encode(range(2048), 64, base)
        by = [measure_misses(table, 1.0, seed) for seed in (21, 22)]
        missed[base], far[base] = np.mean(np.greater(by, 0)), np.mean(np.greater(by, 10))
        assert measure_misses(table, 0.3, 21).max() <= 10
    assert min(missed, key=missed.get) == 2.0 and min(far, key=far.get) == 100.0
    assert 0.35 < far[2.0] / missed[2.0] < 0.5


def test_with_four_hands_a_small_base_is_no_better():
    def shares(d_model):
        tables = [encode(range(2048), d_model, base) for base in (2, 100, 1000, 10_000)]
        return [measure_accuracy(table, 0.3, (31, 32)) for table in tables]

    four, eight = shares(8), shares(16)
    assert max(four[:3]) < 1.15 * min(four[:3]) and four[3] < 0.8 * four[0]
    assert eight == sorted(eight, reverse=True)
