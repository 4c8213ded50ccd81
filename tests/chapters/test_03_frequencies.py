"""What chapter 3 builds in front of the reader is what the library does, and what it says is so."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, kernel, wavelengths
from pe_lib.rotary import rotate
from tools.notebooks import ROOT, read

CHAPTER = read(ROOT / "chapters" / "03-frequencies.ipynb")
PROSE = "\n".join(c.source for c in CHAPTER.cells if c.cell_type == "markdown")
SETTINGS = list(itertools.product((4, 8, 64, 512), (2.0, 100.0, 10_000.0, 1e6)))


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The functions that the chapter defines, by name."""
    known = {"np": np, "math": math, "encode": encode, "frequencies": frequencies, "rotate": rotate}
    return functions("03-frequencies", **known)


@pytest.mark.parametrize(("d_model", "base"), [(2, 7.0), (10, 50.0), *SETTINGS])
def test_the_functions_built_in_the_chapter_are_the_librarys(
    built: dict[str, Any], d_model: int, base: float
) -> None:
    for name, library in (("my_frequencies", frequencies), ("my_wavelengths", wavelengths)):
        np.testing.assert_allclose(built[name](d_model, base), library(d_model, base), rtol=1e-14)
    steps = wavelengths(d_model, base)[1:] / wavelengths(d_model, base)[:-1]
    np.testing.assert_allclose(steps, base ** (2 / d_model))


def test_the_table_by_hand_holds_what_a_calculator_gives() -> None:
    rows = re.findall(r"^\| (\d) \| ([\d.]+) \| ([\d.]+) \|$", PROSE, re.MULTILINE)
    assert [int(pair) for pair, _, _ in rows] == [0, 1, 2, 3]
    for pair, frequency, wavelength in rows:
        assert float(frequency) == pytest.approx(10.0 ** -int(pair))
        assert float(wavelength) == pytest.approx(2 * math.pi * 10 ** int(pair), rel=1e-3)


