"""Test the claims of chapter 8 with complex numbers and loops, and its copy-and-paste layer."""

import cmath
import math
import re

import numpy as np
import pytest
from cells import read_text, run_cells

from pe_lib import encode, frequencies, rotary, shift

NAME = "08-rotary"
DEEPER = "08-rotary-deeper"


@pytest.fixture(scope="module")
def deeper():
    """Run the cells of the Deeper page, and return all names that they define."""
    return run_cells(DEEPER)


def test_turning_is_a_product_with_a_complex_number(chapter):
    x = np.random.default_rng(0).standard_normal(2)
    for t in (-3, 0, 1, 1003):
        z = complex(*x) * cmath.exp(1j * t)
        np.testing.assert_allclose(chapter["turning"](t) @ x, [z.real, z.imag], atol=1e-12)


def test_a_linear_relative_map_is_a_power_of_an_orthogonal_matrix():
    """Test that powers of an orthogonal matrix encode relative positions and rotate planes."""
    rng = np.random.default_rng(4)
    step = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    powers = [np.linalg.matrix_power(step, t) for t in range(12)]
    for t, s in np.ndindex(4, 4):
        later = powers[t + 5].T @ powers[s + 5]
        np.testing.assert_allclose(powers[t].T @ powers[s], later, atol=1e-12)
    other = rng.standard_normal((6, 6))  # if the matrix is not orthogonal, scores are not relative
    assert not np.allclose(other, other.T @ other @ other)
    values, vectors = np.linalg.eigh(step + step.T)
    for eigenvalue, v in zip(values, vectors.T, strict=True):
        np.testing.assert_allclose(step @ step @ v, eigenvalue * step @ v - v, atol=1e-12)
    # Of the d² products of two rotated entries, only d combinations depend only on the offset.
    turn = rotary.rotate(np.eye(8), 1).T
    assert 64 - np.linalg.matrix_rank(np.kron(turn.T, turn.T) - np.eye(64)) == 8


def test_the_head_that_looks_one_word_back(chapter, deeper):
    """Test with loops that its scores are the sums of cosines of figure 8.4 and equation (8.D1)."""
    omega, x = frequencies(64), deeper["some_words"](20, 4)
    for pairs in (1, 6, 32):
        w_q, w_k = deeper["one_back"](pairs)
        t = np.arange(20)
        scores = chapter["rotate"](x @ w_q, t) @ chapter["rotate"](x @ w_k, t).T
        for t, s in [(5, 5), (5, 4), (4, 5), (19, 2)]:
            expected = sum(math.cos(omega[i] * (t - s - 1)) for i in range(pairs))
            assert scores[t, s] == pytest.approx(expected)
            assert chapter["one_back"](pairs, t - s) * pairs == pytest.approx(expected)
            circuit = deeper["circuit"](t - s, w_q, w_k)
            assert x[t] @ circuit @ x[s] == pytest.approx(expected)
            assert np.count_nonzero(circuit) == 1
        # Without a rotation, scores do not depend on the offset.
        assert np.ptp((x @ w_q) @ (x @ w_k).T) < 1e-12


def test_which_heads_find_the_word_before(deeper):
    """Test with other seeds that only the turned head gives the word before most of the weight."""
    w_q, w_k = deeper["one_back"](6)
    t = np.arange(64)
    for seed in range(100, 120):
        x = deeper["some_words"](64, seed)
        row = x / math.sqrt(2) + encode(t, 64)
        assert deeper["rows_right"](shift(row, -1), row) <= 1
        q, k = (x @ w_q).view(complex), (x @ w_k).view(complex)
        turn = np.exp(1j * np.multiply.outer(t, frequencies(64)))
        q, k = (q * turn).view(float), (k * turn).view(float)
        assert deeper["rows_right"](q, k) == 63
        assert deeper["rows_right"](x @ w_q, x @ w_k) == 0


def test_where_the_fast_head_comes_round_and_what_varying_costs_it(chapter, deeper):
    """Test the description of figure 8.4 beyond the offsets drawn, and 8.D1 with other seeds."""
    score = [sum(math.cos(w * (n - 1)) for w in frequencies(64)[:6]) / 6 for n in range(5_000)]
    assert max(score[3:41]) < 0.5 and max(score[41:]) > 0.91
    assert min(math.cos(n - 1) for n in (7, 20, 26, 39)) > 0.95
    hits = [deeper["share_right"](6, seed, 0.05) for seed in range(100, 160)]
    assert 0.96 < min(hits) < 1 and max(hits) == 1
    hits = [deeper["share_right"](32, seed, 0.05) for seed in range(100, 160)]
    assert 0.4 < min(hits) < max(hits) < 0.65


def test_a_query_that_is_turned_alone_knows_no_offset():
    """Test the table of cross-attention with complex numbers."""
    for t, s, both, alone in [
        (7, 3, -0.6536, 0.7539),
        (7, 5, -0.4161, 0.7539),
        (1007, 1003, -0.6536, -0.1193),
    ]:
        query, key = cmath.exp(1j * t), cmath.exp(1j * s)
        assert (query * key.conjugate()).real == pytest.approx(both, abs=6e-5)
        assert query.real == pytest.approx(alone, abs=6e-5)


def test_values_that_are_turned_back_leave_offsets_only(chapter):
    """Test a whole head with complex numbers: the output depends on no absolute position."""
    q, k, v = np.random.default_rng(8).standard_normal((3, 5, 8)).view(complex)
    w = 100.0 ** -(np.arange(4) / 4)

    def turn_back(start):
        turn = np.exp(1j * np.multiply.outer(start + np.arange(5), w))
        weights = np.exp(((q * turn) @ (k * turn).conj().T).real)
        weights /= weights.sum(axis=1)[:, None]
        turned = weights @ (v * turn)
        return turned, turned / turn

    assert not np.allclose(turn_back(0)[0], turn_back(70)[0])
    assert np.allclose(turn_back(0)[1], turn_back(70)[1])


