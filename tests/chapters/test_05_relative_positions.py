"""Test the theorems of chapter 5 with 40-digit arithmetic, linear algebra and longer texts."""

import mpmath
import numpy as np
import pytest

from pe_lib import encode, kernel, rotation, shift


def test_the_logarithm_of_the_offset():
    """Test (5.3): the kernel is close to a difference of two cosine integrals."""
    for k in (1, 10, 100, 1000):
        integral = mpmath.ci(k) - mpmath.ci(k / 10_000)
        assert abs(kernel(k, 2**14) / 2**13 - integral / mpmath.log(10_000)) < 1e-3


def test_where_the_kernel_changes_its_sign():
    with mpmath.workdps(30):
        exact = [mpmath.fsum(mpmath.cos(k * mpmath.mpf(10_000) ** (mpmath.mpf(-i) / 256))
                             for i in range(256)) for k in (3_283, 3_284)]  # fmt: skip
    assert exact[0] > 0.1 and exact[1] < -0.01 and (kernel(range(3_284), 512) > 0).all()
    assert np.flatnonzero(np.diff(kernel(range(51), 512)) > 0).tolist() == [43, 49]


def test_the_first_rise_is_due_to_the_first_hand():
    """Test that from offset 43 to 44 only the first hand's part of the score rises."""
    with mpmath.workdps(30):
        hands = [mpmath.mpf(10_000) ** (mpmath.mpf(-i) / 256) for i in range(256)]
        rises = [mpmath.cos(44 * hand) - mpmath.cos(43 * hand) for hand in hands]
    assert rises[0] > 0.444 and -0.434 < sum(rises[1:]) < -0.433 and 0 < sum(rises) < 0.02


def test_the_phase_of_a_block_gives_a_direction():
    """Test (5.D3): a block that turns by phi adds r cos(omega k - phi) at offset k."""
    omega, r, phi = mpmath.mpf("0.3"), mpmath.mpf("1.7"), mpmath.mpf("0.9")
    block = r * mpmath.matrix(
        [[mpmath.cos(phi), mpmath.sin(phi)], [-mpmath.sin(phi), mpmath.cos(phi)]]
    )
    for t, k in ((5, 3), (200, 3), (7, -4)):
        query, key = (
            mpmath.matrix([mpmath.sin(omega * x), mpmath.cos(omega * x)]) for x in (t, t - k)
        )
        assert abs((query.T * block * key)[0] - r * mpmath.cos(omega * k - phi)) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_words_as_long_as_the_encodings_hide_the_word_before(seed: int):
    """Test that the head built by hand looks one back only where the same word stands there."""
    words = np.random.default_rng(seed).standard_normal((100, 512)) / np.sqrt(2)
    drawn = np.random.default_rng(seed).integers(100, size=64)
    rows = words[drawn] + encode(range(64), 512)
    found = (rows @ rotation(1, 512) @ rows.T).argmax(axis=1)
    assert (drawn[found] == drawn).all()
    assert (found[1:] == np.arange(63)).sum() == (3 if seed == 4 else 0)


def test_no_other_matrix_is_good():
    """Test that encodings are independent, and that only d of a shift matrix's numbers are free."""
    with mpmath.workdps(40):
        omega = [mpmath.mpf(10) ** -i for i in range(4)]
        table = [[f(t * w) for w in omega for f in (mpmath.sin, mpmath.cos)] for t in range(8)]
        assert abs(mpmath.det(mpmath.matrix(table))) > 1e-25
    turn = rotation(1, 8)
    unit = np.eye(64).reshape(64, 8, 8)
    size, basis = np.linalg.svd(np.array([(turn.T @ w @ turn - w).ravel() for w in unit]).T)[1:]
    assert (size > 1e-10).sum() == 56
    w = (np.random.default_rng(7).standard_normal(8) @ basis[56:]).reshape(8, 8)
    blocks = w.reshape(4, 2, 4, 2).swapaxes(1, 2)
    for i, j in np.ndindex(4, 4):
        (a, b), (c, e) = blocks[i, j]
        assert (e, c) == (pytest.approx(a), pytest.approx(-b))
        assert i == j or np.abs(blocks[i, j]).max() < 1e-12


def test_a_head_built_by_hand_looks_one_back_at_any_length():
    """Test the head's smallest weight on the previous word, with scores times 1 and times 16."""
    least = {}
    for length in (32, 256, 2_048):
        table = encode(range(length), 64)
        scores = shift(table, -1) @ table.T
        np.testing.assert_array_equal(scores.argmax(axis=1)[1:], np.arange(length - 1))
        for factor in (1, 16):
            power = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)) / 8)
            weight = np.diag(power, -1) / power.sum(axis=1)[1:]
            least[length, factor] = round(weight.min(), 3)
    assert [least[length, 1] for length in (32, 256, 2_048)] == [0.083, 0.025, 0.007]
    assert {least[length, 16] for length in (32, 256, 2_048)} == {0.813}
