"""ALiBi, T5 and Shaw: against the papers' numbers, the programs' rules as loops, and peers."""

import math
import re
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
from pe_lib.course.attention import attention

PEER = "transformers and PyTorch are not installed (they are large, and only confirm the loops)"


def refused(kind, message, call, *args, **kwargs):
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    assert type(error.value) is kind
    assert "\n" not in str(error.value)
    assert re.search(re.escape(message), str(error.value)), str(error.value)


# ALiBi


def test_the_slopes_of_the_paper():
    eight = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    np.testing.assert_array_equal(alibi_slopes(8), eight)
    # "we interpolate those 8 slopes by geometrically averaging every consecutive pair"
    sixteen = []
    for before, slope in zip([1.0, *eight], eight, strict=False):
        sixteen += [math.sqrt(before * slope), slope]
    np.testing.assert_allclose(alibi_slopes(16), sixteen, rtol=1e-15)
    assert alibi_slopes(16)[0] == pytest.approx(1 / math.sqrt(2), rel=1e-15)
    np.testing.assert_array_equal(alibi_slopes(1), [1 / 256])


@pytest.mark.parametrize("heads", [2, 4, 32, 64, 128])
def test_powers_of_two_form_a_geometric_sequence_down_to_1_in_256(heads):
    slope, expected = 1.0, []
    for _ in range(heads):
        slope *= math.exp(-8 * math.log(2) / heads)
        expected.append(slope)
    np.testing.assert_allclose(alibi_slopes(heads), expected, rtol=1e-13)
    assert alibi_slopes(heads)[-1] == 1 / 256


