"""Test chapter 13's claims about scores by complex numbers, mpmath and plain loops."""

import math

import mpmath
import numpy as np
import pytest
from cells import functions

from pe_lib import frequencies
from pe_lib.checkpoints import layers
from pe_lib.course.model import tasks
from pe_lib.rotary import rotate
from tests.recorded import read_recording

NAME = "13-length"


@pytest.fixture(scope="module")
def chapter():
    bar = float(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 / mpmath.mpf(64)))
    return functions(NAME, np=np, WINDOW=1024, bar=bar, rotate=rotate, tasks=tasks)


def test_a_sink_is_one_more_score_and_a_gate(chapter):
    """Test that a sink acts like an additional score, and like the gate in equation (13.2)."""
    rng = np.random.default_rng(0)
    for n, sink in ((4, 4.0), (9, -1.5), (30, 2.0), (5, -np.inf)):
        z = rng.normal(0, 3, n)
        found = chapter["weights"](z, sink)
        with mpmath.workdps(30):
            power = [mpmath.exp(x) for x in z]
            u = mpmath.exp(sink) if np.isfinite(sink) else mpmath.mpf(0)
            expected = [float(p / (mpmath.fsum(power) + u)) for p in power]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        gate = 1 / (1 + math.exp(sink - math.log(sum(map(math.exp, z)))))
        np.testing.assert_allclose(found, gate * chapter["weights"](z), rtol=1e-12)


def test_a_recurrence_weighs_by_distance(chapter):
    """Test that the recurrence in equation (13.3) equals a sum with the weights a^(t - s)."""
    x = np.random.default_rng(0).standard_normal((9, 3))
    for a in (0, 0.5, 1):
        expected = [sum(np.float64(a) ** (t - s) * x[s] for s in range(t + 1)) for t in range(9)]
        np.testing.assert_allclose(chapter["states"](x, a), expected)


def test_an_indexer_that_turns_all_loses_far_words(chapter):
    """Test the indexer with keys at many positions. The chapter uses the scores' distribution."""
    half = np.append(frequencies(64), np.zeros(32))
    for w, offset in ((frequencies(128), 10), (frequencies(128), 1000), (half, 1000)):
        rng, hits = np.random.default_rng(7), []
        for _ in range(60):
            q, noise = rng.standard_normal((2, 128))
            keys = np.vstack([q + noise, rng.standard_normal((2047, 128))])
            at = np.append(5000 - offset, rng.integers(5000, size=2047))
            scores = rotate(keys, at, frequencies=w) @ rotate(q[None], [5000], frequencies=w)[0]
            hits.append((scores > scores[0]).sum() < 32)
        found = np.mean([chapter["chosen"](w, offset, seed) for seed in range(5)])
        assert np.mean(hits) == pytest.approx(found, abs=0.15)


def test_a_larger_base_moves_the_loss_and_standing_pairs_remove_it(chapter):
    """Test the conclusions of figure 13.3, with fresh seeds and each row's own control."""

    def mean(w, offset):
        return np.mean([chapter["chosen"](w, offset, seed) for seed in range(20, 25)])

    w = frequencies(128, 8e6)
    assert mean(w, 10_000) > 0.85 > 0.65 > mean(w, 100_000)
    assert mean(frequencies(128), 10_000) < 0.1
    # The indexer in which half of the pairs stand still has the frequencies of GLM-5.2.
    w = layers(read_recording("checkpoints/glm-5.2")["config"])[-1].indexer.frequencies
    np.testing.assert_array_equal(w, frequencies(64, 8e6))
    assert mean(np.append(w, np.zeros(32)), 100_000) > 0.95


def test_models_have_the_sinks_the_indexers_and_the_scaling_of_the_text():
    """Test the statements about stored models with the keys of their configurations."""
    config = {
        name: read_recording(f"checkpoints/{name}")["config"]
        for name in ("deepseek-v3.2", "glm-5.2", "minimax-m3", "deepseek-v4-flash")
    }
    v3, glm, m3, v4 = config.values()
    for one in (v3, glm, v4):
        assert (one["qk_rope_head_dim"], one["index_head_dim"]) == (64, 128)
    assert (v3["rope_theta"], v3["rope_scaling"]["factor"], v3["index_topk"]) == (10_000, 40, 2048)
    assert (glm["rope_parameters"]["rope_theta"], glm["index_topk_freq"]) == (8_000_000, 4)
    assert (v4["compress_rope_theta"], v4["rope_scaling"]["factor"]) == (160_000, 16)
    assert v4["index_topk"] == 512
    blocks = m3["sparse_attention_config"]
    assert (blocks["sparse_topk_blocks"], blocks["sparse_block_size"]) == (16, 128)
    scout = read_recording("checkpoints/llama-4-scout")["config"]["text_config"]
    assert scout["rope_scaling"]["factor"] == 16


@pytest.mark.peers
def test_a_sink_is_that_of_gpt_oss(chapter):
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
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
