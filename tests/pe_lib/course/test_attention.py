"""Attention against a plain loop; refusals by name."""

import math

import numpy as np
import pytest

from pe_lib.course.attention import attention


def naive(q, k, v, causal):
    out = []
    for t, query in enumerate(q):
        seen = range(t + 1) if causal else range(len(k))
        e = [
            math.exp(sum(a * b for a, b in zip(query, k[s], strict=True)) / len(query) ** 0.5)
            for s in seen
        ]
        out.append(
            [
                sum(w * v[s][c] for w, s in zip(e, seen, strict=True)) / sum(e)
                for c in range(len(v[0]))
            ]
        )
    return out


@pytest.mark.parametrize("causal", [False, True])
def test_against_a_loop(causal):
    q, k, v = np.random.default_rng(0).standard_normal((3, 6, 4))
    np.testing.assert_allclose(
        attention(q, k, v, causal=causal), naive(q, k, v, causal), rtol=0, atol=1e-12
    )


def test_huge_scores_do_not_overflow():
    assert attention([[1e3]], [[1e3], [0.0]], [[1.0], [2.0]]).tolist() == [[1.0]]


def test_the_largest_numbers():
    # their scores are ±1e280, so that the last key alone has a weight
    assert attention([[1e140]], [[-1e140], [1e140]], [[1.0], [-1e140]]).tolist() == [[-1e140]]
    assert attention([[0]], [[1], [2]], np.full((2, 1), 3, np.uint8)).tolist() == [[3.0]]


@pytest.mark.parametrize("at", range(3))
def test_what_is_no_finite_matrix_is_refused_by_name(at):
    for value, message in (
        ([["1"]], "must be integers or floats, got [['1']]"),
        (None, "must be integers or floats, got None"),
        ([[1j]], "must be integers or floats, got [[1j]]"),
        ([[1.0], [1.0, 2.0]], "must form a rectangular array, got [[1.0], [1.0, 2.0]]"),
        ([[math.nan]], "must be finite, got nan"),
        ([[-math.inf]], "must be finite, got -inf"),
        ([[1e200]], "must lie within ±1e+140, got 1e+200 to 1e+200"),
        ([[-2e140]], "must lie within ±1e+140, got -2e+140 to -2e+140"),
    ):
        rows = [[[1.0]]] * 3
        rows[at] = value
        with pytest.raises((TypeError, ValueError)) as error:
            attention(*rows)
        assert str(error.value) == f"{('queries', 'keys', 'values')[at]} {message}"


@pytest.mark.parametrize(
    ("shapes", "causal", "name"),
    [
        (((2,), (2, 2), (2, 2)), False, "queries"),
        (((2, 3), (2, 2), (2, 2)), False, "keys"),
        (((2, 2), (2, 2), (3, 2)), False, "values"),
        (((1, 2), (2, 2), (2, 2)), True, "causal"),
    ],
)
def test_refusals_name_the_argument(shapes, causal, name):
    with pytest.raises(ValueError, match=f"^{name} "):
        attention(*(np.zeros(shape) for shape in shapes), causal=causal)