@pytest.mark.parametrize(
    ("heads", "exponents"),  # of 1/2, by hand from the authors' rule
    [
        (3, [4, 8, 2]),
        (5, [2, 4, 6, 8, 1]),
        (6, [2, 4, 6, 8, 1, 3]),
        (7, [2, 4, 6, 8, 1, 3, 5]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_other_numbers_of_heads_follow_the_authors_program(heads, exponents):
    np.testing.assert_allclose(alibi_slopes(heads), [0.5**x for x in exponents], rtol=1e-15)


@given(heads=st.integers(1, 300))
def test_no_two_heads_have_the_same_slope(heads):
    slopes = alibi_slopes(heads)
    assert slopes.shape == (heads,)
    assert len(set(slopes.tolist())) == heads
    assert slopes.min() == 1 / 256 and slopes.max() < 1


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("length", "heads"), [(1, 1), (6, 8), (9, 12)])
def test_alibi_bias_entry_by_entry(length, heads, causal):
    bias = alibi_bias(length, heads, causal)
    assert bias.shape == (heads, length, length)
    for h, slope in enumerate(alibi_slopes(heads)):
        for t in range(length):
            for s in range(length):
                hidden = causal and s > t
                assert bias[h, t, s] == (-math.inf if hidden else -slope * max(s - t, t - s))
    assert not np.signbit(np.diagonal(bias, axis1=1, axis2=2)).any()  # 0, and not -0


def test_figure_3_and_the_authors_shortcut_give_the_same_weights():
    # their program adds slope · s: each row differs by a constant, which the softmax does not see
    scores = np.random.default_rng(0).standard_normal((7, 7))
    later = np.triu(np.ones((7, 7), dtype=bool), 1)
    for bias, slope in zip(alibi_bias(7, 4), alibi_slopes(4), strict=True):
        short = np.exp(np.where(later, -np.inf, scores + slope * np.arange(7)))
        full = np.exp(scores + bias)
        np.testing.assert_allclose(
            full / full.sum(axis=1, keepdims=True),
            short / short.sum(axis=1, keepdims=True),
            rtol=1e-13,
        )


# T5


def bucket(offset, buckets, most, bidirectional):
    """Mesh TensorFlow's rule for one offset; a border is decided by a power, not a logarithm."""
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
    # ln(n/exact) / ln(most/exact) · wide ≥ j exactly where (n/exact)^wide ≥ (most/exact)^j
    reached, step = Fraction(n, exact) ** wide, Fraction(most, exact)
    while j < wide - 1 and reached >= step ** (j + 1):
        j += 1
    return start + exact + j


def test_the_borders_of_t5_by_hand():
    # two buckets a doubling from 8 on: 8 · 2^(j/2) = 8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5
    first = {8: 8, 12: 9, 16: 10, 23: 11, 32: 12, 46: 13, 64: 14, 91: 15}
    for distance, expected in first.items():
        assert t5_buckets([-distance, 1 - distance]).tolist() == [expected, expected - 1]
        assert t5_buckets(distance) == expected + 16
    assert t5_buckets([0, -127, -128, -129, -(10**9), 10**9]).tolist() == [0, 15, 15, 15, 15, 31]
    bias = t5_bias(92, np.arange(32)[:, None])  # the weight of a bucket is its number
    assert bias[0, [90, 91], 0].tolist() == [14, 15] and bias[0, 0, [90, 91]].tolist() == [30, 31]
    # the decoder's: 16 · 8^(j/16)
    causal = t5_buckets([5, 0, -15, -16, -18, -19, -112, -113, -128], bidirectional=False)
    assert causal.tolist() == [0, 0, 15, 16, 16, 17, 30, 31, 31]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_the_published_logarithm_in_float64_away_from_the_borders(bidirectional):
    side = 16 if bidirectional else 32
    for n in set(range(side // 2, 400)) - {16, 32, 64, 128}:
        share = math.log(n / (side // 2)) / math.log(128 / (side // 2))
        expected = min(side - 1, side // 2 + int(share * (side - side // 2)))
        assert t5_buckets(-n, bidirectional=bidirectional) == expected


@given(
    offsets=st.lists(st.integers(-700, 700), min_size=1, max_size=20),
    buckets=st.integers(4, 48),
    beyond=st.integers(1, 500),
    bidirectional=st.booleans(),
)
def test_buckets_against_the_rule_in_fractions(offsets, buckets, beyond, bidirectional):
    most = (buckets // 2 if bidirectional else buckets) // 2 + beyond
    found = t5_buckets(offsets, buckets, most, bidirectional)
    assert found.tolist() == [bucket(k, buckets, most, bidirectional) for k in offsets]


@given(buckets=st.integers(4, 64), most=st.integers(33, 10_000), bidirectional=st.booleans())
def test_buckets_rise_with_the_distance_to_the_last(buckets, most, bidirectional):
    side = buckets // 2 if bidirectional else buckets
    before = t5_buckets(-np.arange(2 * most), buckets, most, bidirectional)
    assert before[0] == 0 and (np.diff(before) >= 0).all()
    assert (before[most:] == side - 1).all()
    after = t5_buckets(np.arange(1, 2 * most), buckets, most, bidirectional)
    np.testing.assert_array_equal(after, before[1:] + side if bidirectional else 0)


def bucket_by_digits(distance, n, most):
    """The formula of the docstring in 200 digits, where Fraction would need millions."""
    e, wide = n // 2, n - n // 2
    if distance < e:
        return distance
    with mpmath.workdps(200):
        share = wide * mpmath.log(mpmath.mpf(distance) / e) / mpmath.log(mpmath.mpf(most) / e)
        whole = mpmath.nint(share)  # at it, or at least 10^-100 away
        step = whole if abs(share - whole) < mpmath.mpf(10) ** -100 else mpmath.floor(share)
        return min(n - 1, e + int(step))


@given(
    bits=st.floats(1, 31.9),
    beyond=st.floats(0, 31),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    bidirectional=st.booleans(),
)
def test_any_number_of_buckets_against_200_digits(bits, beyond, shares, bidirectional):
    n = int(2**bits)
    e = n // 2
    most = min(2**31, e + int(2**beyond))
    distances = [int(e * (most / e) ** share) + one for share in shares for one in (-1, 0, 1)]
    found = t5_buckets(
        [-distance for distance in distances], n * (1 + bidirectional), most, bidirectional
    )
    assert found.tolist() == [bucket_by_digits(distance, n, most) for distance in distances]


def test_distances_at_a_border_and_next_to_one():
    # 2^10 · i of 11 · 2^10 steps up to 2^11 e are 2^i e: a border exactly
    e = 11 * 2**10
    for i in range(1, 11):
        found = t5_buckets([-(e << i), 1 - (e << i)], 2 * e, e << 11, bidirectional=False)
        assert found.tolist() == [e + 2**10 * i, e + 2**10 * i - 1]
    # and here float64 cannot tell seven steps from whole numbers: by the first two terms of the
    # logarithm, distance e + i is 2^23 i + i (128 - i) / 2^8 steps, and less than 2^-16 is missing
    e, distances = 2**30, range(2**30 + 1, 2**30 + 128)
    found = t5_buckets([-d for d in distances], 2 * e, e + 128, bidirectional=False)
    assert found.tolist() == [bucket_by_digits(d, 2 * e, e + 128) for d in distances]


def test_more_buckets_than_distances():
    # borders coincide: a distance has the last of the buckets that begin with it
    assert t5_buckets([-5, -6, -7], 10, 7, bidirectional=False).tolist() == [5, 7, 9]
    assert t5_buckets(3, 10**4, 2**31) == 5003
    most = t5_buckets([-(2**31), 2**31], 2**33 - 1, 2**31)
    assert most.tolist() == [2**32 - 2, 2**33 - 3]
    for given_, limit in ((2**33, "2**33"), (10**400, "2**33")):
        refused(ValueError, f"buckets must be below {limit}, got ", t5_buckets, 3, given_)
    refused(ValueError, "buckets must be below 2**32, got ", t5_buckets, 3, 2**32, 2**31, False)


def test_offsets_of_every_shape_and_integer_type():
    grid = np.arange(-6, 6).reshape(3, 4)
    assert t5_buckets(grid).shape == (3, 4)
    assert np.ndim(t5_buckets(-3)) == 0 and t5_buckets(-3) == 3
    np.testing.assert_array_equal(t5_buckets(range(-3, 2)), [3, 2, 1, 0, 17])
    ends = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    assert t5_buckets(ends).tolist() == [15, 31]
    assert t5_buckets(ends, bidirectional=False).tolist() == [31, 0]
    assert t5_buckets(np.array([0, 9, 255], dtype=np.uint8)).tolist() == [0, 24, 31]
    assert t5_buckets(np.array([2**64 - 1], dtype=np.uint64)).tolist() == [31]
    assert t5_buckets(np.array([-128, 127], dtype=np.int8)).tolist() == [15, 31]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_bias_entry_by_entry(bidirectional):
    weights = np.random.default_rng(1).standard_normal((12, 3))
    bias = t5_bias(25, weights, 20, bidirectional)
    assert bias.shape == (3, 25, 25)
    for t in range(25):
        for s in range(25):
            row = bucket(s - t, 12, 20, bidirectional)
            np.testing.assert_array_equal(bias[:, t, s], weights[row])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_t5_bias_keeps_the_precision_and_shares_no_memory(dtype):
    weights = np.ones((32, 2), dtype)
    bias = t5_bias(np.uint8(200), weights)
    assert bias.dtype == dtype and bias.shape == (2, 200, 200)
    bias[:] = 5
    assert (weights == 1).all()
    assert t5_bias(3, np.ones((4, 1), int)).dtype == np.float64


# Shaw


def test_clipped_offsets_by_hand_and_by_the_formula_of_section_3_2():
    rows = clipped_offsets(6, 2) - 2
    np.testing.assert_array_equal(rows[0], [0, 1, 2, 2, 2, 2])
    np.testing.assert_array_equal(rows[3], [-2, -2, -1, 0, 1, 2])
    for length, limit in ((1, 0), (5, 0), (7, 3), (4, 9)):
        expected = [
            [max(-limit, min(limit, j - i)) + limit for j in range(length)] for i in range(length)
        ]
        np.testing.assert_array_equal(clipped_offsets(length, limit), expected)


def test_a_limit_beyond_every_offset():
    for limit in (2, 2**62, 2**63 - 3):  # the last of which makes 2^63 - 1 of an offset of 2
        expected = [[limit + j - i for j in range(3)] for i in range(3)]
        assert clipped_offsets(3, limit).tolist() == expected
    for limit in (2**63 - 2, 2**63, 10**400):
        refused(ValueError, f"limit must be at most {2**63 - 3}, got ", clipped_offsets, 3, limit)


def naive_shaw(q, k, a):
    """Equation 4 of Shaw et al. for one head, with the sum k_s + a formed for every pair."""
    limit, (length, d_head) = len(a) // 2, q.shape
    scores = np.empty((length, length))
    for i in range(length):
        for j in range(length):
            edge = a[limit + max(-limit, min(limit, j - i))]
            scores[i, j] = math.fsum(
                q[i, c] * (k[j, c] + edge[c]) for c in range(d_head)
            ) / math.sqrt(d_head)
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
    assert scores.shape == (2, 3, 5, 5)
    for b in range(2):
        for h in range(3):
            np.testing.assert_allclose(scores[b, h], naive_shaw(q[b, h], k[b, h], a), atol=1e-13)
    low = shaw_scores(*(x.astype(np.float32) for x in (q, k, a)))
    assert low.dtype == np.float64
    np.testing.assert_allclose(low, scores, rtol=0, atol=1e-5)
    assert shaw_scores([[1], [2]], [[3], [4]], [[5]]).tolist() == [[8, 9], [16, 18]]
    assert shaw_scores(q[:, :0], k[:, :0], a).shape == (2, 0, 5, 5)


def test_without_relative_keys_it_is_plain_attention():
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((2, 6, 4))
    scores = np.exp(shaw_scores(q, k, np.zeros((3, 4))))
    weights = scores / scores.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights, attention(q, k, np.eye(6)), rtol=1e-12)


# bad input


@pytest.mark.parametrize(
    ("name", "minimum", "call"),
    [
        ("heads", 1, alibi_slopes),
        ("heads", 1, lambda n: alibi_bias(3, n)),
        ("length", 1, lambda n: alibi_bias(n, 4)),
        ("length", 1, lambda n: t5_bias(n, np.ones((32, 2)))),
        ("length", 1, lambda n: clipped_offsets(n, 2)),
        ("limit", 0, lambda n: clipped_offsets(4, n)),
        ("buckets", 4, lambda n: t5_buckets(1, n)),
        ("buckets", 2, lambda n: t5_buckets(1, n, bidirectional=False)),
        ("max_distance", 9, lambda n: t5_buckets(1, 32, n)),
        ("max_distance", 17, lambda n: t5_buckets(1, 32, n, False)),
        ("max_distance", 9, lambda n: t5_bias(3, np.ones((32, 2)), n)),
    ],
)
def test_integers(name, minimum, call):
    call(minimum)
    call(np.int32(minimum))
    message = f"{name} must be at least {minimum}, got {minimum - 1}"
    refused(ValueError, message, call, minimum - 1)
    for value in (float(minimum), True, "8", None, [8]):
        refused(TypeError, f"{name} must be an integer, got ", call, value)


def test_sizes_that_no_array_has():
    # numpy.arange(2**63) is empty
    for size in (2**31, 2**63, 10**400):
        refused(ValueError, "heads must be below 2**31, got ", alibi_slopes, size)
        refused(ValueError, "length must be below 2**31, got ", clipped_offsets, size, 2)


def test_t5_input():
    refused(ValueError, "max_distance must be at most 2**31", t5_buckets, 1, 32, 2**31 + 1)
    refused(ValueError, "max_distance must be at most 2**31", t5_buckets, 1, 32, 10**400)
    assert t5_buckets([-(2**31), 1 - 2**40], 32, 2**31).tolist() == [15, 15]
    for offsets in (1.0, [0.5], "1", [True], None):
        refused(TypeError, "offsets must be integers", t5_buckets, offsets)
    for shape in ((32,), (0, 2), (3, 2), (32, 0), (1, 32, 2)):
        message = f"(buckets, heads) with 4 buckets or more, got shape {shape}"
        refused(ValueError, f"weights must have shape {message}", t5_bias, 3, np.ones(shape))
    refused(ValueError, "2 buckets or more, got", t5_bias, 3, np.ones((1, 1)), bidirectional=False)
    refused(ValueError, "weights must be finite, got nan", t5_bias, 3, [[math.nan]] * 4)
    refused(TypeError, "weights must be integers or floats", t5_bias, 3, [["a"]] * 4)


def test_shaw_input():
    x, a = np.ones((5, 4)), np.ones((3, 4))
    for shape in ((4,), (0, 4), (5, 0), ()):
        message = f"queries must have shape (..., length, d_head), got shape {shape}"
        refused(ValueError, message, shaw_scores, np.ones(shape), x, a)
    for shape in ((4, 4), (5, 3), (1, 5, 4), (4,)):
        message = f"keys must have the shape of queries, (5, 4), got shape {shape}"
        refused(ValueError, message, shaw_scores, x, np.ones(shape), a)
    for shape in ((2, 4), (0, 4), (3, 5), (3,), (), (2, 3, 4)):
        message = f"relative_keys must be (2 · limit + 1, 4), got shape {shape}"
        refused(ValueError, message, shaw_scores, x, x, np.ones(shape))
    for i, name in enumerate(("queries", "keys", "relative_keys")):
        given_ = [x, x, a]
        given_[i] = given_[i] * 1e140
        assert np.isfinite(shaw_scores(*given_)).all()
        given_[i] = given_[i] * -2
        message = f"{name} must lie within ±1e+140, got -2e+140 to -2e+140"
        refused(ValueError, message, shaw_scores, *given_)
        given_[i] = given_[i] * -math.inf
        refused(ValueError, f"{name} must be finite, got inf", shaw_scores, *given_)
        given_[i] = given_[i].astype(str)
        refused(TypeError, f"{name} must be integers or floats", shaw_scores, *given_)


# a peer, if it is there


@pytest.mark.peers
@pytest.mark.filterwarnings("default")
def test_transformers_has_the_same_buckets_and_biases():
    torch = pytest.importorskip("torch", reason=PEER)
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5", reason=PEER)
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom", reason=PEER)
    offsets = np.arange(-3000, 3001)
    for bidirectional in (True, False):
        theirs = t5.T5Attention._relative_position_bucket(
            torch.tensor(offsets), bidirectional=bidirectional, num_buckets=32, max_distance=128
        )
        np.testing.assert_array_equal(t5_buckets(offsets, bidirectional=bidirectional), theirs)
    for heads in range(1, 41):
        row = bloom.build_alibi_tensor(torch.ones(1, 9), heads, torch.float32).reshape(heads, 9)
        expected = row.numpy() - row.numpy()[:, -1:]  # the last query, at distance 0 from itself
        np.testing.assert_allclose(alibi_bias(9, heads)[:, -1], expected, rtol=0, atol=1e-6)
