"""Test encodings against 50 digits from mpmath, and single positions against arrays of them."""

import math
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pe_lib import encode, frequencies, wavelengths

EPS = 2.0**-52
KINDS = [np.float64, np.float32, np.float16]
widths = st.integers(1, 40).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)


def test_numbers_by_hand():
    np.testing.assert_allclose(frequencies(8), [1, 0.1, 0.01, 0.001], rtol=1e-15)
    np.testing.assert_allclose(wavelengths(4, 100), [math.tau, 10 * math.tau], rtol=1e-15)
    assert frequencies(2).tolist() == [1.0] and round(wavelengths(512)[-1], 1) == 60_611.5
    five = [-0.9589, 0.2837, 0.4794, 0.8776, 0.0500, 0.9988, 0.0050, 1.0000]
    np.testing.assert_allclose(encode(5, 8), five, rtol=0, atol=5e-5)


def compute_exactly(position, w):
    """Return the sine and the cosine of w · position, computed to 50 digits."""
    with mpmath.workdps(50):
        angle = mpmath.mpf(position) * w
        return mpmath.sin(angle), mpmath.cos(angle)


def find_largest_error(row, position, frequencies):
    """Return the largest error in some pairs of a row, in units of eps · max(1, |position|)."""
    pairs = [(row[2 * i : 2 * i + 2], compute_exactly(position, w)) for i, w in frequencies.items()]
    errors = [abs(mpmath.mpf(x.item()) - y) for two in pairs for x, y in zip(*two, strict=True)]
    return float(max(errors)) / (EPS * max(1, abs(position)))


@pytest.mark.parametrize(("d_model", "base"), [(2, 1.5), (64, 5e5), (512, 1e4), (4096, 1.5)])
@pytest.mark.parametrize(
    ("positions", "most"),
    [
        (range(-70, 71), 0.7),
        (range(999_000, 1_000_001), 0.7),
        (range(10**9, -(10**9), -31_249_999), 0.7),  # These integers have no exact float32 form.
        (range(7, 99_991, 101), 0.7),  # more than one block
        (range(2**63 - 1, -(2**63), -(2**57)), 0.7),
        (np.random.default_rng(0).integers(-(10**6), 10**6, 300), 0.7),
        (np.arange(-50, 50, 0.25), 1.5),
        (np.random.default_rng(0).normal(0, 1e5, 100), 1.5),
    ],
    ids=str,
)
def test_as_exact_as_its_docstring_says_and_rounded_once(positions, most, d_model, base):
    table, rng = encode(positions, d_model, base), np.random.default_rng(d_model)
    pairs = {0, 1, d_model // 2 - 1, *rng.integers(0, d_model // 2, 3).tolist()}
    with mpmath.workdps(50):
        exact_frequencies = {
            i: mpmath.power(base, -mpmath.mpf(2 * i) / d_model) for i in pairs if 2 * i < d_model
        }
    for row in {0, 1, len(table) - 1, *rng.integers(0, len(table), 8).tolist()}:
        assert find_largest_error(table[row], positions[row], exact_frequencies) <= most
    for dtype in KINDS[1:]:
        np.testing.assert_array_equal(
            encode(positions, d_model, base, dtype=dtype), table.astype(dtype)
        )


@given(t=st.floats(-1e6, 1e6), w=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=4))
def test_given_frequencies_are_as_exact_and_fractions_bear_the_fastest(t, w):
    row = encode(t, 2 * len(w), frequencies=w)
    fastest = max(1.0, *w)
    assert find_largest_error(row, t, {i: mpmath.mpf(v) for i, v in enumerate(w)}) <= 1.5 * fastest


def steps(start, step, count, unit):
    """Return `count` equally spaced positions, all of which are multiples of 1/unit."""
    return (start + step * np.arange(count)) / unit


ROWS = st.one_of(
    st.builds(
        steps,
        st.integers(-(10**6), 10**6) | st.integers(-300, 300),
        st.sampled_from([1, 2, 3, 4, 24, 64, 65, 128, 4096, -1, -64]) | st.integers(1, 10**5),
        st.integers(1, 700),
        st.sampled_from([1, 2, 4, 8]),
    ),
    hnp.arrays(np.int64, st.integers(1, 300), elements=st.integers(-(2**63), 2**63 - 1)),
    hnp.arrays(np.int16, st.integers(1, 300)),
    hnp.arrays(np.float64, st.integers(1, 100), elements=st.floats(-1e19, 1e19)),
    hnp.arrays(np.float32, st.integers(64, 100), elements=st.integers(0, 9).map(float)),
)