@pytest.mark.parametrize(("d_model", "base"), SETTINGS)
def test_the_closed_form_counts_the_longer_pairs(
    built: dict[str, Any], d_model: int, base: float
) -> None:
    for length in [7, 12, 50, 627, 629, 2048, 62_831, 10**6]:
        counted = sum(2 * math.pi * base ** (2 * i / d_model) > length for i in range(d_model // 2))
        assert built["pairs_longer"](length, d_model, base) == counted


def test_the_base_for_a_context_makes_the_slowest_hand_that_slow(built: dict[str, Any]) -> None:
    for d_model, length, factor in itertools.product((4, 64, 512), (512, 2048), (1, 2, 4)):
        base = built["base_for"](length, d_model, factor)
        assert wavelengths(d_model, base)[-1] == pytest.approx(factor * length)


def test_hands_are_as_far_apart_as_their_vectors_say(built: dict[str, Any]) -> None:
    for s, t in [(5, 6), (5, 50), (500, 5)]:
        a, b = encode([s, t], 8).reshape(2, 4, 2)
        degrees = [math.degrees(math.acos(min(1.0, x @ y))) for x, y in zip(a, b, strict=True)]
        assert built["apart"](s, t, 8) == pytest.approx(degrees, abs=1e-5)


@pytest.mark.parametrize(("d_model", "base"), [(4, 10.0), (8, 2.0), (16, 10_000.0)])
def test_the_closest_two_positions_are_found(
    built: dict[str, Any], d_model: int, base: float
) -> None:
    table = encode(range(150), d_model, base)
    between = [
        (math.dist(table[s], table[t]), t - s) for s in range(150) for t in range(s + 1, 150)
    ]
    gap, offset = built["closest"](d_model, base, 150)
    assert gap == pytest.approx(min(between)[0], abs=1e-9)
    assert min(d for d, k in between if k == offset) == pytest.approx(gap, abs=1e-9)


def test_no_linear_layer_trained_on_noisy_entries_reads_better(built: dict[str, Any]) -> None:
    """Least squares on many noisy copies finds the error that the formula predicts."""
    rng = np.random.default_rng(3)
    table = encode(range(200), 8, 100.0)
    t = np.tile(np.arange(200), 400)
    noisy = np.tile(table, (400, 1)) + rng.normal(0, 0.1, (t.size, 8))
    x = np.hstack([noisy, np.ones((t.size, 1))])
    weights = np.linalg.lstsq(x, t, rcond=None)[0]
    found = math.sqrt(np.mean((x @ weights - t) ** 2))
    assert built["reading_error"](table) == pytest.approx(found, rel=0.01)


def test_the_function_to_paste_tells_what_the_library_knows(
    built: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for d_model, base, length in [(512, 10_000.0, 2048), (128, 500_000.0, 8192)]:
        built["spectrum"](d_model, base, length)
        found = wavelengths(d_model, base)
        words = capsys.readouterr().out.split()
        assert words[0] == str(d_model // 2)
        assert words[2:5] == [f"{found[0]:.2f}", "to", f"{found[-1]:,.0f}"]
        assert words[5] == str((found > length).sum())
        assert f"{found[-1] / length:,.2f}" in words


def test_multiplying_the_position_by_the_ratio_shifts_the_vector_by_a_pair() -> None:
    for t in (5, 50, 123):
        np.testing.assert_allclose(encode(t, 8)[:6], encode(10 * t, 8)[2:], rtol=0, atol=1e-12)


def test_the_papers_sentence_fits_timescales_divided_by_one_pair_less() -> None:
    slowest = 2 * math.pi / 10_000.0 ** (-255 / 255)
    assert slowest == pytest.approx(2 * math.pi * 10_000)
    for d_model in (8, 64, 512):
        step = 10_000.0 ** (2 / d_model)
        assert wavelengths(d_model)[-1] * step == pytest.approx(2 * math.pi * 10_000)


def test_what_the_text_and_the_figures_say_is_so(built: dict[str, Any]) -> None:
    six, fifty = encode([6, 50], 8)
    assert math.dist(six[:2], fifty[:2]) < 0.02  # the fast hand cannot tell 6 from 50
    assert [int((wavelengths(512, b) <= 2048).sum()) for b in (1e4, 1e6)] == [161, 108]
    assert f"Base 100 ends at {wavelengths(512, 100.0)[-1]:.0f} and" in PROSE
    assert (wavelengths(512) > 2048).mean() == pytest.approx(0.37, abs=0.005)
    assert 2047 / wavelengths(64, 2.0)[-1] > 100  # every hand of base 2 comes round that often

    table = encode(range(64), 16)
    down, across = np.abs(np.diff(table[:, 0])).mean(), np.abs(table[:, 0] - table[:, 1]).mean()
    assert down / across == pytest.approx(2 / 3, abs=0.02)

    gaps = [built["closest"](64, base)[0] for base in (2.0, 10.0, 100.0, 1e4, 1e6)]
    assert gaps == sorted(gaps, reverse=True)
    assert (gaps[0], gaps[-1]) == pytest.approx((4.10, 1.28), abs=0.005)
    for base, printed in [(1e4, 3.714), (1e6, 3.059)]:
        assert math.dist(*encode([0, 1], 512, base)) == pytest.approx(printed, abs=5e-4)
    assert math.dist(encode(50, 8)[2:4], encode(113, 8)[2:4]) < 0.02  # a turn of pair 1
    assert [round(encode(t, 8)[k], 4) for t, k in [(5, 0), (50, 2), (500, 4)]] == [-0.9589] * 3


def test_two_readers_of_the_same_noisy_rows_want_different_bases(built: dict[str, Any]) -> None:
    """As described beside figure 3.15: noise 0.3, d_model 64, seeds 0 to 4."""
    rows = {base: encode(range(2048), 64, base) for base in (2.0, 10.0, 100.0, 1e4, 1e6)}
    linear = {base: built["reading_error"](row, 0.3) for base, row in rows.items()}
    assert linear[2.0] > 590 and linear[1e4] < linear[1e6] < linear[100.0] - 400
    assert linear[1e6] == pytest.approx(141, abs=0.5)
    for seed in range(5):
        off = {base: built["misses"](row, 0.3, seed) for base, row in rows.items()}
        named = [float(np.mean(o == 0)) for o in off.values()]
        assert named == sorted(named, reverse=True) and named[0] == 1
        assert 0.963 <= round(named[-1], 3) <= 0.970
        assert max(o.max() for o in off.values()) == 1  # every miss is by one position
        assert all(not built["misses"](row, 0.1, seed).any() for row in rows.values())
        wide = encode(range(2048), 512, 1e6)
        assert not built["misses"](wide, 0.3, seed).any()


def test_misses_under_strong_noise_or_with_few_pairs_are_not_by_one(built: dict[str, Any]) -> None:
    def missed(d_model: int, base: float, noise: float) -> np.ndarray:
        row = encode(range(2048), d_model, base)
        return np.concatenate([built["misses"](row, noise, seed) for seed in range(5)])

    for base, far in [(2.0, 0.41), (1e4, 0.20), (1e6, 0.42)]:
        off = missed(64, base, 1.0)
        assert (off[off > 0] > 10).mean() == pytest.approx(far, abs=0.006)
    assert (off > 0).mean() == pytest.approx(2 / 3, abs=0.02)  # base 1,000,000
    off = missed(8, 1e6, 0.1)
    assert (off > 0).mean() == pytest.approx(1 / 3, abs=0.01)
    assert (off[off > 0] == 201).mean() == pytest.approx(0.62, abs=0.005)
    assert not (off == 1).any() and built["closest"](8, 1e6)[1] == 201


def test_the_band_of_the_comparison_is_as_wide_as_described(built: dict[str, Any]) -> None:
    wide = []
    for base in (10.0 ** np.linspace(0.5, 6, 23)).round(1)[::2]:
        row = encode(range(2048), 64, base)
        named = [100 * np.mean(built["misses"](row, 0.3, seed) == 0) for seed in range(5)]
        wide.append(max(named) - min(named))
    assert 1.4 < max(wide) < 1.5


def test_at_a_tenth_of_a_context_a_linear_layer_reads_almost_nothing(
    built: dict[str, Any],
) -> None:
    for length, noise in itertools.product((512, 2048), (0.03, 0.1, 0.3)):
        table = encode(range(length), 64, built["base_for"](length, 64, 0.1))
        assert 0.98 < built["reading_error"](table, noise) / np.std(range(length)) < 1


def test_the_largest_dot_product_fails_as_often_as_two_neighbours_are_confused(
    built: dict[str, Any],
) -> None:
    """A row is misread when noise takes it half the way to a neighbour: the normal tail, twice."""
    row = encode(range(2048), 64, 1e6)
    step = math.dist(row[0], row[1])
    tail = math.erfc(step / 2 / 0.3 / math.sqrt(2))  # both sides: 2 · ½ erfc
    missed = np.mean([np.mean(built["misses"](row, 0.3, seed) > 0) for seed in range(5)])
    assert missed == pytest.approx(tail, rel=0.06)


def test_the_lead_is_what_turned_queries_and_keys_score(built: dict[str, Any]) -> None:
    """(3.8) against a head computed pair by pair, and against the library's kernel."""
    for base, m in [(100.0, 10), (1e4, 100), (5e5, 8000)]:
        assert built["lead"](m, 128, base) == pytest.approx(kernel(m, 128, base) / 64)
        five = [built["measured"](m, base, seed) for seed in range(5)]
        assert np.mean(five) == pytest.approx(built["lead"](m, 128, base), abs=0.006)
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 500, 8))
    by_pair = 0.0
    for i, w in enumerate(8 ** (-np.arange(4) / 4)):
        c, s = math.cos(3 * w), math.sin(3 * w)
        x, y = (q - k)[:, 2 * i], (q - k)[:, 2 * i + 1]
        by_pair += np.mean(q[:, 2 * i] * (c * x - s * y) + q[:, 2 * i + 1] * (s * x + c * y))
    turned = np.mean((q * rotate(q - k, np.full(500, 3), 8.0)).sum(axis=1))
    assert by_pair == pytest.approx(turned)


@pytest.mark.parametrize(
    ("base", "length"), [(4.3e3, 1000), (1.6e4, 2000), (2.7e4, 4000), (8.4e4, 8000)]
)
def test_the_smallest_bases_of_men_et_al_keep_the_lead_and_smaller_ones_do_not(
    built: dict[str, Any], base: float, length: int
) -> None:
    """Table 2 of arXiv 2405.14591, whose bases are rounded to two digits."""
    assert max(built["reach"](base * f) for f in (0.99, 1.0, 1.01)) >= length
    tried = np.geomspace(100, 0.7 * base, 25)
    assert max(built["reach"](b) for b in tried) < length


def test_a_base_above_the_smallest_is_not_always_enough(built: dict[str, Any]) -> None:
    """For 32,000 tokens table 2 has 640,000; of the multiples of 10,000 up to it one lasts."""
    reach = {base: built["reach"](float(base)) for base in range(100_000, 710_000, 10_000)}
    assert [b for b in reach if b <= 640_000 and reach[b] >= 32_000] == [630_000]
    assert reach[630_000] >= 32_768 > 32_000 > reach[640_000] == 27_685
    assert "640,000 only to 27,684" in PROSE
    assert "with 700,000 it is negative for the first time at 18,909 already" in PROSE
    assert reach[700_000] == 18_909 and built["reach"](1e6) < 32_000


def test_the_models_stand_where_the_figure_puts_them(built: dict[str, Any]) -> None:
    models = {2048: 1e4, 4096: 1e4, 8192: 5e5, 32_768: 1e6}  # table 1 of the paper
    keeps = {length: built["reach"](base) >= length for length, base in models.items()}
    assert keeps == {2048: False, 4096: False, 8192: True, 32_768: False}
    assert [built["reach"](b) for b in (100.0, 1e4, 5e5, 1e6)] == [59, 1707, 18_438, 27_115]
    assert "falls below zero at offset 2,322" in PROSE and built["reach"](24_429.0) == 2322
    assert round(640_000 / 24_429) == 26 and round(32_768 / 2322) == 14
    below = {}
    for length, base in models.items():
        along = built["lead"](np.arange(length), 128, base)
        below[length] = int((along < 0).sum())
    assert list(below.values()) == [16, 419, 0, 4]
    assert (
        "at 16 of 2,048 offsets for Llama, at 419 of 4,096 for Llama 2, but only at 4 of" in PROSE
    )
    assert along.min() == pytest.approx(-0.012, abs=5e-4)  # Mistral's
    later = built["lead"](np.arange(60, 500), 128, 100.0)
    assert later.max() > 0.1 and 0.3 < (later > 0).mean() < 0.5  # around zero, not gone

    lowest = built["lead"](np.arange(32_768), 128, 100.0).min()
    assert lowest == pytest.approx(-0.34, abs=0.005)
    assert 18_438 > 2 * 8192


def test_what_other_spacings_of_the_speeds_do(built: dict[str, Any]) -> None:
    k, w, waves = np.arange(1, 2048), frequencies(64), wavelengths(64)
    even, long = np.linspace(w[0], w[-1], 32), np.linspace(waves[0], waves[-1], 32)
    for speeds, offset, least in [(w, 1, 1.47), (even, 779, 0.37), (2 * np.pi / long, 19, 0.18)]:
        far = built["distances"](speeds, k)
        assert (k[far.argmin()], far.min()) == (offset, pytest.approx(least, abs=0.005))
    assert even[0] - even[1] == pytest.approx(0.03225, abs=6e-6)
    assert 2 * np.pi / (even[0] - even[1]) == pytest.approx(195, abs=0.5)
    assert long[1] == pytest.approx(1526, abs=0.5)
    near = built["distances"](2 * np.pi / long, np.arange(1, 401))
    assert sorted(near.argsort()[:3] + 1) == [19, 25, 44]
    assert near.max() == pytest.approx(2.79, abs=0.005)
    assert built["distances"](even, [195, 390]) == pytest.approx([0.77, 1.53], abs=0.01)
    assert built["distances"](2 * np.pi / long, [19, 44]) == pytest.approx([0.18, 0.23], abs=0.01)
    for seed in range(5):
        u = np.random.default_rng(seed).uniform(0, 62, 32)
        assert built["distances"](10_000.0 ** (-u / 64), k).argmin() == 0
    pairs = [
        (wavelengths(64) < b).sum() - (wavelengths(64) < a).sum()
        for a, b in [(10, 100), (100, 1000)]
    ]
    assert abs(pairs[0] - pairs[1]) <= 1


def test_four_contexts_are_near_the_best_slowest_wavelength(built: dict[str, Any]) -> None:
    bases = (10.0 ** np.linspace(0.5, 6, 23)).round(1)
    for length, noise in itertools.product((512, 2048), (0.03, 0.1, 0.3)):
        off = [built["reading_error"](encode(range(length), 64, b), noise) for b in bases]
        slowest = wavelengths(64, bases[int(np.argmin(off))])[-1] / length
        assert 3 < slowest < 8
        rule = encode(range(length), 64, built["base_for"](length, 64))
        assert built["reading_error"](rule, noise) < 1.03 * min(off)


@pytest.mark.parametrize(("d_model", "worst"), [(16, 1.42), (512, 1.0)])
def test_four_contexts_are_near_the_best_with_many_pairs_and_not_with_few(
    built: dict[str, Any], d_model: int, worst: float
) -> None:
    bases, ratios = (10.0 ** np.linspace(0.5, 6, 23)).round(1), []
    for length in (512, 2048):
        tables = [encode(range(length), d_model, base) for base in bases]
        rule = encode(range(length), d_model, built["base_for"](length, d_model))
        for noise in (0.03, 0.1, 0.3):
            off = [built["reading_error"](table, noise) for table in tables]
            ratios.append(built["reading_error"](rule, noise) / min(off))
            if d_model == 512:
                assert 3 < wavelengths(512, bases[int(np.argmin(off))])[-1] / length < 8
    assert max(ratios) == pytest.approx(worst, abs=0.03)


def test_distance_depends_on_the_offset_alone() -> None:
    for s, k in [(0, 7), (100, 7), (1000, 377)]:
        distance = math.dist(encode(s, 16), encode(s + k, 16))
        assert distance**2 == pytest.approx(16 - 2 * kernel(k, 16))
        chords = 2 * np.sin(k * frequencies(16) / 2)
        assert distance == pytest.approx(math.sqrt((chords**2).sum()))


def test_long_pairs_share_little_of_a_short_distance_and_much_of_a_long_one() -> None:
    table, long = encode(range(2048), 512), np.repeat(wavelengths(512) > 2048, 2)
    for offset, share in [(1, 1e-5), (100, 0.00463), (1000, 0.21375), (2000, 0.28897)]:
        squared = (table[offset] - table[0]) ** 2
        assert squared[long].sum() / squared.sum() == pytest.approx(share, rel=0.01, abs=4e-6)


def test_what_is_drawn_is_as_it_is_described(built: dict[str, Any]) -> None:
    for other in (6, 50, 500):
        for degrees in built["apart"](5, other, 8):
            assert f"{degrees:.1f}" in PROSE or degrees < 1

    swept = np.degrees(2047 * frequencies(512)[[255, 208, 161]])
    assert swept.round() == pytest.approx([12, 66, 358])
    slowest = {b: 2048 * frequencies(512, b)[-1] for b in (100.0, 1e4, 1e6)}
    assert np.degrees(10_000 * frequencies(512, 1e6)[-1]) == pytest.approx(0.6, abs=0.05)
    assert slowest[100.0] / (2 * np.pi) == pytest.approx(3.32, abs=0.005)
    assert np.degrees([slowest[1e4], slowest[1e6]]).round(1) == pytest.approx([12.2, 0.1])

    formula, code = (10_000.0 ** (-np.arange(256) / n) for n in (256, 255))
    gap = [np.abs(np.sin(t * formula) - np.sin(t * code)) for t in (100, 1000)]
    assert gap[0].max() == pytest.approx(0.143, abs=5e-4) and 1.3 < gap[1].max() < 1.35
    assert np.cos(10 * frequencies(8)).mean() == pytest.approx(0.424, abs=5e-4)

    assert [int((wavelengths(128, b) <= 8192).sum()) for b in (1e4, 5e5)] == [50, 35]

    two, usual = ([math.dist(*encode([0, k], 64, b)) for k in range(1, 101)] for b in (2.0, 1e4))
    assert min(two) > 4 and max(two) < 11 and usual[0] < 1.5
    assert all(a > b for a, b in zip(two, usual, strict=True))


def test_what_the_answers_say_is_so(built: dict[str, Any]) -> None:
    turns = wavelengths(8)[1] / wavelengths(8)
    assert turns == pytest.approx([10, 1, 0.1, 0.01])
    longer = [int((wavelengths(512) > length).sum()) for length in (512, 1024, 2048, 4096)]
    assert f"{', '.join(map(str, longer))}: 19 or 20 fewer" in PROSE
    assert {a - b for a, b in itertools.pairwise(longer)} == {19, 20}
    assert f"{2047 / wavelengths(512, 100.0)[-1]:.3f} turns, up to position 2,047." in PROSE
    assert [int((wavelengths(512, base) > 2048).sum()) for base in (320, 400)] == [0, 8]
    assert f"the limit is base {built['base_for'](2048, 512, 1):.1f}" in PROSE

    assert f"takes the base {math.ceil(built['base_for'](32_768, 128)):,}." in PROSE
    assert built["reading_error"](encode(range(2048), 64, 2.0)) == pytest.approx(591, abs=0.5)
    assert np.std(range(2048)) == pytest.approx(591, abs=0.5)
    assert wavelengths(64, 2.0)[-1] == pytest.approx(12, abs=0.5)
    table, long = encode(range(2048), 512), np.repeat(wavelengths(512) > 2048, 2)
    without, whole = built["reading_error"](table[:, ~long]), built["reading_error"](table)
    assert f"goes from {whole:.1f} positions off to {without:.1f}, more than three times" in PROSE
    assert without > 3 * whole
