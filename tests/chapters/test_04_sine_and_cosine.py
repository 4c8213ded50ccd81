"""Facts and definitions of chapter 4, against the library, brute force and mpmath."""

import math
import re
from itertools import combinations

import mpmath
import numpy as np
import pytest
from cells import functions, printed, said

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


SEEDS = range(5)


@pytest.fixture(scope="module")
def chapter():
    known = {"position_from_encoding": position_from_encoding, "encode": encode}
    return functions("04-sine-and-cosine", np=np, frequencies=frequencies, **known)


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


def test_beyond_4_6_the_answer_is_not_exact_to_the_angles(chapter):
    """Hands off by a little more than the bound, in turns: the last may be a turn out."""
    for size, exact in [(0.28, True), (0.3, False)]:
        for sign in (1, -1):
            angles = 137 * frequencies(8) + sign * size * np.array([1, -1, 1, -1])
            pairs = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(8)
            assert (abs(chapter["narrow"](pairs) - 137) < 1.001 * size) == exact
    off = 137 * frequencies(8) + 0.3 * np.array([1, -1, 1, -1])
    bad = chapter["narrow"](np.stack([np.sin(off), np.cos(off)], -1).reshape(8))
    assert bad == pytest.approx(-434.5, abs=0.1)


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


def test_one_row_is_decoded_by_hand():
    """The table of the text, with the numbers that stand in it and the standard library alone."""
    text = said("04-sine-and-cosine", "By hand: four clocks find one position")
    row = [-0.9, 0.3, 0.9, 0.4, 1.0, 0.2, 0.1, 1.0]
    assert row == encode(137, 8).round(1).tolist()
    assert ",\\ ".join(map(str, row)) in text
    guess, expected = None, [99.7, 137.3, 137.2, 137.0]
    for i, led in zip((3, 2, 1, 0), expected, strict=True):
        angle = math.atan2(row[2 * i], row[2 * i + 1]) % (2 * math.pi)
        assert f"{row[2 * i]}, {row[2 * i + 1]} | {angle:.4f} |".replace("-", "−") in text
        places = [(angle + 2 * math.pi * n) * 10**i for n in range(40)]
        inside = [p for p in places if guess is None or abs(p - guess) < math.pi * 10**i]
        guess = inside[0]
        assert len(inside) == 1 or i == 3
        assert round(guess, 1) == led and (f"**{led}**" in text or i == 0)
        (line,) = re.findall(rf"^\| {i} \|.*\|(.*)\|$", text, re.M)
        offered = [float(p.replace(",", "")) for p in re.findall(r"[\d.,]*\d", line)]
        for place in offered:
            assert min(abs(p - place) for p in places) < (0.5 if place > 1_000 else 0.06)
        off = (angle - 137 / 10**i + math.pi) % (2 * math.pi) - math.pi
        assert abs(off) < 0.04


def test_the_reach_of_each_way(chapter):
    text = printed("04-sine-and-cosine", "first repeat, positions")
    for decimals in (1, 2):
        prints = [f"{v:.{decimals}f}".replace("-0." + "0" * decimals, "0." + "0" * decimals)
                  for v in encode(range(50_000), 8).ravel().tolist()]  # fmt: skip
        rows, found = np.reshape(prints, (-1, 8)), []
        for part in (1, 2, 8):
            seen: dict[tuple[str, ...], int] = {}
            repeats = (t for t, row in enumerate(map(tuple, rows[:, :part].tolist()))
                       if seen.setdefault(row, t) < t)  # fmt: skip
            found.append(next((f"{t:,}" for t in repeats), "none"))
        assert f"{decimals:8}{found[0]:>9}{found[1]:>9}{found[2]:>13}" in text
    six = [f"{np.sin(t):.6f}" for t in range(323)]
    assert len(set(six[:322])) == 322 and six[322] == six[33]
    longest = {d: 2 * np.pi / frequencies(d)[-1] for d in (8, 64, 512)}
    assert [int(longest[d]) for d in longest] == [6_283, 47_117, 60_611]
    assert round(longest[512] / 4) == 15_153 and round(0.1 / frequencies(512)[-1]) == 965


def draws(seed, sigma):
    rng = np.random.default_rng(seed)
    t = rng.integers(5_000, size=2_000)
    return t, encode(t, 64) + sigma * rng.standard_normal((2_000, 64))


