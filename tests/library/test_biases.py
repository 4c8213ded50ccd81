"""Test the biases of ALiBi, T5 and Shaw against papers, simple loops and other programs."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.biases import (
    alibi_bias,
    alibi_slopes,
    clipped_offsets,
    shaw_scores,
    t5_bias,
    t5_buckets,
)

# ALiBi


@pytest.mark.parametrize(
    # the exponents e of the slopes (1/2)^e, from the paper and the authors' program
    ("heads", "exponents"),
    [
        (1, [8]),
        (7, [2, 4, 6, 8, 1, 3, 5]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
        (128, [h / 16 for h in range(1, 129)]),
    ],
)
def test_slopes_by_hand(heads, exponents):
    np.testing.assert_allclose(alibi_slopes(heads), [0.5**x for x in exponents], rtol=1e-15)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("length", "heads"), [(1, 1), (6, 8), (9, 12)])
def test_alibi_bias_entry_by_entry(length, heads, causal):
    bias = alibi_bias(length=length, heads=heads, causal=causal)
    assert bias.shape == (heads, length, length)
    for h, slope in enumerate(alibi_slopes(heads)):
        for t in range(length):
            for s in range(length):
                hidden = causal and s > t
                assert bias[h, t, s] == (-math.inf if hidden else -slope * max(s - t, t - s))
    # There is no -0 on the diagonal.
    assert not np.signbit(np.diagonal(bias, axis1=1, axis2=2)).any()


@pytest.mark.parametrize("causal", [True, False])
def test_alibi_bias_of_a_query_against_a_cache(causal):
    whole = alibi_bias(9, 3, causal)
    decoding = alibi_bias(9, 3, causal, queries=[8])
    np.testing.assert_array_equal(decoding, whole[:, 8:])
    assert decoding.shape == (3, 1, 9)
    # Test a chunk of queries far from position 0, with the earliest keys already dropped.
    chunk = alibi_bias(heads=3, causal=causal, queries=range(105, 108), keys=range(102, 109))
    np.testing.assert_array_equal(chunk, whole[:, 5:8, 2:9])
    np.testing.assert_array_equal(alibi_bias(heads=3, causal=causal, keys=range(7, 16)), whole)


def test_queries_and_keys_of_any_shape_and_integer_type():
    keys = np.array([[7, 0, 3], [4, 9, 2]], np.uint8)
    bias = alibi_bias(heads=2, queries=np.int16(-1), keys=keys, causal=False)
    assert bias.shape == (2, 2, 3)
    slopes = alibi_slopes(2)
    for h, row, column in np.ndindex(2, 2, 3):
        assert bias[h, row, column] == -slopes[h] * (int(keys[row, column]) + 1)
    far = alibi_bias(heads=1, queries=2**53 - 1, keys=1 - 2**53, causal=False)
    assert far.tolist() == [-(2**-8) * (2**54 - 2)]
    for call in (
        lambda at: alibi_bias(heads=2, queries=at, keys=at),
        lambda at: t5_bias(weights=np.ones((4, 2)), queries=at, keys=at),
    ):
        assert call(range(0)).shape == call([]).shape == (2, 0, 0)
        assert call(range(5)).shape == (2, 5, 5)
        assert call(3).shape == (2,)


# T5


def bucket(offset, buckets, most, bidirectional):
    """Compute an offset's bucket as Mesh TensorFlow does, with powers instead of logarithms."""
    start, n = 0, -offset
    if bidirectional:
        buckets //= 2
        if n < 0:
            start, n = buckets, -n
    else:
        n = max(n, 0)
    exact = buckets // 2
    if n < exact:
        return start + n
    wide, j = buckets - exact, 0
    # ln(n/exact) / ln(most/exact) · wide ≥ j holds exactly if (n/exact)^wide ≥ (most/exact)^j.
    reached, step = Fraction(n, exact) ** wide, Fraction(most, exact)
    while j < wide - 1 and reached >= step ** (j + 1):
        j += 1
    return start + exact + j


