"""Test attention against a plain loop, and check that error messages name the invalid argument."""

import math

import numpy as np
import pytest

from pe_lib.course.attention import attention


def attend_naively(q, k, v, causal):
    out = []
    for t, query in enumerate(q):
        seen = range(t + 1) if causal else range(len(k))
        dots = [math.fsum(a * b for a, b in zip(query, k[s], strict=True)) for s in seen]
        e = [math.exp(dot / len(query) ** 0.5) for dot in dots]
        mixed = [sum(w * v[s][c] for w, s in zip(e, seen, strict=True)) for c in range(len(v[0]))]
        out.append([x / sum(e) for x in mixed])
    return out


@pytest.mark.parametrize("causal", [False, True])
def test_against_a_loop(causal):
    q, k, v = np.random.default_rng(0).standard_normal((3, 6, 4))
    found = attention(q, k, v, causal=causal)
    np.testing.assert_allclose(found, attend_naively(q, k, v, causal), rtol=0, atol=1e-12)


def test_the_largest_numbers():
    assert attention([[1e3]], [[1e3], [0.0]], [[1.0], [2.0]]).tolist() == [[1.0]]
    # The scores are ±1e280, so only the last key gets any weight.
    assert attention([[1e140]], [[-1e140], [1e140]], [[1.0], [-1e140]]).tolist() == [[-1e140]]
    assert attention([[0]], [[1], [2]], np.full((2, 1), 3, np.uint8)).tolist() == [[3.0]]


def test_a_mask_needs_as_many_queries_as_keys():
    with pytest.raises(ValueError, match=r"^causal "):
        attention(np.zeros((1, 2)), np.zeros((2, 2)), np.zeros((2, 2)), causal=True)
