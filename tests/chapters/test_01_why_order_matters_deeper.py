"""Test the claims that the Deeper page of chapter 1 makes without showing them."""

import math

import numpy as np

from pe_lib.course.wishes import check_wishes

NAME = "01-why-order-matters-deeper"


def test_the_answer_about_short_texts_is_right(chapter):
    def named_of_20(copies):
        rows = chapter["hands"]([2 * np.pi / 20] * copies, 20)
        return [chapter["measure_share"](rows, seed=seed) for seed in range(50)]

    assert 0.5 < np.mean(named_of_20(1)) < 0.95 and np.mean(named_of_20(8)) > 0.999


def test_a_position_is_named_by_the_nearest_vector(chapter):
    rows = chapter["hands"]([1.0, 0.03], 60)
    noise = 0.2 * np.random.default_rng(3).standard_normal(rows.shape)
    right = [
        min(range(60), key=lambda s: math.dist(rows[t] + noise[t], rows[s])) == t for t in range(60)
    ]
    assert 0.1 < np.mean(right) < 0.9
    assert chapter["measure_share"](rows, 0.2, seed=3) == np.mean(right)


def test_one_speed_is_not_enough(chapter):
    """Test with 200 speeds that clocks of one speed are not enough. The page tries only two."""
    # Noise with a normal distribution exceeds 2.576 standard deviations with probability 1 %.
    half_a_step, beyond = 0.0005, 2.576
    # This many slow clocks would be needed to name 99 of 100 positions correctly.
    assert 2.4e5 < (beyond * 0.1 / half_a_step) ** 2 < 2.7e5
    # the tips for all 1,000 positions lie on one circle
    for speed in np.linspace(0.0005, np.pi, 200):
        rows = chapter["hands"]([speed])
        assert chapter["measure_share"](rows) < 0.05  # as it says on the page about misconceptions
        assert chapter["measure_share"](chapter["hands"]([speed] * 8)) < 0.15
    assert abs(44 - 7 * 2 * math.pi) < 0.02


def test_two_speeds_name_most_positions_and_never_99_in_100(chapter):
    """Test the claims about pairs of speeds, using pairs that the page does not draw."""
    rng = np.random.default_rng(7)
    pairs = np.exp(rng.uniform(math.log(0.001), 0, (200, 2)))
    shares = [chapter["measure_share"](chapter["hands"]([*pair] * 4)) for pair in pairs]
    assert 0.85 < max(shares) < 0.95
    three = chapter["hands"](np.resize([1, 0.1, 0.01], 8))
    assert min(chapter["measure_share"](three, seed=seed) for seed in range(5, 15)) > 0.99


def test_the_gray_code_changes_one_digit_and_the_smooth_counter_follows_binary(chapter):
    rows = chapter["gray"](1000)
    assert (np.abs(np.diff(rows, axis=0)).sum(axis=1) == 1).all()
    assert len({tuple(row) for row in rows}) == 1000
    # Each digit of t is 1 exactly where its wave is negative.
    signs = chapter["smooth"](1000) < 0
    assert all([*row] == [t >> b & 1 for b in range(11)] for t, row in enumerate(signs))


def test_the_ratio_decides_about_near_is_near(chapter):
    """Test that the ratio must be below 2 pi divided by the step of the fastest hand."""
    for step in (0.6, 1.0):
        for factor, expected in ((0.8, True), (1.3, False)):
            ratio = factor * 2 * math.pi / step
            count = math.ceil(math.log(1100 * step / (2 * math.pi), ratio)) + 1
            speeds = step / ratio ** np.arange(count)
            granted = check_wishes(lambda n, s=speeds: chapter["hands"](s, n))
            assert granted["near is near"] == expected, (step, factor)


def test_the_last_figure_is_described_with_its_percentages(chapter):
    described = {
        "binary": (100, 100, 61), "Gray code": (100, 100, 61), "smooth counter": (100, 100, 90),
        "slow clock": (1, 1, 0), "fast clock": (10, 3, 1), "1 and 0.02": (98, 43, 7),
        "4 speeds": (100, 100, 71), "chapter 2": (100, 100, 90),
    }  # fmt: skip
    for name, shares in described.items():
        rows = chapter["candidates"][name](1000)
        named = [100 * chapter["measure_share"](rows, noise) for noise in (0.03, 0.1, 0.3)]
        assert [round(share) for share in named] == [*shares], name


def test_cosines_beside_the_sines_grant_equal_steps_and_the_linear_offset(chapter):
    def counter(n):
        speeds = [2 * math.pi / 2 ** (b + 1) for b in range(11)]
        return chapter["hands"](speeds, n)

    granted = check_wishes(counter)
    assert granted["equal steps"] and granted["linear offset"] and not granted["near is near"]


def test_the_slowest_hand_must_not_come_round(chapter):
    speeds = 4.0 ** -np.arange(4)  # the slowest hand completes its turn after 402 positions
    granted = check_wishes(lambda n: chapter["hands"](speeds, n))
    assert not granted["near is near"]
    assert check_wishes(lambda n: chapter["hands"](speeds, n), 300)["near is near"]


def test_no_seed_comes_near_the_tolerance_of_the_test_to_paste(chapter):
    gaps = [chapter["untrained"]("sinusoidal", seed) for seed in range(220)]
    # the smallest value among only twenty seeds would be 0.302
    assert 0.2 < min(gaps) < 0.302 < max(gaps)
    assert max(chapter["untrained"]("none", seed) for seed in range(220)) < 1e-6
