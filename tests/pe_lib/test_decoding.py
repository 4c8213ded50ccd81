"""Decoding against brute force over all positions, and against the encoder itself."""

import contextlib
import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pe_lib import (
    encode,
    frequencies,
    position_from_encoding,
    positions_from_pair,
    positions_from_value,
    shift,
    wavelengths,
)
from pe_lib.decoding import _angle_errors, _proven, _slow_first

DTYPES = [np.float64, np.float32, np.float16]
widths = st.integers(1, 16).map(lambda n: 2 * n)
bases = st.one_of(st.just(10_000.0), st.floats(1.5, 1e12))
tolerances = st.one_of(st.sampled_from([0.0, 1e-12, 5e-7, 2.0]), st.floats(1e-4, 1.5))


def entry(k, dim, d_model, base):
    angle = k * math.pow(base, -(dim - dim % 2) / d_model)
    return math.cos(angle) if dim % 2 else math.sin(angle)


def scan(matches, stop, atol):
    """Positions that surely match, and those within rounding of the boundary."""
    sure = {k for k in range(stop) if matches(k, atol - 1e-12)}
    return sure, {k for k in range(stop) if matches(k, atol + 1e-12)}


def home(d_model, base=10_000.0):
    return math.ceil(15 / 16 * wavelengths(d_model, base)[-1])


# One value


def test_eleven_and_344_share_a_sine():
    eleven = math.sin(11)
    assert {11, 344} <= set(positions_from_value(eleven, 0, 8, max_position=400).tolist())
    assert positions_from_value(eleven, 0, 8, max_position=400, atol=1e-9).tolist() == [11]


@given(st.data())
def test_every_position_with_that_value(data):
    d_model, base, atol = data.draw(widths), data.draw(bases), data.draw(tolerances)
    dim, stop = data.draw(st.integers(0, d_model - 1)), data.draw(st.integers(1, 300))
    k = data.draw(st.integers(0, 2 * stop))
    value = data.draw(st.one_of(st.just(entry(k, dim, d_model, base)), st.floats(-1, 1)))
    value = data.draw(st.sampled_from([value, 1.0, -1.0, 0.0, 1 + atol, -1 - atol]))
    found = positions_from_value(value, dim, d_model, base, stop, atol)
    sure, perhaps = scan(
        lambda k, within: abs(entry(k, dim, d_model, base) - value) <= within, stop, atol
    )
    assert found.dtype == np.int64
    assert found.tolist() == sorted(set(found.tolist()))
    assert sure <= set(found.tolist()) <= perhaps


@pytest.mark.parametrize("dim", [0, 1, 2, 5, 62, 63])
def test_value_agrees_with_the_table_to_the_last_bit(dim):
    column = encode(np.arange(3000.0), 64)[:, dim]  # computed one by one
    for k in (0, 1, 1234, 2999):
        for atol in (0.0, 1e-9, 1e-3, 0.3):
            expected = np.flatnonzero(np.abs(column - column[k]) <= atol)
            found = positions_from_value(column[k], dim, 64, max_position=3000, atol=atol)
            np.testing.assert_array_equal(found, expected)


def test_value_and_pair_are_found_far_out_at_the_price_of_the_turns():
    k, limits = 10**12 + 7, {"max_position": 10**12 + 8, "atol": 1e-9}
    sin, cos = encode(k, 512, 1e9)[510:]
    by_value = positions_from_value(sin, 510, 512, 1e9, **limits)
    by_pair = positions_from_pair(sin, cos, 255, 512, 1e9, **limits)
    assert by_value[-1] == by_pair[-1] == k
    np.testing.assert_allclose(encode(by_value, 512, 1e9)[:, 510], sin, rtol=0, atol=1e-9)
    assert set(by_pair) <= set(by_value)


