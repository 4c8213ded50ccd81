"""Chapter 9: its functions against the library and plain loops, its numbers, its runs again."""

import json
import math

import mpmath
import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib import context, frequencies, wavelengths
from pe_lib.course.explorers import ContextExplorer
from pe_lib.course.model import Transformer
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "longer.json").read_text("utf-8"))
RIGHT = {
    task: {method: np.array(shares) for method, shares in methods.items()}
    for task, methods in RECORDING["right"].items()
}  # (seeds, before and after tuning, lengths)


@pytest.fixture(scope="module")
def chapter():
    """Its functions, with what stands around them in the cells."""
    w = frequencies(128)
    names = functions("09-longer-contexts", np=np, math=math, frequencies=frequencies, w=w)
    names["seen"] = names["waves"](np.arange(2048), w)
    return names


@pytest.mark.parametrize("d", [4, 6, 64, 128])
@pytest.mark.parametrize("s", [1.0, 2.5, 16.0])
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_its_functions_are_the_library_s_and_a_loop_s(chapter, d, s, base):
    n = d // 2
    by_pair = [base ** (-2 * i / d) for i in range(n)]
    expected = [w / s for w in by_pair]
    np.testing.assert_allclose(chapter["interpolated"](d, s, base), expected)
    np.testing.assert_allclose(context.interpolated(d, s, base), expected)
    expected = [w / s ** (i / (n - 1)) for i, w in enumerate(by_pair)]
    np.testing.assert_allclose(chapter["ntk_aware"](d, s, base), expected)
    np.testing.assert_allclose(context.ntk_aware(d, s, base), expected)
    turned = [500 * w / (2 * math.pi) for w in by_pair]
    np.testing.assert_allclose(chapter["turns"](d, 500, base), turned)
    kept = [0 if r < 1 else 1 if r > 32 else (r - 1) / 31 for r in turned]
    expected = [g * w + (1 - g) * w / s for g, w in zip(kept, by_pair, strict=True)]
    np.testing.assert_allclose(chapter["by_parts"](d, s, 500, base), expected)
    np.testing.assert_allclose(context.by_parts(d, s, 500, base), expected)
    assert chapter["temperature"](s) == pytest.approx(context.temperature(s))
    for length in (100, 500, 1250):
        np.testing.assert_allclose(
            chapter["dynamic"](d, length, 500, base), context.dynamic(d, length, 500, base)
        )


def test_the_numbers_worked_out_by_hand():
    w = [1, 0.1, 0.01]
    np.testing.assert_allclose(frequencies(6, 1000.0), w)
    assert [f"{100 * x / math.tau:.3g}" for x in w] == ["15.9", "1.59", "0.159"]
    assert [f"{400 * x / math.tau:.3g}" for x in w] == ["63.7", "6.37", "0.637"]
    assert (round(math.degrees(1)), round(math.degrees(4))) == (57, 229)
    assert (round(math.degrees(0.25)), round(math.degrees(1))) == (14, 57)
    assert context.ntk_base(6, 4, 1000.0) == pytest.approx(8000)
    np.testing.assert_allclose(np.array(w) / context.ntk_aware(6, 4, 1000.0), [1, 2, 4])
    assert context.interpolated(128, 2)[9] * 3000 == pytest.approx(frequencies(128)[9] * 1500)
    with mpmath.workdps(30):
        assert mpmath.nint(10_000 * mpmath.mpf(4) ** (mpmath.mpf(128) / 126)) == 40_890


def test_the_pairs_that_never_come_round():
    for length, count, first in ((2048, 23, 41), (4096, 18, 46)):
        longer = [i for i in range(64) if math.tau * 10_000 ** (i / 64) > length]
        assert (len(longer), longer[0]) == (count, first)
        np.testing.assert_array_equal(np.flatnonzero(wavelengths(128) > length), longer)
    assert f"{wavelengths(128)[-1]:,.0f}" == "54,410"


