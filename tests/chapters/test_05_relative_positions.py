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


def test_no_other_matrix_is_good():
    """The proof after (5.5), with 40 digits: the encodings are independent, and d numbers free."""
    with mpmath.workdps(40):
        omega = [mpmath.mpf(10) ** -i for i in range(4)]
        table = [[f(t * w) for w in omega for f in (mpmath.sin, mpmath.cos)] for t in range(8)]
        assert abs(mpmath.det(mpmath.matrix(table))) > 1e-25
    rng = np.random.default_rng(7)
    turn = rotation(1, 8)
    unit = np.eye(64).reshape(64, 8, 8)
    conditions = np.array([(turn.T @ w @ turn - w).ravel() for w in unit]).T
    size, basis = np.linalg.svd(conditions)[1:]
    assert (size > 1e-10).sum() == 56
    w = (rng.standard_normal(8) @ basis[56:]).reshape(8, 8)  # any that keeps the scores
    blocks = w.reshape(4, 2, 4, 2).swapaxes(1, 2)
    for i in range(4):
        for j in range(4):
            if i != j:
                np.testing.assert_allclose(blocks[i, j], 0, atol=1e-12)
        (a, b), (c, e) = blocks[i, i]
        assert (e, c) == (pytest.approx(a), pytest.approx(-b))


def test_a_rotation_solves_its_equation():
    turn = rotation(1, 2)
    np.testing.assert_allclose(turn @ turn, 2 * np.cos(1) * turn - np.eye(2), atol=1e-15)


def test_transformer_xl_s_four_terms_do_not_know_where_they_are():
    """(5.4) as section 3.3 of Dai et al. changes it, against the unchanged one."""
    rng = np.random.default_rng(1)
    query, key, offset_key = rng.standard_normal((3, 16, 16))
    u, v, here, there = rng.standard_normal((4, 16))

    def changed(t, s):
        r = encode(np.float64(t - s), 16) @ offset_key
        return (here @ query + u) @ (there @ key) + (here @ query + v) @ r

    def unchanged(t, s):
        return ((here + encode(t, 16)) @ query) @ ((there + encode(s, 16)) @ key)

    assert changed(9, 4) == pytest.approx(changed(1009, 1004))
    assert changed(9, 4) != pytest.approx(changed(9, 5))
    assert unchanged(9, 4) != pytest.approx(unchanged(1009, 1004))


def test_a_head_built_by_hand_at_any_length():
    back = rotation(-1, 64)
    least = {}
    for length in (32, 256, 2_048):
        table = encode(range(length), 64)
        scores = (table @ back.T) @ table.T
        np.testing.assert_array_equal(scores.argmax(axis=1)[1:], np.arange(length - 1))
        for factor in (1, 16):
            power = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)) / 8)
            weight = np.diag(power, -1) / power.sum(axis=1)[1:]
            least[length, factor] = round(weight.min(), 3)
    assert [least[length, 1] for length in (32, 256, 2_048)] == [0.083, 0.025, 0.007]
    assert {least[length, 16] for length in (32, 256, 2_048)} == {0.813}
    assert least[2_048, 1] / least[32, 1] == pytest.approx(0.1, abs=0.02)  # loses nine tenths


def test_all_hands_come_back():
    """The pigeonholes: among m^(d/2) + 1 positions, an offset with every hand within an arc."""
    for d_model, m in [(2, 50), (4, 12)]:
        among = np.arange(1, m ** (d_model // 2) + 1)
        scores = kernel(among, d_model)
        assert scores.max() >= d_model / 2 * np.cos(2 * np.pi / m)
    assert [round(6283 * w / (2 * np.pi), 3) for w in (1, 0.1, 0.01, 0.001)] == [
        999.971, 99.997, 10, 1]  # fmt: skip


def test_numbers_of_the_prose(chapter):
    step = np.diff(kernel(range(301), 512))
    assert (step[:43] < 0).all() and step[43] > 0
    assert len(step) == 300 and (step > 0).sum() == 105
    omega = 10_000.0 ** (-np.arange(256) / 256)
    for turns, end in enumerate((6, 13, 19, 25, 31, 38, 44), start=1):
        assert end == round(turns * 2 * np.pi)
        assert np.cos(end) > np.cos(end - 1)
        change = np.cos(omega * end) - np.cos(omega * (end - 1))
        assert (change.sum() > 0) == (end == 44)
    with mpmath.workdps(30):
        exact = [mpmath.fsum(mpmath.cos(k * mpmath.mpf(10_000) ** (mpmath.mpf(-i) / 256))
                             for i in range(256)) for k in (3_283, 3_284)]  # fmt: skip
    assert exact[0] > 0.1 and exact[1] < -0.01
    assert (kernel(range(3_284), 512) > 0).all()
    assert round(10_000 / np.exp(0.577216)) == 5_615
    assert mpmath.nstr(mpmath.euler, 6) == "0.577216"
    assert chapter["times"]["numpy, float64"] / chapter["times"]["ours, float64"] > 3
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
