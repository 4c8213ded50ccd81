"""The encoding against loops in plain Python, against mpmath at 50 digits, and its laws."""

import math
import subprocess
import sys
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pe_lib
from pe_lib import encode, frequencies, wavelengths
from pe_lib._hands import _HANDS

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


def longest(errors, positions):
    """The largest error of each position, in eps·max(1, |position|)."""
    return np.max(errors, axis=1) / (EPS * np.maximum(1, np.abs(positions)))


@pytest.mark.parametrize("d_model", [2, 8, 64, 512, 4096])
@pytest.mark.parametrize("base", [1.5, 10_000.0, 500_000.0])
@pytest.mark.parametrize(
    ("positions", "most"),
    [
        (range(-70, 71), 0.7),
        (range(-1000, 1000), 0.7),
        (range(999_000, 1_000_001), 0.7),
        (range(10**9, -(10**9), -31_249_999), 0.7),  # further than float32 can count
        (range(7, 99_991, 101), 0.7),
        (range(2**63 - 1, -(2**63), -(2**57)), 0.7),
        (np.random.default_rng(0).integers(-(10**6), 10**6, 300), 0.7),
        (np.arange(-50, 50, 0.25), 1.5),
        (np.linspace(-1, 1, 101), 1.5),
        (np.random.default_rng(0).normal(0, 1e5, 100), 1.5),
    ],
    ids=str,
)
def test_as_exact_as_its_docstring_says_and_rounded_once(positions, most, d_model, base):
    full, values = encode(positions, d_model, base), [*positions]
    rng, count = np.random.default_rng(d_model), len(values)
    rows = sorted({0, 1, count // 2, count - 1, *rng.integers(0, count, 12).tolist()})
    dims = sorted({0, 1, 2, 3, d_model - 1, *rng.integers(0, d_model, 6).tolist()} - {d_model + 1})
    dims = [dim for dim in dims if dim < d_model]
    truth = [[exact(values[row], d_model, base, dim) for dim in dims] for row in rows]
    off = [
        [
            float(abs(mpmath.mpf(full[row, dim].item()) - true))
            for dim, true in zip(dims, line, strict=True)
        ]
        for row, line in zip(rows, truth, strict=True)
    ]
    assert longest(off, [float(values[row]) for row in rows]).max() <= most
    for dtype in (np.float32, np.float16):
        np.testing.assert_array_equal(encode(positions, d_model, base, dtype), full.astype(dtype))


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


ROWS = st.one_of(
    st.builds(lambda start, n, step: np.arange(n) * step + start,
              st.integers(-(10**5), 10**5), st.integers(1, 300), st.integers(-70, 70)),
    hnp.arrays(np.int64, st.integers(1, 300), elements=st.integers(-(2**63), 2**63 - 1)),
    hnp.arrays(np.int16, st.integers(1, 300)),
    hnp.arrays(np.float64, st.integers(1, 100), elements=st.floats(-1e19, 1e19)),
    hnp.arrays(np.float32, st.integers(64, 100), elements=st.integers(0, 9).map(float)),
)  # fmt: skip


@given(t=ROWS, d_model=widths, base=bases, data=st.data())
def test_a_position_has_the_same_bits_alone_and_among_others(t, d_model, base, data):
    table = encode(t, d_model, base)
    for row in data.draw(st.sets(st.integers(0, len(t) - 1), max_size=5)):
        np.testing.assert_array_equal(encode(t[row], d_model, base), table[row])
    shape = data.draw(st.sampled_from([(-1, 1), (1, -1), (1, -1, 1)]))
    again = encode(t.reshape(shape), d_model, base)
    np.testing.assert_array_equal(again.reshape(table.shape), table)
    np.testing.assert_array_equal(encode(np.tile(t, 6), d_model, base)[-len(t) :], table)
    np.testing.assert_array_equal(encode(t[::-1], d_model, base), table[::-1])


@pytest.mark.parametrize(
    "positions",
    [range(40), range(-3, 300), range(300, -300, -1), range(0, 900, 7), range(5000, 5400)],
    ids=str,
)
@pytest.mark.parametrize("d_model", [2, 4, 30, 514])
def test_a_range_is_its_positions_in_any_shape_and_dtype(positions, d_model):
    one_by_one = np.array([encode(t, d_model) for t in positions])
    ids = np.array(positions)
    np.testing.assert_array_equal(encode(positions, d_model), one_by_one)
    for dtype in (np.int16, np.int32, np.int64, np.float32, np.float64, np.longdouble, ">i4"):
        np.testing.assert_array_equal(encode(ids.astype(dtype), d_model), one_by_one)
    batch = encode(np.broadcast_to(ids, (5, 2, len(ids))), d_model, dtype=np.float32)
    for table in batch.reshape(-1, *one_by_one.shape):
        np.testing.assert_array_equal(table, one_by_one.astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("positions", [range(300), range(0, 9000, 30), 2.5], ids=str)
def test_halves_are_all_sines_and_then_all_cosines(positions, dtype):
    for d_model in (2, 12, 1030):
        table = encode(positions, d_model, dtype=dtype)
        halves = encode(positions, d_model, dtype=dtype, layout="halves")
        np.testing.assert_array_equal(halves[..., : d_model // 2], table[..., 0::2])
        np.testing.assert_array_equal(halves[..., d_model // 2 :], table[..., 1::2])


@given(d_model=widths, t=st.integers(-(10**4), 10**4))
def test_frequencies_take_the_place_of_those_of_the_base(d_model, t):
    spaced = [10_000 ** (-i / max(1, d_model // 2 - 1)) for i in range(d_model // 2)]
    row = encode(t, d_model, base=np.pi, frequencies=spaced)
    expected = [f(t * w) for w in spaced for f in (math.sin, math.cos)]
    np.testing.assert_allclose(row, expected, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(
        encode(t, d_model, 7.0), encode(t, d_model, frequencies=frequencies(d_model, 7.0))
    )


def test_fractions_bear_the_fastest_frequency():
    for w in (3.0, 1e3, 1e6):
        for t in (0.3, -1.7, 12.345):
            row = encode(t, 2, frequencies=[w])
            with mpmath.workdps(50):
                true = mpmath.sin(mpmath.mpf(t) * w), mpmath.cos(mpmath.mpf(t) * w)
            off = max(float(abs(mpmath.mpf(e.item()) - x)) for e, x in zip(row, true, strict=True))
            assert off <= 1.5 * EPS * max(1, abs(t)) * w


def test_an_array_of_ones_own_is_filled():
    for positions in (range(100), [3, 1, 4], 2, []):
        for dtype in (np.float64, np.float32, np.float16):
            expected = encode(positions, 10, dtype=dtype)
            mine = np.full(expected.shape, np.nan, dtype)
            assert encode(positions, 10, out=mine) is mine
            np.testing.assert_array_equal(mine, expected)
            apart = np.full((*expected.shape, 2), np.nan, dtype)[..., 0]
            np.testing.assert_array_equal(encode(positions, 10, out=apart), expected)
            np.testing.assert_array_equal(apart, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.float16, np.float32, ">i2"])
@pytest.mark.parametrize("ends", [(-100, 100), (-2000, 2048), (0, 255)])
def test_narrow_types_that_repeat_are_widened(dtype, ends):
    few = np.array(ends).astype(dtype)
    t = np.tile(few, 5 * (abs(ends[0]) + ends[1]))
    for row, position in zip(encode(t, 8)[-2:], few.tolist(), strict=True):
        np.testing.assert_array_equal(row, encode(position, 8))


def test_positions_may_lie_where_the_result_goes():
    rows = np.zeros((300, 1030))
    rows[:, 7] = expected = np.arange(300) * 3.5
    np.testing.assert_array_equal(encode(rows[:, 7], 1030, out=rows), encode(expected, 1030))


def test_a_hand_that_stands_still_is_nowhere_below_zero():
    for t in (-3, 0, 3, [-3, 1], [2.5, -2.5], range(-90, 90)):
        still = encode(t, 4, frequencies=[0, 1])[..., 0]
        assert not still.any() and not np.signbit(still).any()


def test_nothing_is_computed_for_no_positions():
    tracemalloc.start()
    assert encode([], 10**9).shape == (0, 10**9)
    assert encode(range(0), 10**9, dtype=np.float32).dtype == np.float32
    assert tracemalloc.get_traced_memory()[1] < 10**5
    tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("positions", "d_model"),
    [
        (range(100_000), 64),
        (range(20_000), 512),
        (range(2_000), 4096),
        (range(0, 100_000 * 64, 64), 64),
        (np.arange(20_000) / 4, 512),
        (np.linspace(0, 1, 100_000), 64),
    ],
)
def test_no_more_memory_than_the_result_and_a_twentieth(dtype, positions, d_model):
    tracemalloc.start()
    result = encode(positions, d_model, dtype=dtype)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 1.05 * result.nbytes + 2**21  # and tables that do not grow with it


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32])
def test_positions_of_any_width_are_widened_first(dtype):
    np.testing.assert_array_equal(encode(np.array([0, 3, 100], dtype), 8), encode([0, 3, 100], 8))


def test_blocks_meet_without_a_seam():
    d_model = 2 * _HANDS  # two positions to a block
    pe = encode([[3, 1, 4], [1, 5, 9]], d_model, dtype=np.float32)
    for index, t in np.ndenumerate([[3, 1, 4], [1, 5, 9]]):
        np.testing.assert_array_equal(pe[index], encode(t, d_model, dtype=np.float32))
    for start in (0, 63, 4095, 4096):
        table = encode(range(start, start + 4200), 2)
        for row in (0, 1, 63, 64, 65, 4095, 4096, 4097, 4199):
            np.testing.assert_array_equal(table[row], encode(start + row, 2))


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


@pytest.mark.peers
def test_the_tables_of_whisper_and_fairseq_are_made_and_read():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    from transformers.models.fsmt.modeling_fsmt import SinusoidalPositionalEmbedding
    from transformers.models.whisper.modeling_whisper import sinusoids

    how = {"layout": "halves", "frequencies": 10_000 ** -np.linspace(0, 1, 192)}
    theirs = sinusoids(1500, 384).numpy()
    np.testing.assert_allclose(encode(range(1500), 384, **how), theirs, rtol=0, atol=2e-4)
    np.testing.assert_array_equal(pe_lib.position_from_encoding(theirs, **how), range(1500))
    # fairseq's first row is that of padding, and zero
    theirs = SinusoidalPositionalEmbedding.get_embedding(500, 384, padding_idx=0).numpy()[1:]
    np.testing.assert_allclose(encode(range(1, 500), 384, **how), theirs, rtol=0, atol=1e-4)


@settings(max_examples=300)
@given(
    start=st.integers(-(10**6), 10**6) | st.integers(-300, 300),
    step=st.sampled_from([1, 2, 3, 4, 8, 24, 64, 65, 128, 1000, 4096]) | st.integers(1, 10**5),
    count=st.integers(1, 700),
    unit=st.sampled_from([1, 2, 4, 8]),
    down=st.booleans(),
    d_model=st.sampled_from([2, 4, 6, 514]),
)
def test_even_steps_give_what_each_position_gives(start, step, count, unit, down, d_model):
    t = (start + step * np.arange(count)) / unit
    t = t[::-1] if down else t
    rows = [0, count // 3, count // 2, count - 1]
    alone = [encode(t[row], d_model) for row in rows]
    np.testing.assert_array_equal(encode(t, d_model)[rows], alone)
    np.testing.assert_array_equal(
        encode(t, d_model, dtype=np.float32, layout="halves")[rows],
        [encode(t[row], d_model, dtype=np.float32, layout="halves") for row in rows],
    )
    if unit == 1:
        run = range(int(t[0]), int(t[-1]) + (-1 if down else 1), -step if down else step)
        np.testing.assert_array_equal(encode(run, d_model)[rows], alone)