def narrowed(x, start, ask_all):
    """Which position, by a search over the turns of each hand, instead of a formula for them."""
    w = 10_000.0 ** (-np.arange(32) / 32)
    a = np.angle(x[:, 1::2] + 1j * x[:, 0::2])
    turns = 2 * np.pi * np.arange(-2, 9_000)
    first = a[:, -1] + np.where(a[:, -1] < -start, 2 * np.pi, 0)
    t = first / w[-1]
    for i in range(30, -1, -1):
        near = np.clip(np.searchsorted(turns, w[i] * t - a[:, i]), 1, turns.size - 1)
        two = np.stack([turns[near - 1], turns[near]])
        t = (a[:, i] + two[np.abs(two + a[:, i] - w[i] * t).argmin(axis=0), np.arange(len(x))]) / w[
            i
        ]
    if ask_all:
        grid = t[:, None] + np.linspace(-2, 2, 161)
        wrong = sum((1 - np.cos(a[:, i, None] - w[i] * grid)) * 2 for i in range(32))
        t = grid[np.arange(len(x)), wrong.argmin(axis=1)]
    return np.rint(t)


def test_two_repairs_each_with_and_without_the_other(chapter):
    """The table of four, over its seeds, by another way to the same answers."""
    text = printed("04-sine-and-cosine", "ends = right(")
    rows = re.findall(r"slack ([\d.]+) +([\d.]+) to ([\d.]+) +([\d.]+) to ([\d.]+)", text)
    assert [row[0] for row in rows] == ["0.30", "3.14"]
    for (_, *ends), start in zip(rows, (0.3, np.pi), strict=True):
        for low, high, ask_all in [(*ends[:2], False), (*ends[2:], True)]:
            shares = []
            for seed in SEEDS:
                t, x = draws(seed, 0.2)
                shares.append((narrowed(x, start, ask_all) == t).mean())
            # the squares of angles and of chords differ a little, in an answer of a thousand
            assert [min(shares), max(shares)] == pytest.approx([float(low), float(high)], abs=2e-3)
    (_, *one), (_, *two) = ([float(v) for v in row] for row in rows)
    assert one[1] < min(one[2], two[0]) and max(one[3], two[1]) < two[2]


def test_what_is_wrong_at_the_start_and_at_the_end(chapter):
    text = printed("04-sine-and-cosine", "gaps = misses(slack)")
    lines = re.findall(r"slack ([\d.]+) +(\d+) to (\d+) +(\d+) to (\d+)", text)
    for (_, *counts), start in zip(lines, (0.3, np.pi), strict=True):
        gaps = [np.abs(narrowed(x, start, False) - t) for t, x in (draws(s, 0.2) for s in SEEDS)]
        one, more = ([int(c.sum()) for c in some]
                     for some in ([g == 1 for g in gaps], [g > 1 for g in gaps]))  # fmt: skip
        assert [min(one), max(one), min(more), max(more)] == [int(c) for c in counts]
    # no slack helps against a wrong turn in between; at 0.2 there is none
    for sigma, third in [(0.2, 0), (0.5, 0.5)]:
        gaps = [np.abs(narrowed(x, np.pi, False) - t) for t, x in (draws(s, sigma) for s in SEEDS)]
        wrong = np.concatenate(gaps)
        assert (wrong > 1).sum() / (wrong > 0).sum() == pytest.approx(third, abs=0.02)
    # rounding hand 0 alone, if its noise were exactly normal: one in 80; all hands: one in 6,000
    spread = 0.2 / math.sqrt((frequencies(64) ** 2).sum())
    assert round(1 / math.erfc(0.5 / 0.2 / math.sqrt(2))) == 81
    assert round(1 / math.erfc(0.5 / spread / math.sqrt(2)), -3) == 6_000
    assert f"{(frequencies(64) ** 2).sum():.2f}" == "2.28" and round(spread / 0.2, 2) == 0.66