def test_what_a_fitted_score_can_do(chapter):
    fit, largest, w = chapter["fit"], chapter["largest"], chapter["w"]
    old, new, halves = np.arange(2048), np.arange(2048, 4096), np.arange(4096) / 2
    for cutoff, low, high in (
        (1e-2, 0.3, 1),
        (1e-4, 20, 200),
        (1e-6, 300, 3000),
        (None, 1e8, 1e13),
    ):
        for seed in range(3):
            c = fit(seed, cutoff)
            assert largest(c, old, w) < (0.5 if cutoff else 1) and low < largest(c, new, w) < high
            assert largest(c, halves, w) < (0.55 if cutoff else 1.5)
            if cutoff:  # (9.4), and the straight line's bound
                h = np.hypot(c[:64], c[64:])
                assert largest(c, new, w) <= h.sum() * (1 + 1e-9)
                assert largest(c, halves, w) <= largest(c, np.arange(2049), w) + h @ w**2 / 8


def test_half_way_between_seen_offsets_by_more_neighbours(chapter):
    """(9.5): weights by mpmath's polynomial, distances by a product, the fits themselves."""
    fit, largest, w = chapter["fit"], chapter["largest"], chapter["w"]
    chapter["old"] = old = np.arange(2048)
    for m in (1, 2, 3, 5, 8):
        with mpmath.workdps(40):
            nodes = [mpmath.mpf(2 * j + 1) / 2 for j in range(-m, m)]
            by_hand = [mpmath.fprod(-x / (y - x) for x in nodes if x != y)
                       for y in nodes]  # fmt: skip
            off = mpmath.fprod(abs(x) for x in nodes) / mpmath.factorial(2 * m)
            np.testing.assert_allclose(chapter["weights"](m), np.array(by_hand, float), rtol=1e-9)
            assert float(off) == pytest.approx(math.comb(2 * m, m) / 16**m)
            for u in (0.1, 0.3, 0.45):  # at other fractions both are smaller
                ways = sum(abs(mpmath.fprod((u - x) / (y - x) for x in nodes if x != y))
                           for y in nodes)  # fmt: skip
                assert ways <= sum(map(abs, by_hand)) + mpmath.mpf("1e-30")
                assert mpmath.fprod(abs(u - x) for x in nodes) < off * mpmath.factorial(2 * m)
    bounds = {}
    for cutoff in (1e-6, None):
        fits = [fit(seed, cutoff) for seed in range(5)]
        for m in (1, 2, 3, 5):
            covered = np.arange(m - 1, 2048 - m) + 0.5
            for c in fits:
                assert largest(c, covered, w) <= chapter["bound"](c, m)
        bounds[cutoff] = min(max(chapter["bound"](c, m) for c in fits) for m in (1, 2, 3, 5, 8))
        assert max(largest(c, np.arange(4095) / 2, w) for c in fits) < bounds[cutoff]
        m = 1 if cutoff else 3
        assert bounds[cutoff] == max(chapter["bound"](c, m) for c in fits)
        covered = np.arange(m - 1, 2048 - m) + 0.5
        assert [covered[0], covered[-1]] == ([0.5, 2046.5] if cutoff else [2.5, 2044.5])
        reached = max(largest(c, covered, w) for c in fits)
        last = max(largest(c, np.array([2047.5]), w) for c in fits)
        assert f"{reached:.2f} {last:.1f}" == ("0.44 0.5" if cutoff else "0.46 0.7")
    assert bounds[1e-6] < 0.502 and bounds[None] < 0.94
    assert max(np.abs(np.sin(np.pi * old))) < 1e-9 and np.sin(np.pi / 2) == 1


@pytest.mark.parametrize(
    ("cutoff", "half_way", "beyond"),
    [(1e-2, 1.125, 1.59), (1e-6, 1.125, 1.71), (1e-12, 1.125, 1.95)],
)
def test_the_largest_of_any_score_is_what_the_linear_program_found(cutoff, half_way, beyond):
    """By its dual: weights of the seen offsets that give f(x) for every score within the cutoff.

    Their sizes sum to an upper bound, found by least squares with weights that are found again; the
    score of the last round, as large as it may be, is a lower one.
    """
    w = 10_000.0 ** (-np.arange(64) / 64)

    def waves(x):
        return np.hstack([np.cos(np.multiply.outer(x, w)), np.sin(np.multiply.outer(x, w))])

    u, size, vt = np.linalg.svd(waves(np.arange(2048.0)), full_matrices=False)
    kept = int((size > cutoff * size[0]).sum())
    u = u[:, :kept]
    for x, most in ((0.5, half_way), (10.5, half_way), (1023.5, half_way), (2047.5, beyond)):
        row = waves(np.array([x]))[0] @ vt[:kept].T / size[:kept]
        share = np.ones(2048)
        for _ in range(150):
            combination = np.linalg.solve((u.T * share) @ u, row)
            weights = share * (u @ combination)
            share = np.abs(weights) + 1e-9
        np.testing.assert_allclose(u.T @ weights, row, atol=1e-9)
        upper, lower = np.abs(weights).sum(), row @ combination / np.abs(u @ combination).max()
        assert 0.9 * most < lower <= upper < most + 0.006


