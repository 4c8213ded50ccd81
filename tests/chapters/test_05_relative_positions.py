"""The theorems of chapter 5, with 40 digits or other matrices, and what it claims of learning."""

import mpmath
import numpy as np
import pytest
from cells import functions

from pe_lib import encode, kernel, rotation, shift
from pe_lib.course.model.training import adam


@pytest.fixture(scope="module")
def chapter():
    known = {"encode": encode, "library_rotation": rotation, "adam": adam}
    return functions("05-relative-positions", np=np, **known)


def test_the_logarithm_of_the_offset():
    """(5.3): the integral is the difference of two cosine integrals, the sum is near it."""
    for k in (1, 10, 100, 1000):
        integral = mpmath.ci(k) - mpmath.ci(k / 10_000)
        assert abs(kernel(k, 2**14) / 2**13 - integral / mpmath.log(10_000)) < 1e-3


def test_where_the_kernel_changes_its_sign():
    with mpmath.workdps(30):
        exact = [mpmath.fsum(mpmath.cos(k * mpmath.mpf(10_000) ** (mpmath.mpf(-i) / 256))
                             for i in range(256)) for k in (3_283, 3_284)]  # fmt: skip
    assert exact[0] > 0.1 and exact[1] < -0.01 and (kernel(range(3_284), 512) > 0).all()
    assert np.flatnonzero(np.diff(kernel(range(51), 512)) > 0).tolist() == [43, 49]


def test_no_other_matrix_is_good():
    """The proof after (5.5), with 40 digits: the encodings are independent, and d numbers free."""
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
    """Its least weight, with the scores as they are and times 16, as the text says."""
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


def rows(positions, d_model=64):
    angles = np.outer(positions, 10_000.0 ** (-np.arange(0, d_model, 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, d_model)


def test_a_head_trained_on_few_directions_reads_more_than_the_rotation(chapter):
    """Other seeds and words than the chapter's; the gradient is that of the mean loss."""
    table = rows(range(64), 512)
    strong = np.linalg.svd(table)[2].T
    back = rotation(-1, 512).T
    at_random = np.linalg.qr(np.random.default_rng(3).standard_normal((512, 28)))[0]
    kept = strong[:, :28] @ strong[:, :28].T
    heads = [kept @ back @ kept]
    train = functions("05-relative-positions", np=np, adam=adam, P=table,
                      softmax=chapter["softmax"])["train"]  # fmt: skip
    for seed, seen in [(31, strong[:, :28]), (32, strong[:, :64]), (33, at_random)]:
        heads.append(train(seen, seed) @ seen.T)
    rng = np.random.default_rng(34)
    right = np.zeros(4)
    for _ in range(20):
        x = table + rng.standard_normal((64, 512)) / 2**0.5
        right += [((x @ head @ x.T).argmax(1)[1:] == range(63)).mean() / 20 for head in heads]
    rotated, trained, wider, control = right
    assert control < 0.15 < 0.25 < rotated < 0.4 < 0.65 < trained < 0.8 < wider < 0.92


def first_off(learned, offset, until=2_000):
    """The first position from which on a matrix for rows is off by more than 0.1 somewhere."""
    t = np.arange(1, until)
    return t[(np.abs(rows(t) @ learned - rows(t + offset)).max(axis=1) > 0.1).argmax()]


@pytest.mark.parametrize(("seen", "expected"), [(50, 83), (200, 313), (1000, 1700)])
def test_from_where_on_entries_of_a_learned_shift_are_off(chapter, seen, expected):
    for offset in (-1, 3, 100):  # whatever the offset
        learned = chapter["learn_shift"](np.arange(1, seen + 1), 64, 1e-10, offset)
        assert first_off(learned, offset) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("seen", "cut", "right"), [
    (50, 1e-10, False), (200, 1e-10, True), (200, 1e-3, True), (400, 1e-10, True),
    (1_000, 1e-3, True),
])  # fmt: skip
def test_a_learned_head_picks_the_right_row_all_the_same(chapter, seen, cut, right):
    """By another offset, with float64, far out and where the chapter's fit on 50 fails."""
    learned = chapter["learn_shift"](np.arange(seen), 64, cut, 3)
    keys, t = rows(range(20_000)), np.r_[100:1_500, 19_000:19_997]
    assert (((rows(t) @ learned) @ keys.T).argmax(axis=1) == t + 3).all() == right


def test_least_squares_is_the_turn_of_what_was_seen(chapter):
    table = rows(range(1, 301))
    size, directions = np.linalg.svd(table)[1:]
    kept = directions[size > 1e-8 * size[0]]
    learned = chapter["learn_shift"](np.arange(1, 301), 64, 1e-8)
    np.testing.assert_allclose(learned, kept.T @ kept @ rotation(1, 64), atol=1e-6)
    assert len(kept) < 40  # so that it is not the rotation itself


def test_the_conditions_of_a_learned_head():
    """Width 512, which the chapter leaves out, is as it says: 200 are too few, 1,000 are not."""
    keys, t = rows(range(5_000), 512), np.arange(200, 4_997, 7)
    for seen, right in [(200, False), (1_000, True)]:
        x, y = rows(range(seen), 512), rows(range(3, seen + 3), 512)
        learned = np.linalg.lstsq(x, y, rcond=1e-3)[0]
        assert ((keys[t] @ learned @ keys.T).argmax(axis=1) == t + 3).all() == right
