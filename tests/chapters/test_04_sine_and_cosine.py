"""Facts and definitions of chapter 4, against the library, brute force and mpmath."""

import math
import re
from itertools import combinations

import mpmath
import numpy as np
import pytest
from cells import functions, printed

from pe_lib import (
    encode,
    frequencies,
    position_from_encoding,
    positions_from_pair,
    positions_from_value,
)
from pe_lib.course.explorers import PhaseExplorer
from tools.notebooks import ROOT, read

CHAPTER = read(ROOT / "chapters" / "04-sine-and-cosine.ipynb")
PROSE = "\n".join(c.source for c in CHAPTER.cells if c.cell_type == "markdown")


@pytest.fixture(scope="module")
def chapter():
    return functions("04-sine-and-cosine", np=np, frequencies=frequencies)


def test_its_decoders_are_the_library_s(chapter):
    for value in np.sin([11, 344, 7, 123]).round(6):
        np.testing.assert_array_equal(
            chapter["from_sine"](value, 1.0, 400),
            positions_from_value(value, 0, 2, max_position=400),
        )
    for d_model in (8, 64, 512):
        reach = 5_800 if d_model == 8 else 40_000
        table = encode(range(0, reach, d_model // 8), d_model)
        np.testing.assert_array_equal(chapter["decode"](table), position_from_encoding(table))


def test_its_decoder_is_right_for_40_000_positions(chapter):
    k = np.arange(40_000)
    np.testing.assert_array_equal(chapter["decode"](encode(k, 64)), k)


def test_its_decoder_stands_the_angles_it_promises(chapter):
    """(4.6): at d_model 8 every hand may be off by just under the bound; the worst signs."""
    bound = np.pi / (10_000 ** (2 / 8) + 1)
    k = np.arange(300, 5_000)
    for signs in np.ndindex(2, 2, 2, 2):
        off = 0.99 * bound * (2 * np.array(signs) - 1)
        angles = k[:, None] * np.array([1, 0.1, 0.01, 0.001]) + off
        pairs = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(k), 8)
        np.testing.assert_array_equal(chapter["decode"](pairs), k)


@pytest.mark.parametrize(("d_model", "beyond"), [(64, 1_500), (512, 1_930)])
def test_where_its_decoder_stops(chapter, d_model, beyond):
    """Half a position of rounding; up to `beyond`, the slack of 0.3 at the slowest hand."""

    def decoded(positions, off):
        omega = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
        angles = np.asarray(positions)[:, None] * omega + off
        pairs = np.stack([np.sin(angles), np.cos(angles)], -1)
        return chapter["decode"](pairs.reshape(len(angles), d_model))

    signs = np.random.default_rng(0).choice([-1, 1], size=(40, 1, d_model // 2))
    patterns = [*signs, np.ones(d_model // 2), -np.ones(d_model // 2)]
    near, far = np.arange(100), beyond + np.arange(0, 30_000, 301)
    for sign in patterns:
        np.testing.assert_array_equal(decoded(near, 0.299 * sign), near)
        np.testing.assert_array_equal(decoded(far, 0.499 * sign), far)
    assert decoded([0], -0.301) > 0
    assert decoded([beyond - 1], -0.4999999) > beyond - 1
    assert (decoded(far, 0.501) != far).all()


def test_nearest_two_positions_by_brute_force(chapter):
    for count in (20, 100, 400):
        pairs = [(s, t) for s in range(count) for t in range(s)]
        gap, *nearest = min((abs(np.sin(s) - np.sin(t)), t, s) for s, t in pairs)
        assert chapter["nearest_sines"](count) == (nearest, pytest.approx(gap))
        table = encode(range(count), 2)
        chord, offset = min((np.linalg.norm(table[s] - table[t]), s - t) for s, t in pairs)
        assert chapter["nearest_pairs"](count) == (offset, pytest.approx(chord, abs=1e-9))


def test_sines_and_a_constant_do_not_shift():
    """The means of the proof: of the left side, and of every wave on the right."""
    t, w = np.arange(2_000_000), np.array([1, 0.1, 0.01, 0.001])
    angles = np.outer(w, t)
    left, sines, cosines = np.sin(angles + 3 * w[:, None]), np.sin(angles), np.cos(angles)
    np.testing.assert_allclose((left * cosines).mean(axis=1), np.sin(3 * w) / 2, rtol=0, atol=3e-4)
    assert (np.sin(3 * w) / 2 > 1e-3).all()
    assert np.abs(sines @ cosines.T / t.size).max() < 6e-4
    assert np.abs(cosines.mean(axis=1)).max() < 6e-4


def test_the_library_errs_and_refuses_under_strong_noise():
    text = printed("04-sine-and-cosine", "refused.append(")
    assert "of 2,000 positions, 5 seeds" in text
    wrong, refused = re.findall(r"(\d+) to (\d+)", text)
    assert int(refused[0]) >= 1 and int(refused[1]) < int(wrong[0])
    assert int(wrong[1]) + int(refused[1]) < 0.03 * 2_000


def test_numbers_of_the_prose():
    with mpmath.workdps(40):
        assert abs(mpmath.sin(11) - mpmath.sin(344)) == pytest.approx(1.33e-7, rel=0.01)
        omega = mpmath.mpf(10_000) ** (mpmath.mpf(-1088) / 5120)
        assert mpmath.nstr(mpmath.sin(929_505 * omega), 6) == "0.488814"
        assert abs(mpmath.quad(lambda a: mpmath.log(mpmath.cos(a), 2), [0, mpmath.pi / 2])
                   / (mpmath.pi / 2) + 1) < 1e-9  # fmt: skip
    assert round(np.log2(2_000_001), 1) == 20.9
    assert round(2 ** np.log2(1e6 * np.pi / 2) / 1e6, 1) == 1.6
    assert round(60 * 2 * np.pi, 2) == 376.99 and round(6 * 20 * np.pi, 2) == 376.99
    assert round(np.cos(np.radians(30)), 3) == 0.866 == -round(np.cos(np.radians(150)), 3)
    assert round(355 / 113, 6) == round(np.pi, 6)
    off = 355 - 113 * np.pi
    assert f"{off:.5f}" == "0.00003"
    t = np.arange(356)
    assert np.abs(np.sin(t) - np.sin(355 - t)).max() <= off * (1 + 1e-9)
    assert 30e-6 < off < 31e-6  # of figure 4.3
    assert f"{int(2 * np.pi / frequencies(512)[-1]):,} positions for `d_model = 512`" in PROSE
    recurs = positions_from_pair(0.4794, 0.8776, 1, 8, max_position=10**5, atol=5e-5)
    assert recurs[0] == 5 and recurs[1] > 280  # whole again, but beyond figure 4.10
    cosines = encode(range(11), 512)[:, 511]
    assert [f"{c:.6f}" for c in cosines].count("1.000000") == 10


def shared(pairs, decimals):
    """How many prints of these pairs of d_model 8 are shared by positions below 400."""
    printed = encode(range(400), 8).round(decimals).reshape(400, 4, 2)[:, pairs] + 0.0
    _, count = np.unique(printed.reshape(400, -1), axis=0, return_counts=True)
    return int((count > 1).sum())


def test_what_the_answers_say_is_so():
    assert [f"{v:.3f}" for v in np.sin([11, 55])] == ["-1.000", "-1.000"]
    alone = [pairs for pairs in combinations(range(4), 2) if shared(pairs, 1) == 0]
    assert alone == [(0, 2)]
    prints = PhaseExplorer(position=0, digits=1, read=[0, 1], cosines=True)
    np.testing.assert_array_equal(prints.candidates(), [0, 377])

    assert f"Its sine is {np.sin(19):.4f}" in PROSE and f"{np.sin(3):.4f}" == "0.1411"
    ones = positions_from_value(1.0, 1, 8, max_position=50, atol=0.005)
    np.testing.assert_array_equal(ones, [0, 44])
    assert f"prints {np.cos(6):.2f}.)" in PROSE and f"turns are {14 * np.pi:.2f}" in PROSE
    assert f"= {np.pi / 101:.3f}$ radians" in PROSE
    pair = positions_from_pair(0.05, 0.9988, 2, 8, max_position=1_000, atol=5e-5)
    np.testing.assert_array_equal(pair, [5])
    assert "prints ({:.4f}, {:.4f})".format(*encode(633, 8)[4:6]) in PROSE


def test_what_is_drawn_is_as_it_is_described(chapter):
    fewer = [
        len(chapter["from_sine"](round(np.sin(11), n), 1.0, 400, 0.5 * 10**-n)) for n in range(1, 7)
    ]
    assert fewer == [41, 13, 5, 2, 2, 2]

    share, _ = np.histogram(np.sin(np.arange(10_000)), 40, (-1, 1))
    assert share[[0, -1]] / 500 == pytest.approx(2, abs=0.05)
    assert share[20] / 500 == pytest.approx(1 / 3, abs=0.03)

    nearest, apart = chapter["nearest_sines"], chapter["nearest_pairs"]
    assert [f"{nearest(n)[1]:.0e}" for n in (100, 200, 400)] == ["2e-04", "2e-06", "1e-07"]
    assert [round(apart(n)[1], 4) for n in (50, 400)] == [0.0177, 0.0088]

    def arc(degrees):
        ends = np.sin(np.radians(degrees)) + np.array([-0.1, 0.1])
        return np.degrees(np.ptp(np.arcsin(ends.clip(-1, 1))))

    assert [round(arc(10)), round(arc(75))] == [12, 30]
    places = 137 + 2 * np.pi * np.arange(-20, 20)
    assert ((places > 60) & (places < 220)).sum() == 26
    bound = {d: math.pi / (10_000 ** (2 / d) + 1) for d in (10, 12)}
    assert bound[10] < 0.5 < bound[12]
    w = frequencies(64)[-2:]
    assert w[1] / (w[0] - w[1]) == pytest.approx(3, abs=0.01)


def test_only_pairs_can_be_shifted():
    table = encode(range(64), 8)
    sines = table[:, 0::2]
    worst = []
    for rows, targets in [
        (sines, sines),
        (np.hstack([sines, np.ones((64, 1))]), sines),
        (table, table),
    ]:
        matrix = np.linalg.lstsq(rows[:-3], targets[3:], rcond=None)[0]
        worst.append(np.abs(rows[:-3] @ matrix - targets[3:]).max())
    assert worst == pytest.approx([0.296, 0.153, 0], abs=5e-4)
