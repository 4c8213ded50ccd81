"""What chapter 9 claims, by loops."""

import numpy as np

from pe_lib import biases


def test_reversed_words_give_reversed_outputs_without_a_mask():
    """Steps 1 to 4 of the proof, for each head; the mask and T5's table break them."""
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 7, 4))

    def output(q, k, v, bias):
        powers = np.exp(q @ k.T / 2 + bias)
        return powers / powers.sum(axis=1, keepdims=True) @ v

    def mirrored(bias):
        back = slice(None, None, -1)
        return np.allclose(output(q[back], k[back], v[back], bias)[back], output(q, k, v, bias))

    for bias in biases.alibi_bias(length=7, heads=8, causal=False):
        assert mirrored(bias)
    assert not mirrored(biases.alibi_bias(length=7, heads=8)[0])
    assert not mirrored(biases.t5_bias(7, rng.standard_normal((32, 1)))[0])
