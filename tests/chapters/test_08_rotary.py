"""What chapter 8 claims, by complex numbers, loops and other matrices; its layer to paste."""

import cmath
import math
import re

import numpy as np
import pytest
from cells import executed, functions, said

from pe_lib import frequencies, rotary
from pe_lib.course.attention import attention

NAME = "08-rotary"


@pytest.fixture(scope="module")
def chapter():
    return executed(NAME)


def test_values_are_not_turned_and_keys_after_the_weights(chapter):
    for t in (4, 50, 1007):
        assert chapter["after"](t, t - 4) == pytest.approx(chapter["after"](7, 3))
    assert abs(chapter["before"](1007, 1003) - chapter["before"](7, 3)) > 1
    q, k, v = np.random.default_rng(4).standard_normal((3, 6, 64))
    known = {"np": np, "frequencies": frequencies, "attention": attention}
    names = functions(NAME, q=q, k=k, v=v, **known)
    output, rotate = names["output"], names["rotate"]
    np.testing.assert_allclose(output(0, False), output(100, False), atol=1e-9)
    assert not np.allclose(output(0, True), output(100, True), atol=0.1)
    np.testing.assert_allclose(rotate(output(0, True), 100), output(100, True), atol=1e-9)


def test_turning_is_a_product_with_a_complex_number(chapter):
    x = np.random.default_rng(0).standard_normal(6)
    for t in (-3, 0, 1, 1003):
        turned = x.view(complex) * [cmath.exp(1j * t * 10_000 ** (-2 * i / 6)) for i in range(3)]
        np.testing.assert_allclose(chapter["rotate"](x, t), turned.view(float), atol=1e-12)
        z = complex(*x[:2]) * cmath.exp(1j * t)
        np.testing.assert_allclose(chapter["turning"](t) @ x[:2], [z.real, z.imag], atol=1e-12)


def test_a_linear_relative_map_is_a_power_of_an_orthogonal_matrix():
    """Steps 1 to 8: powers keep the requirement, another matrix not; and it falls into planes."""
    rng = np.random.default_rng(4)
    step = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    powers = [np.linalg.matrix_power(step, t) for t in range(12)]
    for t, s in np.ndindex(4, 4):
        later = powers[t + 5].T @ powers[s + 5]
        np.testing.assert_allclose(powers[t].T @ powers[s], later, atol=1e-12)
    other = rng.standard_normal((6, 6))  # not orthogonal: not relative
    assert not np.allclose(other, other.T @ other @ other)
    values, vectors = np.linalg.eigh(step + step.T)
    for eigenvalue, v in zip(values, vectors.T, strict=True):
        np.testing.assert_allclose(step @ step @ v, eigenvalue * step @ v - v, atol=1e-12)
    turn = rotary.rotate(np.eye(8), 1).T  # between turned vectors, d of the d² numbers are free
    assert 64 - np.linalg.matrix_rank(np.kron(turn.T, turn.T) - np.eye(64)) == 8


def test_a_head_built_in_the_rotary_circuit(chapter):
    """The scores against (8.3), and what is said of lead and wobble over seeds."""
    omega, x = frequencies(64), chapter["some_words"](20, 4)
    for pairs in (1, 6, 32):
        w_q, w_k = chapter["circuit"](pairs)
        found = chapter["circuit_scores"](x, w_q, w_k)
        for t, s in [(5, 5), (5, 4), (4, 5), (19, 2)]:
            expected = sum(math.cos(omega[i] * (t - s - 1)) for i in range(pairs)) / 8
            assert found[t, s] == pytest.approx(expected)
        flat = chapter["circuit_scores"](x, w_q, w_k, turned=False)
        assert np.ptp(flat) < 1e-12  # without turning, no offset stands out
    share, at = chapter["share"], chapter["wobbles"].index(0.05)
    assert share[6][:, at].min() == 1 and share[32][:, at].max() < 0.6
    assert share[6][:, -1].min() > 0.5 and share[32][:, 0].min() == 1


def pasted():
    pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    (source,) = re.findall(
        r"```python\n(import torch.*?)```", said(NAME, "class Rotary"), re.DOTALL
    )
    names = {}
    exec(source, names)
    return names


@pytest.mark.peers
def test_the_layer_to_paste_is_relative_and_the_library_s():
    names = pasted()
    import torch

    x = torch.randn(2, 3, 7, 16, dtype=torch.float64)
    expected = rotary.rotate(x.numpy(), np.arange(7) + 5, layout="halves")
    np.testing.assert_allclose(names["turn"](x, start=5).numpy(), expected, atol=1e-12)
    layer = names["RotaryAttention"](32, 4).double()
    words = torch.randn(2, 7, 32, dtype=torch.float64)
    weights = layer.qkv.weight.detach().numpy().T
    q, k, v = (
        part.reshape(2, 7, 4, 8).swapaxes(1, 2)
        for part in np.split(words.numpy() @ weights, 3, axis=-1)
    )
    q, k = (rotary.rotate(part, range(7), layout="halves") for part in (q, k))
    heads = [[attention(*head, causal=True) for head in zip(*text, strict=True)]
             for text in zip(q, k, v, strict=True)]  # fmt: skip
    mixed = np.array(heads)
    expected = mixed.swapaxes(1, 2).reshape(2, 7, 32) @ layer.out.weight.detach().numpy().T
    np.testing.assert_allclose(layer(words).detach().numpy(), expected, atol=1e-10)
    cache = []  # in pieces: five words, one, one
    pieces = [layer(piece, cache) for piece in (words[:, :5], words[:, 5:6], words[:, 6:])]
    np.testing.assert_allclose(torch.cat(pieces, 1).detach().numpy(), expected, atol=1e-10)
    assert cache[0].shape == (2, 4, 7, 8)