def test_unless_told_otherwise_six_decimals_and_ten_thousand_positions():
    sin, cos = math.sin(9999), math.cos(9999)
    for off, found in ((4.9e-7, [9999]), (5.1e-7, [])):
        assert positions_from_value(sin + off, 0, 8).tolist() == found
        assert positions_from_pair(sin + off, cos, 0, 8).tolist() == found
    assert positions_from_value(math.sin(10**4), 0, 8).tolist() == []
    assert positions_from_pair(math.sin(10**4), math.cos(10**4), 0, 8).tolist() == []


def test_a_crest_is_flat_in_float64():
    ones = np.flatnonzero(encode(np.arange(1000.0), 4, 1e20)[:, 3] == 1)
    assert ones.size > 50
    found = positions_from_value(1.0, 3, 4, 1e20, max_position=1000, atol=0.0)
    np.testing.assert_array_equal(found, ones)


def test_the_end_is_excluded_as_in_range():
    assert positions_from_value(1.0, 1, 2, max_position=1).tolist() == [0]
    assert 5 not in positions_from_value(math.sin(5), 0, 2, max_position=5)
    assert 5 in positions_from_value(math.sin(5), 0, 2, max_position=6)
    assert positions_from_value(0.5, 0, 2, max_position=3, atol=1e-9).tolist() == []


def test_within_two_every_position_matches():
    assert positions_from_value(-1.0, 0, 8, max_position=50, atol=2.0).tolist() == [*range(50)]
    assert positions_from_pair(0.6, 0.8, 0, 8, max_position=50, atol=2.0).tolist() == [*range(50)]


# One pair


