"""Decoding against brute force over all positions, and against the encoder itself."""

import contextlib
import inspect
import math
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pe_lib import (
    decoding,
    encode,
    frequencies,
    position_from_encoding,
    positions_from_pair,
    positions_from_value,
    shift,
    wavelengths,
)
from pe_lib.decoding import _angle_errors, _clean, _proven, _slow_first

DTYPES = [np.float64, np.float32, np.float16]
widths = st.integers(1, 16).map(lambda n: 2 * n)
bases = st.one_of(st.just(10_000.0), st.floats(1.5, 1e12))


def home(d_model, base=10_000.0):
    return math.ceil(15 / 16 * wavelengths(d_model, base)[-1])


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
        ([0.5, 1.0], [0.5, 0.37], True),  # one fifth of 1 and four fifths of 0.37
        ([0.5, 1.0], [0.5, 0.38], False),
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


# Other layouts and spacings


def spaced(n):
    """Frequencies as they are found in the wild, and worse: (name, n frequencies)."""
    geometric = [10_000.0 ** (-i / n) for i in range(n)]
    scaled = [v / 8 if v < 0.01 else v for v in geometric]  # as Llama 3 does, but for the ramp
    whisper = [math.exp(-i * math.log(10_000) / (n - 1)) for i in range(n)]
    shuffled = [whisper[(7 * i) % n] for i in range(n)]  # 7 and n have no common divisor
    equal = [geometric[i - i % 2] for i in range(n)]
    return {
        "scaled": scaled,
        "whisper": whisper,
        "shuffled": shuffled,
        "slowest first": geometric[::-1],
        "equal": equal,
        "doubled": [2 * v for v in geometric],
    }


def naively(k, w, layout):
    sin, cos = [math.sin(k * v) for v in w], [math.cos(k * v) for v in w]
    return (
        sin + cos
        if layout == "halves"
        else [x for pair in zip(sin, cos, strict=True) for x in pair]
    )


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("name", spaced(16))
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout_and_spacing(name, layout, dtype):
    w = spaced(16)[name]
    stop = math.ceil(15 / 16 * math.tau / min(w))
    k = np.unique(np.linspace(0, stop - 1, 60).astype(int))
    pe = np.array([naively(int(position), w, layout) for position in k]).astype(dtype)
    given = {"layout": layout, "frequencies": w}
    np.testing.assert_array_equal(position_from_encoding(pe, **given), k)
    noisy = pe + 0.05 * np.random.default_rng(3).standard_normal(pe.shape)
    np.testing.assert_array_equal(position_from_encoding(noisy, **given), k)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("name", sorted(set(spaced(16)) - {"equal"}))
def test_every_layout_and_spacing_far_out(name, layout):
    w = spaced(16)[name]
    k = [0, 1, 10**6 + 3, 2 * 10**6 - 1]
    pe = [naively(position, w, layout) for position in k]
    given = {"layout": layout, "frequencies": w, "max_position": 2 * 10**6}
    np.testing.assert_array_equal(position_from_encoding(pe, **given), k)


def test_base_is_not_used_where_frequencies_are_given():
    w = frequencies(8, 500.0)
    assert position_from_encoding(encode(99, 8, 500.0), frequencies=w.tolist()) == 99
    assert (
        position_from_encoding(encode(99, 8, 500.0, layout="halves"), 500.0, layout="halves") == 99
    )


@pytest.mark.parametrize(
    "decode",
    [
        lambda **given: positions_from_value(0.5, 0, 4, **given),
        lambda **given: positions_from_pair(0.6, 0.8, 0, 4, **given),
        lambda **given: position_from_encoding(encode(3, 4), **given),
        lambda **given: position_from_encoding(np.empty((0, 4)), **given),
    ],
)
def test_frequencies_that_tell_nothing(decode):
    for w, least in (([1, 0], "0.0"), ([-1, 0.1], "-1.0"), ([1, 1e-301], "1e-301")):
        with pytest.raises(ValueError, match=f"^frequencies must be positive.* got {least}$"):
            decode(frequencies=w)
    for w in ([1.0], [[1.0, 0.1]]):
        with pytest.raises(ValueError, match=r"^frequencies must have shape \(2,\)"):
            decode(frequencies=w)
    with pytest.raises(ValueError, match=r"^frequencies must be finite"):
        decode(frequencies=[1, np.nan])