@given(
    offsets=st.lists(st.integers(-700, 700), min_size=1, max_size=20),
    buckets=st.integers(4, 48),
    beyond=st.integers(1, 500),
    bidirectional=st.booleans(),
)
def test_buckets_against_the_rule_in_fractions(offsets, buckets, beyond, bidirectional):
    most = (buckets // 2 if bidirectional else buckets) // 2 + beyond
    result = t5_buckets(offsets, buckets, most, bidirectional)
    assert result.tolist() == [bucket(k, buckets, most, bidirectional) for k in offsets]


def bucket_by_digits(distance, n, most):
    """Compute the bucket of a distance by the formula of `t5_buckets`, with 200 digits."""
    e, wide = n // 2, n - n // 2
    if distance < e:
        return distance
    with mpmath.workdps(200):
        share = wide * mpmath.log(mpmath.mpf(distance) / e) / mpmath.log(mpmath.mpf(most) / e)
        # `share` either equals `whole` or differs from it by at least 10^-100.
        whole = mpmath.nint(share)
        step = whole if abs(share - whole) < mpmath.mpf(10) ** -100 else mpmath.floor(share)
        return min(n - 1, e + int(step))


@given(
    bits=st.floats(1, 10),
    beyond=st.floats(0, 31),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    bidirectional=st.booleans(),
)
def test_any_number_of_buckets_against_200_digits(bits, beyond, shares, bidirectional):
    n = int(2**bits)
    e = n // 2
    most = min(2**31, e + int(2**beyond))
    distances = [int(e * (most / e) ** share) + step for share in shares for step in (-1, 0, 1)]
    offsets = [-distance for distance in distances]
    result = t5_buckets(offsets, n * (1 + bidirectional), most, bidirectional)
    assert result.tolist() == [bucket_by_digits(distance, n, most) for distance in distances]


def test_distances_at_a_border_and_next_to_one():
    # There are 11 · 2^5 steps from e to 2^11 e, so step 2^5 · i begins at exactly 2^i e.
    e = 11 * 2**5
    for i in range(1, 11):
        result = t5_buckets([-(e << i), 1 - (e << i)], 2 * e, e << 11, bidirectional=False)
        assert result.tolist() == [e + 2**5 * i, e + 2**5 * i - 1]


def test_more_buckets_than_distances_and_offsets_of_any_type():
    # If several buckets begin at the same distance, the distance belongs to the last one.
    assert t5_buckets([-5, -6, -7], 10, 7, bidirectional=False).tolist() == [5, 7, 9]
    assert t5_buckets(3, 1000, 2**31) == 503
    assert t5_buckets([-(2**31), 2**31], 2048, 2**31).tolist() == [1023, 2047]
    assert t5_buckets([-(2**31), 1 - 2**40], 32, 2**31).tolist() == [15, 15]
    assert t5_buckets(np.array([[0], [255]], np.uint8)).tolist() == [[0], [31]]
    assert t5_buckets(np.array([2**64 - 1], np.uint64)).tolist() == [31]
    assert t5_buckets(np.array([-(2**63), 2**63 - 1])).tolist() == [15, 31]
    assert t5_buckets(np.array([-128, 127], np.int8)).tolist() == [15, 31]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_t5_bias_entry_by_entry(bidirectional, dtype):
    weights = np.random.default_rng(1).standard_normal((12, 3)).astype(dtype)
    bias = t5_bias(np.uint8(25), weights, 20, bidirectional)
    assert bias.shape == (3, 25, 25) and bias.dtype == dtype
    for t in range(25):
        for s in range(25):
            row = bucket(s - t, 12, 20, bidirectional)
            np.testing.assert_array_equal(bias[:, t, s], weights[row])


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_bias_of_a_query_against_a_cache(bidirectional):
    weights = np.random.default_rng(1).standard_normal((12, 3))
    whole = t5_bias(25, weights, 20, bidirectional)
    decoding = t5_bias(25, weights, 20, bidirectional, queries=[24])
    np.testing.assert_array_equal(decoding, whole[:, 24:])
    queries, keys = [103, 100], [99, 101, 105, 100]
    bias = t5_bias(None, weights, 20, bidirectional, queries=queries, keys=keys)
    assert bias.shape == (3, 2, 4)
    for row, t in enumerate(queries):
        for column, s in enumerate(keys):
            expected = weights[bucket(s - t, 12, 20, bidirectional)]
            np.testing.assert_array_equal(bias[:, row, column], expected)


# Shaw


@given(length=st.integers(1, 9), limit=st.integers(0, 12))
def test_clipped_offsets_are_those_of_section_3_2(length, limit):
    expected = [
        [max(-limit, min(limit, j - i)) + limit for j in range(length)] for i in range(length)
    ]
    np.testing.assert_array_equal(clipped_offsets(length, limit), expected)


def test_clipped_offsets_of_other_positions():
    np.testing.assert_array_equal(clipped_offsets(9, 3, queries=[8]), clipped_offsets(9, 3)[8:])
    rows = clipped_offsets(limit=2, queries=[10, 12], keys=[9, 12, 13])
    assert rows.tolist() == [[1, 4, 4], [0, 2, 3]]


def naive_shaw(q, k, a):
    """Compute equation 4 of Shaw et al. for one head, with the sum k_s + a for every pair."""
    limit, (length, d_head) = len(a) // 2, q.shape
    scores = np.empty((length, length))
    for i in range(length):
        for j in range(length):
            edge = a[limit + max(-limit, min(limit, j - i))]
            terms = [q[i, c] * (k[j, c] + edge[c]) for c in range(d_head)]
            scores[i, j] = math.fsum(terms) / math.sqrt(d_head)
    return scores


@given(
    length=st.integers(1, 9),
    d_head=st.integers(1, 6),
    limit=st.integers(0, 12),
    seed=st.integers(0, 2**32 - 1),
)
def test_scores_against_equation_4(length, d_head, limit, seed):
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, length, d_head))
    a = rng.standard_normal((2 * limit + 1, d_head))
    np.testing.assert_allclose(shaw_scores(q, k, a), naive_shaw(q, k, a), rtol=0, atol=1e-13)


def test_batches_and_heads_are_leading_axes():
    rng = np.random.default_rng(2)
    q, k = rng.standard_normal((2, 2, 3, 5, 4))
    a = rng.standard_normal((7, 4))
    scores = shaw_scores(q, k, a)
    for b, h in np.ndindex(2, 3):
        np.testing.assert_allclose(scores[b, h], naive_shaw(q[b, h], k[b, h], a), atol=1e-13)
    assert shaw_scores(*(x.astype(np.float32) for x in (q, k, a))).dtype == np.float64
    assert np.isfinite(shaw_scores(1e140 * np.sign(q), 1e140 * np.sign(k), a)).all()


@pytest.mark.peers
@pytest.mark.parametrize("bidirectional", [True, False])
def test_transformers_has_the_same_buckets(bidirectional):
    import torch
    from transformers.models.t5.modeling_t5 import T5Attention

    offsets, sizes = np.arange(-3000, 3001), {"num_buckets": 32, "max_distance": 128}
    theirs = T5Attention._relative_position_bucket(torch.tensor(offsets), bidirectional, **sizes)
    np.testing.assert_array_equal(t5_buckets(offsets, bidirectional=bidirectional), theirs)