@given(st.data())
def test_every_position_with_that_pair(data):
    d_model, base, atol = data.draw(widths), data.draw(bases), data.draw(tolerances)
    pair, stop = data.draw(st.integers(0, d_model // 2 - 1)), data.draw(st.integers(1, 300))
    k = data.draw(st.integers(0, 2 * stop))
    nudge = data.draw(st.sampled_from([0, 0.5, -0.5, 0.99])) * atol
    sin = entry(k, 2 * pair, d_model, base) + nudge
    cos = entry(k, 2 * pair + 1, d_model, base) - nudge
    assume(max(abs(sin), abs(cos)) <= 1 + atol)
    found = positions_from_pair(sin, cos, pair, d_model, base, stop, atol).tolist()
    sure, perhaps = scan(
        lambda k, within: (
            max(
                abs(entry(k, 2 * pair, d_model, base) - sin),
                abs(entry(k, 2 * pair + 1, d_model, base) - cos),
            )
            <= within
        ),
        stop,
        atol,
    )
    assert found == sorted(set(found))
    assert sure <= set(found) <= perhaps


def test_a_pair_recurs_with_its_wavelength():
    sin, cos = math.sin(11), math.cos(11)
    assert positions_from_pair(sin, cos, 0, 8, max_position=1000).tolist() == [11]
    # 710 is almost 113 turns: the same pair to four digits
    assert positions_from_pair(sin, cos, 0, 8, max_position=1000, atol=1e-4).tolist() == [11, 721]
    assert positions_from_pair(math.sin(0.11), math.cos(0.11), 2, 8).tolist() == [11]


# The whole vector


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d_model", [2, 4, 6, 8, 10, 16, 26, 28, 64, 128])
def test_every_position_of_the_home_range(d_model, dtype):
    positions = np.arange(home(d_model))
    found = position_from_encoding(encode(positions, d_model, dtype=dtype))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, positions)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_position_of_the_home_range_at_512(dtype):
    positions = np.arange(home(512))
    assert positions[-1] > 56_800
    for part in np.array_split(positions, 8):
        found = position_from_encoding(encode(part, 512, dtype=dtype))
        np.testing.assert_array_equal(found, part)


@given(st.data())
def test_decoding_undoes_encoding(data):
    d_model = data.draw(st.integers(1, 64).map(lambda n: 2 * n))
    base, dtype = data.draw(st.floats(1.1, 1e5)), data.draw(st.sampled_from(DTYPES))
    assume(d_model > 4 or base <= 1e4)  # so steep a ratio needs more than float16
    k = data.draw(st.integers(0, min(home(d_model, base), 2**53) - 1))
    assert position_from_encoding(encode(k, d_model, base, dtype), base) == k


FAR = [
    (2, 10**5, np.float64),
    (4, 10**6, np.float64),
    (4, 4 * 10**7, np.float64),
    (8, 10**8, np.float64),
    (16, 10**9, np.float64),
    (28, 10**9, np.float64),
    (64, 2 * 10**6, np.float16),
    (64, 10**10, np.float32),
    (64, 10**12, np.float64),
    (512, 10**12, np.float32),
    (512, 10**11, np.float16),
    (512, 2 * 10**14, np.float64),
    (4096, 10**14, np.float64),
]


@pytest.mark.parametrize("d_model, reach, dtype", FAR)
def test_far_beyond_the_longest_wavelength(d_model, reach, dtype):
    rng = np.random.default_rng(d_model)
    size = 2000 if d_model * reach < 10**15 and d_model in (64, 512) and reach < 10**12 else 20
    k = np.concatenate([[0, 1, reach - 1], rng.integers(0, reach, size)])
    found = position_from_encoding(encode(k, d_model, dtype=dtype), max_position=reach)
    np.testing.assert_array_equal(found, k)


def test_a_trillion_positions_at_512():
    k = np.random.default_rng(5).integers(0, 10**12, 5000)
    np.testing.assert_array_equal(position_from_encoding(encode(k, 512), max_position=10**12), k)


def exactly(k, d_model, base):
    """The encoding at 50 digits, rounded once."""
    with mpmath.workdps(50):
        angles = [k * mpmath.power(base, -mpmath.mpf(2 * i) / d_model) for i in range(d_model // 2)]
        return np.array([float(f(a)) for a in angles for f in (mpmath.sin, mpmath.cos)])


@pytest.mark.parametrize("d_model, base", [(512, 10_000.0), (768, 500_000.0)])
def test_the_encoder_may_be_another(d_model, base):
    pe = exactly(987_654_321_987, d_model, base)
    assert position_from_encoding(pe, base, max_position=10**12) == 987_654_321_987


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d_model, base", [(768, 500_000.0), (100, 1e12)])
def test_no_angle_of_an_exact_encoding_is_off_by_more_than_is_allowed_for(d_model, base, dtype):
    # widths at which 2i/d_model is rounded; at the last base that takes 6.9 of the 8 eps
    w, used = frequencies(d_model, base), []
    for k in (0, 7, 999, 10**6 - 1, 10**12 - 1):
        pe = exactly(k, d_model, base).astype(dtype).astype(float)
        off = np.angle((pe[1::2] + 1j * pe[0::2]) * np.exp(-1j * w * k))
        used.extend(abs(off) / _angle_errors(w, k + 1, np.dtype(dtype)))
    assert 0.3 < max(used) <= 1  # and not by far less


def test_angles_from_float32_arithmetic_are_forgiven_in_the_home_range():
    positions = np.arange(5000)
    w = np.exp(np.arange(0, 64, 2, dtype=np.float32) * np.float32(-math.log(10_000) / 64))
    angles = np.multiply.outer(positions.astype(np.float32), w)
    pe = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(5000, 64)
    np.testing.assert_array_equal(position_from_encoding(pe), positions)


@pytest.mark.parametrize("max_position", [None, 5000])
def test_noise_on_every_entry(max_position):
    rng = np.random.default_rng(64)
    k = rng.integers(0, max_position or home(64), 2000)
    pe = encode(k, 64) + 0.2 * rng.standard_normal((2000, 64))
    right = 0
    for row, position in zip(pe, k, strict=True):
        with contextlib.suppress(ValueError):  # an honest refusal, though not a success
            right += position_from_encoding(row, max_position=max_position) == position
    assert right >= 0.995 * 2000


def test_noise_at_both_ends_of_the_home_range():
    rng = np.random.default_rng(1)
    stop = home(64) - 100
    for k in (0, 1, stop - 1):
        right = 0
        for row in encode(k, 64) + 0.2 * rng.standard_normal((500, 64)):
            with contextlib.suppress(ValueError):
                right += position_from_encoding(row, max_position=stop) == k
        # Here the noise can also carry the nearest position out of the range, by one.
        assert right >= 0.99 * 500


@pytest.mark.parametrize(
    "d_model, radius, forgiven",
    [
        (64, 1.0, 0.05),
        (64, 1.02, 0.05 + 3 * 0.02),
        (64, 0.98, 0.05 + 3 * 0.02),
        (64, 1.2, 0.5),  # at most
        (4, 1.01, 2 * 0.01),  # a hundredth is the ratio of its two frequencies
    ],
)
def test_the_radii_tell_how_much_is_forgiven(d_model, radius, forgiven):
    w, signs = frequencies(d_model), (-1.0) ** np.arange(d_model // 2)

    def decoded(misfit):
        angles = 100 * w + misfit * signs
        pe = radius * np.stack([np.sin(angles), np.cos(angles)], axis=-1).ravel()
        return position_from_encoding(pe)

    assert decoded(0.99 * forgiven) == 100
    with pytest.raises(ValueError, match="agrees with no position"):
        decoded(1.01 * forgiven)


def test_few_pairs_bear_less_noise():
    rng = np.random.default_rng(8)
    k, right = rng.integers(0, home(8), 1000), 0
    for row, position in zip(encode(k, 8) + 0.09 * rng.standard_normal((1000, 8)), k, strict=True):
        with contextlib.suppress(ValueError):
            right += position_from_encoding(row) == position
    assert right >= 0.97 * 1000


def test_slow_hand_first_is_least_squares():
    w, rng = frequencies(16), np.random.default_rng(16)
    angles = 1234.25 * w + rng.uniform(-0.001, 0.001, 8)  # off by less than any hand's half turn
    found = _slow_first(angles[:, None], w, 0, 1, 5000)
    expected = np.linalg.lstsq(w[:, None], angles)[0]
    np.testing.assert_allclose(found, expected[None], rtol=1e-12)


@pytest.mark.parametrize(
    "hands, errors, proven",
    [
        ([1.0], [0.49], True),
        ([1.0], [0.51], False),  # rounds to a neighbour
        ([0.01, 1.0], [0.03, 0.0], True),
        ([0.01, 1.0], [0.032, 0.0], False),  # 3.2 positions off: the fast hand is read backwards
        ([4.0], [1.5], True),
        ([4.0], [1.6], False),  # 0.4 positions, but a quarter of a turn: out of the range
    ],
)
def test_the_worst_case_by_hand(hands, errors, proven):
    assert _proven(np.array(hands), np.array(errors)) is proven


def test_shapes_go_in_and_come_out():
    k = np.arange(12).reshape(3, 1, 4)
    np.testing.assert_array_equal(position_from_encoding(encode(k, 32)), k)
    one = position_from_encoding(encode(3, 32).tolist())
    assert isinstance(one, np.int64) and one == 3
    assert position_from_encoding(np.empty((0, 8))).shape == (0,)
    assert position_from_encoding(np.empty((2, 0, 8)), max_position=10**6).shape == (2, 0)
    assert position_from_encoding([0, 1, 0, 1]) == 0
    np.testing.assert_array_equal(
        position_from_encoding(encode(range(9), 8)[::-2]), [8, 6, 4, 2, 0]
    )
    np.testing.assert_array_equal(
        position_from_encoding(shift(encode(range(9), 64), 91)), 91 + k.flat[:9]
    )


@given(d_model=st.sampled_from([10, 16, 64, 512]), k=st.integers(1, 10**7))
def test_out_of_range_is_refused_rather_than_guessed(d_model, k):
    for outside in (-k, home(d_model) + k):
        with pytest.raises(ValueError, match="agrees with no position 0 <= k < "):
            position_from_encoding(encode(outside, d_model))


@settings(max_examples=25)
@given(d_model=st.sampled_from([2, 4, 8, 64, 512]), k=st.integers(0, 10**5))
def test_past_a_far_limit_is_refused(d_model, k):
    stop = 3 * home(d_model)
    for outside in (-1 - k, stop + k):
        with pytest.raises(ValueError, match="agrees with no position"):
            position_from_encoding(encode(outside, d_model), max_position=stop)


@pytest.mark.parametrize("k", [0, 5, 99])
def test_a_position_must_lie_below_max_position(k):
    assert position_from_encoding(encode(k, 64), max_position=k + 1) == k
    if k:
        with pytest.raises(ValueError, match=f"no position 0 <= k < {k}$"):
            position_from_encoding(encode(k, 64), max_position=k)


def test_two_positions_that_look_the_same_are_refused():
    # At d_model = 2, 710 positions are 113 turns and 6e-5 radians: float16 cannot tell.
    pe = encode(3, 2, dtype=np.float16)
    with pytest.raises(ValueError, match="more than one position 0 <= k < 800"):
        position_from_encoding(pe, max_position=800)
    assert position_from_encoding(pe, max_position=300) == 3


def test_what_is_no_encoding_is_refused():
    with pytest.raises(
        ValueError, match=r"encoding\[1, 0\] lies off the unit circle by more than 5"
    ):
        position_from_encoding([[encode(3, 64)], [np.zeros(64)]])
    with pytest.raises(ValueError, match="off the unit circle"):
        position_from_encoding(1.6 * encode(3, 64))
    rng = np.random.default_rng(2)
    for _ in range(50):
        angles = rng.uniform(0, math.tau, 32)
        pe = np.stack([np.sin(angles), np.cos(angles)], axis=-1).ravel()
        with pytest.raises(ValueError, match="no position"):
            position_from_encoding(pe)
    with pytest.raises(ValueError, match="no position"):
        position_from_encoding(encode(2.5, 64))  # on the circle, so not noise
    with pytest.raises(ValueError, match="no position"):
        position_from_encoding(encode(3000, 64), base=500.0)


def test_far_out_noise_is_refused():
    pe = encode(10**6, 64)
    with pytest.raises(
        ValueError, match="encoding must hold encodings of positions, but encoding lies off"
    ):
        position_from_encoding(1.001 * pe, max_position=2 * 10**6)
    single = pe.astype(np.float32)
    assert position_from_encoding(single, max_position=2 * 10**6) == 10**6
    with pytest.raises(ValueError, match="off the unit circle"):
        position_from_encoding(single.astype(float), max_position=2 * 10**6)
    turned = shift(pe, 1e-6)  # on the circle still, between two positions
    with pytest.raises(ValueError, match="no position"):
        position_from_encoding(turned, max_position=2 * 10**6)


def reach_for(pe):
    """The greatest max_position, as the error for one beyond says."""
    with pytest.raises(ValueError, match="max_position must be at most") as error:
        position_from_encoding(pe, max_position=2**53)
    return int(str(error.value).split("at most ")[1].split()[0])


@pytest.mark.parametrize("d_model", [64, 128])
def test_angles_off_in_turns_are_decoded_up_to_the_reach(d_model):
    # the worst for beats, which are differences: a hand is too far on, the next too far back
    w, reach = frequencies(d_model), reach_for(encode(7, d_model))
    error = 0.8 * _angle_errors(w, reach, np.dtype(float)) * (-1.0) ** np.arange(w.size)
    k = np.random.default_rng(d_model).integers(0, reach, 10)
    angles = np.multiply.outer(k, w)
    for turned in (angles + error, angles - error):
        pe = np.stack([np.sin(turned), np.cos(turned)], axis=-1).reshape(10, d_model)
        np.testing.assert_array_equal(position_from_encoding(pe, max_position=reach), k)


@pytest.mark.parametrize("d_model, dtype", [(4, np.float64), (64, np.float16), (512, np.float64)])
def test_the_reach_in_the_message_is_the_reach(d_model, dtype):
    pe = encode(7, d_model, dtype=dtype)
    reach = reach_for(pe)
    assert position_from_encoding(pe, max_position=reach) == 7
    with pytest.raises(
        ValueError, match=f"at most {reach} for d_model = {d_model} .* got {reach + 1}"
    ):
        position_from_encoding(pe, max_position=reach + 1)