def test_the_estimate_in_the_proof_of_theorem_2_1_is_too_small():
    """S. Chen et al. (2023), appendix A: their (14), and the bound itself, by one score."""
    with mpmath.workdps(30):
        w = [mpmath.mpf(10_000) ** (-mpmath.mpf(i) / 64) for i in range(64)]
        assert f"{float(sum(x**2 for x in w)):.2f}" == "4.00"
        assert f"{float(128 / (4 * mpmath.log(10_000))):.2f}" == "3.47"
        # all h = 1, half-way between -1/2 and 1/2
        off = sum(1 - mpmath.cos(x / 2) for x in w)
        assert off > 1.1 * 128 / (32 * mpmath.log(10_000))
        assert off < sum(x**2 for x in w) / 8  # the bound that the chapter keeps


def test_a_difference_grows_with_the_square():
    """(9.3) by mpmath: the two slowest waves, far from the next term."""
    w = [mpmath.mpf(10_000) ** (-mpmath.mpf(i) / 64) for i in (62, 63)]
    for x in (100, 200, 400):
        found = mpmath.cos(w[0] * x) - mpmath.cos(w[1] * x)
        assert abs(found / ((w[1] ** 2 - w[0] ** 2) / 2 * x**2) - 1) < 1e-2


def test_the_recorded_score_is_the_fitted_one(chapter):
    score = chapter["waves"](np.arange(4096), chapter["w"]) @ RECORDING["score"]
    assert np.abs(score[:2048]).max() < 0.5
    assert (round(score[2048:].min()), round(score[2048:].max())) == (-2167, 133)
    np.testing.assert_allclose(RECORDING["score"], experiments.fitted(), atol=1e-3)
    np.testing.assert_allclose(RECORDING["score"], chapter["fit"](0, 1e-6), atol=1e-3)


def test_the_answers_to_the_explorer():
    def at(method, factor):
        return ContextExplorer(method=method, factor=factor, score=RECORDING["score"])

    assert at("none", 1).largest()[0] < 0.4 and at("none", 1.25).largest()[1] > 1000
    for factor in np.arange(1.25, 16.25, 0.25):
        assert max(at("interpolation", factor).largest()) < 0.535
        assert (at("ntk", factor).new(), at("yarn", factor).new()) == (22, 0)
        assert at("yarn", factor).largest()[0] > 1
    assert at("none", 4).new() == 23
    # pair 0 stands as at the same offset, a slow pair as at a quarter of it
    w, scaled = frequencies(128), context.by_parts(128, 4, 2048)
    assert scaled[0] * 1000 == w[0] * 1000 and scaled[-1] * 1000 == pytest.approx(w[-1] * 250)


