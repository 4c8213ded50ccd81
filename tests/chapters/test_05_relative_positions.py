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
    counted, *rows = printed(CHAPTER, "turned = M_4").splitlines()
    assert counted == "not 0: 16 of 64"  # four entries for each of four pairs
    rows = [row.strip(" []").split() for row in rows]
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


def test_a_head_built_by_hand_at_any_length(chapter):
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
    assert "eleven times smaller" in said(CHAPTER, "## Check yourself")
    soft = []
    for length in (32, 2_048):
        table = encode(range(length), 64)
        weight = chapter["softmax"](table @ back.T @ table.T / 8)
        np.testing.assert_array_equal(weight.argmax(axis=1)[1:], np.arange(length - 1))
        soft.append(np.diag(weight, -1))
        assert soft[-1].max() < 0.11  # most of the output is other words, in 32 as well
    assert round(soft[0].min() / soft[1].min()) == round(soft[0].max() / soft[1].max()) == 11


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


def test_a_row_that_looks_one_back_has_the_same_word_twice(chapter):
    """Every row chooses its own word or a copy of it, with each of five seeds."""
    doubles = []
    for seed in range(5):
        words = chapter["vocabulary"](100, seed)
        drawn = np.random.default_rng(seed).integers(100, size=64)
        x = words[drawn] + encode(range(64), 512)
        looks_at = (x @ chapter["back"] @ x.T).argmax(axis=1)
        np.testing.assert_array_equal(drawn[looks_at], drawn)
        doubles.append((drawn[1:] == drawn[:-1]).sum())
        assert (looks_at[1:] == np.arange(63)).sum() == doubles[-1]
    assert doubles == [0, 0, 0, 0, 3]


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

    assert max(spread(np.eye(64)), spread(rotation(-1, 64)), spread(rotation(20, 64))) < 1e-10
    shown = said(CHAPTER, "Without a matrix it is a level line at")
    for offset in (10, 30):  # the second with a rotation by 20 between
        assert str(round(kernel(offset, 64))) in shown
    for seed in range(5):
        assert spread(np.random.default_rng(seed).standard_normal((64, 64)) / 8) > 10


def first_off(learned, offset=3, until=60_000):
    """The first position where a matrix for rows is off by more than 0.1, by the formula."""
    t = np.arange(until, dtype=float)[:, None]
    w = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rows, ends = (
        np.stack([np.sin(at * w), np.cos(at * w)], axis=-1).reshape(until, 64)
        for at in (t, t + offset)
    )
    off = np.abs(rows @ learned - ends).max(axis=1) > 0.1
    return int(off.argmax()) if off.any() else None


def test_how_far_a_learned_shift_holds(chapter):
    learn = chapter["learn_shift"]
    for seen, expected in [(50, 83), (200, 312), (1000, 1700), (5000, 8334), (10_000, 17_238)]:
        matrix = learn(np.arange(seen), 64)
        assert chapter["errors"](matrix, np.arange(seen)).max() < 1e-6
        assert chapter["first_off"](matrix) == first_off(matrix) == pytest.approx(expected, abs=2)
        for offset in (1, 10, 30, 100, 1000):
            other = learn(np.arange(seen), 64, offset)
            assert first_off(other, offset, 20_000) == pytest.approx(expected, rel=0.03)
    matrix = learn(np.arange(10_000), 64)
    assert chapter["errors"](matrix, 10_000 + np.arange(5_000)).max() < 0.1
    assert chapter["errors"](matrix, np.array([20_000])) > 0.1
    for seen in (50, 100, 200, 500, 1000, 2000, 5000, 10_000):
        fine, coarse = (first_off(learn(np.arange(seen), 64, cut=c)) for c in (1e-10, 1e-6))
        assert 1.5 < fine / seen < 1.75 and 1.2 < coarse / seen < 1.35


def test_the_cut_off_of_numpy_moves_it_to_about_twice(chapter):
    said_so = said(CHAPTER, "Perfect on what was seen, and wrong before twice")
    for seen, expected in [(50, 100), (200, 378), (1000, 1842), (5000, 9169), (10_000, 19_339)]:
        assert f"{expected:,}" in said_so
        matrix = chapter["learn_shift"](np.arange(seen), 64, cut=None)
        assert first_off(matrix) == pytest.approx(expected, rel=0.15)  # near rounding
        assert expected / seen < 2.1


def test_each_hand_takes_the_place_of_the_one_eight_pairs_before():
    w = frequencies(64)
    np.testing.assert_allclose(w[8:], w[:-8] / 10)
    assert round(2 * np.pi / w[-1]) == 47_117


