"""Test the claims of chapter 3 by brute force and by independent methods."""

import itertools
import math

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, wavelengths

BASES = (10.0 ** np.linspace(0.5, 6, 23)).round(1)


@pytest.fixture(scope="module")
def built():
    """Return a dictionary of the functions that the chapter defines."""
    known = {"np": np, "math": math, "encode": encode, "frequencies": frequencies}
    return functions("03-frequencies", **known)


def test_no_linear_layer_trained_on_noisy_entries_reads_better(built):
    """Test that least squares on many noisy encodings has the error that the formula predicts."""
    rng = np.random.default_rng(3)
    table = encode(range(200), 8, 100.0)
    t = np.tile(np.arange(200), 400)
    noisy = np.tile(table, (400, 1)) + rng.normal(0, 0.1, (t.size, 8))
    x = np.hstack([noisy, np.ones((t.size, 1))])
    found = math.sqrt(np.mean((x @ np.linalg.lstsq(x, t)[0] - t) ** 2))
    assert built["reading_error"](table) == pytest.approx(found, rel=0.01)


def test_only_the_ladder_loses_neither_column(built):
    """Test for sets of frequencies how close two rows can be, and how well a decoder reads them."""

    def both(w):
        angle = np.outer(np.arange(2048), w)
        x = np.hstack([np.sin(angle), np.cos(angle)])
        # Distances depend only on the offset, so measuring them from row 0 is enough.
        from_first = np.sqrt(((x[1:] - x[0]) ** 2).sum(axis=1))
        t = np.arange(2048) - 1023.5
        more = np.vstack([(x - x.mean(axis=0)) / math.sqrt(2048), 0.1 * np.eye(64)])
        _, missed, *_ = np.linalg.lstsq(more, np.append(t / math.sqrt(2048), np.zeros(64)))
        return from_first.min(), math.sqrt(missed[0])

    w, waves = frequencies(64), wavelengths(64)
    closest, off = both(w)
    fast, blind = both(2 * np.pi / np.linspace(waves[0], waves[-1], 32))
    assert fast < closest / 5 and blind == pytest.approx(off, rel=0.05)
    aliased, lost = both(np.linspace(w[0], w[-1], 32))
    assert aliased < closest / 3 and lost > 10 * off
    for seed in range(1000, 1030):  # the chapter uses different seeds
        apart, astray = both(np.random.default_rng(seed).uniform(w[-1], 1, 32))
        assert apart > 1.5 * closest and astray > 1.5 * off


def test_four_contexts_are_near_the_best_slowest_wavelength(built):
    off = [built["reading_error"](encode(range(2048), 64, b), 0.3) for b in BASES]
    assert 3 < wavelengths(64, BASES[int(np.argmin(off))])[-1] / 2048 < 8
    rule = encode(range(2048), 64, built["base_for"](2048, 64))
    assert built["reading_error"](rule, 0.3) < 1.03 * min(off)


def test_the_two_readers_of_the_exercise_want_what_its_answer_says(built):
    for length, small, large in itertools.product((1000, 2000), (2, 5), (5000, 20_000)):
        low, high = (encode(range(length), 64, float(base)) for base in (small, large))
        missed = [np.count_nonzero(built["misses"](rows, 0.3, 7)) for rows in (low, high)]
        assert missed[0] < missed[1]
        assert built["reading_error"](low, 0.3) > 3 * built["reading_error"](high, 0.3)
