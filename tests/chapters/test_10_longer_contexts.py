"""Test chapter 10 and its Deeper page: bounds by mpmath, claims about seeds, and code to paste."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from cells import functions, read_text

from pe_lib import context, frequencies
from tests.recorded import read_recording
from tools.experiments import longer, models

NAME = "10-longer-contexts"
DEEPER = f"{NAME}-deeper"
RECORDING = read_recording("longer")
RIGHT = {
    task: {method: np.array(shares) for method, shares in methods.items()}
    for task, methods in RECORDING["right"].items()
}  # The axes of each array are: seed, before or after tuning, length.


@pytest.fixture(scope="module")
def deeper():
    """Return the functions of the Deeper page, and the variables that these functions use."""
    w = frequencies(128)
    names = functions(DEEPER, np=np, math=math, frequencies=frequencies, w=w)
    names["old"] = np.arange(2048)
    names["seen"] = names["waves"](names["old"], w)
    return names


def test_half_way_between_seen_offsets_by_more_neighbours(deeper):
    """Test equation (10.D4): the interpolation weights by mpmath, and the bound on five fits."""
    largest, w = deeper["largest"], deeper["w"]
    for m in (1, 2, 3, 5):
        with mpmath.workdps(40):
            nodes = [mpmath.mpf(2 * j + 1) / 2 for j in range(-m, m)]
            by_hand = [mpmath.fprod(-x / (y - x) for x in nodes if x != y) for y in nodes]
            off = mpmath.fprod(abs(x) for x in nodes) / mpmath.factorial(2 * m)
            np.testing.assert_allclose(deeper["weights"](m), np.array(by_hand, float), rtol=1e-9)
            assert float(off) == pytest.approx(math.comb(2 * m, m) / 16**m)
        nodes = np.arange(-m + 0.5, m)
        # At other places than the middle between two offsets, both parts of the bound are smaller.
        for y in (0.1, 0.25, 0.4):
            away = np.abs([np.prod([(y - b) / (a - b) for b in nodes if b != a]) for a in nodes])
            assert away.sum() <= np.abs(deeper["weights"](m)).sum() + 1e-12
            assert np.abs(np.prod(y - nodes)) < np.abs(np.prod(nodes))
    for cutoff, most, m in ((1e-6, 0.504, 1), (None, 0.945, 3)):
        fits = [deeper["fit"](seed, cutoff) for seed in range(5)]
        covered = np.arange(m - 1, 2048 - m) + 0.5
        for c in fits:
            assert largest(c, covered, w) <= deeper["bound"](c, m) < most


def test_the_derivation_of_the_product():
    """Test each step of the Deeper page's product of distances, with exact fractions."""
    for m in range(1, 9):
        odd = math.prod(range(1, 2 * m, 2))
        assert odd == Fraction(math.factorial(2 * m), 2**m * math.factorial(m))
        side = math.prod(Fraction(2 * j + 1, 2) for j in range(m))
        assert side == Fraction(math.factorial(2 * m), 4**m * math.factorial(m))
        share = side**2 / math.factorial(2 * m)
        assert share == Fraction(math.comb(2 * m, m), 16**m)


def test_what_the_seeds_support():
    """Test for how many of the ten seeds one method is more accurate than another method."""
    near, far = ({m: s[:, 0, 2] for m, s in RIGHT[task].items()} for task in ("previous", "latest"))
    assert len(near["plain"]) == len(far["plain"]) == 10
    assert (near["interpolated"] < near["plain"]).all()
    assert (near["plain"] < near["ntk_aware"]).all()
    assert (near["ntk_aware"] < near["by_parts"]).sum() == 8
    for method in ("interpolated", "by_parts", "ntk_aware"):
        assert (far[method] > far["plain"]).all()
    assert (far["interpolated"] > far["ntk_aware"]).all()
    assert (far["by_parts"] > far["ntk_aware"]).all()
    assert 2 < (far["by_parts"] > far["interpolated"]).sum() < 8
    for shares in (near, far):
        remedies = ("interpolated", "ntk_aware", "dynamic", "by_parts", "yarn")
        assert all(shares["steep"].mean() > shares[method].mean() for method in remedies)
    tuned = {task: {m: s[:, 1, 2] for m, s in RIGHT[task].items()} for task in RIGHT}
    rotary = ("plain", "ntk_aware", "dynamic", "by_parts", "yarn")
    assert min(tuned["previous"][method].mean() for method in rotary) >= 0.98
    assert (tuned["latest"]["plain"] < tuned["latest"]["interpolated"]).sum() == 9
    assert all(beyond < 1.06 * inside for inside, beyond in RECORDING["sizes"])


def test_what_the_seeds_support_about_bases():
    data = read_recording("rebased")["right"]
    # Before tuning, a model with a large base is more accurate than one that is scaled by parts.
    for task, of in data.items():
        assert (np.array(of)[:, 3, 0, 2] > RIGHT[task]["by_parts"][:, 0, 2]).all()
    far = np.array(data["latest"])[:, :, 1, 2]
    assert (far[:, 2] > far[:, 1]).all() and (far[:, 0] < far[:, 1]).all()
    assert (far[:, 3] > far[:, 1]).sum() == 9 and (far[:, 4] < far[:, 3]).all()
    # With base 500,000, five of the six slow pairs are slowed by more than the text has grown.
    slow = context.turns(16, 32) < 1
    slowed = frequencies(16)[slow] / frequencies(16, 500_000.0)[slow]
    assert slow.sum() == 6 and (slowed > 4).sum() == 5
    assert context.ntk_base(16, 50 ** (14 / 16)) == pytest.approx(500_000)


