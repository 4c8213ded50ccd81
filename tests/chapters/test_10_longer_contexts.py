"""Test chapter 10: its bounds by mpmath, its claims about seeds, and its copy-and-paste code."""

import math

import mpmath
import numpy as np
import pytest
from cells import functions, said

from pe_lib import context, frequencies
from tests.recorded import recorded
from tools.experiments import longer, models

NAME = "10-longer-contexts"
RECORDING = recorded("longer")
RIGHT = {
    task: {method: np.array(shares) for method, shares in methods.items()}
    for task, methods in RECORDING["right"].items()
}  # The axes of each array are: seed, before or after tuning, length.


@pytest.fixture(scope="module")
def chapter():
    """Return the chapter's functions, and the variables that these functions use."""
    w = frequencies(128)
    names = functions(NAME, np=np, math=math, frequencies=frequencies, w=w)
    names["old"] = np.arange(2048)
    names["seen"] = names["waves"](names["old"], w)
    return names


def test_half_way_between_seen_offsets_by_more_neighbours(chapter):
    """Test equation (10.5): the interpolation weights by mpmath, and the bound on five fits."""
    largest, w = chapter["largest"], chapter["w"]
    for m in (1, 2, 3, 5):
        with mpmath.workdps(40):
            nodes = [mpmath.mpf(2 * j + 1) / 2 for j in range(-m, m)]
            by_hand = [mpmath.fprod(-x / (y - x) for x in nodes if x != y) for y in nodes]
            off = mpmath.fprod(abs(x) for x in nodes) / mpmath.factorial(2 * m)
            np.testing.assert_allclose(chapter["weights"](m), np.array(by_hand, float), rtol=1e-9)
            assert float(off) == pytest.approx(math.comb(2 * m, m) / 16**m)
        nodes = np.arange(-m + 0.5, m)
        # At other places than the middle between two offsets, both parts of the bound are smaller.
        for y in (0.1, 0.25, 0.4):
            away = np.abs([np.prod([(y - b) / (a - b) for b in nodes if b != a]) for a in nodes])
            assert away.sum() <= np.abs(chapter["weights"](m)).sum() + 1e-12
            assert np.abs(np.prod(y - nodes)) < np.abs(np.prod(nodes))
    for cutoff, most, m in ((1e-6, 0.504, 1), (None, 0.945, 3)):
        fits = [chapter["fit"](seed, cutoff) for seed in range(5)]
        covered = np.arange(m - 1, 2048 - m) + 0.5
        for c in fits:
            assert largest(c, covered, w) <= chapter["bound"](c, m) < most


def test_what_the_seeds_support():
    """Test for how many of the five seeds one method is more accurate than another method."""
    near, far = ({m: s[:, 0, 2] for m, s in RIGHT[task].items()} for task in ("previous", "latest"))
    assert (near["interpolated"] < near["plain"]).all()
    assert (near["plain"] < near["ntk_aware"]).all()
    assert (near["ntk_aware"] < near["by_parts"]).sum() == 4
    for method in ("interpolated", "by_parts", "ntk_aware"):
        assert (far[method] > far["plain"]).all()
    assert (far["interpolated"] > far["ntk_aware"]).all()
    assert (far["by_parts"] > far["ntk_aware"]).all()
    tuned = {m: s[:, 1, 2] for m, s in RIGHT["latest"].items()}
    assert (tuned["plain"] < tuned["interpolated"]).sum() == 4
    data = recorded("rebased")["right"]
    # Before tuning, a model with a large base is more accurate than one that is scaled by parts.
    for task, of in data.items():
        assert (np.array(of)[:, 3, 0, 2] > RIGHT[task]["by_parts"][:, 0, 2]).all()
    far = np.array(data["latest"])[:, :, 1, 2]
    assert (far[:, 2] > far[:, 1]).all() and (far[:, 0] < far[:, 1] - 0.15).all()
    assert (far[:, 3] >= far[:, 1] + 0.0599).sum() == 4 and (far[:, 4] < far[:, 3]).all()


def test_the_second_peak_is_the_work_of_a_slowed_pair():
    """Test that the second peak in Figure 10.7 vanishes if pair 1 is not slowed down."""
    model = models.trained(longer.PREVIOUS, "rotary", 1, length=32, causal=True)
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
    exec(said(NAME, "def longer_inv_freq").split("```python\n")[1].split("```")[0], names)
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
    assert f"{off:.0e}" == "9e-08" and "to 9e-8" in said(NAME, "def longer_inv_freq")
    assert module.attention_scaling == 1
