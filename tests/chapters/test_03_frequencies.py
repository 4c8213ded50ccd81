"""What chapter 3 claims, by brute force and by other ways than its own."""

import itertools
import math

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, kernel, wavelengths
from pe_lib.rotary import rotate

BASES = (10.0 ** np.linspace(0.5, 6, 23)).round(1)


@pytest.fixture(scope="module")
def built():
    """The functions that the chapter defines, by name."""
    known = {"np": np, "math": math, "encode": encode, "frequencies": frequencies, "rotate": rotate}
    return functions("03-frequencies", **known)


@pytest.mark.parametrize(("d_model", "base"), [(4, 10.0), (8, 2.0), (16, 10_000.0)])
def test_the_closest_two_positions_are_found(built, d_model, base):
    table = encode(range(100), d_model, base)
    pairs = itertools.combinations(range(100), 2)
    between = [(math.dist(table[s], table[t]), t - s) for s, t in pairs]
    gap, offset = built["closest"](d_model, base, 100)
    assert gap == pytest.approx(min(between)[0], abs=1e-9)
    assert min(d for d, k in between if k == offset) == pytest.approx(gap, abs=1e-9)


def test_no_linear_layer_trained_on_noisy_entries_reads_better(built):
    """Least squares on many noisy copies finds the error that the formula predicts."""
    rng = np.random.default_rng(3)
    table = encode(range(200), 8, 100.0)
    t = np.tile(np.arange(200), 400)
    noisy = np.tile(table, (400, 1)) + rng.normal(0, 0.1, (t.size, 8))
    x = np.hstack([noisy, np.ones((t.size, 1))])
    found = math.sqrt(np.mean((x @ np.linalg.lstsq(x, t)[0] - t) ** 2))
    assert built["reading_error"](table) == pytest.approx(found, rel=0.01)


def test_the_lead_is_what_turned_queries_and_keys_score(built):
    """(3.8) against the library's kernel, and what is measured over seeds."""
    for base, m in [(100.0, 10), (1e4, 100), (5e5, 8000)]:
        assert built["lead"](m, 128, base) == pytest.approx(kernel(m, 128, base) / 64)
        five = [built["measured"](m, base, seed) for seed in range(5)]
        assert np.mean(five) == pytest.approx(built["lead"](m, 128, base), abs=0.006)


def test_the_smallest_base_of_men_et_al_keeps_the_lead_and_smaller_ones_do_not(built):
    """Table 2 of arXiv 2405.14591, whose bases are rounded to two digits."""
    assert max(built["reach"](4300 * f) for f in (0.99, 1.0, 1.01)) >= 1000
    assert max(built["reach"](base) for base in np.geomspace(100, 3000, 8)) < 1000


def test_four_contexts_are_near_the_best_slowest_wavelength(built):
    for length, noise in itertools.product((512, 2048), (0.03, 0.3)):
        off = [built["reading_error"](encode(range(length), 64, b), noise) for b in BASES]
        assert 3 < wavelengths(64, BASES[int(np.argmin(off))])[-1] / length < 8
        rule = encode(range(length), 64, built["base_for"](length, 64))
        assert built["reading_error"](rule, noise) < 1.03 * min(off)
