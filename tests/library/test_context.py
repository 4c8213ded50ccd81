"""Test scaled frequencies against loops that follow the papers, and against mpmath."""

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
    llama3,
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
    """Compute definition 2 of Peng et al. (2023) by equations 13, 17 and 18, pair by pair."""
    out = []
    for i in range(d // 2):
        r = length / (2 * math.pi * math.pow(base, 2 * i / d))
        gamma = 0.0 if r < alpha else 1.0 if r >= beta else (r - alpha) / (beta - alpha)
        theta = math.pow(base, -2 * i / d)
        out.append((1 - gamma) * theta / s + gamma * theta)
    return out


def ramp_over_pairs(d, s, length, base=10_000.0, slow=1.0, fast=32.0, truncate=True):
    """Compute the frequencies that the docstring of `yarn` describes, in a loop over pairs."""

    def pair_with(count):  # the solution i of count = length / (2π base^(2i/d))
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
    divided = encode(t / s, d, base)  # S. Chen et al. (2023) use the model at f(x, m L/L')
    np.testing.assert_allclose(np.sin(angles), divided[0::2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.cos(angles), divided[1::2], rtol=0, atol=1e-12)


@given(d=widths, length=lengths, base=bases)
def test_turns_are_the_length_over_the_wavelengths(d, length, base):
    expected = [length / (2 * math.pi * math.pow(base, 2 * i / d)) for i in range(d // 2)]
    np.testing.assert_allclose(turns(d, length, base), expected, rtol=1e-13)


@given(d=widths, s=factors, base=bases)
def test_ntk_solves_the_equation_of_the_slowest_pair(d, s, base):
    with mpmath.workdps(50):  # equation 23, which b' must satisfy: b'^((d-2)/d) = s b^((d-2)/d)
        exponent = mpmath.mpf(d - 2) / d
        left = mpmath.power(mpmath.mpf(ntk_base(d, s, base)), exponent)
        right = s * mpmath.power(mpmath.mpf(base), exponent)
        assert abs(left / right - 1) < 1e-14
    n = d // 2
    expected = [math.pow(base, -i / n) / math.pow(s, i / (n - 1)) for i in range(n)]
    np.testing.assert_allclose(ntk_aware(d, s, base), expected, rtol=1e-13)
    assert round(ntk_base(128, 4)) == 40_890  # 10,000 · 4^(128/126)


@given(
    d=widths,
    s=factors,
    length=lengths,
    base=bases,
    alpha=st.floats(0, 50),
    ramp=st.just(0.0) | st.floats(0.01, 100),
)
def test_by_parts_is_the_loop_of_the_paper(d, s, length, base, alpha, ramp):
    """Check `by_parts` against a loop, for a ramp, and for a step as in Llama 4 Scout."""
    result = by_parts(d, s, length, base, alpha, alpha + ramp)
    expected = np.array(naive_by_parts(d, s, length, base, alpha, alpha + ramp))
    if ramp:
        # If r is large and the ramp is narrow, rounding r shifts g by eps · r / (beta - alpha).
        rtol = 1e-13 + 1e-13 * s * (alpha + ramp) / ramp
        np.testing.assert_allclose(result, expected, rtol=rtol)
    else:
        clear = ~np.isclose(length * frequencies(d, base) / math.tau, alpha, rtol=1e-12)
        np.testing.assert_allclose(result[clear], expected[clear], rtol=1e-13)


@given(d=widths, s=factors, length=lengths, base=bases)
def test_llama3_slows_by_wavelength_as_meta_does(d, s, length, base):
    """Compare each frequency of `llama3` with `apply_scaling` from llama-models."""
    for w, scaled in zip(frequencies(d, base), llama3(d, s, length, base), strict=True):
        wavelen = 2 * math.pi / w
        if wavelen < length / 4:
            expected = w
        elif wavelen > length / 1:
            expected = w / s
        else:
            smooth = (length / wavelen - 1) / (4 - 1)
            expected = (1 - smooth) * w / s + smooth * w
        assert scaled == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("length", [1, 999, 1000, 1001, 4000, 1_000_000])
@pytest.mark.parametrize("factor", [1, 2])
def test_dynamic_takes_the_factor_from_the_length(length, factor):
    # The authors' code has a setting a (here `factor`), and divides by a · L'/L - (a - 1).
    s = factor * length / 1000 - (factor - 1) if length > 1000 else 1
    base = 500.0 * math.pow(s, 16 / 14)
    expected = [math.pow(base, -2 * i / 16) for i in range(8)]
    result = dynamic(16, length, 1000, 500.0, factor=factor)
    np.testing.assert_allclose(result, expected, rtol=1e-13)


@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize(
    ("d", "s", "length", "base", "slow", "fast"),
    [
        (64, 32.0, 4096, 150_000.0, 1, 32),
        (64, 2048.0, 512, 1e4, 1, 32),
        # In this case, even the slowest pair makes more than one turn.
        (16, 4, 1000, 100.0, 1, 32),
        (128, 64, 4096, 5e5, 1, 64),
    ],
)
def test_yarn_is_the_loop_over_pairs(d, s, length, base, slow, fast, truncate):
    result = yarn(d, s, length, base, fast, slow, truncate)
    expected = ramp_over_pairs(d, s, length, base, slow, fast, truncate)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_a_ramp_of_yarn_without_width_is_a_step():
    ratio = yarn(64, 4, 4096, beta_fast=8, beta_slow=8, truncate=False) / frequencies(64)
    assert set(ratio.round(12)) == {0.25, 1.0}


@given(d=widths, share=st.floats(0, 1), base=bases)
def test_proportional_keeps_the_fastest(d, share, base):
    turning = int(share * d // 2)
    expected = [base ** (-2 * i / d) if i < turning else 0.0 for i in range(d // 2)]
    np.testing.assert_allclose(proportional(d, share, base), expected, rtol=1e-14)


def test_amplitudes_of_papers_and_published_models():
    m = temperature(8)
    assert round(m, 3) == 1.208  # equation 25 gives 0.1 ln 8 + 1
    assert yarn_amplitude(40, 1, 1) == 1 and round(temperature(40, 1) ** 2, 4) == 1.8739
    assert round(yarn_amplitude(40), 4) == 1.3689  # a configuration without DeepSeek's two settings
    assert math.isclose(yarn_amplitude(40, 1, 0.707), temperature(40) / temperature(40, 0.707))
    for s, length in ((32, 4096), (1, 4096), (2, 3)):
        with mpmath.workdps(30):
            expected = mpmath.sqrt(1 + mpmath.log(s) / mpmath.log(length))
        assert math.isclose(longrope_amplitude(s, length), expected, rel_tol=1e-15)


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_temperature_that_grows(ahead):
    places = [0, 1, 8190, 8191, 8192, 16_383, 10**6, 10**7]
    expected = [1 + 0.1 * math.log(1 + (t + ahead) // 8192) for t in places]
    np.testing.assert_allclose(growing(places, 0.1, 8192, ahead), expected, rtol=1e-15)
