"""Test chapter 13's claims about scores by complex numbers, mpmath and plain loops."""

import math

import mpmath
import numpy as np
import pytest
from cells import functions

from pe_lib import frequencies
from pe_lib.course.model import tasks
from pe_lib.rotary import rotate
from tests.recorded import recorded

NAME = "13-length"


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies, "tasks": tasks}
    lists = recorded("checkpoints/phi-3.5-mini")["config"]["rope_scaling"]
    known |= {k: np.array(lists[f"{k}_factor"]) for k in ("short", "long")}
    return functions(NAME, np=np, WINDOW=1024, **known)


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


def test_keys_from_before_the_switch(chapter):
    """Test how scores of old and of new keys correlate, with keys that the library rotates."""
    longrope, stale = chapter["longrope"], chapter["stale"]
    draw = np.random.default_rng(0).standard_normal((2, 4097, 48))
    pairs = np.stack([draw[0], draw[1]], axis=-1).reshape(4097, 96)
    q = rotate(pairs[:1], [4100], frequencies=longrope(4101))[0]
    s = np.arange(4096)
    old, new = (rotate(pairs[1:], s, frequencies=longrope(n)) @ q for n in (4096, 4101))
    assert np.corrcoef(old, new)[0, 1] == pytest.approx(stale(4100, 4096, 0), abs=1e-9)
    # Check with plain cosines that the peak in Figure 13.3 is at a position below 400.
    angle = 4100 * longrope(4097) - np.outer(s, longrope(4096))
    assert np.cos(angle).mean(axis=1).argmax() < 400


def test_a_recurrence_weighs_by_distance(chapter):
    """Test that the recurrence in equation (13.4) equals a sum with the weights a^(t - s)."""
    x = np.random.default_rng(0).standard_normal((2, 9, 3))
    for a in (0, 0.5, 1):
        expected = [sum(np.float64(a) ** (t - s) * x[:, s] for s in range(t + 1)) for t in range(9)]
        np.testing.assert_allclose(chapter["states"](x, a), np.stack(expected, axis=1))


def test_an_indexer_that_turns_all_loses_far_words(chapter):
    """Test an indexer with keys that the library rotates. The chapter draws the scores instead."""
    for turned, offset in ((64, 10), (64, 1000), (32, 1000), (0, 1000)):
        w = np.concatenate([frequencies(2 * turned) if turned else [], np.zeros(64 - turned)])
        rng, hits = np.random.default_rng(7), []
        for _ in range(60):
            q, noise = rng.standard_normal((2, 128))
            keys = np.vstack([q + noise, rng.standard_normal((1023, 128))])
            at = np.append(5000 - offset, rng.integers(5000, size=1023))
            scores = rotate(keys, at, frequencies=w) @ rotate(q[None], [5000], frequencies=w)[0]
            hits.append((scores > scores[0]).sum() < 32)
        found = np.mean([chapter["kept"](w, offset, seed, 1024, 32) for seed in range(5)])
        assert np.mean(hits) == pytest.approx(found, abs=0.15)


def test_dropping_costs_in_the_toy():
    right = recorded("dropped")["right"]
    at_96 = {task: {m: np.array(r)[:, 2] for m, r in of.items()} for task, of in right.items()}
    ahead = [
        sum((of[one] > of["dropped 600"]).sum() for of in at_96.values())
        for one in ("kept", "never, on")
    ]
    assert ahead == [14, 15]
    assert (at_96["latest"]["never, on"] > at_96["latest"]["kept"]).sum() == 4


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
