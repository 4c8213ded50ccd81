"""Chapter 11, second half: sinks, temperature, LongRoPE, hybrids, decays, and positions dropped."""

import json
import math

import mpmath
import numpy as np
import pytest
from cells import CHAPTERS, functions, printed, said

from pe_lib import frequencies
from pe_lib.biases import alibi_slopes
from pe_lib.course.model import tasks
from pe_lib.rotary import rotate
from tools import experiments

NAME = "11-since-2024"
PHI = json.loads((CHAPTERS / "data" / "checkpoints" / "phi-3.5-mini.json").read_text("utf-8"))
LISTS = {k: np.array(PHI["config"]["rope_scaling"][f"{k}_factor"]) for k in ("short", "long")}
RECORDING = json.loads((CHAPTERS / "data" / "dropped.json").read_text("utf-8"))
RIGHT = {
    task: {model: np.array(shares) for model, shares in models.items()}
    for task, models in RECORDING["right"].items()
}  # (seeds, lengths)


@pytest.fixture(scope="module")
def chapter():
    known = {"np": np, "frequencies": frequencies, "tasks": tasks, "alibi_slopes": alibi_slopes}
    return functions(NAME, **known, **LISTS, WINDOW=1024)


def test_a_sink_is_one_more_score_and_a_gate(chapter):
    """By mpmath: the softmax over one score more; and (11.20)."""
    rng = np.random.default_rng(0)
    for n, sink in ((4, 4.0), (9, -1.5), (30, 2.0), (5, -np.inf)):
        z = rng.normal(0, 3, n)
        found = chapter["weights"](z, sink)
        with mpmath.workdps(30):
            power = [mpmath.exp(x) for x in z]
            u = mpmath.exp(sink) if np.isfinite(sink) else mpmath.mpf(0)
            whole = mpmath.fsum(power) + u
            np.testing.assert_allclose(found, [float(p / whole) for p in power], rtol=1e-12)
        gate = 1 / (1 + math.exp(sink - math.log(sum(map(math.exp, z)))))
        np.testing.assert_allclose(found, gate * chapter["weights"](z), rtol=1e-12)


def test_four_words_by_hand(chapter):
    calm, warned = np.zeros(4), np.array([0, 8.0, 0, 0])
    weights = chapter["weights"]
    assert f"{weights(warned)[1]:.3f}" == "0.999" and weights(calm)[0] == 0.25
    assert f"{weights(calm, 4).sum():.3f}" == "0.068"
    assert f"{weights(warned, 4)[1]:.3f}" == "0.981"


def test_a_sink_that_is_a_word_leaves_with_the_window(chapter):
    for seed in range(5):
        lost = {way: chapter["report"](1025, way, seed) for way in ("none", "first", "kept")}
        assert lost["first"] == lost["none"] > 0.95
        assert lost["kept"] == chapter["report"](1025, "number", seed) < 0.05
        assert chapter["report"](1024, "first", seed) < 0.05


def test_the_best_sink_lies_between(chapter):
    for seed in range(5):
        error = {u: chapter["error"](u, seed) for u in (-np.inf, *range(6, 13))}
        assert min(error, key=error.get) == 9 and f"{error[9]:.2f}" == "0.01"
        assert error[-np.inf] == pytest.approx(0.5, abs=0.01)
    assert f"{math.log(1024):.1f}" == "6.9" and round(math.exp(10)) == 22_026


def test_what_a_score_must_be():
    """(11.21), and the numbers by hand and predicted."""
    for n, needed in ((11, "2.3"), (1001, "6.9"), (100_001, "11.5")):
        z = math.log(n - 1)
        assert f"{z:.1f}" == needed and math.exp(z) / (math.exp(z) + n - 1) == pytest.approx(0.5)
    with mpmath.workdps(30):
        power = 9 * mpmath.mpf(999)
        assert f"{float(power / (power + 999_999)):.4f}" == "0.0089"
    assert "1,000,000 words: 0.0089" in printed(NAME, "np.log(0.9 / 0.1)")