def test_what_the_seeds_support():
    before = {task: {m: s[:, 0] for m, s in of.items()} for task, of in RIGHT.items()}
    near, far = ({m: s[:, 2] for m, s in before[task].items()} for task in ("previous", "latest"))
    assert all(len(s) == 5 for s in near.values())
    assert (near["interpolated"] < near["plain"]).all()
    assert (near["plain"] < near["ntk_aware"]).all()
    assert (near["ntk_aware"] < near["by_parts"]).sum() == 4
    for method in ("interpolated", "by_parts"):
        assert (far[method] > far["ntk_aware"] - 0.01).all()
        assert np.ptp(before["latest"][method].mean(axis=0)) < 0.03
        assert np.ptp(before["previous"][method].mean(axis=0)) < 0.04
    assert all((far[m] > far["plain"]).all() for m in ("interpolated", "by_parts", "ntk_aware"))
    four = ("plain", "interpolated", "ntk_aware", "by_parts")  # figure 9.15
    assert min(four, key=lambda m: near[m].mean()) == "interpolated"
    order = sorted(four, key=lambda m: far[m].mean())
    assert set(order[2:]) == {"interpolated", "by_parts"}
    ahead = far["interpolated"] > far["by_parts"]
    assert ahead.any() and not ahead.all()
    for of in before.values():
        assert np.abs(of["yarn"] - of["by_parts"]).max() <= 0.03
        assert np.abs(of["yarn"] - of["by_parts"])[:, 2].max() <= 0.02
        np.testing.assert_array_equal(of["dynamic"][:, 2], of["ntk_aware"][:, 2])
        np.testing.assert_array_equal(of["dynamic"][:, 0], of["plain"][:, 0])
    falls = [of[0] - of[2] for of in (before["latest"][m].mean(axis=0) for m in ("alibi", "plain"))]
    assert [f"{fall:.2f}" for fall in falls] == ["0.06", "0.29"]


def test_what_tuning_does():
    near, far = ({m: s[:, 1, 2] for m, s in RIGHT[task].items()} for task in ("previous", "latest"))
    rotary = ("plain", "ntk_aware", "dynamic", "by_parts", "yarn")
    assert min(near[m].mean() for m in rotary) > 0.965
    assert f"{near['interpolated'].mean():.2f}" == "0.76"
    assert f"{far['plain'].mean():.2f} {far['interpolated'].mean():.2f}" == "0.88 0.97"
    assert (far["plain"] < far["interpolated"]).sum() == 4
    untuned = RIGHT["latest"]["interpolated"][:, 0, 2].mean()
    assert f"{untuned:.2f}" == "0.91"
    others = ("interpolated", *rotary[1:])  # figure 9.16: unscaled and tuned, against untuned
    assert near["plain"].min() > max(RIGHT["previous"][m][:, 0, 2].max() for m in others)


def test_another_base_and_training_on():
    """A larger base helps where far words count, a smaller one harms; also trained again."""
    data = json.loads((CHAPTERS / "data" / "rebased.json").read_text("utf-8"))
    assert data["bases"] == [200, 10_000, 50_000, 500_000, 5_000_000] and data["lengths"][2] == 128
    near, far = (np.array(data["right"][task])[:, :, 1, 2] for task in ("previous", "latest"))
    assert near.shape == far.shape == (5, 5)  # seeds, bases
    assert (far[:, 2] > far[:, 1]).all() and (far[:, 0] < far[:, 1] - 0.15).all()
    assert (far[:, 3] >= far[:, 1] + 0.0599).sum() == 4
    assert (near[:, 2:] > near[:, 1:2]).all() and np.ptp(near[:, :2].mean(axis=0)) < 0.01
    assert [f"{x:.2f}" for x in far.mean(axis=0)] == ["0.60", "0.88", "0.93", "0.96", "0.93"]
    others = [RIGHT["latest"][m][:, 1, 2].mean() for m in ("interpolated", "by_parts")]
    assert np.abs(np.array(others) - far[:, 3].mean()).max() < 0.011
    short = np.array(data["right"]["latest"])[:, :, 1, 0].mean(axis=0)
    assert [f"{short[i]:.2f}" for i in (1, 4)] == ["0.98", "0.96"]
    again = np.array(experiments.rebased("latest", 0))
    np.testing.assert_allclose(again, np.array(data["right"]["latest"])[0], atol=0.15)
    assert again[0, 1, 2] < again[1, 1, 2] < again[3, 1, 2]
    assert f"{10_000 * 4 ** (16 / 14):,.0f}" == "48,761"
    np.testing.assert_allclose(context.ntk_aware(16, 50 ** (14 / 16)), frequencies(16, 500_000))
    assert round(50 ** (14 / 16)) == 31  # the factor that 500,000 is, by (9.6)


