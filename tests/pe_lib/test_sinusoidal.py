"""The encoding against loops in plain Python, against mpmath at 50 digits, and its laws."""

import math
import subprocess
import sys
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pe_lib
from pe_lib import encode, frequencies, sinusoidal, wavelengths
from pe_lib.sinusoidal import _BLOCK

EPS = 2.0**-52
widths = st.integers(1, 40).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)


def exact(position, d_model, base, dim):
    """One entry at 50 digits."""
    with mpmath.workdps(50):
        angle = mpmath.mpf(position) * mpmath.power(base, -mpmath.mpf(dim - dim % 2) / d_model)
        return mpmath.cos(angle) if dim % 2 else mpmath.sin(angle)


def naive(positions, d_model, base=10_000.0):
    """The formula of the paper, entry by entry."""
    table = []
    for t in positions:
        row = []
        for i in range(d_model // 2):
            row += [
                math.sin(t / math.pow(base, 2 * i / d_model)),
                math.cos(t / math.pow(base, 2 * i / d_model)),
            ]
        table.append(row)
    return table


def test_position_five_at_width_eight():
    expected = [-0.9589, 0.2837, 0.4794, 0.8776, 0.0500, 0.9988, 0.0050, 1.0000]
    np.testing.assert_allclose(encode(5, 8), expected, rtol=0, atol=5e-5)


def test_frequencies_and_wavelengths_by_hand():
    np.testing.assert_allclose(frequencies(8), [1, 0.1, 0.01, 0.001], rtol=1e-15)
    np.testing.assert_allclose(frequencies(4, 100), [1, 0.1], rtol=1e-15)
    np.testing.assert_allclose(wavelengths(4, 100), [math.tau, 10 * math.tau], rtol=1e-15)
    assert round(wavelengths(512)[-1], 1) == 60_611.5
    assert frequencies(2).tolist() == [1.0]


@pytest.mark.parametrize("d_model", [2, 6, 64])
@pytest.mark.parametrize("base", [2.0, 10_000, 5e5])
def test_agrees_with_the_naive_loop(d_model, base):
    positions = [0, 1, 2, 3, 50, 999, -7, 0.5, 12.25]
    np.testing.assert_allclose(
        encode(positions, d_model, base), naive(positions, d_model, base), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("d_model", [2, 8, 64, 512, 4096])
@pytest.mark.parametrize("base", [1.5, 10_000.0, 500_000.0])
def test_within_four_eps_of_the_truth_and_rounded_once(d_model, base):
    rng = np.random.default_rng(d_model)
    positions = np.array(
        [0, 1, 5, 511, 65_537, 355, 999_999, 10**6, -(10**6), 0.1, 2.5, -123.456, 777_777.7]
    )
    full = encode(positions, d_model, base)
    single = encode(positions, d_model, base, dtype=np.float32)
    half = encode(positions, d_model, base, dtype=np.float16)
    dims = sorted({0, 1, d_model - 2, d_model - 1, *rng.integers(0, d_model, 12).tolist()})
    for t, row, row32, row16 in zip(positions.tolist(), full, single, half, strict=True):
        bound = 4 * EPS * max(1, abs(t))
        for dim in dims:
            truth = exact(t, d_model, base, dim)
            assert abs(mpmath.mpf(row[dim].item()) - truth) <= bound
            assert abs(mpmath.mpf(row32[dim].item()) - truth) <= 2.0**-25 + bound
            assert abs(mpmath.mpf(row16[dim].item()) - truth) <= 2.0**-12 + bound
    np.testing.assert_array_equal(single, full.astype(np.float32))
    np.testing.assert_array_equal(half, full.astype(np.float16))
    assert (single.dtype, half.dtype) == (np.float32, np.float16)


@given(
    positions=hnp.arrays(np.float64, hnp.array_shapes(min_dims=0, min_side=0), elements=bases),
    d_model=widths,
    base=bases,
)
def test_shape_norm_and_range(positions, d_model, base):
    pe = encode(positions, d_model, base)
    assert pe.shape == (*positions.shape, d_model)
    assert pe.dtype == np.float64
    np.testing.assert_allclose(np.sum(pe**2, axis=-1), d_model / 2, rtol=1e-12)


@given(t=st.integers(-(10**6), 10**6), d_model=widths, base=bases)
def test_position_minus_t_flips_the_sines_alone(t, d_model, base):
    flip = np.tile([-1, 1], d_model // 2)
    np.testing.assert_allclose(encode(-t, d_model, base), flip * encode(t, d_model, base))


@given(d_model=widths, base=bases)
def test_neighbouring_wavelengths_keep_one_ratio(d_model, base):
    lengths = wavelengths(d_model, base)
    assert lengths.shape == (d_model // 2,)
    assert math.isclose(lengths[0], math.tau)
    np.testing.assert_allclose(lengths[1:] / lengths[:-1], base ** (2 / d_model))


@pytest.mark.parametrize("positions", [range(3, 40, 4), range(9, -9, -3), range(0), range(5)])
def test_a_range_is_the_list_of_it(positions):
    expected = encode(np.array(list(positions), float), 8)
    np.testing.assert_array_equal(encode(positions, 8), expected)


@pytest.mark.parametrize("d_model", [2, 8, 64, 512, 4096])
@pytest.mark.parametrize("base", [1.5, 10_000.0, 500_000.0])
@pytest.mark.parametrize(
    "positions",
    [
        range(64),
        range(999_000, 1_000_001),
        range(10**9, -(10**9), -31_249_999),  # further than float32 can count
        range(7, 99_991, 101),
    ],
    ids=str,
)
def test_a_long_range_is_within_eight_eps_and_rounded_once(positions, d_model, base):
    full = encode(positions, d_model, base)
    rng, count = np.random.default_rng(len(positions) + d_model), len(positions)
    rows = {0, 1, count // 2, count - 1, *rng.integers(0, count, 4).tolist()}
    for row in rows:
        t = positions[row]
        bound = 8 * EPS * max(1, abs(t), abs(positions[0]))
        for dim in {0, 1, d_model - 2, d_model - 1, *rng.integers(0, d_model, 4).tolist()}:
            truth = exact(t, d_model, base, dim)
            assert abs(mpmath.mpf(full[row, dim].item()) - truth) <= bound
    for dtype in (np.float32, np.float16):
        np.testing.assert_array_equal(encode(positions, d_model, base, dtype), full.astype(dtype))
    np.testing.assert_array_equal(encode(np.array(positions), d_model, base), full)


def test_a_long_range_computes_a_row_of_sines_for_each_root_of_its_length(monkeypatch):
    computed, compute = [], sinusoidal._compute
    monkeypatch.setattr(
        sinusoidal, "_compute", lambda rows, t, w: computed.append(len(t)) or compute(rows, t, w)
    )
    encode(range(7, -19_993, -2), 8)
    assert computed == [100]  # of 10,000


def test_a_long_range_equals_its_positions_one_by_one():
    for positions in (range(5, 2005, 7), range(100, -100, -1), range(0, 640, 10)):
        one_by_one = np.array([encode(t, 12) for t in positions])
        np.testing.assert_allclose(encode(positions, 12), one_by_one, rtol=0, atol=1e-12)


def test_positions_that_only_nearly_step_evenly_are_computed():
    uneven = np.arange(200)
    uneven[150] += 1
    around = np.arange(100) * (2**61 + 1)  # int64 overflows, from step to step by the same number
    for positions in (uneven, around, np.arange(200) / 3, np.arange(200).reshape(2, 100)):
        one_by_one = np.array([encode(t, 6) for t in positions.ravel()])
        np.testing.assert_array_equal(encode(positions, 6).reshape(-1, 6), one_by_one)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("positions", "d_model"),
    [
        (range(100_000), 64),
        (range(20_000), 512),
        (range(2_000), 4096),
        (np.linspace(0, 1, 100_000), 64),
    ],
)
def test_no_more_memory_than_the_result_and_a_tenth(dtype, positions, d_model):
    tracemalloc.start()
    result = encode(positions, d_model, dtype=dtype)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 1.1 * result.nbytes


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32])
def test_positions_of_any_width_are_widened_first(dtype):
    np.testing.assert_array_equal(encode(np.array([0, 3, 100], dtype), 8), encode([0, 3, 100], 8))


def test_blocks_meet_without_a_seam():
    d_model = _BLOCK  # two positions to a block
    pe = encode([[3, 1, 4], [1, 5, 9]], d_model, dtype=np.float32)
    for index, t in np.ndenumerate([[3, 1, 4], [1, 5, 9]]):
        np.testing.assert_array_equal(pe[index], encode(t, d_model, dtype=np.float32))
    for count, width in ((2, 4 * _BLOCK), (64, _BLOCK)):  # wider than a block is
        assert encode(range(count), width, dtype=np.float16).shape == (count, width)


@pytest.mark.parametrize("dtype", [np.float64, "float32", np.dtype("f2"), float])
def test_dtypes_by_any_name(dtype):
    assert encode(1, 4, dtype=dtype).dtype == np.dtype(dtype)


def test_the_core_draws_nothing():
    code = (
        "import sys, pe_lib; print(sorted({'matplotlib', 'anywidget', 'IPython'} & {*sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_everything_public_is_there():
    assert pe_lib.__all__ == sorted(pe_lib.__all__)
    assert all(callable(getattr(pe_lib, name)) for name in pe_lib.__all__)