def test_weights_follow_the_noise(chapter):
    """The squares are best for entries of equal noise, equal weights for equal slips."""
    for noise, size, best in [(draws, 0.3, 2), (chapter["slipping"], 1, 0)]:
        shares = np.array([[(chapter["weighed"](x, np.pi, power) == t).mean() for power in range(4)]
                           for t, x in (noise(seed, size) for seed in SEEDS)])  # fmt: skip
        others = np.delete(shares, best, axis=1)
        assert (shares[:, best] > others.max(axis=1)).all()
    assert "fewer" in printed_result("4.5")
    alike = chapter["weighed"]
    for sigma, least, most in [(0.3, 0, 1 / 200), (0.001, 0.8, 0.9)]:  # not so under little noise
        shares = [(alike(x, np.pi, 0) == t).mean() for t, x in (draws(s, sigma) for s in SEEDS)]
        assert least <= min(shares) and max(shares) < most


def test_where_half_of_the_positions_are_lost(chapter):
    half = float(printed_result("4.4").split()[-1])
    for sigma, more in [(half - 0.02, True), (half + 0.02, False)]:
        shares = [(chapter["decode"](x) == t).mean() for t, x in (draws(s, sigma) for s in SEEDS)]
        assert all((share > 0.5) == more for share in shares)


def printed_result(number):
    """What the chapter says came out of a prediction."""
    (cell,) = [c for c in CHAPTER.cells if c.source.startswith(f'predicted("{number}"')]
    return cell.outputs[0].data["text/plain"]


def test_the_error_of_a_sine_has_no_bound(chapter):
    """At the crest the root of 2δ, of which half is cut off: 0.893 times the root of σ."""
    at_most = math.sqrt(math.sqrt(2 / math.pi))
    chapter["a"] = np.radians(90 - np.geomspace(90, 0.001, 41))
    for sigma, factor in [(5e-2, 4), (5e-4, 40), (5e-6, 400)]:
        assert at_most / math.sqrt(sigma) == pytest.approx(factor, rel=0.01)
        sine, pair = chapter["angle_factors"](9, sigma)
        assert sine[-1] == pytest.approx(factor, rel=0.05)
        np.testing.assert_allclose(pair, 1, atol=0.06)
    for sigma, factor in [(0.05, 1.0), (0.5, 1.2)]:  # a pair, the shorter way round, at any angle
        off = sigma * np.random.default_rng(0).standard_normal((2, 200_000))
        turned = np.arctan2(off[0], 1 + off[1])
        assert turned.std() / sigma == pytest.approx(factor, abs=0.02)
    for degrees, factor in [(45, 1.4), (80, 5.8), (89, 57)]:
        assert 1 / math.cos(math.radians(degrees)) == pytest.approx(
            factor, abs=0.5 * 10 ** -(degrees < 89)
        )
    for delta, moved in [(0.02, 0.2), (2e-6, 0.002)]:
        assert math.pi / 2 - math.asin(1 - delta) == pytest.approx(moved, rel=0.01)