@given(
    t=ROWS,
    d_model=widths | st.just(514),
    base=bases,
    data=st.data(),
    dtype=st.sampled_from(KINDS),
    layout=st.sampled_from(["interleaved", "halves"]),
)
def test_a_position_has_the_same_bits_alone_and_among_others(t, d_model, base, data, dtype, layout):
    options = {"base": base, "dtype": dtype, "layout": layout}
    table = encode(t, d_model, **options)
    for row in data.draw(st.sets(st.integers(0, len(t) - 1), max_size=5)):
        np.testing.assert_array_equal(encode(t[row], d_model, **options), table[row])
    shape = data.draw(st.sampled_from([(-1, 1), (1, -1), (1, -1, 1)]))
    reshaped = encode(t.reshape(shape), d_model, **options)
    assert reshaped.shape == (*t.reshape(shape).shape, d_model) and reshaped.dtype == dtype
    np.testing.assert_array_equal(reshaped.reshape(table.shape), table)
    np.testing.assert_array_equal(encode(np.tile(t, 6), d_model, **options)[-len(t) :], table)
    np.testing.assert_array_equal(encode(t[::-1], d_model, **options), table[::-1])


RUNS = [range(-3, 300), range(300, -300, -1), range(0, 900, 7), range(5000, 5400), range(0)]


@pytest.mark.parametrize("positions", RUNS, ids=str)
@pytest.mark.parametrize("d_model", [2, 30, 514])
def test_a_range_is_its_positions_in_any_shape_dtype_and_layout(positions, d_model):
    alone = np.array([encode(t, d_model) for t in positions]).reshape(-1, d_model)
    ids = np.array(positions, int)
    np.testing.assert_array_equal(encode(positions, d_model), alone)
    for dtype in (np.int16, np.int32, np.float32, np.float64, np.longdouble, ">i4"):
        np.testing.assert_array_equal(encode(ids.astype(dtype), d_model), alone)
    batch = encode(np.broadcast_to(ids, (5, 2, len(ids))), d_model, dtype=np.float32)
    np.testing.assert_array_equal(batch, np.broadcast_to(alone.astype(np.float32), batch.shape))
    for dtype in KINDS:
        halves = encode(positions, d_model, dtype=dtype, layout="halves")
        pairs = halves.reshape(-1, 2, d_model // 2).swapaxes(1, 2)
        np.testing.assert_array_equal(pairs.reshape(alone.shape), alone.astype(dtype))


def test_narrow_integers_that_come_back_do_not_overflow():
    ids = np.tile(np.arange(-128, 128), 6)
    np.testing.assert_array_equal(encode(ids.astype(np.int8), 8), encode(ids, 8))


def test_an_array_of_ones_own_is_filled():
    for positions in (range(100), [3, 1, 4], 2, []):
        for dtype in KINDS:
            expected = encode(positions, 10, dtype=dtype)
            own = np.full(expected.shape, np.nan, dtype)
            assert encode(positions, 10, out=own) is own
            np.testing.assert_array_equal(own, expected)
            strided = np.full((*expected.shape, 2), np.nan, dtype)[..., 0]
            np.testing.assert_array_equal(encode(positions, 10, out=strided), expected)
            np.testing.assert_array_equal(strided, expected)
    rows = np.zeros((300, 1030))  # The positions in the input share memory with the output array.
    rows[:, 7] = expected = np.sqrt(np.arange(300))
    np.testing.assert_array_equal(encode(rows[:, 7], 1030, out=rows), encode(expected, 1030))


@pytest.mark.parametrize(
    ("positions", "d_model"),
    [
        (range(2_000), 4096),
        (range(0, 100_000 * 64, 64), 64),
        (np.linspace(0, 1, 100_000), 64),
    ],
    ids=["wide", "far apart", "fractions"],
)
def test_no_more_memory_than_the_result_and_a_twentieth(positions, d_model):
    tracemalloc.start()
    result = encode(positions, d_model, dtype=np.float32)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.shape == (len(positions), d_model)
    assert peak <= 1.05 * result.nbytes + 2**21  # The rotation tables take 2 MB in every case.