def test_the_lead_is_what_turned_vectors_score(deeper):
    """Test equation (8.D2) with complex numbers, and find the first offset with a negative lead."""
    draw = np.random.default_rng(0)
    q = draw.standard_normal((20_000, 8)).view(complex)
    for n in (1, 10, 57):
        turned = np.exp(1j * n * 100.0 ** (-np.arange(4) / 4))
        found = (q * turned * q.conj()).real.sum() / (abs(q) ** 2).sum()
        assert found == pytest.approx(deeper["lead"](n, 8, 100.0), abs=0.01)
    for base, first in ((100, 59), (1e4, 1707), (5e5, 18_438), (1e6, 27_115)):
        assert deeper["reach"](base) == first
        negative = [sum(math.cos(n * base ** (-i / 64)) for i in range(64)) < 0
                    for n in (first - 1, first)]  # fmt: skip
        assert negative == [False, True]
    # The worked row: four pairs at offset 30, each pair by hand.
    for base, mean in ((1e4, 0.28), (100, -0.31)):
        by_hand = sum(math.cos(30 * base ** (-i / 4)) for i in range(4)) / 4
        assert round(by_hand, 2) == mean
    # The first offset does not always grow with the base.
    assert [deeper["reach"](base) for base in (1e4, 1.2e4, 1.5e4)] == [1707, 1554, 1712]
    every = deeper["lead"](np.arange(32_768), 128, 1e6)
    # In Mistral's context of 32,768 positions, only four offsets have a negative lead.
    assert (every < 0).sum() == 4


def test_the_converters_of_the_deeper_page_agree_with_the_library(deeper):
    """Test the reordering of columns, told the width of a head, and of rows, told the heads."""
    weights = np.random.default_rng(7).standard_normal((24, 5))
    expected = rotary.convert_weights(weights, "halves", axis=0, heads=2, d_head=12)
    np.testing.assert_array_equal(deeper["permuted"](weights, 2), expected)
    np.testing.assert_array_equal(deeper["to_halves"](weights.T, 12).T, expected)


def run_pasted_code():
    pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    names = {}
    for part in ("class Rotary(", "class RotaryAttention("):
        (source,) = [
            code
            for code in re.findall(r"```python\n(.*?)```", read_text(DEEPER, part), re.DOTALL)
            if part in code
        ]
        exec(source, names)
    return names


@pytest.mark.peers
def test_the_layer_to_paste_is_relative_and_the_library_s():
    names = run_pasted_code()
    import torch

    rotary_8 = names["Rotary"](8, 32)
    assert not rotary_8.state_dict(), "nothing to load, nothing to save"
    layer = names["RotaryAttention"](32, 4, rotary_8).double()
    assert layer.rotary.table.dtype == torch.float32
    words = torch.randn(2, 7, 32, dtype=torch.float64)
    weights = layer.qkv.weight.detach().numpy().T
    t = np.array([np.arange(7), [0, 1, 2, 0, 1, 2, 3]])  # the second row holds two packed texts
    see = np.tril(np.ones((2, 1, 7, 7), bool))
    see[1, 0, 3:, :3] = False
    q, k, v = (
        part.reshape(2, 7, 4, 8).swapaxes(1, 2)
        for part in np.split(words.numpy() @ weights, 3, axis=-1)
    )
    q, k = (rotary.rotate(part, t[:, None], layout="halves") for part in (q, k))
    scores = np.where(see, q @ k.swapaxes(2, 3) / math.sqrt(8), -np.inf)
    powers = np.exp(scores)
    mixed = powers / powers.sum(-1, keepdims=True) @ v
    expected = mixed.swapaxes(1, 2).reshape(2, 7, 32) @ layer.out.weight.detach().numpy().T
    t, see = torch.tensor(t), torch.tensor(see)
    np.testing.assert_allclose(layer(words, t, see).detach().numpy(), expected, atol=1e-6)
    cache = []  # the words reach the cache in groups of five, one and one
    pieces = [layer(words[:, a:b], t[:, a:b], see[:, :, a:b, :b], cache)
              for a, b in ((0, 5), (5, 6), (6, 7))]  # fmt: skip
    np.testing.assert_allclose(torch.cat(pieces, 1).detach().numpy(), expected, atol=1e-6)
    assert cache[0].shape == (2, 4, 7, 8)


@pytest.mark.peers
def test_the_module_turns_as_transformers_llama_does_and_rounds_less():
    names = run_pasted_code()
    import torch
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    ours = names["Rotary"](128, 5000).half()  # calling `half` must not round the table of rotations
    theirs = LlamaRotaryEmbedding(LlamaConfig(head_dim=128))
    t = torch.tensor([[0, 1, 7], [4094, 4095, 4096]])
    x = torch.randn(2, 4, 3, 128)
    exact = rotary.rotate(x.double().numpy(), t.numpy()[:, None], layout="halves")
    for dtype, close in ((torch.float32, 1e-5), (torch.bfloat16, 0.02)):
        y = x.to(dtype)
        cos, sin = theirs(y, t)
        expected, _ = apply_rotary_pos_emb(y, y, cos, sin)
        found = ours(y, t)
        assert found.dtype == dtype
        found, expected = found.float().numpy(), expected.float().numpy()
        np.testing.assert_allclose(found, exact, atol=close * 4)
        if dtype == torch.float32:
            np.testing.assert_allclose(found, expected, atol=0.01)
        exact_y = rotary.rotate(y.double().numpy(), t.numpy()[:, None], layout="halves")
        assert np.abs(found - exact_y).max() < np.abs(expected - exact_y).max()