def test_frequencies_too_far_apart():
    pe = encode(3, 6, frequencies=[0.01, 1e-7, 1.0], dtype=np.float32)
    assert position_from_encoding(pe, frequencies=[0.01, 1e-7, 1.0]) == 3
    with pytest.raises(
        ValueError, match=r"^frequencies must not be .* than float16 can .* 1.0e-05 "
    ):
        position_from_encoding(pe.astype(np.float16), frequencies=[0.01, 1e-7, 1.0])
    with pytest.raises(ValueError, match=r"max_position must be at most .* these frequencies"):
        position_from_encoding(pe, max_position=2**53, frequencies=[0.01, 1e-7, 1.0])


def test_beats_of_free_frequencies_prove_nothing_unless_they_rise():
    # equal hands have a beat that stands still, and others one that outruns the hands
    for w in ([1, 0.1, 0.1], [1, 0.01, 0.001], [1.0, 0.9, 0.001, 0.001]):
        far = {"frequencies": w, "max_position": 20_000}
        positions = np.arange(0, 20_000, 37)
        pe = encode(positions, 2 * len(w), frequencies=w)
        try:
            np.testing.assert_array_equal(position_from_encoding(pe, **far), positions)
        except ValueError as error:
            assert "more than one position" in str(error) or "at most" in str(error)
    assert not _proven(np.array([0.0, 1.0]), np.zeros(2))
    assert not _proven(np.array([-1.0, 1.0]), np.zeros(2))
    assert not _proven(np.array([1.0, 0.5]), np.zeros(2))


def test_layout_and_frequencies_are_keywords():
    for decode in (positions_from_value, positions_from_pair, position_from_encoding):
        given = inspect.signature(decode).parameters
        assert all(
            given[name].kind is inspect.Parameter.KEYWORD_ONLY
            for name in ("layout", "frequencies")
            if name in given
        )
    for decode in (
        position_from_encoding,
        lambda pe, **rest: positions_from_value(0, 0, 8, **rest),
    ):
        with pytest.raises(
            ValueError, match="layout must be 'interleaved' or 'halves', got 'half'"
        ):
            decode(encode(3, 8), layout="half")


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("name", spaced(4))
def test_one_entry_of_any_layout_and_spacing(name, layout):
    w = spaced(4)[name]
    table = np.array([naively(k, w, layout) for k in range(300)])
    for dim in range(8):
        found = positions_from_value(
            table[77, dim], dim, 8, max_position=300, atol=1e-9, layout=layout, frequencies=w
        )
        np.testing.assert_array_equal(
            found, np.flatnonzero(abs(table[:, dim] - table[77, dim]) <= 1e-9)
        )
    for pair in range(4):
        sin, cos = math.sin(77 * w[pair]), math.cos(77 * w[pair])
        found = positions_from_pair(sin, cos, pair, 8, max_position=300, atol=1e-9, frequencies=w)
        assert 77 in found
        np.testing.assert_allclose(np.exp(1j * w[pair] * (found - 77)), 1, rtol=0, atol=2e-9)


# Extreme bases


@pytest.mark.parametrize("base", [1e12, 1e30, 1e77, 1e150, 1e300])
@pytest.mark.parametrize("d_model", [4, 8, 64, 512])
def test_extreme_bases(d_model, base):
    for k in (0, 1, 5, 44, 710, 12345, 10**9, 10**13):
        if k < min(home(d_model, base), 1e15 / math.log(base)):
            assert position_from_encoding(encode(k, d_model, base), base) == k
    # what a lower precision loses is refused, or a position that looks the same
    for dtype in (np.float32, np.float16):
        pe = encode([5, 44], d_model, base, dtype)
        with contextlib.suppress(ValueError):
            found = position_from_encoding(pe, base)
            np.testing.assert_allclose(encode(found, d_model, base), pe, rtol=0, atol=1e-3)
    with pytest.raises(ValueError, match=r"no position|off the unit circle"):
        position_from_encoding(np.random.default_rng(1).standard_normal((3, d_model)), base)


