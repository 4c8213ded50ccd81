"""Facts and definitions of chapter 5, against the library, brute force and mpmath."""

import mpmath
import numpy as np
import pytest
from cells import executed, printed, said

from pe_lib import encode, frequencies, kernel, rotation, shift

CHAPTER = "05-relative-positions"


@pytest.fixture(scope="module")
def chapter():
    return executed(CHAPTER)


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


def test_a_rotation_moves_every_position():
    for t in (0, 3, 90, 1000):
        np.testing.assert_allclose(rotation(4, 8) @ encode(t, 8), encode(t + 4, 8), atol=1e-12)
    far = shift(encode(1000, 512), -250)
    np.testing.assert_allclose(far, encode(750, 512), rtol=0, atol=1e-12)


def test_three_consequences():
    """Turns add up, back is transposed, and lengths stay; and the kernel is a mirror image."""
    four = rotation(4, 8)
    np.testing.assert_allclose(rotation(3, 8) @ four, rotation(7, 8), atol=1e-15)
    np.testing.assert_array_equal(rotation(-4, 8), four.T)
    np.testing.assert_allclose(four.T @ four, np.eye(8), atol=1e-15)
    k = np.arange(-300, 301)
    np.testing.assert_array_equal(kernel(k, 512), kernel(-k, 512))


def test_the_two_columns_that_are_printed_agree():
    rows = [row.strip(" []").split() for row in printed(CHAPTER, "turned = M_4").splitlines()]
    assert len(rows) == 8 and all(turned == wanted for turned, wanted in rows)
    for part in ("def shift", "def encode_by_turning"):
        first, second = printed(CHAPTER, part).splitlines()
        assert first == second
    _, one, two, _, three, four = printed(CHAPTER, "M_3 M_4, beside").splitlines()
    for row in (one, two, three, four):
        entries = row.strip(" []").split()
        assert entries[:2] == entries[2:]


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
    words = said(CHAPTER, "The least weight on the word before, for 32")
    assert all(number in words for number in ("0.813", "0.083", "0.007"))
    assert least[2_048, 1] / least[32, 1] == pytest.approx(0.1, abs=0.02)  # loses nine tenths


