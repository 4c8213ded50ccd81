"""Test the decoder on encodings from our encoder and mpmath, on noisy rows, and on other arrays."""

import math
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pe_lib import encode, frequencies, position_from_encoding, wavelengths
from pe_lib.decoding import _angle_errors

EPS = 2.0**-52
DTYPES = [np.float64, np.float32, np.float16]
LAYOUTS = ["interleaved", "halves"]
NOWHERE, OFF, TWICE = "agrees with no position", "off the unit circle", "more than one position"


def near_range(d_model, base=10_000.0):
    """Return the first position that can be decoded only with `max_position`."""
    return math.ceil(15 / 16 * wavelengths(d_model, base)[-1])


def assert_refused(pe, message, **options):
    """Assert that decoding an array raises ValueError with this message."""
    with pytest.raises(ValueError, match=message):
        position_from_encoding(pe, **options)


def interleave(sin, cos):
    """Interleave sines and cosines, so that each row alternates between them."""
    return np.stack([sin, cos], axis=-1).reshape(*np.shape(sin)[:-1], -1)


# Valid encodings


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d_model", [2, 4, 6, 8, 10, 28, 64, 512])
def test_positions_of_the_home_range(d_model, dtype):
    positions = np.arange(0, near_range(d_model), 1 if d_model < 100 else 7)
    decoded = position_from_encoding(encode(positions, d_model, dtype=dtype))
    assert decoded.dtype == np.int64
    np.testing.assert_array_equal(decoded, positions)


@given(st.data())
def test_decoding_undoes_encoding(data):
    d_model = data.draw(st.integers(1, 64).map(lambda n: 2 * n))
    base, dtype = data.draw(st.floats(1.1, 1e5)), data.draw(st.sampled_from(DTYPES))
    k = data.draw(st.integers(0, min(near_range(d_model, base), 2**53) - 1))
    assert position_from_encoding(encode(k, d_model, base, dtype=dtype), base) == k


@pytest.mark.parametrize(
    ("d_model", "reach", "dtype"),
    [
        (2, 10**5, np.float64),
        (8, 10**8, np.float64),
        (28, 10**9, np.float64),
        (64, 2 * 10**6, np.float16),
        (64, 10**10, np.float32),
        (512, 10**11, np.float16),
        (512, 2 * 10**14, np.float64),
    ],
)
def test_far_beyond_the_longest_wavelength(d_model, reach, dtype):
    size = 1000 if (d_model, dtype) in ((64, np.float16), (512, np.float16)) else 20
    k = [0, 1, reach - 1, *np.random.default_rng(d_model).integers(0, reach, size).tolist()]
    decoded = position_from_encoding(encode(k, d_model, dtype=dtype), max_position=reach)
    np.testing.assert_array_equal(decoded, k)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("d_model", "base"), [(768, 500_000.0), (100, 1e12), (512, 10_000.0)])
