"""Facts and definitions of chapter 5, against the library, brute force and mpmath."""

import mpmath
import numpy as np
import pytest
from cells import executed

from pe_lib import encode, kernel, rotation, shift


@pytest.fixture(scope="module")
def chapter():
    return executed("05-relative-positions")


def test_its_functions_are_the_library_s(chapter):
    for offset in (-7, 0, 2.5, 1000):
        np.testing.assert_allclose(
            chapter["rotation"](offset, 16, 100.0), rotation(offset, 16, 100.0)
        )
        table = encode(range(9), 16, 100.0)
        np.testing.assert_allclose(
            chapter["shift"](table, offset, 100.0), shift(table, offset, 100.0), atol=1e-12
        )
    np.testing.assert_allclose(
        chapter["kernel"](np.arange(-50, 50), 64), kernel(range(-50, 50), 64), atol=1e-12
    )


def test_a_table_made_by_turning_is_the_table(chapter):
    for count in (1, 2, 10, 100, 12_345):
        expected = encode(np.arange(1.0 * count), 8)
        found = chapter["encode_by_turning"](count, 8)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_the_logarithm_of_the_offset():
    """(5.3): the integral is the difference of two cosine integrals, the sum is near it."""
    for k in (1, 10, 100, 1000):
        integral = mpmath.quad(
            lambda u, k=k: mpmath.cos(k * mpmath.exp(u)),
            mpmath.linspace(-mpmath.log(10_000), 0, 400),
        )
        assert abs(integral - (mpmath.ci(k) - mpmath.ci(k / 10_000))) < 1e-9
        assert abs(kernel(k, 2**14) / 2**13 - integral / mpmath.log(10_000)) < 1e-3


def test_the_blocks_of_a_good_matrix_add_a_phase():
    """(5.5): scaled rotations between two encodings leave a function of the offset."""
    rng = np.random.default_rng(3)
    r, phase, w = rng.uniform(0.5, 2, 4), rng.uniform(0, 6, 4), 10.0 ** -np.arange(4)
    matrix = np.zeros((8, 8))
    for i in range(4):
        s, c = np.sin(phase[i]), np.cos(phase[i])
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = r[i] * np.array([[c, s], [-s, c]])
    for t in (0, 13, 999):
        for k in (-5, 0, 4):
            expected = (r * np.cos(w * k + phase)).sum()
            assert encode(t, 8) @ matrix @ encode(t + k, 8) == pytest.approx(expected)


def test_numbers_of_the_prose(chapter):
    falls = np.diff(kernel(range(300), 512)) < 0
    assert falls[:43].all() and not falls[43]
    lost = kernel([10, 100, 1000], 512) / 256
    assert abs((lost[0] - lost[1]) - (lost[1] - lost[2])) < 0.03
    assert np.log(10) / np.log(10_000) == pytest.approx(0.25)
    assert 7 * 2 * np.pi == pytest.approx(44, abs=0.02)
    for seen in (50, 200, 1000):
        beyond = seen + np.arange(1000)
        assert chapter["worst"](chapter["learn_shift"](seen, 64), beyond) > 0.1
    none = [
        chapter["rows_right"](chapter["vocabulary"](100, seed), seed, chapter["back"], np.eye(512))
        for seed in range(5)
    ]
    assert max(none) < 0.05
