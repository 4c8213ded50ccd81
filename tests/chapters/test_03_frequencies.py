"""Test the claims of chapter 3 by brute force and by independent methods."""

import itertools
import math

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, wavelengths
from pe_lib.course.readers import list_spacings, reading_error

BASES = (10.0 ** np.linspace(0.5, 6, 23)).round(1)


@pytest.fixture(scope="module")
def built():
    """Return a dictionary of the functions that the chapter defines."""
    known = {"np": np, "math": math, "encode": encode, "frequencies": frequencies}
    return functions("03-frequencies", **known)


def stack_rows(speeds, length):
    """Return the rows for any speeds, with each pair as the real and imaginary part of a number."""
    turned = np.exp(1j * np.outer(np.arange(length), speeds))
    return np.hstack([turned.real, turned.imag])


def name_nearest(speeds, length, noise, seed):
    """Return each position's offset to its nearest row, using the distances in all entries."""
    table = stack_rows(np.asarray(speeds), length)
    noisy = table + np.random.default_rng(seed).normal(0, noise, table.shape)
    squares = (noisy**2).sum(1)[:, None] + (table**2).sum(1) - 2 * noisy @ table.T
    return squares.argmin(axis=1) - np.arange(length)


def share_named(speeds, length, noise, seeds):
    """Return the percentage of positions that their nearest row names, as a mean over seeds."""
    return 100 * np.mean([name_nearest(speeds, length, noise, s) == 0 for s in seeds])


def error_by_least_squares(speeds, length, noise):
    """Return the error of the best linear reader, by solving a penalised least-squares problem."""
    x, t = stack_rows(speeds, length), np.arange(length) - (length - 1) / 2
    penalty = noise * np.eye(x.shape[1])
    more = np.vstack([(x - x.mean(axis=0)) / math.sqrt(length), penalty])
    target = np.append(t / math.sqrt(length), np.zeros(len(penalty)))
    weights = np.linalg.lstsq(more, target)[0]
    return float(np.linalg.norm(more @ weights - target))


@pytest.mark.parametrize(
    ("speeds", "low", "high"),
    [
        ([0.001] * 8, 0, 3),
        ([1.0] * 8, 4, 11),
        ([1.0, 0.001] * 4, 25, 38),
        ([1.0, 0.02] * 4, 78, 88),
        (([1.0, 0.1, 0.01] * 3)[:8], 99, 100),
        ([1.0, 0.1, 0.01, 0.001] * 2, 99.5, 100),
        (frequencies(16), 99.5, 100),
    ],
)
def test_three_speeds_are_enough_and_one_is_not(speeds, low, high):
    """Test the table's column for noise 0.1, with other seeds than the chapter uses."""
    assert low <= share_named(speeds, 1000, 0.1, range(50, 53)) <= high


def test_no_random_pair_of_speeds_names_99_in_100():
    """Test that two speeds name about nine in ten positions, on pairs of the test's own."""
    draws = np.random.default_rng(77).uniform(0.001, math.pi, size=(80, 2))
    shares = [share_named([*pair] * 4, 1000, 0.1, [1]) for pair in draws]
    assert 85 < max(shares) < 95


def test_the_pair_of_speeds_is_wrong_by_turns_of_its_slow_hand():
    offsets = [abs(name_nearest([1.0, 0.02] * 4, 1000, 0.1, s)) for s in range(5)]
    wrong = np.concatenate(offsets)
    wrong = wrong[wrong > 0]
    beside_turns = [min(abs(n - turn) for turn in (314, 628)) <= 13 for n in wrong]
    assert len(wrong) > 500 and np.mean(beside_turns) > 0.98


def test_the_fast_hand_tells_a_turn_of_the_slowest_of_three():
    """Test that three speeds fail only 628 positions apart, where the fast hand decides."""

    def name_with(fast, seed):
        return name_nearest(([fast, 0.1, 0.01] * 3)[:8], 1000, 0.1, seed)

    wrong = abs(np.concatenate([name_with(1.0, s) for s in range(5)]))
    assert set(wrong) == {0, 628}
    # A fast hand that also comes round after 628 positions tells nothing there, and one that stands
    # almost opposite tells everything.
    assert np.mean(name_with(2 * math.pi * 100 / 628, 9) == 0) < 0.8
    assert np.mean(name_with(1.005, 9) == 0) == 1


def test_no_linear_layer_trained_on_noisy_entries_reads_better():
    """Test that least squares on many noisy encodings has the error that the formula predicts."""
    rng = np.random.default_rng(3)
    table = encode(range(200), 8, 100.0)
    t = np.tile(np.arange(200), 400)
    noisy = np.tile(table, (400, 1)) + rng.normal(0, 0.1, (t.size, 8))
    x = np.hstack([noisy, np.ones((t.size, 1))])
    found = math.sqrt(np.mean((x @ np.linalg.lstsq(x, t)[0] - t) ** 2))
    assert reading_error(table, 0.1) == pytest.approx(found, rel=0.01)


