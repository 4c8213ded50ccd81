"""What chapter 13 claims: of scores, by complex numbers, mpmath and plain loops."""

import json
import math

import mpmath
import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib import frequencies
from pe_lib.biases import alibi_slopes
from pe_lib.course.model import tasks
from pe_lib.rotary import rotate

NAME, DATA = "13-length", CHAPTERS / "data"


def stored(name):
    return json.loads((DATA / "checkpoints" / f"{name}.json").read_text("utf-8"))["config"]


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies, "tasks": tasks, "alibi_slopes": alibi_slopes}
    lists = stored("phi-3.5-mini")["rope_scaling"]
    known |= {k: np.array(lists[f"{k}_factor"]) for k in ("short", "long")}
    return functions(NAME, np=np, WINDOW=1024, **known)


def test_a_sink_is_one_more_score_and_a_gate(chapter):
    """By mpmath: the softmax over one score more; and (13.1)."""
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
    for seed in range(5):  # a sink that is a word leaves with the window
        lost = {way: chapter["report"](1025, way, seed) for way in ("none", "first", "kept")}
        assert lost["first"] == lost["none"] > 0.95
        assert lost["kept"] == chapter["report"](1025, "number", seed) < 0.05


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
    angle = 4100 * longrope(4097) - np.outer(s, longrope(4096))  # Figure 13.4, by plain cosines
    assert np.cos(angle).mean(axis=1).argmax() < 400


def test_a_recurrence_weighs_by_distance(chapter):
    """(13.4): the sum in place of the recurrence."""
    x = np.random.default_rng(0).standard_normal((2, 9, 3))
    for a in (0, 0.5, 1):
        expected = [sum(np.float64(a) ** (t - s) * x[:, s] for s in range(t + 1)) for t in range(9)]
        np.testing.assert_allclose(chapter["states"](x, a), np.stack(expected, axis=1))
    for seed in range(5):
        assert abs(chapter["right"](0, seed) - 0.5) < 0.04 and chapter["right"](0.9, seed) > 0.95


def test_each_change_of_a_score_by_a_plain_loop(chapter):
    rng, n, d = np.random.default_rng(0), 9, 16
    t = n - 1
    x = t - np.arange(n)
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
    sums = [sum(seen[s:]) for s in range(n)]
    expected = [(1 - p % 1) * table[int(p)] + p % 1 * table[int(p) + 1] for p in sums]
    np.testing.assert_allclose(chapter["cope"](seen, table), expected)

    q, k, w = rng.standard_normal(4), rng.standard_normal((n, 4)), rng.standard_normal((n, 4))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    beta, expected = rng.uniform(0, 2, n), []
    for s in range(n):
        product = np.eye(4)
        for r in range(t, s, -1):  # H_t … H_(s+1)
            product = product @ (np.eye(4) - beta[r] * np.outer(w[r], w[r]))
        expected.append(q @ product @ k[s])
    np.testing.assert_allclose(chapter["path"](q, k, w, beta), expected, atol=1e-12)

    one, two = chapter["scores"]((3, 7)), chapter["scores"]((11, 13))
    for name in one:  # only three look at what is between
        same = np.array_equal(one[name], two[name])
        assert same == (name in ("ALiBi", "Kerple", "FIRE", "xPos"))


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