def test_what_is_left_of_each_word_after_four_layers(chapter):
    """By all paths of four steps, counted word by word, not by powers of a matrix."""

    def paths(weight, residual):
        share = [0.0] * 63 + [1.0]
        for _ in range(4):
            passed = [residual * x for x in share]
            for query, x in enumerate(share):
                row = [weight(query, key) for key in range(64)]
                for key in range(64):
                    passed[key] += (1 - residual) * x * row[key] / sum(row)
            share = passed
        return share

    def causal(q, k):
        return float(k <= q)

    def near(q, k):
        return math.exp((k - q) / 16) if k <= q else 0.0

    seen = np.tril(np.ones((64, 64)))
    four = chapter["four_layers"]
    cases = [
        (four(seen), causal, 0.5, "0.100 0.004 62 0.066"),
        (four(seen, 0), causal, 0, "0.345 0.000 63 0.000"),
        (four(np.ones((64, 64))), lambda q, k: 1.0, 0.5, "0.015 0.015 0 0.077"),
        (
            four(seen * np.exp(np.subtract.outer(-np.arange(64), -np.arange(64)) / 16)),
            near,
            0.5,
            "0.017 0.010 8 0.079",
        ),
    ]
    for found, weight, residual, said in cases:
        expected = paths(weight, residual)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        first, least, last = expected[0], min(expected), expected[-1]
        at = 0 if said.startswith("0.015") else expected.index(least)
        assert f"{first:.3f} {least:.3f} {at} {last:.3f}" == said
    assert round(cases[0][0][0] / cases[0][0].min()) == 25
    assert np.ptp(cases[2][0][:-1]) < 1e-12  # without a mask all others are alike
    kept, steep = cases[0][0], cases[1][0]
    assert steep[0] / steep[31] > 10 * kept[0] / kept[31] and steep[62] < 1e-4  # figure 9.19
    ago = np.subtract.outer(np.arange(64), np.arange(64))
    least = {}
    for slope, layers in ((16, 4), (16, 8), (32, 4), (4, 4)):
        mean = seen * np.exp(-ago / slope)
        layer = (np.eye(64) + mean / mean.sum(axis=1, keepdims=True)) / 2
        least[slope, layers] = np.linalg.matrix_power(layer, layers)[-1].argmin()
    assert least == {(16, 4): 8, (16, 8): 62, (32, 4): 62, (4, 4): 0}


def test_what_rounding_does_to_scores(chapter):
    """bfloat16 by mantissa and exponent; which error grows with what."""
    x = np.random.default_rng(3).normal(size=500) * 10.0 ** np.arange(-10, 10, 0.04)
    x = np.append(x, [1 + 2**-8, 1 + 3 * 2**-8, 257.0, 0.0])
    mantissa, exponent = np.frexp(x.astype(np.float32).astype(float))
    np.testing.assert_array_equal(
        chapter["bfloat16"](x), np.ldexp(np.rint(mantissa * 256), exponent - 8)
    )
    off = chapter["off"]
    exact = [off(t, k, "turned exactly, then", s)
             for t in (10, 1000, 10_000) for k in (1, 10) for s in range(2)]  # fmt: skip
    assert min(exact) > 0.0028 and max(exact) < 0.0044
    for t in (100, 10_000):  # another encoding: the same error at any position
        assert off(t, 10, "frequencies", 0) == pytest.approx(off(0, 10, "frequencies", 0), rel=0.01)
    grown = [off(10_000, k, "frequencies", 0) for k in (1, 10, 64)]
    assert grown[0] < 0.0003 < grown[1] < 0.003 < 0.013 < grown[2] < 0.017
    angles = [off(t, 10, "angles", 0) for t in (10, 100, 1000, 10_000)]
    assert angles == sorted(angles) and angles[0] < 0.005 and angles[3] > 0.75
    w = frequencies(128)
    single = {10_000: [], 131_072: [], 1_000_000: []}  # float32 angles, in per cent
    for t, errors in single.items():
        for seed in range(5):
            q, k = np.random.default_rng(seed).normal(size=(2, 500, 128)).view(complex)
            turns = [
                np.exp(1j * (np.float32(p) * w.astype(np.float32)).astype(float))
                for p in (t, t - 10)
            ]
            wrong = (q * turns[0] * (k * turns[1]).conj()).real.sum(axis=1)
            true = (q * k.conj() * np.exp(10j * w)).real.sum(axis=1)
            errors.append(100 * np.std(wrong - true) / np.std(true))
    assert max(single[10_000]) < 0.01
    assert [f"{np.mean(single[t]):.{n}f}" for t, n in ((131_072, 2), (1_000_000, 1))] == [
        "0.07", "0.6",
    ]  # fmt: skip