def test_the_best_error_is_that_of_least_squares_with_a_penalty():
    for base in (100.0, 1e4):
        expected = error_by_least_squares(frequencies(64, base), 2048, 0.3)
        assert reading_error(encode(range(2048), 64, base), 0.3) == pytest.approx(expected)


@pytest.mark.parametrize("hands", [4, 8, 16, 32])
def test_each_spacing_that_beats_the_ladder_for_one_reader_loses_with_the_other(hands):
    """Test the comparison of spacings, with seeds that the chapter does not use."""
    drawn = list_spacings(hands, range(900, 912))
    named = {k: [share_named(w, 2048, 0.3, [5]) for w in sets] for k, sets in drawn.items()}
    off = {k: [error_by_least_squares(w, 2048, 0.3) for w in sets] for k, sets in drawn.items()}
    (ladder_named,), (ladder_off,) = named["same factor"], off["same factor"]
    assert np.median(named["random speeds"]) > ladder_named
    assert hands == 4 or min(named["random speeds"]) > ladder_named
    assert np.median(off["random speeds"]) > 1.5 * ladder_off
    assert named["even wavelengths"][0] < 10 < ladder_named
    assert off["even wavelengths"][0] < ladder_off * (1.02 if hands == 32 else 1)
    assert named["even speeds"][0] < 0.6 * ladder_named
    assert hands == 4 or off["even speeds"][0] > 1.5 * ladder_off
    if hands >= 16:
        assert np.median(named["random factors"]) > ladder_named - 12
        assert np.median(off["random factors"]) < 1.25 * ladder_off


def test_even_speeds_lose_the_linear_reader_because_their_last_hand_becomes_slower():
    """Test that more hands do no harm if the slowest speed stays, and that only it matters."""
    for hands in (4, 8, 16, 32):
        low = frequencies(2 * hands)[-1]
        off = error_by_least_squares(np.linspace(1, low, hands), 2048, 0.3)
        assert off == pytest.approx(error_by_least_squares([low], 2048, 0.3), rel=0.002)
        kept = error_by_least_squares(np.linspace(1, 0.001, hands), 2048, 0.3)
        assert kept == pytest.approx(291, abs=1)
        assert hands == 4 or off > 1.5 * kept


def test_fast_hands_never_return_together():
    """Test that with base 2 no two rows are near, compared with the noise."""
    table = encode(range(2048), 64, 2.0)
    far = np.linalg.norm(table[1:] - table[0], axis=1)
    assert np.argmin(far) == 0 and 6.5 < far[0] / 2 / 0.3 < 7


def test_the_slow_hands_serve_one_reader_only():
    w, is_long = frequencies(512), wavelengths(512) > 2048
    assert is_long.sum() == 95
    assert share_named(w[~is_long], 2048, 0.3, [8]) == 100
    assert share_named(w[is_long], 2048, 0.3, [8]) < 5
    short, slow, both = (
        error_by_least_squares(some, 2048, 0.3) for some in (w[~is_long], w[is_long], w)
    )
    assert both < slow < short / 2


def test_four_contexts_are_near_the_best_slowest_wavelength(built):
    off = [reading_error(encode(range(2048), 64, b), 0.3) for b in BASES]
    assert 3 < wavelengths(64, BASES[int(np.argmin(off))])[-1] / 2048 < 8
    rule = encode(range(2048), 64, built["base_for"](2048, 64))
    assert reading_error(rule, 0.3) < 1.03 * min(off)


def test_the_two_readers_of_the_exercise_want_what_its_answer_says(built):
    for length, small, large in itertools.product((1000, 2000), (2, 5), (5000, 20_000)):
        low, high = (encode(range(length), 64, float(base)) for base in (small, large))
        missed = [np.count_nonzero(built["measure_misses"](rows, 0.3, 7)) for rows in (low, high)]
        assert missed[0] < missed[1]
        assert reading_error(low, 0.3) > 3 * reading_error(high, 0.3)


def test_even_spacings_fail_where_the_chapter_says():
    """Test which positions the nearest-row reader confuses with two of the three spacings."""
    (even,) = list_spacings(32)["even speeds"]
    wrong = np.abs(name_nearest(even, 2048, 0.3, 11))
    wrong = wrong[wrong > 0]
    assert np.mean(np.abs((wrong + 97) % 195 - 97) <= 10) > 0.95
    (even,) = list_spacings(32)["even wavelengths"]
    table = stack_rows(even, 60)
    near = np.linalg.norm(table[1:] - table[0], axis=1)
    assert near[18] < near[0] / 3 and even[1] < 0.005


def test_rows_return_with_the_slowest_of_four_hands_but_not_of_256():
    for d_model, low, high in ((8, 0, 0.2), (512, 20, 32)):
        turn = round(wavelengths(d_model)[-1])
        start, later = encode([0, turn], d_model)
        assert low < np.linalg.norm(later - start) < high
