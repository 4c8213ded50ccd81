"""Scaled frequencies: against loops from the papers, mpmath, counted turns, and transformers."""

import inspect
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib import encode, frequencies
from pe_lib.context import (
    by_parts,
    dynamic,
    growing,
    interpolated,
    longrope_amplitude,
    ntk_aware,
    ntk_base,
    proportional,
    temperature,
    turns,
    yarn,
    yarn_amplitude,
)

widths = st.integers(2, 64).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)
factors = st.floats(1, 1000)
lengths = st.integers(1, 10**6)


def naive_by_parts(d, s, length, base=10_000.0, alpha=1.0, beta=32.0):
    """Definition 2 of Peng et al. (2023) with equations 13, 17 and 18, pair by pair."""
    out = []
    for i in range(d // 2):
        wavelength = 2 * math.pi * math.pow(base, 2 * i / d)
        r = length / wavelength
        if r < alpha:
            gamma = 0.0
        elif r > beta:
            gamma = 1.0
        else:
            gamma = (r - alpha) / (beta - alpha)
        theta = math.pow(base, -2 * i / d)
        out.append((1 - gamma) * theta / s + gamma * theta)
    return out


def ramp_over_pairs(d, s, length, base=10_000.0, slow=1.0, fast=32.0, truncate=True):
    """What the docstring of `yarn` says, pair by pair."""

    def pair_with(count):  # solves count = length / (2π base^(2i/d)) for i
        return d / 2 * math.log(length / (2 * math.pi * count), base)

    first, last = pair_with(fast), pair_with(slow)
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, d - 1)
    out = []
    for i in range(d // 2):
        kept = min(max((last - i) / (last - first), 0.0), 1.0)
        out.append(math.pow(base, -2 * i / d) * (kept + (1 - kept) / s))
    return out


@given(d=widths, s=factors, base=bases, t=st.integers(0, 1000))
def test_interpolated_frequencies_turn_a_position_as_the_divided_one(d, s, base, t):
    angles = t * interpolated(d, s, base)
    divided = encode(t / s, d, base)  # S. Chen et al. (2023): f(x, m L/L')
    np.testing.assert_allclose(np.sin(angles), divided[0::2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.cos(angles), divided[1::2], rtol=0, atol=1e-12)


def test_a_base_worked_out_by_hand():  # 10,000 * 4^(128/126)
    assert round(ntk_base(128, 4)) == 40_890
    assert type(ntk_base(128, 4)) is float


@given(d=widths, s=factors, base=bases)
def test_ntk_base_solves_the_equation_of_the_slowest_pair(d, s, base):
    with mpmath.workdps(50):  # equation 23: b'^((d-2)/d) = s b^((d-2)/d)
        exponent = mpmath.mpf(d - 2) / d
        left = mpmath.power(mpmath.mpf(ntk_base(d, s, base)), exponent)
        right = s * mpmath.power(mpmath.mpf(base), exponent)
        assert abs(left / right - 1) < 1e-14


@given(d=widths, s=factors, base=bases)
def test_ntk_aware_slows_each_pair_by_a_power_of_the_factor(d, s, base):
    found = ntk_aware(d, s, base)
    n = d // 2
    expected = [math.pow(base, -i / n) / math.pow(s, i / (n - 1)) for i in range(n)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert found[0] == 1
    assert math.isclose(found[-1], interpolated(d, s, base)[-1], rel_tol=1e-13)


@given(
    d=widths,
    s=factors,
    length=lengths,
    base=bases,
    ends=st.tuples(st.floats(0, 50), st.floats(0.01, 100)),
)
def test_by_parts_is_the_loop_of_the_paper(d, s, length, base, ends):
    alpha, beta = ends[0], ends[0] + ends[1]
    found = by_parts(d, s, length, base, alpha, beta)
    # where r is huge and the ramp narrow, a rounded r shifts g by eps r / (beta - alpha)
    np.testing.assert_allclose(
        found,
        naive_by_parts(d, s, length, base, alpha, beta),
        rtol=1e-13 + 1e-13 * s * beta / ends[1],
    )


def test_by_parts_at_its_ends():
    r = turns(64, 2048)
    assert (r > 32).sum() == 9 and (r < 1).sum() == 11
    ratio = by_parts(64, 8, 2048) / frequencies(64)
    assert (ratio[r >= 32] == 1).all() and (ratio[r <= 1] == 1 / 8).all()
    between = ratio[(r > 1) & (r < 32)]
    assert between.size == 12 and (np.diff(between) < 0).all()
    assert between.max() < 1 and between.min() > 1 / 8


@given(d=widths, s=factors, length=lengths, base=bases)
def test_all_lie_between_interpolated_and_plain_and_fall(d, s, length, base):
    plain, slow = frequencies(d, base), interpolated(d, s, base)
    for found in (ntk_aware(d, s, base), by_parts(d, s, length, base)):
        assert found.shape == plain.shape and found.dtype == np.float64
        assert (found >= slow * (1 - 1e-13)).all() and (found <= plain * (1 + 1e-13)).all()
        assert (np.diff(found) < 0).all()


@given(d=widths, length=lengths, base=bases)
def test_factor_one_gives_the_plain_frequencies(d, length, base):
    plain = frequencies(d, base)
    np.testing.assert_array_equal(interpolated(d, 1, base), plain)
    np.testing.assert_array_equal(ntk_aware(d, 1, base), plain)
    np.testing.assert_allclose(by_parts(d, 1, length, base), plain, rtol=4e-16)
    assert ntk_base(d, 1, base) == base and temperature(1) == 1


@pytest.mark.parametrize("length", [1, 999, 1000, 1001, 1500, 4000, 1_000_000])
def test_dynamic_takes_the_factor_from_the_length(length):
    s = length / 1000 if length > 1000 else 1
    base = 500.0 * math.pow(s, 16 / 14)
    expected = [math.pow(base, -2 * i / 16) for i in range(8)]
    np.testing.assert_allclose(dynamic(16, length, 1000, 500.0), expected, rtol=1e-14)
    if length <= 1000:
        np.testing.assert_array_equal(dynamic(16, length, 1000), frequencies(16))


@pytest.mark.parametrize("d, length, base", [(8, 1000, 10_000.0), (128, 4096, 10_000.0), (6, 1, 3)])
def test_turns_are_those_that_the_encoding_makes(d, length, base):
    pe = encode(range(length + 1), d, base)
    angles = np.unwrap(np.arctan2(pe[:, 0::2], pe[:, 1::2]), axis=0)  # steps of 1 at most
    np.testing.assert_allclose(
        turns(d, length, base), (angles[-1] - angles[0]) / math.tau, rtol=1e-9
    )


def test_pairs_that_never_come_round():
    # 4,096 positions: those with a wavelength 2π 10000^(i/64) above 4,096
    slow = [i for i in range(64) if math.tau * math.pow(10_000, i / 64) > 4096]
    assert np.flatnonzero(turns(128, 4096) < 1).tolist() == slow == list(range(46, 64))
    np.testing.assert_allclose(turns(128, 8192), 2 * turns(128, 4096))


def test_temperature_is_one_over_the_root_of_the_papers():
    for s in (1, 2, 4, 16, 32):
        with mpmath.workdps(30):
            expected = 1 + mpmath.log(mpmath.mpf(s)) / 10
        assert math.isclose(temperature(s), expected, rel_tol=1e-15)
    t = (math.log(8) / 10 + 1) ** -2
    q, k = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    m = temperature(8)
    assert round(m, 3) == 1.208  # equation 25
    assert math.isclose((m * q) @ (m * k), q @ k / t)  # equation 21


def test_the_ramp_over_pair_numbers_is_another_one():
    def ratio(d, s, length):
        return np.array(ramp_over_pairs(d, s, length)) / by_parts(d, s, length)

    assert ratio(64, 4, 4096).max().round(1) == ratio(128, 4, 4096).max().round(1) == 1.7
    assert ratio(128, 16, 4096).max().round(1) == 3.0
    assert 0.9 < ratio(128, 16, 4096).min() < 1  # smaller near an end
    said = "up to 1.7 times these for factor 4, 3 times for factor 16 (d_head 128, 4,096 positions)"
    assert said in " ".join(inspect.getdoc(by_parts).split())


@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize(
    "d, s, length, base, slow, fast",
    [(64, 32.0, 4096, 150_000.0, 1, 32), (64, 40.0, 4096, 1e4, 1, 32), (128, 4, 32_768, 1e6, 1, 32),
     (64, 128.0, 8192, 1e4, 1, 32), (64, 2048.0, 512, 1e4, 1, 32), (128, 64, 4096, 5e5, 1, 64)],
)  # fmt: skip
def test_yarn_is_the_loop_over_pairs(d, s, length, base, slow, fast, truncate):
    found = yarn(d, s, length, base, fast, slow, truncate)
    expected = ramp_over_pairs(d, s, length, base, slow, fast, truncate)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    plain = frequencies(d, base)
    assert (found >= plain / s * (1 - 1e-15)).all() and (found <= plain).all()


def test_rounded_ends_are_not_those_of_gpt_oss():
    """With the ends rounded, as other models have them, 7 of its 32 pairs are off."""
    ratio = yarn(64, 32, 4096, 150_000) / yarn(64, 32, 4096, 150_000, truncate=False)
    assert ratio.argmax() == 17 and ratio.max().round(2) == 1.76
    assert (abs(ratio - 1) > 0.01).sum() == 7


def test_a_ramp_without_width_is_a_step():
    assert (yarn(8, 4, 10_000, 10, 50, 50, truncate=False) == frequencies(8, 10)).all()
    ratio = yarn(64, 4, 4096, beta_fast=8, beta_slow=8, truncate=False) / frequencies(64)
    assert set(ratio.round(12)) == {0.25, 1.0}


@given(d=widths, s=factors, length=lengths, base=bases, at=st.floats(0, 50))
def test_by_parts_with_one_end_is_a_step(d, s, length, base, at):
    """The type llama3 with low_freq_factor = high_freq_factor, as in Llama 4 Scout."""
    plain = frequencies(d, base)
    r = [length * w / (2 * math.pi) for w in plain]
    expected = [w if x >= at else w / s for w, x in zip(plain, r, strict=True)]
    near = np.isclose(r, at, rtol=1e-12)
    found = by_parts(d, s, length, base, at, at)
    np.testing.assert_allclose(found[~near], np.array(expected)[~near], rtol=1e-13)


def test_llama_4_scouts_frequencies():
    ratio = by_parts(128, 16, 8192, 500_000, 1, 1) / frequencies(128, 500_000)
    kept = [i for i in range(64) if 2 * math.pi * 500_000 ** (i / 64) <= 8192]
    assert len(kept) == 35
    assert ratio.tolist() == [1.0] * 35 + [1 / 16] * 29


def test_the_setting_of_dynamic():
    s = 2 * 5000 / 4096 - 1  # as in the authors' code: a L'/L - (a - 1)
    np.testing.assert_allclose(dynamic(64, 5000, 4096, factor=2), ntk_aware(64, s), rtol=1e-13)
    np.testing.assert_array_equal(dynamic(64, 99, 4096, factor=2), frequencies(64))


@given(d=widths, share=st.floats(0, 1), base=bases)
def test_proportional_keeps_the_fastest(d, share, base):
    turning = int(share * d // 2)
    expected = [base ** (-2 * i / d) if i < turning else 0.0 for i in range(d // 2)]
    np.testing.assert_allclose(proportional(d, share, base), expected, rtol=1e-14)


def test_amplitudes_of_published_models():
    assert yarn_amplitude(40, 1, 1) == 1 and round(temperature(40, 1) ** 2, 4) == 1.8739
    assert round(yarn_amplitude(40), 4) == 1.3689  # of a model without the two settings
    assert yarn_amplitude(40, 1, 0) == yarn_amplitude(40, 0, 1) == temperature(40)
    assert math.isclose(yarn_amplitude(40, 1, 0.707), temperature(40) / temperature(40, 0.707))
    for s, length in ((32, 4096), (1, 4096), (2, 3)):
        with mpmath.workdps(30):
            expected = mpmath.sqrt(1 + mpmath.log(s) / mpmath.log(length))
        assert math.isclose(longrope_amplitude(s, length), expected, rel_tol=1e-15)


def test_a_temperature_that_grows():
    def naive(t, ahead):
        return 1 + 0.1 * math.log(1 + (t + ahead) // 8192)

    places = [0, 1, 8190, 8191, 8192, 16_383, 10**6, 10**7]
    for ahead in (0, 1):
        expected = [naive(t, ahead) for t in places]
        np.testing.assert_allclose(growing(places, 0.1, 8192, ahead), expected, rtol=1e-15)
    assert growing(8191, 0.1, 8192) == 1 and growing(8191, 0.1, 8192, 1) > 1.069


@pytest.mark.parametrize("base", [1 + 2**-52, 1e4, 1e300])
@pytest.mark.parametrize("s", [1, 1e150, 10**300])
@pytest.mark.parametrize("d", [4, 128])
def test_huge_bases_factors_and_lengths(base, s, d):
    with mpmath.workdps(50):
        b, n = mpmath.mpf(base), d // 2
        exact = [b ** (-mpmath.mpf(i) / n) for i in range(n)]
        plain, slow = [float(w) for w in exact], [float(w / s) for w in exact]
        counts = [float(10**300 * w / (2 * mpmath.pi)) for w in exact]
        scaled = b * mpmath.mpf(s) ** (mpmath.mpf(n) / (n - 1))
    tiny = {"rtol": 1e-12, "atol": 5e-324}  # below the least number above 0, frequencies are 0
    np.testing.assert_allclose(interpolated(d, s, base), slow, **tiny)
    np.testing.assert_allclose(by_parts(d, s, 1, base), slow, **tiny)  # less than one turn
    np.testing.assert_allclose(by_parts(d, s, 10**300, base), plain, rtol=1e-12)  # more than 32
    np.testing.assert_allclose(turns(d, 10**300, base), counts, rtol=1e-12)
    assert temperature(s) == pytest.approx(float(mpmath.log(s) / 10 + 1), rel=1e-15)
    if scaled < 1e308:
        assert ntk_base(d, s, base) == pytest.approx(float(scaled), rel=1e-12)
        np.testing.assert_array_equal(dynamic(d, int(s), 1, base), ntk_aware(d, s, base))
    else:
        refused(ValueError, "base scaled by factor must be finite", ntk_aware, d, s, base)
        message = "base scaled by length/trained_length must be finite, got inf"
        refused(ValueError, message, dynamic, d, int(s), 1, base)


# bad input


def refused(kind, message, call, *args, **kwargs):
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    assert type(error.value) is kind
    assert "\n" not in str(error.value)
    assert message in str(error.value)


SCALED = [
    lambda d=8, s=2, b=1e4: interpolated(d, s, b),
    lambda d=8, s=2, b=1e4: ntk_base(d, s, b),
    lambda d=8, s=2, b=1e4: ntk_aware(d, s, b),
    lambda d=8, s=2, b=1e4: by_parts(d, s, 100, b),
]
ALL = [
    *SCALED,
    lambda d=8, b=1e4: dynamic(d, 200, 100, b),
    lambda d=8, b=1e4: turns(d, 100, b),
]
WITH_LENGTH = [
    ("length", lambda n: turns(8, n)),
    ("length", lambda n: dynamic(8, n, 100)),
    ("trained_length", lambda n: dynamic(8, 100, n)),
    ("trained_length", lambda n: by_parts(8, 2, n)),
]


@pytest.mark.parametrize("call", ALL)
def test_d_head_and_base(call):
    for value in (0, -2, np.int64(-3)):
        refused(ValueError, f"d_head must be at least 1, got {value}", call, d=value)
    refused(ValueError, "d_head must be even (a pair takes two dimensions), got 7", call, d=7)
    for value in (8.0, True, "8", None, [8]):
        refused(TypeError, "d_head must be an integer, got ", call, d=value)
    for value in (1, 0.5, -10_000):
        refused(ValueError, f"base must be greater than 1, got {value}", call, b=value)
    refused(ValueError, "base must be finite, got nan", call, b=math.nan)
    refused(TypeError, "base must be a real number, got '10000'", call, b="10000")
    call(d=np.int32(8), b=np.float32(100))


@pytest.mark.parametrize("call", [*SCALED, lambda s: temperature(s)])
def test_factor(call):
    for value in (0.5, 0, -2):
        message = f"factor must be at least 1 (new length over trained), got {value}"
        refused(ValueError, message, call, s=value)
    refused(ValueError, "factor must be at least 1 (new length over trained), got 0.9999999", call,
            s=0.9999999)  # fmt: skip
    for value in (math.nan, math.inf):
        refused(ValueError, f"factor must be finite, got {value}", call, s=value)
    for value in (True, "2", None, [2], 2j):
        refused(TypeError, "factor must be a real number, got ", call, s=value)


@pytest.mark.parametrize("name, call", WITH_LENGTH)
def test_lengths(name, call):
    for value in (0, -1):
        refused(ValueError, f"{name} must be at least 1, got {value}", call, value)
    refused(ValueError, f"{name} must be finite, got 1", call, 10**400)
    for value in (100.0, True, "100", None, [100]):
        refused(TypeError, f"{name} must be an integer, got ", call, value)
    assert np.isfinite(call(2**53)).all()


def test_a_base_that_cannot_be():
    for call in (ntk_base, ntk_aware):
        refused(ValueError, "d_head must be at least 4, got 2", call, 2, 4)
        refused(ValueError, "base scaled by factor must be finite, got inf", call, 4, 1e200)
    refused(ValueError, "d_head must be at least 4, got 2", dynamic, 2, 100, 100)


def test_ends_of_the_ramp():
    for alpha, beta in ((-1, 32), (1, 0.5)):
        message = f"alpha and beta must satisfy 0 <= alpha <= beta, got {alpha} and {beta}"
        refused(ValueError, message, by_parts, 8, 2, 100, alpha=alpha, beta=beta)
    for name in ("alpha", "beta"):
        refused(ValueError, f"{name} must be finite", by_parts, 8, 2, 100, **{name: math.inf})
        refused(TypeError, f"{name} must be a real number", by_parts, 8, 2, 100, **{name: "1"})


def test_settings_of_published_models():
    for slow, fast in ((0, 32), (2, 1), (-1, 3)):
        message = f"beta_slow and beta_fast must satisfy 0 < slow <= fast, got {slow} and {fast}"
        refused(ValueError, message, yarn, 8, 2, 100, beta_slow=slow, beta_fast=fast)
    refused(ValueError, "leave no ramp: it would run from pair 0 to pair -", yarn, 64, 2, 1)
    for share in (-0.1, 1.1):
        refused(ValueError, f"share must lie in [0, 1], got {share}", proportional, 8, share)
    refused(ValueError, "trained_length must be at least 2, got 1", longrope_amplitude, 4, 1)
    refused(ValueError, "mscale must not be negative", temperature, 4, -1)
    refused(ValueError, "positions must not be negative, got -1", growing, [2, -1], 0.1, 8)
    refused(ValueError, "every must be at least 1, got 0", growing, [2], 0.1, 0)


# transformers, where it is installed


def peer(kind, d, trained, length=None, **parameters):
    """What transformers computes for Llama: the frequencies and the scale for queries and keys."""
    reason = "transformers and torch are large and only compared with"
    pytest.importorskip("torch", reason=reason)
    pytest.importorskip("transformers", minversion="5", reason=reason)
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    scaling = {"rope_type": kind, "rope_theta": 10_000.0, **parameters}
    config = LlamaConfig(
        hidden_size=d,
        num_attention_heads=1,
        max_position_embeddings=trained,
        rope_parameters=scaling,
    )
    found, scale = ROPE_INIT_FUNCTIONS[kind](config, device="cpu", seq_len=length)
    return found.numpy(), scale


@pytest.mark.peers
@pytest.mark.parametrize("d, s", [(8, 2.0), (64, 4.0), (128, 32.0)])
def test_transformers_linear(d, s):
    found, scale = peer("linear", d, 4096, factor=s)
    np.testing.assert_allclose(found, interpolated(d, s), rtol=1e-6)
    assert scale == 1


@pytest.mark.peers
@pytest.mark.parametrize("d, length", [(8, 100), (64, 4096), (64, 5000), (128, 16_384)])
def test_transformers_dynamic(d, length):
    found, _ = peer("dynamic", d, 4096, length, factor=1.0)
    np.testing.assert_allclose(found, dynamic(d, length, 4096), rtol=1e-6)
    set_to_two, _ = peer("dynamic", d, 4096, length, factor=2.0)
    s = 2 * max(length, 4096) / 4096 - 1
    np.testing.assert_allclose(set_to_two, ntk_aware(d, s), rtol=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("d, s, trained", [(64, 4.0, 4096), (128, 16.0, 4096), (128, 32.0, 8192)])
def test_transformers_yarn_has_the_ramp_over_pair_numbers(d, s, trained):
    for truncate in (True, False):
        settings = {"factor": s, "original_max_position_embeddings": trained, "beta_fast": 16.0,
                    "beta_slow": 2.0, "truncate": truncate}  # fmt: skip
        found, _ = peer("yarn", d, int(s * trained), **settings)
        ours = yarn(d, s, trained, beta_fast=16, beta_slow=2, truncate=truncate)
        np.testing.assert_allclose(found, ours, rtol=1e-6)
    parameters = {"factor": s, "original_max_position_embeddings": trained}
    found, scale = peer("yarn", d, int(s * trained), **parameters)
    np.testing.assert_allclose(found, ramp_over_pairs(d, s, trained), rtol=1e-6)
    assert math.isclose(scale, temperature(s), rel_tol=1e-12)
    ours = by_parts(d, s, trained)
    r = turns(d, trained)
    outside = (r >= 32) | (r <= 1)
    np.testing.assert_allclose(found[outside], ours[outside], rtol=1e-6)
    assert np.max(found / ours) > 1.7