def test_positions_spread_out_are_enough(chapter):
    learn = chapter["learn_shift"]
    assert first_off(learn(np.arange(20_000), 64)) == pytest.approx(32_442, abs=50)
    assert first_off(learn(np.arange(25_000), 64)) is None
    assert first_off(rotation(3, 64).T) is None
    for seed in range(5):
        spread = np.random.default_rng(seed).choice(60_000, 100, replace=False)
        assert first_off(learn(spread, 64)) is None
        reach = [first_off(learn(np.random.default_rng(seed).choice(n, 100, replace=False), 64))
                 for n in (1_000, 20_000)]  # fmt: skip
        assert 1_500 < reach[0] < 1_750 and reach[1] == pytest.approx(32_442, rel=0.02)
    found = [chapter["first_off"](learn(np.arange(1000), d)) for d in (8, 32, 64, 128)]
    assert found[0] is None and found[1] > found[2] > found[3] > 1000


def test_how_much_of_the_slowest_turn_must_be_seen(chapter):
    """A little less than half of it with 1e-10, more than half with 1e-6, less with numpy's own."""
    learn = chapter["learn_shift"]
    assert first_off(learn(np.arange(20_000), 64)) and 20_000 / 47_117 > 0.42
    assert first_off(learn(np.arange(21_500), 64)) is None and 21_500 / 47_117 < 0.46
    assert first_off(learn(np.arange(28_000), 64, cut=1e-6)) and 28_000 / 47_117 > 0.59
    assert first_off(learn(np.arange(20_000), 64, cut=None)) is None


def test_waves_that_64_positions_tell_apart():
    """A whole turn more: at right angles, and each wave a direction. With half a turn, neither."""
    t = np.arange(64)
    for turns, overlap, waves, directions in [(0.5, 0.64, 41, 23), (1, 0, 21, 21)]:
        apart = 2 * np.pi * turns / 64
        assert abs(np.exp(1j * apart * t).mean()) == pytest.approx(overlap, abs=0.01)
        angle = np.outer(t, np.arange(0, 1, apart))
        table = np.hstack([np.sin(angle)[:, 1:], np.cos(angle)])  # the sine of 0 is no wave
        size = np.linalg.svd(table, compute_uv=False) ** 2
        assert (table.shape[1], (size > 1).sum()) == (waves, directions)
    assert round(64 / (2 * np.pi)) == 10 and round(64 / np.pi) == 20


def test_a_short_text_allows_more_matrices(chapter):
    """The theorem after (5.5) is for all positions: 6 of them, or 64, leave room for others."""
    rng = np.random.default_rng(0)
    score = rng.standard_normal(11)  # any numbers, for the offsets from -5 to 5
    wanted = score[np.arange(6) - np.arange(6)[:, None] + 5]
    inverse = np.linalg.pinv(encode(range(6), 8))
    got = encode(range(6), 8) @ inverse @ wanted @ inverse.T @ encode(range(6), 8).T
    np.testing.assert_allclose(got, wanted, atol=1e-6)
    keep, table = chapter["project"](28), encode(range(64), 512)
    between = keep @ chapter["back"] @ keep.T
    scores = table @ between @ table.T
    assert max(np.ptp(np.diag(scores, k)) for k in range(-63, 64)) < 1e-4
    assert scores.max() == pytest.approx(256, abs=0.01)
    blocks = np.kron(np.eye(256), np.ones((2, 2)))
    assert (between**2 * (1 - blocks)).sum() / (between**2).sum() == pytest.approx(2 / 3, abs=0.01)


def test_the_directions_of_64_positions(chapter):
    table = encode(range(64), 512)
    # eigenvalues of the kernel's matrix, which needs no encoding
    apart = np.arange(64)[:, None] - np.arange(64)
    size = np.linalg.eigvalsh(kernel(apart.ravel(), 512).reshape(64, 64))[::-1]
    assert (size > 32).sum() == 21 and size[24] / size.sum() < 1e-4
    assert size[:24].sum() / size.sum() > 0.9999 > size[:22].sum() / size.sum()
    above = []
    for n in (32, 64, 128, 256):
        apart = np.arange(n)[:, None] - np.arange(n)
        parts = np.linalg.eigvalsh(kernel(apart.ravel(), 512).reshape(n, n))
        above.append(((parts > 1).sum(), (parts > n / 2).sum()))
        assert abs(above[-1][0] - n / np.pi) < 5
    assert above == [(13, 11), (24, 21), (44, 41), (80, 61)]
    keep = chapter["project"](28)
    np.testing.assert_allclose(keep @ keep, keep, atol=1e-10)
    assert np.trace(keep) / 2 == pytest.approx(14) and np.abs(table @ keep - table).max() < 0.01
    lead = np.trace(keep @ rotation(-1, 512)) / 2  # of a word with itself, on average
    assert round(lead) == 11 and np.trace(rotation(-1, 512)) / 2 == pytest.approx(249.1, abs=0.01)
    assert kernel(1, 512) == pytest.approx(249.1, abs=0.01)