def test_the_words_of_the_figures_say_what_was_recorded():
    cells = json.loads((CHAPTERS / "09-longer-contexts.ipynb").read_text("utf-8"))["cells"]
    text = {cell["id"]: "".join(cell["source"]) for cell in cells}
    for task, methods in RIGHT.items():
        for method, shares in methods.items():
            row = shares.mean(axis=0)[:, [0, 2]]
            if method in ("plain", "ntk_aware") and task == "previous":
                assert f"{row[0, 1]:.2f}" in text["6dff0731-words"]
            if method in ("plain", "interpolated", "ntk_aware", "by_parts"):
                words = text["09-longer-contexts-tuned-words"]
                assert all(f"{x:.2f}".replace("1.00", "1") in words for x in row[:, 1])


@pytest.mark.parametrize(("task", "tuning"), [("previous", 50), ("latest", 0)])
def test_trained_again_it_is_what_was_recorded(task, tuning):
    methods = ("plain", "interpolated", "by_parts")
    again = experiments.longer(task, "rotary", 0, tuning, methods)
    for method, shares in again.items():
        recorded = RIGHT[task][method][0, : len(shares)]
        np.testing.assert_allclose(shares, recorded, atol=0.15)
    plain, slow, parts = (again[method][0][2] for method in methods)
    assert (slow < plain < parts) if task == "previous" else (plain < min(slow, parts))
    if tuning:
        assert again["by_parts"][1][2] > 0.9 and again["interpolated"][1][2] > slow + 0.1


@pytest.fixture(scope="module")
def looked_again():
    return experiments.looked()


def test_where_the_trained_model_looks(looked_again):
    for looks in (RECORDING["looks"], looked_again[0]):
        plain, slow, parts = (np.array(looks[m]) for m in ("plain", "interpolated", "by_parts"))
        assert plain[9:].sum() > 0.3 and slow[1:6].sum() > 0.6 and slow[1] < 0.3
        assert np.argsort(-parts)[:2].tolist() == [1, 7]
        assert max(plain.sum(), slow.sum(), parts.sum()) <= 1.001  # the offsets from 64 on are left
    plain, slow, parts = (RECORDING["looks"][m] for m in ("plain", "interpolated", "by_parts"))
    assert np.argmax(plain) == 57 and np.argmax(slow) == 2 and sum(plain[9:]) > 0.5
    said = [max(plain), plain[1], parts[1], parts[7]]
    assert [f"{share:.2f}" for share in said] == ["0.16", "0.13", "0.29", "0.11"]
    assert max(slow[6:]) < 0.05
    far = [1 - sum(looks[:9]) for looks in (plain, slow, parts)]  # beyond offset 8
    assert [f"{share:.2f}" for share in far] == ["0.79", "0.20", "0.41"]


def test_the_trained_model_does_not_explode(looked_again):
    for size in (RECORDING["sizes"], looked_again[1]):
        inside, beyond = max(size[:32]), max(size[32:])
        assert 8 < inside < 30 and beyond < 1.5 * inside
    assert (f"{max(RECORDING['sizes'][:32]):.1f}", f"{max(RECORDING['sizes'][32:]):.1f}") == (
        "15.0",
        "14.1",
    )


def test_scores_of_the_model_are_those_that_it_computes():
    """All pairs of words, against turned queries and keys of real sequences."""
    model = Transformer(8, 8, "rotary", causal=True, dtype=np.float64)
    p, tokens = model.parameters, np.array([[3, 1, 4, 1, 5]])
    x = p["embedding"][tokens]
    u = x / np.sqrt((x**2).mean(axis=-1, keepdims=True))
    q, k = (model.scheme.turned(model._split(u @ p[name])) for name in ("query0", "key0"))
    expected = (q @ k.swapaxes(-1, -2) / 4)[0]
    found = experiments.pair_scores(model, np.arange(5))
    for head in range(2):
        for t in range(5):
            for s in range(t + 1):
                pair = found[head, tokens[0, t], tokens[0, s], t - s]
                assert pair == pytest.approx(expected[head, t, s])