def test_a_hand_far_out_is_read_though_rounded_but_not_any_hand():
    pe = encode(10**14, 8, 1e24)
    assert position_from_encoding(pe, 1e24) == 10**14
    pe[:2] = -pe[:2]  # half a turn
    with pytest.raises(ValueError, match="agrees with no position"):
        position_from_encoding(pe, 1e24)
    pe = encode(2**52, 8, 1e24)
    pe[:2] = -pe[:2]  # which is no more than the rounding of an angle so large
    with pytest.raises(ValueError, match="agrees with no position"):
        position_from_encoding(pe, 1e24)


@pytest.mark.parametrize("scale", [3e38, 1e300])
def test_numbers_too_large_to_square(scale):
    with pytest.raises(ValueError, match="off the unit circle"):
        position_from_encoding(np.full((3, 8), scale, np.float32 if scale < 1e39 else np.float64))


# Many at once


def one_by_one(pe, **given):
    """What the slow way makes of each row: a position, or why there is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "_clean", lambda *_: None)
        results = []
        for row in pe:
            try:
                results.append(int(position_from_encoding(row, **given)))
            except ValueError as error:
                results.append(str(error))
        return results


@settings(max_examples=60)
@given(st.data())
def test_the_fast_way_gives_what_the_slow_way_gives(data):
    d_model = data.draw(st.sampled_from([2, 4, 6, 8, 16, 64, 130]))
    base = data.draw(st.floats(1.1, 1e6))
    stop = data.draw(st.one_of(st.none(), st.integers(1, home(d_model, base))))
    given = {"base": base, "max_position": stop}
    given["layout"] = data.draw(st.sampled_from(["interleaved", "halves"]))
    if data.draw(st.booleans()):
        given["frequencies"] = base ** -np.linspace(0, 1, d_model // 2)
        given["max_position"] = None
    rng, n = np.random.default_rng(data.draw(st.integers(0, 99))), 24
    k = rng.integers(0, home(d_model, base) + 3, n)
    spread = {name: given[name] for name in given if name != "max_position"}
    noise = rng.choice([0, 1e-3, 0.03, 0.1, 0.3], n)[:, None] * rng.standard_normal((n, d_model))
    pe = (encode(k, d_model, **spread) + noise).astype(data.draw(st.sampled_from(DTYPES)))
    try:
        slow = one_by_one(pe, **given)
        right = [i for i in range(n) if isinstance(slow[i], int)]
        found = position_from_encoding(pe[right], **given)
    except ValueError as error:
        assert "further apart" in str(error)
        return
    np.testing.assert_array_equal(found, [slow[i] for i in right])
    for i in sorted(set(range(n)) - set(right))[:1]:  # the first refused is named
        with pytest.raises(ValueError) as error:
            position_from_encoding(pe, **given)
        assert str(error.value) == slow[i].replace("but encoding ", f"but encoding[{i}] ")


@pytest.mark.parametrize("d_model", [2, 4, 8, 64, 512])
def test_clean_rows_are_all_read_the_fast_way(d_model, monkeypatch):
    k = np.random.default_rng(9).integers(0, home(d_model), 500)
    monkeypatch.setattr(decoding, "_agreeing", None)  # what the slow way cannot do without
    for dtype in DTYPES:
        np.testing.assert_array_equal(position_from_encoding(encode(k, d_model, dtype=dtype)), k)


SPACINGS = {
    "4": frequencies(4),
    "8": frequencies(8),
    "10": frequencies(10),
    "64": frequencies(64),
    "a gap": np.array([1, *(0.06 * 0.8 ** np.arange(31))]),
    "a slow hand": np.array([*(0.8 ** np.arange(20)), 0.03 * 0.8**19]),
    "whisper": np.array(spaced(16)["whisper"]),
}


@pytest.mark.parametrize("w", SPACINGS.values(), ids=SPACINGS)
def test_what_the_fast_way_takes_for_granted(w, monkeypatch):
    stop = math.ceil(15 / 16 * math.tau / w[-1])
    most = min(0.5, *(2 * w[1:] / w[:-1]))
    _, distance = _clean(w.tobytes(), stop, most)
    # all hands lead to the position, and to no other that agrees
    assert _proven(w[::-1], np.full(w.size, math.pi / 2 * distance))
    angles = np.multiply.outer(np.arange(1, stop), w)
    apart = np.sqrt(((angles - math.tau * np.rint(angles / math.tau)) ** 2).sum(axis=1)).min()
    forgiven = min(most, 0.05 + 3 * distance / math.sqrt(w.size)) * math.sqrt(w.size)
    assert apart > math.pi / 2 * distance + forgiven

    # so much, and no more, is taken as clean: beyond, the slow way is asked
    monkeypatch.setattr(decoding, "_agreeing", None)
    pe = encode(3, 2 * w.size, frequencies=w)
    pe[0] += 0.99 * distance
    assert position_from_encoding(pe, frequencies=w) == 3
    pe[0] += 0.02 * distance
    with pytest.raises(TypeError):
        position_from_encoding(pe, frequencies=w)


def test_the_fast_way_is_not_taken_where_nothing_is_proven():
    too_slow = 0.05 * 0.85 ** np.arange(64)  # all angles of neighbours differ by 0.1 in all
    assert _clean(too_slow.tobytes(), 10**4, 0.5) is None
    assert _clean(frequencies(4, 1e9).tobytes(), 10**5, 6e-5) is None
    k = np.arange(0, 10**4, 77)
    np.testing.assert_array_equal(
        position_from_encoding(encode(k, 128, frequencies=too_slow), frequencies=too_slow), k
    )


def test_the_first_bad_row_among_many_is_named():
    pe = encode(range(3000), 64).reshape(3, 1000, 64)
    pe[1, 17], pe[2, 3] = encode(2.5, 64), 0
    with pytest.raises(ValueError, match=r"encoding\[1, 17\] agrees with no position"):
        position_from_encoding(pe)
    pe[1, 2] = 0
    with pytest.raises(ValueError, match=r"encoding\[1, 2\] lies off the unit circle"):
        position_from_encoding(pe)


@pytest.mark.parametrize("max_position", [None, 10**6])
def test_any_array_will_do(max_position):
    pe, k = encode(range(24), 64), np.arange(24)
    for dtype in (*DTYPES, ">f8", ">f4", ">f2"):
        given = pe.astype(dtype)
        given.flags.writeable = False
        for array, expected in (
            (given, k),
            (given[::-3], k[::-3]),
            (np.asfortranarray(given), k),
            (np.repeat(given, 2, axis=1)[:, ::2], k),
            (given.reshape(2, 3, 4, 1, 64), k.reshape(2, 3, 4, 1)),
            (given.reshape(4, 6, 64).swapaxes(0, 1), k.reshape(4, 6).T),
            (given[:0], k[:0]),
            (np.empty((0, 3, 64), dtype), np.empty((0, 3))),
            (given[5], 5),
        ):
            found = position_from_encoding(array, max_position=max_position)
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, expected)
    for dtype in (np.int8, np.uint64, ">i4"):
        assert position_from_encoding(np.array([[0, 1, 0, 1]], dtype)).tolist() == [0]


@pytest.mark.parametrize("shuffled", [False, True])
def test_memory_of_many_rows_is_bounded(shuffled):
    k = np.tile(np.arange(2000), 10)
    if shuffled:
        k = np.random.default_rng(4).integers(0, home(64), k.size)
    pe = encode(k, 64, dtype=np.float32)
    pe[:100] += 0.05 * np.random.default_rng(4).standard_normal((100, 64)).astype(np.float32)
    tracemalloc.start()
    try:
        np.testing.assert_array_equal(position_from_encoding(pe), k)
        assert tracemalloc.get_traced_memory()[1] < 12e6 + 50 * k.size
    finally:
        tracemalloc.stop()