def test_llama_4_counts_in_steps(chapter):
    for t in (0, 8190, 8191, 16_382, 16_383, 131_071, 10_485_759):
        expected = 1 + 0.1 * math.log((t + 1) // 8192 + 1)
        assert chapter["llama4"](t) == pytest.approx(expected, rel=1e-12)
    for n in (8191, 8192, 131_072, 1_048_576, 10_485_760):
        needed = math.log(n - 1) / math.log(8191)
        assert abs(chapter["llama4"](n - 1) / needed - 1) < 0.07


def test_dilution_and_what_a_factor_costs(chapter):
    share, used = chapter["share"], chapter["words_used"]
    for seed in range(5):
        plain = [share(n, 1.0, seed) for n in (2**13, 2**19)]
        kept = [share(n, math.log(n) / math.log(8192), seed) for n in (2**13, 2**19)]
        assert plain[0] > 0.6 and plain[1] < 0.03 and min(kept) > 0.58
        assert 0.36 < used(2**19, 1.0, seed) < 0.375
        assert used(2**19, math.log(2**19) / math.log(8192), seed) < 0.13
    # e^(-c²) of the words: the moments of e^(cz) for normal z
    assert used(2**17, 1.2, 0) == pytest.approx(math.exp(-1.44), rel=0.05)


def test_longrope_chooses_a_list_by_length(chapter):
    for length, kind in ((1, "short"), (4096, "short"), (4097, "long")):
        expected = [1 / (slower * 10_000 ** (2 * i / 96)) for i, slower in enumerate(LISTS[kind])]
        np.testing.assert_allclose(chapter["longrope"](length), expected, rtol=1e-12)
    assert f"{math.sqrt(1 + math.log(32) / math.log(4096)):.4f}" == "1.1902"
    assert f"{LISTS['long'][-1]:.0f} {LISTS['short'][-1]:.1f}" == "65 2.8"


def test_keys_from_before_the_switch(chapter):
    """The same correlation by the library's turning; and fresh keys as the control."""
    longrope, stale = chapter["longrope"], chapter["stale"]
    for seed in range(5):
        assert stale(4095, 4096, seed) == pytest.approx(1) == stale(4100, 4097, seed)
        assert 0.1 < stale(4100, 4096, seed) < 0.3
    draw = np.random.default_rng(0).standard_normal((2, 4097, 48))
    pairs = np.stack([draw[0], draw[1]], axis=-1).reshape(4097, 96)
    q = rotate(pairs[:1], [4100], frequencies=longrope(4101))[0]
    s = np.arange(4096)
    old, new = (rotate(pairs[1:], s, frequencies=longrope(n)) @ q for n in (4096, 4101))
    assert np.corrcoef(old, new)[0, 1] == pytest.approx(stale(4100, 4096, 0), abs=1e-9)


def test_stale_keys_of_the_same_content_score_highest_near_the_start(chapter):
    """By plain cosines: what Figure 11.11 shows of all 4,096 keys."""
    s = np.arange(4096)
    score = {}
    for kind, length in (("old", 4096), ("new", 4097)):
        angle = 4100 * chapter["longrope"](4097) - np.outer(s, chapter["longrope"](length))
        score[kind] = np.cos(angle).mean(axis=1)
    assert score["new"].argmax() > 4085 and f"{score['new'].max():.1f}" == "0.8"
    assert score["old"].argmax() < 400 and f"{score['old'].max():.2f}" == "0.76"
    assert np.abs(score["old"][-512:] - 0.1).max() <= 0.205  # from −0.1 to 0.3
    assert score["new"].min() > 0.25 and score["new"][:1024].max() < 0.65
    high = np.nonzero(score["old"] > 0.4)[0]
    assert np.mean(high < 1024) > 0.98


def test_turning_a_sum_back_leaves_each_word_turned_by_its_offset():
    rng = np.random.default_rng(0)
    c, a, t = rng.standard_normal((7, 8)), rng.random(7), 6
    back = rotate(a @ rotate(c, range(7)), -t)
    np.testing.assert_allclose(back, a @ rotate(c, np.arange(7) - t), atol=1e-12)
    config = json.loads((CHAPTERS / "data/checkpoints/deepseek-v4-flash.json").read_text("utf-8"))
    assert (config["config"]["qk_rope_head_dim"], config["config"]["head_dim"]) == (64, 512)


def test_a_recurrence_weighs_by_distance(chapter):
    """(11.23): the sum in place of the recurrence."""
    x = np.random.default_rng(0).standard_normal((2, 9, 3))
    for a in (0, 0.5, 1):
        expected = [sum(np.float64(a) ** (t - s) * x[:, s] for s in range(t + 1)) for t in range(9)]
        np.testing.assert_allclose(chapter["states"](x, a), np.stack(expected, axis=1))
    for seed in range(5):
        assert abs(chapter["right"](0, seed) - 0.5) < 0.04
        assert chapter["right"](0.9, seed) > 0.95


def test_each_change_of_a_score_by_a_plain_loop(chapter):
    rng, n, d = np.random.default_rng(0), 9, 16
    t = n - 1
    x = t - np.arange(n)
    np.testing.assert_allclose(chapter["kerple"](x, 2, 3), [-2 * math.log1p(3 * y) for y in x])
    for reach in (4, 16):
        below = math.log1p(0.5 * max(reach, t))
        expected = [-3 * math.log1p(0.5 * y) / below for y in x]
        np.testing.assert_allclose(chapter["fire"](x, t, 0.5, reach), expected)
    # xPos turns, and lengthens queries as it shortens keys
    zeta = np.repeat((2 * np.arange(d // 2) / d + 0.4) / 1.4, 2)
    ones = np.tile([1.0, 0.0], d // 2)
    q = rotate(ones, t) * zeta ** (t / 512)
    expected = [q @ (rotate(ones, s) * zeta ** (-s / 512)) / (d // 2) for s in range(n)]
    np.testing.assert_allclose(chapter["xpos"](x, d), expected, rtol=1e-9)

    gate = rng.uniform(0.1, 1, n)
    expected = [math.log(math.prod(gate[s + 1 :])) for s in range(n)]
    np.testing.assert_allclose(chapter["forgetting"](gate), expected, atol=1e-12)

    seen, table = rng.uniform(0, 1, n), rng.standard_normal(12)
    expected = []
    for s in range(n):
        p = sum(seen[s:])
        low = math.floor(p)
        expected.append((1 - (p - low)) * table[low] + (p - low) * table[low + 1])
    np.testing.assert_allclose(chapter["cope"](seen, table), expected)

    q, k, w = rng.standard_normal(4), rng.standard_normal((n, 4)), rng.standard_normal((n, 4))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    beta = rng.uniform(0, 2, n)
    expected = []
    for s in range(n):
        product = np.eye(4)
        for r in range(t, s, -1):  # H_t … H_(s+1)
            product = product @ (np.eye(4) - beta[r] * np.outer(w[r], w[r]))
        expected.append(q @ product @ k[s])
    np.testing.assert_allclose(chapter["path"](q, k, w, beta), expected, atol=1e-12)


def test_only_three_look_at_what_is_between(chapter):
    one, two = chapter["scores"]((3, 7)), chapter["scores"]((11, 13))
    for name in one:
        same = np.array_equal(one[name], two[name])
        assert same == (name in ("ALiBi", "Kerple", "FIRE", "xPos"))
    assert one["FoX"][0] == pytest.approx(-2 * math.log(5)) and f"{math.log(5):.2f}" == "1.61"


def test_what_dropping_does():
    at32, at96 = (
        {task: {m: shares[:, j] for m, shares in of.items()} for task, of in RIGHT.items()}
        for j in (0, 2)
    )
    again = [f"dropped {n}" for n in (0, 60, 300, 600)]
    ahead = [0, 0]
    for near, far in zip(at32.values(), at96.values(), strict=True):
        assert len(near["trained"]) == 5 and (near["trained"] > near["never"]).all()
        ahead[0] += (far["kept"] > np.max([far[m] for m in again], axis=0)).sum()
        ahead[1] += (far["never, on"] > far["dropped 600"]).sum()
    assert ahead == [14, 15]
    assert (at96["latest"]["never, on"] > at96["latest"]["kept"]).sum() == 4
    tenth = [f"{of['dropped 60'].mean():.2f}" for of in at32.values()]
    assert tenth == ["0.40", "0.94", "0.71"]
    kept = [f"{of['kept'].mean():.2f}" for of in at96.values()]
    assert kept == ["0.92", "0.81", "0.97"]
    text = said(NAME, "What five seeds support, in this toy")
    assert "0.40, 0.94 and 0.71" in text and "0.92 and 0.97" in text and "fall to 0.81" in text
    words = said(NAME, "five seeds, bars at 32, dots at 96")
    for model in ("kept", "dropped 0", "dropped 600", "never, on"):
        for near, far in zip(at32.values(), at96.values(), strict=True):
            assert f"{near[model].mean():.2f} and {far[model].mean():.2f}" in words


def test_the_answers_of_the_second_half():
    assert f"{500 / (500 + math.exp(7)):.3f}" == "0.313"
    assert [f"{1 + 0.1 * math.log(k):.3f}" for k in (3, 2)] == ["1.110", "1.069"]
    assert f"{-math.log(0.9):.3f}" == "0.105"
    odds = [9 / 10**k for k in range(4)]  # ten times the words, a tenth of the odds
    assert [f"{x / (1 + x):.2f}" for x in odds] == ["0.90", "0.47", "0.08", "0.01"]


def test_trained_again_it_is_what_was_recorded():
    again = experiments.dropped("latest", 0, again=(60,))
    for model in ("trained", "dropped 0", "dropped 60", "never"):
        np.testing.assert_allclose(again[model], RIGHT["latest"][model][0], atol=0.15)


def test_recall_asks_for_what_was_said():
    tokens, targets = experiments.recall()(np.random.default_rng(0), 3, 41)
    assert tokens.shape == targets.shape == (3, 41)
    for text, wanted in zip(tokens.tolist(), targets.tolist(), strict=True):
        book = {}
        for t in range(0, 41, 2):
            assert text[t] < 8 and wanted[t] == book.get(text[t], -1)
            if t + 1 < 41:
                assert wanted[t + 1] == -1 and text[t + 1] >= 8
                assert book.setdefault(text[t], text[t + 1] - 8) == text[t + 1] - 8


@pytest.mark.peers
def test_a_sink_is_that_of_gpt_oss(chapter):
    torch = pytest.importorskip("torch", reason="peers have torch")
    from transformers.models.gpt_oss import modeling_gpt_oss

    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((1, 2, 5, 4)) for _ in range(2))
    layer = torch.nn.Module()
    layer.num_key_value_groups, layer.sinks = 1, torch.tensor([1.5, -0.5], dtype=torch.float64)
    _, found = modeling_gpt_oss.eager_attention_forward(
        layer, *(torch.from_numpy(x) for x in (q, k, k)), None, 0.5
    )
    for head, sink in enumerate((1.5, -0.5)):
        for t in range(5):
            expected = chapter["weights"](k[0, head] @ q[0, head, t] * 0.5, sink)
            np.testing.assert_allclose(found[0, head, t].numpy(), expected, rtol=1e-9)