def test_two_ramps_and_llama_s(chapter):
    for factor, most, pair in ((4, "1.73", 34), (16, "3.04", 38)):
        ratio = chapter["ramp_over_pairs"](128, factor, 4096) / context.by_parts(128, factor, 4096)
        assert (f"{ratio.max():.2f}", ratio.argmax()) == (most, pair)
        differ = ~np.isclose(ratio, 1)
        np.testing.assert_array_equal(np.flatnonzero(differ), range(21, 46))
        np.testing.assert_array_equal(np.flatnonzero(differ & (ratio < 1)), [21])
    for setting in ((128, 4, 4096), (128, 16, 4096), (64, 32, 4096, 150_000.0)):
        np.testing.assert_allclose(chapter["ramp_over_pairs"](*setting), context.yarn(*setting))
        np.testing.assert_allclose(
            chapter["ramp_over_pairs"](*setting, rounded=False),
            context.yarn(*setting, truncate=False),
        )
    ours = []
    for w in (500_000.0 ** (-i / 64) for i in range(64)):  # as transformers has it, pair by pair
        wavelength = 2 * math.pi / w
        smooth = (8192 / wavelength - 1) / 3
        between = (1 - smooth) * w / 8 + smooth * w
        ours.append(w / 8 if wavelength > 8192 else w if wavelength < 2048 else between)
    np.testing.assert_allclose(chapter["llama3"](frequencies(128, 500_000.0)), ours)
    np.testing.assert_allclose(context.by_parts(128, 8, 8192, 500_000.0, 1, 4), ours)
    assert 40 * 4096 == 163_840  # DeepSeek-V3
    assert 2 * 2 - (2 - 1) == 3  # "dynamic" with a = 2, twice the length


def test_a_sharper_softmax_gives_the_best_two_more():
    scores = np.linspace(3, -1, 9)
    before, after = (np.exp(x * scores) / np.exp(x * scores).sum() for x in (1, 1.2965))
    assert ((after > before) == [True] * 2 + [False] * 7).all()


def test_ntk_aware_takes_all_arcs_but_the_last_further():
    slow = np.arange(41, 64)
    further = 4 * context.ntk_aware(128, 4)[slow] / frequencies(128)[slow]
    assert (further[:-1] > 1.02).all() and further[-1] == pytest.approx(1)
    shown = 360 * context.turns(128, 2048)[[41, 63]]
    assert shown.round().tolist() == [321, 14]


def test_a_base_times_s_misses():
    slowed = frequencies(128)[-1] / frequencies(128, 40_000.0)[-1]
    assert slowed == pytest.approx(4 ** (126 / 128)) and f"{slowed:.4f}" == "3.9143"


def test_the_answers_of_the_quiz():
    short = [i for i in range(32) if 1024 * 10_000 ** (-i / 32) < math.tau]
    assert (len(short), short[0]) == (14, 18)
    np.testing.assert_array_equal(np.flatnonzero(context.turns(64, 1024) < 1), short)
    assert context.ntk_base(64, 8) == pytest.approx(10_000 * 8 ** (64 / 62))
    assert f"{10_000 * 8 ** (64 / 62):,.0f}" == "85,550"
    assert 16**0.75 == 8 and 100 * 16 / 8 == 200
    s = math.exp(10 * (math.sqrt(2) - 1))
    assert round(s) == 63 and context.temperature(s) ** 2 == pytest.approx(2)
    assert f"{10 * (math.sqrt(2) - 1):.3f}" == "4.142"


def test_the_code_to_paste_gives_yarn():
    text = (CHAPTERS / "09-longer-contexts.ipynb").read_text("utf-8")
    cell = next(
        c for c in json.loads(text)["cells"] if "def longer_inv_freq" in "".join(c["source"])
    )
    names: dict = {}
    exec("".join(cell["source"]).split("```python\n")[1].split("```")[0], names)
    np.testing.assert_allclose(names["inv_freq"], context.by_parts(128, 4, 4096))
    assert names["scale"] == pytest.approx(context.temperature(4))