def test_all_hands_come_back():
    """The pigeonholes: among m^(d/2) + 1 positions, an offset with every hand within an arc."""
    for d_model, m in [(2, 50), (4, 12)]:
        among = np.arange(1, m ** (d_model // 2) + 1)
        scores = kernel(among, d_model)
        assert scores.max() >= d_model / 2 * np.cos(2 * np.pi / m)
    assert [round(6283 * w / (2 * np.pi), 3) for w in (1, 0.1, 0.01, 0.001)] == [
        999.971, 99.997, 10, 1]  # fmt: skip


def test_the_head_of_the_first_figure(chapter):
    """Each of eight words but the first looks at the one before it; the first at itself."""
    table = encode(range(8), 64)
    weights = chapter["softmax"](8 * table @ rotation(-1, 64).T @ table.T)
    np.testing.assert_array_equal(weights.argmax(axis=1), [0, 0, 1, 2, 3, 4, 5, 6])
    assert weights[0, 0] > 0.99 and np.diag(weights, -1).min() > 0.99


def test_what_figures_of_the_kernel_show():
    changes = np.diff(kernel(range(51), 512))  # changes[k - 1] is that into position k
    assert np.flatnonzero(changes > 0).tolist() == [43, 49] and f"{changes[43]:.3f}" == "0.012"
    for turns in range(1, 9):  # the step that a whole turn lies in, or the next, loses least
        end = int(np.ceil(turns * 2 * np.pi))
        around = changes[end - 4 : end + 2]
        assert around.argmax() in (2, 3) and around.max() > -0.4
    assert [f"{6283 * w / (2 * np.pi):.3f}" for w in frequencies(8)] == [
        "999.971", "99.997", "10.000", "1.000"]  # fmt: skip
    assert f"{kernel(6283, 8) / 4:.4f}" in said(CHAPTER, "Four clocks, and above each")
    assert f"{kernel(100, 512) / 256:.2f}" in said(CHAPTER, "its own mirror image")


def test_with_words_in_the_way_each_looks_at_itself(chapter):
    words = chapter["vocabulary"](100, 0)
    drawn = words[np.random.default_rng(0).integers(100, size=64)][:24]
    x = drawn + encode(range(24), 512)
    keep = chapter["without"](words)
    np.testing.assert_allclose(keep @ words.T, 0, atol=1e-10)
    looks_at = [(x @ n @ chapter["back"] @ n @ x.T).argmax(axis=1) for n in (np.eye(512), keep)]
    np.testing.assert_array_equal(looks_at[0], np.arange(24))
    np.testing.assert_array_equal(looks_at[1][1:], np.arange(23))


def test_where_words_leave_room(chapter):
    shown = said(CHAPTER, "over the size of the vocabulary, five dots")
    for count in (50, 100, 200, 400):
        right = []
        for seed in range(5):
            words = chapter["vocabulary"](count, seed)
            keep = chapter["without"](words)
            right.append(chapter["rows_right"](words, seed, keep @ chapter["back"], keep))
        assert count < 400 or max(right) < 1 / 3
        if count <= 100:
            assert min(right) == 1
        else:
            assert f"{min(right):.2f}" in shown and f"{max(right):.2f}" in shown


def test_a_random_matrix_scrambles_the_scores():
    t = np.arange(200)

    def spread(matrix):
        return np.ptp((encode(t, 64) @ matrix * encode(t + 10, 64)).sum(axis=1))

    assert max(spread(np.eye(64)), spread(rotation(-1, 64))) < 1e-10
    for seed in range(5):
        assert spread(np.random.default_rng(seed).standard_normal((64, 64)) / 8) > 10


def test_what_a_learned_shift_holds_beyond(chapter):
    def errors(seen, ahead):
        return chapter["errors"](chapter["learn_shift"](seen, 64), seen + np.asarray(ahead))

    assert errors(50, [100, 500, 900]).min() > 1.2
    assert errors(200, np.arange(51)).max() < 0.01 and errors(200, [200]) > 1
    assert errors(1000, np.arange(500)).max() < 0.1 < errors(1000, [999]).max()
    assert errors(5000, np.arange(2000)).max() < 0.01 < 0.1 < errors(5000, [4000])[0]


def test_directions_that_can_be_told_apart():
    found = []
    for seen in (50, 200, 1000, 5000):
        size = np.linalg.svd(encode(range(seen), 64), compute_uv=False)
        found.append(str((size > 1e-10 * size[0]).sum()))
    shown = said(CHAPTER, "The singular values of the table of encodings")
    assert f"{', '.join(found[:3])} and {found[3]} of 64" in shown


def test_the_others_take_longer(chapter):
    assert max(chapter["ratios"]) == chapter["ratios"][2]
    assert min(chapter["ratios"]) > 2 and chapter["labels"][2] == "numpy, float64"


def test_the_answers():
    answers = said(CHAPTER, "## Check yourself")
    np.testing.assert_allclose(rotation(10, 8) @ rotation(-10, 8), np.eye(8), atol=1e-12)
    assert f"{kernel(0, 512):.0f}, because every cosine" in answers
    assert f"the length is {np.linalg.norm(encode(17, 512)):.0f}." in answers
    assert np.linalg.det(rotation(4, 8)) == pytest.approx(1)
    table = encode(range(32), 64)
    looks_at = ((table @ rotation(2, 64).T) @ table.T).argmax(axis=1)
    np.testing.assert_array_equal(looks_at, np.minimum(np.arange(32) + 2, 31))
    lost = (kernel(20, 512) - kernel(200, 512)) / 256
    assert f"exactly, by {lost:.3f}." in answers


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
        matrix = chapter["learn_shift"](seen, 64)
        assert chapter["errors"](matrix, np.arange(seen)).max() < 1e-9
        assert chapter["errors"](matrix, beyond).max() > 0.1
    matrix = chapter["learn_shift"](200, 8)
    assert chapter["errors"](matrix, 10_000 + np.arange(1000)).max() < 1e-9
    none = [
        chapter["rows_right"](chapter["vocabulary"](100, seed), seed, chapter["back"], np.eye(512))
        for seed in range(5)
    ]
    assert max(none) < 0.05