def test_another_encoder_with_50_digits(d_model, base, dtype):
    """Check that `_angle_errors` is a bound for the error of every angle, and a tight one.

    At these widths 2i/d_model is rounded. At base 10^12 this rounding uses 6.9 of the 8 eps.
    """
    w, used = frequencies(d_model, base), []
    for k in (0, 999, 10**6 - 1, 987_654_321_987):
        with mpmath.workdps(50):
            angles = [
                k * mpmath.power(base, -mpmath.mpf(2 * i) / d_model) for i in range(d_model // 2)
            ]
            rows = [float(f(a)) for a in angles for f in (mpmath.sin, mpmath.cos)]
        pe = np.array(rows).astype(dtype).astype(float)
        off = np.angle((pe[1::2] + 1j * pe[0::2]) * np.exp(-1j * w * k))
        used.extend(abs(off) / _angle_errors(w, k + 1, np.finfo(dtype).eps))
        if d_model > 100 and dtype == np.float64:
            assert position_from_encoding(pe, base, max_position=10**12) == k
    assert max(used) <= 1 and (max(used) > 0.3 or d_model == 512)


def test_angles_from_float32_arithmetic_are_forgiven_in_the_home_range():
    positions = np.arange(5000)
    w = np.exp(np.arange(0, 64, 2, dtype=np.float32) * np.float32(-math.log(10_000) / 64))
    angles = np.multiply.outer(positions.astype(np.float32), w)
    pe = interleave(np.sin(angles), np.cos(angles))
    np.testing.assert_array_equal(position_from_encoding(pe), positions)


# Noise


@pytest.mark.parametrize(
    ("d_model", "noise", "limit", "least"),
    [(64, 0.2, None, 0.995), (64, 0.2, 5000, 0.995), (16, 0.05, None, 0.995)],
)
def test_noise_on_every_entry(d_model, noise, limit, least):
    rng = np.random.default_rng(64)
    k = np.concatenate([[0, 1], rng.integers(0, limit or near_range(d_model), 598)])
    pe = encode(k, d_model) + noise * rng.standard_normal((600, d_model))
    decoded = position_from_encoding(pe, max_position=limit, errors="mask")
    # A row that the decoder rejects counts as a failure.
    assert (decoded.filled(-1) == k).mean() >= least


# Refused rows


@given(d_model=st.sampled_from([6, 8, 10, 16, 64, 512]), k=st.integers(1, 10**7), far=st.booleans())
# Between positions 0 and 10,002,831, each pair makes very nearly a whole number of turns.
@example(8, 9_996_940, False)
def test_out_of_range_is_refused_or_as_near_as_noise_may_be(d_model, k, far):
    options = {"max_position": 3 * near_range(d_model)} if far else {}
    for outside in (-k, options.get("max_position", near_range(d_model)) + k):
        row = encode(outside, d_model)
        decoded = position_from_encoding(row, errors="mask", **options)
        if np.ma.is_masked(decoded):
            assert_refused(row, NOWHERE, **options)
        else:
            assert np.abs(encode(int(decoded), d_model) - row).max() <= 0.05


def test_what_is_no_encoding_is_refused():
    assert_refused(
        [[encode(3, 64)], [np.zeros(64)]], r"encoding\[1, 0\] lies off the unit circle by more"
    )
    assert_refused(1.6 * encode(3, 64), OFF)
    angles = np.random.default_rng(2).uniform(0, math.tau, (50, 32))
    for row in interleave(np.sin(angles), np.cos(angles)):
        assert_refused(row, NOWHERE)
    # All pairs lie on the circle, so the decoder assumes no noise.
    assert_refused(encode(2.5, 64), NOWHERE)
    assert_refused(np.full((3, 8), 1e300), OFF)  # too large to square


@pytest.mark.parametrize("d_model", [6, 8, 10, 12, 14, 16, 18, 20, 24, 32, 64, 128])
def test_chance_alone_makes_no_position(d_model):
    """Check that the decoder rejects 10,000 random rows, and rows that follow other conventions."""
    rng = np.random.default_rng(d_model)
    k, angles = (
        rng.integers(8, near_range(d_model), 10_000),
        rng.uniform(0, math.tau, (10_000, 128)),
    )
    pe = encode(k, d_model)
    for wrong in (
        encode(k, d_model, layout="halves"),
        pe.reshape(len(k), -1, 2)[..., ::-1].reshape(pe.shape),  # cosine before sine
        encode(k, d_model, 1000.0),
        encode(k, d_model, 500_000.0),
        encode(-k, d_model),
        interleave(np.sin(angles), np.cos(angles))[:, :d_model],
        rng.standard_normal(pe.shape),
    ):
        assert position_from_encoding(wrong, errors="mask").mask.all()


def test_what_cannot_be_read_is_masked_and_the_rest_is_read():
    table = encode(range(512), 64).reshape(2, 256, 64)
    table[1, 7] = 0
    decoded = position_from_encoding(table, errors="mask")
    assert np.argwhere(decoded.mask).tolist() == [[1, 7]]
    np.testing.assert_array_equal(decoded.compressed(), np.delete(np.arange(512), 256 + 7))
    far = position_from_encoding(table[1], errors="mask", max_position=10**6)
    assert far.mask.sum() == 1 and far[8] == 264
    assert position_from_encoding(table[0, 3], errors="mask") == 3
    assert_refused(table, "errors must be 'raise' or 'mask', got 'coerce'", errors="coerce")
    empty = position_from_encoding(table[:0], errors="mask")
    assert empty.shape == (0, 256) and empty.mask.shape == (0, 256)


def test_a_base_that_a_precision_cannot_bridge_is_named():
    for base in (1e7, 6e7):
        pe = encode(range(5000), 4, base, dtype=np.float16)
        np.testing.assert_array_equal(position_from_encoding(pe, base), range(5000))
    message = r"base must not put frequencies further apart than float16 .* 1.0e-04 of the next"
    assert_refused(encode(3, 4, 1e8, dtype=np.float16), message, base=1e8)


def test_two_positions_that_look_the_same_are_refused():
    # At d_model = 2, 710 positions are 113 turns plus 6e-5 radians, which float16 cannot resolve.
    pe = encode(3, 2, dtype=np.float16)
    assert_refused(pe, f"{TWICE} 0 <= k < 800", max_position=800)
    assert position_from_encoding(pe, max_position=300) == 3


def reach_for(pe):
    """Return the largest valid max_position, which the error for a larger max_position names."""
    with pytest.raises(ValueError, match="max_position must be at most") as error:
        position_from_encoding(pe, max_position=2**53)
    return int(str(error.value).split("at most ")[1].split()[0])


@pytest.mark.parametrize(
    ("d_model", "dtype"), [(4, np.float64), (64, np.float16), (64, np.float64), (512, np.float64)]
)
def test_the_reach_in_the_message_is_the_reach(d_model, dtype):
    pe = encode(7, d_model, dtype=dtype)
    reach = reach_for(pe)
    assert position_from_encoding(pe, max_position=reach) == 7
    beyond = f"at most {reach} for d_model = {d_model} .* got {reach + 1}"
    assert_refused(pe, beyond, max_position=reach + 1)


@pytest.mark.parametrize("d_model", [64, 128])
def test_angles_off_in_turns_are_decoded_up_to_the_reach(d_model):
    # Errors that alternate in sign are the worst case, since beats subtract neighbouring pairs.
    w, reach = frequencies(d_model), reach_for(encode(7, d_model))
    error = 0.8 * _angle_errors(w, reach, EPS) * (-1.0) ** np.arange(w.size)
    k = np.random.default_rng(d_model).integers(0, reach, 4)
    angles = np.multiply.outer(k, w)
    for moved_angles in (angles + error, angles - error):
        pe = interleave(np.sin(moved_angles), np.cos(moved_angles))
        np.testing.assert_array_equal(position_from_encoding(pe, max_position=reach), k)


# Other layouts and spacings


def make_frequencies(n):
    """Return lists of n frequencies, with spacings as in published models or harder to decode."""
    geometric = [10_000.0 ** (-i / n) for i in range(n)]
    scaled = [v / 8 if v < 0.01 else v for v in geometric]  # as in Llama 3, but without the ramp
    as_in_whisper = [math.exp(-i * math.log(10_000) / (n - 1)) for i in range(n)]
    return {
        "scaled": scaled,
        "whisper": as_in_whisper,
        "shuffled": [
            as_in_whisper[(7 * i) % n] for i in range(n)
        ],  # This reordering is a permutation, because 7 does not divide n.
        "slowest first": geometric[::-1],
        "equal": [geometric[i - i % 2] for i in range(n)],
        "doubled": [2 * v for v in geometric],
    }


def encode_naively(positions, w, layout):
    """Return encodings that Python's math module computes one entry at a time."""
    sin, cos = ([[f(k * v) for v in w] for k in positions] for f in (math.sin, math.cos))
    return np.concatenate([sin, cos], axis=1) if layout == "halves" else interleave(sin, cos)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", make_frequencies(16))
def test_every_layout_and_spacing(name, layout):
    w = make_frequencies(16)[name]
    options = {"layout": layout, "frequencies": w}
    stop = math.ceil(15 / 16 * math.tau / min(w))
    k = np.unique(np.linspace(0, stop - 1, 60).astype(int))
    pe = encode_naively(k.tolist(), w, layout)
    for dtype in DTYPES:
        np.testing.assert_array_equal(position_from_encoding(pe.astype(dtype), **options), k)
    noisy = pe + 0.05 * np.random.default_rng(3).standard_normal(pe.shape)
    np.testing.assert_array_equal(position_from_encoding(noisy, **options), k)
    if name != "equal":
        far = [0, 1, 10**6 + 3, 2 * 10**6 - 1]
        decoded = position_from_encoding(
            encode_naively(far, w, layout), **options, max_position=2 * 10**6
        )
        np.testing.assert_array_equal(decoded, far)


@pytest.mark.parametrize(("d_model", "base"), [(4, 1e12), (512, 1e12), (512, 1e300)])
def test_extreme_bases(d_model, base):
    for k in (0, 1, 44, 710, 12345, 10**9, 10**13):
        if k < min(near_range(d_model, base), 1e15 / math.log(base)):
            assert position_from_encoding(encode(k, d_model, base), base) == k


# Many at once


@given(st.data())
def test_many_rows_are_read_as_each_alone(data):
    d_model = data.draw(st.sampled_from([2, 4, 6, 8, 16, 64, 130]))
    options = {
        "base": data.draw(st.floats(1.1, 1e6)),
        "layout": data.draw(st.sampled_from(LAYOUTS)),
    }
    rng, n = np.random.default_rng(data.draw(st.integers(0, 99))), 24
    k = rng.integers(0, near_range(d_model, options["base"]) + 3, n)
    noise = rng.choice([0, 1e-3, 0.03, 0.1, 0.3], n)[:, None] * rng.standard_normal((n, d_model))
    pe = encode(k, d_model, **options) + noise
    decoded = position_from_encoding(pe, errors="mask", **options)
    for i in range(n):
        alone = position_from_encoding(pe[i], errors="mask", **options)
        assert alone.mask == decoded.mask[i] and (alone.mask or alone == decoded[i])
    # The error message names the first row that is rejected.
    for i in np.flatnonzero(decoded.mask)[:1]:
        assert_refused(pe, rf"encoding\[{i}\] ", **options)
        assert_refused(pe[i], "but encoding (lies|agrees)", **options)


@pytest.mark.parametrize("max_position", [None, 10**6])
@pytest.mark.parametrize("dtype", [*DTYPES, ">f4"])
def test_any_array_will_do(max_position, dtype):
    pe, k = encode(range(24), 64).astype(dtype), np.arange(24)
    pe.flags.writeable = False
    for array, expected in (
        (pe[::-3], k[::-3]),
        (np.asfortranarray(pe), k),
        (pe.reshape(4, 6, 1, 64).swapaxes(0, 1), k.reshape(4, 6, 1).swapaxes(0, 1)),
        (np.empty((0, 3, 64), dtype), np.empty((0, 3))),
        (pe[5], 5),
    ):
        decoded = position_from_encoding(array, max_position=max_position)
        assert decoded.dtype == np.int64
        np.testing.assert_array_equal(decoded, expected)
    assert isinstance(position_from_encoding(pe[5].tolist()), np.int64)
    assert position_from_encoding(np.array([[0, 1, 0, 1]], np.int8)).tolist() == [0]


@pytest.mark.parametrize("shuffled", [False, True])
def test_memory_of_many_rows_is_bounded(shuffled):
    rng, k = np.random.default_rng(4), np.tile(np.arange(2000), 10)
    if shuffled:
        k = rng.integers(0, near_range(64), k.size)
    pe = encode(k, 64, dtype=np.float32)
    pe[:100] += 0.05 * rng.standard_normal((100, 64)).astype(np.float32)
    tracemalloc.start()
    try:
        np.testing.assert_array_equal(position_from_encoding(pe), k)
        assert tracemalloc.get_traced_memory()[1] < 12e6 + 50 * k.size
    finally:
        tracemalloc.stop()