def test_the_new_offsets_mislead_and_not_the_number_of_words():
    """Test the conclusions from the recording limited.json, for all ten seeds."""
    limited = {
        t: {n: np.array(s) for n, s in of.items()} for t, of in read_recording("limited").items()
    }
    near, far = limited["previous"], limited["latest"]
    assert len(near["no pair"]) == 10
    assert (near["all pairs"] == 1).all()
    assert np.abs(far["slow pairs"] - far["all pairs"]).max() < 0.02
    assert (far["slow pairs"] > far["no pair"] + 0.1).all()
    assert (far["fast pairs"] - far["no pair"]).max() < 0.06
    for name in ("slow pairs", "fast pairs"):
        assert (near[name] > near["no pair"] + 0.08).all()


def test_limited_offsets_are_those_of_a_shorter_text():
    """Test that a model whose pairs stop at offset 31 scores far words like words 31 back.

    The independent result adds up each word's score and value, one pair of words at a time.
    """
    model = models.make_model(longer.PREVIOUS, "rotary", seed=3, causal=True)
    tokens, _ = longer.PREVIOUS(np.random.default_rng(3), 2, 48)
    none = np.zeros(8, bool)
    np.testing.assert_allclose(longer.limit_offsets(model, tokens, none), model(tokens), atol=2e-5)
    scores = longer.pair_scores(model, np.arange(48))  # (heads, query, key, offsets)
    weights = np.zeros((2, 2, 48, 48))
    for text, head, t in product(range(2), range(2), range(48)):
        row = [scores[head, tokens[text, t], tokens[text, s], min(t - s, 31)] for s in range(t + 1)]
        weights[text, head, t, : t + 1] = np.exp(row) / np.exp(row).sum()
    expected, _ = model.forward(tokens, lambda layer, own: weights.astype(np.float32))
    np.testing.assert_allclose(longer.limit_offsets(model, tokens, ~none), expected, atol=2e-5)


def test_where_the_ten_models_look():
    """Test what the Deeper page says about each of the models in Figure 10.D4."""
    looks = [np.array(run["plain"]) for run in RECORDING["looks"]]
    assert [9 + int(model[9:].argmax()) for model in looks] == 10 * [57]
    # All 64 queries see offset 8, so what is not at offsets 0 to 8 is farther back.
    assert 2 / 3 < 1 - np.mean(looks, axis=0)[:9].sum() < 0.75
    by_parts = np.mean([run["by_parts"] for run in RECORDING["looks"]], axis=0)
    assert by_parts.argmax() == 1


def test_the_second_peak_is_the_work_of_a_slowed_pair():
    """Test that the second peak in Figure 10.D4 vanishes if pair 1 is not slowed down."""
    model = models.train_model(longer.PREVIOUS, "rotary", 1, length=32, causal=True)
    tokens, _ = longer.PREVIOUS(np.random.default_rng(2), 64, 128)
    slowed, _ = longer.choose_frequencies("by_parts", 16, 128)
    assert (slowed / frequencies(16)).round(2)[:3].tolist() == [1, 0.4, 0.25]
    looks = []
    for w in (slowed, np.r_[frequencies(16)[:2], slowed[2:]]):
        longer.set_frequencies(model, w)
        weights = model.attention(tokens)[0].mean(axis=(0, 1))
        looks.append([np.diagonal(weights, -k)[-64:].mean() for k in (1, 7)])
    (one, seven), (still, gone) = looks
    assert still > 0.8 * one and seven > 0.1 > 0.04 > gone


def test_what_float32_angles_cost_far_out():
    """Test the errors that the aside states for offset 10, with complex numbers and new vectors."""
    w = 10_000.0 ** (-np.arange(64) / 64)
    q, k = np.random.default_rng(21).normal(size=(2, 2000, 128)).view(complex)
    exact = (q * k.conj() * np.exp(10j * w)).real.sum(axis=1)
    for t, share in ((131_072, 0.0007), (1_000_000, 0.006)):
        angles = np.multiply.outer(np.array([t, t - 10], "f4"), w.astype("f4"))
        at, before = np.exp(1j * angles.astype(float))
        score = (q * at * (k * before).conj()).real.sum(axis=1)
        assert np.std(score - exact) / np.std(exact) == pytest.approx(share, rel=0.1)


def test_the_code_to_paste_gives_yarn():
    names: dict = {}
    exec(read_text(NAME, "def longer_inv_freq").split("```python\n")[1].split("```")[0], names)
    np.testing.assert_allclose(names["inv_freq"], context.yarn(128, 4, 4096), rtol=1e-12)
    # With some of these settings, the ramp is cut off at one of its ends.
    for some in ((64, 16.0, 8192, 5e5), (64, 2.0, 300), (4, 2.0, 4096)):
        found = names["longer_inv_freq"](*some)
        np.testing.assert_allclose(found, context.yarn(*some), rtol=1e-12)
    assert names["scale"] == pytest.approx(context.temperature(4))


@pytest.mark.peers
def test_the_paper_s_ramp_is_served_as_llama3():
    pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    parameters = {"rope_type": "llama3", "rope_theta": 10_000.0, "factor": 4.0,
                  "low_freq_factor": 1.0, "high_freq_factor": 32.0,
                  "original_max_position_embeddings": 4096}  # fmt: skip
    module = LlamaRotaryEmbedding(LlamaConfig(head_dim=128, rope_parameters=parameters))
    off = np.abs(module.inv_freq.double().numpy() / context.by_parts(128, 4, 4096) - 1).max()
    assert f"{off:.0e}" == "9e-08"
    assert module.attention_scaling == 1