def test_readers_are_least_squares_over_random_words(chapter):
    """F against a fit on forty thousand drawn sums."""
    rng = np.random.default_rng(11)
    table = encode(range(8), 32)
    sums = np.tile(table, (5000, 1)) + rng.standard_normal((40_000, 32)) / 2**0.5
    wanted = np.tile(np.eye(8), (5000, 1))
    fitted = np.linalg.lstsq(sums, wanted)[0]
    np.testing.assert_allclose(chapter["readers"](table), fitted, atol=0.01)


def test_any_number_of_words(chapter):
    removed, kept, read, control = chapter["right"]
    shown = said(CHAPTER, "nor *read by F* knows the words")
    counts = chapter["counts"]
    assert 0.29 < kept.min() + 0.01 < kept.max() < 0.42 < read.min() < read.max() < 0.63
    for table in (kept, read):
        some = table[:, counts.index(100) :]
        assert f"{some.min():.2f} to" in shown and f"{some.max():.2f}" in shown
    assert f"find {control.max():.2f} of the rows" in shown
    assert read.min() > kept.max() > control.max() and removed[:, counts.index(400)].max() < 0.3
    assert f"{1 / 64:.2f}" == "0.02"
    for seed in range(5):  # words enough to fill the space leave nothing to look with
        assert np.abs(chapter["without"](chapter["vocabulary"](600, seed))).max() < 1e-10


def test_what_a_narrow_head_holds(chapter):
    rows = printed(CHAPTER, "U, strength, V =").splitlines()[1:]
    held = {int(r.split()[0]): (float(r.split()[2]), float(r.split()[4])) for r in rows}
    assert held[64] == held[28] and held[16][0] > held[28][0] - 0.1
    assert held[8][1] < held[16][0] and held[4][1] < 0.5
    table, found = encode(range(64), 512), np.zeros((2, 100))
    for seed in range(100):  # "in a hundred texts they even find a few rows more"
        words = chapter["vocabulary"](400, seed)
        x = words[np.random.default_rng(seed).integers(400, size=64)] + table
        for row, r in enumerate((16, 64)):
            scores = (x @ (chapter["U"][:, :r] * chapter["strength"][:r])) @ (
                x @ chapter["V"][:r].T
            ).T
            found[row, seed] = (scores.argmax(axis=1)[1:] == np.arange(63)).mean()
    assert 2 < 63 * (found[0] - found[1]).mean() < 4 and (found[0] > found[1]).mean() > 0.7
    *_, half, quarter, later = printed(CHAPTER, 'told = in_five_texts(F @ one_before, F, length)'
                                       ).splitlines()  # fmt: skip
    assert float(half.split()[1]) > 0.85 and float(quarter.split()[1]) > 0.95
    assert float(later.split()[-1]) < 0.1
    for seed in range(5):
        x = chapter["vocabulary"](400, seed)[np.random.default_rng(seed).integers(400, size=64)]
        x = x + encode(range(64), 512)
        read = (x @ encode(range(64), 512).T).argmax(axis=1)
        assert (read == np.arange(64)).sum() >= 62 and np.abs(read - np.arange(64)).max() <= 1


def test_a_rotation_changes_sides_as_its_transpose():
    table = encode(range(60), 16)
    back = table @ rotation(-20, 16).T @ table.T
    np.testing.assert_allclose(back, table @ (table @ rotation(20, 16).T).T, atol=1e-12)
    np.testing.assert_allclose(back, table @ rotation(20, 16) @ table.T, atol=1e-12)
    np.testing.assert_array_equal(back.argmax(axis=1)[20:], np.arange(40))


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
    table = encode(range(32), 64)
    ahead = np.minimum(np.arange(32) + 1, 31)
    for slip in (rotation(1, 64).T, rotation(-1, 64)):
        looks_at = (table @ slip @ table.T).argmax(axis=1)
        np.testing.assert_array_equal(looks_at, ahead)
    np.testing.assert_array_equal((table @ rotation(1, 64) @ table.T).argmax(axis=1)[1:], range(31))
    assert all(number in answers for number in ("0.083", "0.007", "0.813", "64 times"))
    assert np.sin(0.7) * np.sin(0.2) == pytest.approx((np.cos(0.5) - np.cos(0.9)) / 2)


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
    none = [
        chapter["rows_right"](chapter["vocabulary"](100, seed), seed, chapter["back"], np.eye(512))
        for seed in range(5)
    ]
    assert max(none) < 0.05