def test_a_table_of_tensor2tensor_is_read():
    """Written as get_timing_signal_1d writes it: the exponential of rising logarithms."""
    channels, length = 512, 600
    step = math.log(1e4 / 1.0) / (channels // 2 - 1)
    scaled = np.arange(length)[:, None] * np.exp(np.arange(channels // 2) * -step)
    signal = np.concatenate([np.sin(scaled), np.cos(scaled)], axis=1).astype(np.float32)
    paired = signal.reshape(length, 2, -1).swapaxes(1, 2).reshape(length, channels)
    for table, layout in [(signal, "interleaved"), (signal, "halves"), (paired, "interleaved")]:
        with pytest.raises(ValueError, match="encoding must hold encodings"):
            position_from_encoding(table, layout=layout)
    spaced = 10_000.0 ** -(np.arange(256) / 255)
    found = position_from_encoding(signal, layout="halves", frequencies=spaced)
    np.testing.assert_array_equal(found, np.arange(length))
    written = encode(range(length), 512, layout="halves", frequencies=spaced)
    np.testing.assert_allclose(written, signal, atol=1e-4)


def test_what_a_check_of_rows_does_and_does_not_show():
    """Close frequencies pass up to 78 rows; shifted rows are read as shifted; zeros are refused."""
    angles = np.outer(np.arange(79), 10_000.0 ** -(np.arange(256) / 255))
    for layout in ("interleaved", "halves"):
        pairs = np.stack(
            [np.sin(angles), np.cos(angles)], axis=-1 if layout == "interleaved" else 1
        )
        table = pairs.reshape(79, 512)
        found = position_from_encoding(table[:78], layout=layout)
        np.testing.assert_array_equal(found, np.arange(78))
        with pytest.raises(ValueError, match=r"encoding\[78\] agrees with no position"):
            position_from_encoding(table, layout=layout)
    assert position_from_encoding(encode(range(2, 7), 512)).tolist() == [2, 3, 4, 5, 6]
    padded = encode(range(5), 512)
    padded[0] = 0
    with pytest.raises(ValueError, match="lies off the unit circle"):
        position_from_encoding(padded)


def test_the_library_stops_a_sixteenth_short():
    reach = int(47_117 * 15 / 16)
    assert position_from_encoding(encode(reach - 10, 64)) == reach - 10
    with pytest.raises(ValueError, match="agrees with no position"):
        position_from_encoding(encode(reach + 10, 64))


def test_float32_has_equal_neighbours_at_a_slow_crest():
    slowest = encode(range(20_000), 512, dtype=np.float32)[:, 510:]
    crest = slowest[15_140:15_167]
    assert np.unique(crest[:, 0]).size == 14
    assert np.unique(crest[:, 1]).size == 27  # the cosine parts them


def test_the_library_errs_and_refuses_under_strong_noise():
    text = printed("04-sine-and-cosine", "runs = [judged(seed, sigma)")
    assert "of 400 positions, five seeds" in text
    for sigma in (0.4,):
        counts = []
        for seed in SEEDS:
            t, x = (part[:400] for part in draws(seed, sigma))
            right = refused = 0
            for position, row in zip(t, x, strict=True):
                try:
                    right += int(position_from_encoding(row) == position)
                except ValueError:
                    refused += 1
            counts.append((right, 400 - right - refused, refused))
        (line,) = re.findall(rf"^ +{sigma} (.*)$", text, re.M)
        each = [f"{min(c)} to {max(c)}" for c in zip(*counts, strict=True)]
        assert re.sub(" +", " ", line).strip() == " ".join(each)


def test_numbers_of_the_prose():
    with mpmath.workdps(40):
        assert abs(mpmath.sin(11) - mpmath.sin(344)) == pytest.approx(1.33e-7, rel=0.01)
        omega = mpmath.mpf(10_000) ** (mpmath.mpf(-1088) / 5120)
        assert mpmath.nstr(mpmath.sin(929_505 * omega), 6) == "0.488814"
        assert abs(mpmath.quad(lambda a: mpmath.log(mpmath.cos(a), 2), [0, mpmath.pi / 2])
                   / (mpmath.pi / 2) + 1) < 1e-9  # fmt: skip
    assert round(np.log2(2_000_001), 1) == 20.9
    assert round(np.log2(1e6 * np.pi / 2), 1) == 20.6 and round(2**20.6 / 1e6, 1) == 1.6
    assert round(60 * 2 * np.pi, 2) == 376.99 and round(6 * 20 * np.pi, 2) == 376.99
    assert round(np.cos(np.radians(30)), 3) == 0.866 == -round(np.cos(np.radians(150)), 3)
    assert round(355 / 113, 6) == round(np.pi, 6)
    off = 355 - 113 * np.pi
    assert f"{off:.5f}" == "0.00003"
    t = np.arange(356)
    assert np.abs(np.sin(t) - np.sin(355 - t)).max() <= off * (1 + 1e-9)
    assert 30e-6 < off < 31e-6  # of figure 4.3
    slowest = f"{int(2 * np.pi / frequencies(512)[-1]):,}"
    assert f"and {slowest} for the slowest pair of `d_model = 512`" in PROSE
    assert f"for 64 and {slowest} for 512" in PROSE
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

    ones = positions_from_value(1.0, 1, 8, max_position=50, atol=0.005)
    np.testing.assert_array_equal(ones, [0, 44])
    assert f"prints {np.cos(6):.2f}, position 44" in PROSE
    assert f"turns are {14 * np.pi:.2f}" in PROSE and round(44 - 14 * np.pi, 2) == 0.02
    assert f"only {np.pi / 101:.3f} radians" in PROSE and f"place of {np.pi / 11:.3f}" in PROSE
    assert round(math.asin(0.05 * math.sqrt(2)), 2) == 0.07 > np.pi / 101


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
