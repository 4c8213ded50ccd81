"""Frequencies for texts longer than those in training: rotary embeddings, slowed down.

A model trained on L positions is to read s = L'/L times as many; s is the `factor`. Of the n =
d_head/2 pairs, each with w_i = base^(-2i/d_head) radians per position, pair i gets

    interpolated    w_i / s               every pair alike
    ntk_aware       w_i / s^(i/(n - 1))   the first kept, the last divided by s
    by_parts        between w_i/s and w_i, by how many turns it makes in L positions
    llama3          the same, with the settings of Llama 3.1 and what followed it
    yarn            between w_i/s and w_i, by its number: what published models with YaRN have

as arrays (d_head/2,) of radians per position, fastest first, like `frequencies`. All functions
raise TypeError or ValueError unless d_head is a positive even integer, base finite and above 1,
factor finite and at least 1, lengths positive integers. S. Chen et al. (2023) is arXiv 2306.15595;
Peng et al. (2023), the paper on YaRN, is arXiv 2309.00071.
"""

from __future__ import annotations

from math import ceil, floor, log, sqrt, tau

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import frequencies

__all__ = ["by_parts", "dynamic", "growing", "interpolated", "llama3", "longrope_amplitude",
           "ntk_aware", "ntk_base", "proportional", "temperature", "turns", "yarn",
           "yarn_amplitude"]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def turns(d_head: int, length: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """How many turns each pair makes in `length` positions: shape (d_head/2,), with fractions.

    It is length · w_i / 2π, r in Peng et al. (2023), section 3.2. With less than one turn in the
    training length, a pair has shown an arc only, and a longer text takes it to new angles.

    >>> turns(8, 1000).round(2)
    array([159.15,  15.92,   1.59,   0.16])
    >>> int(np.sum(turns(128, 4096) < 1))  # how many of 64 pairs never come round
    18
    """
    return _length("length", length) * _plain(d_head, base) / tau


def interpolated(d_head: int, factor: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """Position Interpolation: every frequency divided by `factor`.

    Position t is turned as t/factor was before: S. Chen et al. (2023), section 2.3, divide the
    position. No angle lies beyond those of training, but neighbours stand closer together.

    >>> interpolated(8, 4)
    array([0.25   , 0.025  , 0.0025 , 0.00025])
    """
    return _plain(d_head, base) / _factor(factor)


def ntk_base(d_head: int, factor: float, base: float = 10_000.0) -> float:
    """The base that divides the slowest frequency by `factor`: base · factor^(d_head/(d_head - 2)).

    "NTK-aware" interpolation in Peng et al. (2023), section 3.1 and appendix A.1. Raises ValueError
    also for d_head = 2, whose only pair is fastest and slowest, and for a new base beyond float64.

    >>> round(ntk_base(128, 4))
    40890
    """
    return _scaled("factor", d_head, _factor(factor), base)


def ntk_aware(d_head: int, factor: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """The frequencies with `ntk_base`: the first kept, the last divided by `factor`.

    Those between are slowed by less than `factor`, and reach new angles in a text `factor` times as
    long if they did not come round in training. Source and errors: `ntk_base`.

    >>> ntk_aware(8, 8).round(6)
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """
    return frequencies(d_head, ntk_base(d_head, factor, base))


def dynamic(
    d_head: int, length: int, trained_length: int, base: float = 10_000.0, factor: float = 1.0
) -> NDArray[np.float64]:
    """Dynamic NTK: `ntk_aware` with the factor max(1, length/trained_length) of the text at hand.

    As a text grows beyond `trained_length`, all frequencies but the first change: keys have to be
    stored before they are turned. Peng et al. (2023), section 3.3. Their code, and transformers,
    take a · length/trained_length - (a - 1) instead, with a setting a: `factor`. Errors: also as
    `ntk_base`.

    >>> dynamic(8, 8000, 1000).round(6)
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """
    now, trained = _length("length", length), _length("trained_length", trained_length)
    grown = _factor(factor) * (max(1.0, now / trained) - 1) + 1
    return frequencies(d_head, _scaled("factor and length", d_head, grown, base))


def by_parts(
    d_head: int,
    factor: float,
    trained_length: int,
    base: float = 10_000.0,
    alpha: float = 1.0,
    beta: float = 32.0,
) -> NDArray[np.float64]:
    """NTK-by-parts, YaRN's frequencies: slow pairs interpolated, fast pairs kept, a ramp between.

    A pair with r = `turns(d_head, trained_length, base)` gets (1 - g) w/factor + g w. The ramp g
    is 0 below `alpha` turns, 1 from `beta` on, and (r - alpha)/(beta - alpha) between: Peng et al.
    (2023), section 3.2, with their alpha and beta for Llama. ValueError unless 0 <= alpha <= beta.

    In their code (github.com/jquesnelle/yarn), and what follows it, g falls evenly with the pair
    number instead: `yarn`. Its frequencies are up to 1.7 times these for factor 4, 3 times for
    factor 16 (d_head 128, 4,096 positions). A model needs the ramp that it was trained with.

    >>> (by_parts(8, 4, 1000) / frequencies(8)).round(4)
    array([1.    , 0.6109, 0.2643, 0.25  ])
    """
    low, high = _rising("alpha", alpha, "beta", beta)
    w, s = _plain(d_head, base), _factor(factor)
    r = _length("trained_length", trained_length) * w / tau
    g = (r.clip(low, high) - low) / (high - low) if low < high else np.where(r < high, 0.0, 1.0)
    return (1 - g) * w / s + g * w


def llama3(
    d_head: int,
    factor: float,
    trained_length: int,
    base: float = 10_000.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
) -> NDArray[np.float64]:
    """The frequencies of Llama 3.1, "llama3" in transformers: `by_parts` with a model's settings.

    In a configuration, `base` is `rope_theta`, `trained_length` is
    `original_max_position_embeddings`, and the others have their own names: 1 and 4 in Llama 3.1,
    1 and 1, a step, in Llama 4 Scout. Source: `apply_scaling` in Meta's llama-models. ValueError
    unless 0 <= low_freq_factor <= high_freq_factor.

    >>> (llama3(128, 8, 8192, 500_000.0) / frequencies(128, 500_000.0))[[0, 30, 63]].round(4)
    array([1.    , 0.6437, 0.125 ])
    """
    low, high = _rising("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
    return by_parts(d_head, factor, trained_length, base, low, high)


def yarn(
    d_head: int,
    factor: float,
    trained_length: int,
    base: float = 10_000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    truncate: bool = True,
) -> NDArray[np.float64]:
    """YaRN as published models have it: the ramp falls evenly with the number of the pair.

    Pair number i_r, a fraction, would make r turns in `trained_length` positions. Pairs up to
    i_{beta_fast} are kept, those from i_{beta_slow} on divided by `factor`, and between them the
    ramp is straight. With `truncate`, as in the authors' program and by default in transformers,
    its ends are rounded outward to whole pairs; gpt-oss has truncate false. Where both ends meet,
    the ramp is a step. Paper and difference: `by_parts`. ValueError also unless 0 < beta_slow <=
    beta_fast, and where the ramp would end before it begins.

    >>> (yarn(8, 4, 1000) / frequencies(8)).round(4)
    array([1.  , 0.75, 0.5 , 0.25])
    >>> (yarn(8, 4, 1000, truncate=False) / frequencies(8)).round(4)
    array([1.    , 0.8489, 0.3506, 0.25  ])
    """
    fast, slow = _checks.real("beta_fast", beta_fast), _checks.real("beta_slow", beta_slow)
    said = "beta_slow and beta_fast must satisfy 0 < slow <= fast"
    _checks.require(0 < slow <= fast, said, (beta_slow, beta_fast))
    w, s = _plain(d_head, base), _factor(factor)
    turned = log(_length("trained_length", trained_length) / tau)  # by pair 0, as a logarithm
    first, last = (d_head / 2 * (turned - log(r)) / log(base) for r in (fast, slow))
    if truncate:
        first, last = floor(first), ceil(last)
    # pair d_head - 1, which is none, is where the authors' program ends a ramp
    first, last = max(first, 0), min(last, d_head - 1)
    if first > last:
        all_of = "d_head, trained_length, base, beta_slow and beta_fast"
        ends = f"it would run from pair {first:g} to pair {last:g}"
        raise ValueError(f"{all_of} leave no ramp: {ends}")
    kept = 1 - ((np.arange(w.size) - first) / (last - first or 0.001)).clip(0, 1)
    return w * (kept + (1 - kept) / s)


def proportional(d_head: int, share: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """Only the fastest pairs turn: the first `share` of them, and the others stand still (0).

    Unlike a head of which a part is turned, whose pairs have the frequencies of a narrower head,
    these are the first of the whole head's, and the slowest are taken out: p-RoPE of Barbero et al.
    (2025), arXiv 2410.06205, and "proportional" in transformers (Gemma 4). ValueError unless 0 <=
    share <= 1; a fraction of a pair is dropped.

    >>> proportional(16, 0.5).round(4)
    array([1.    , 0.3162, 0.1   , 0.0316, 0.    , 0.    , 0.    , 0.    ])
    """
    part = _checks.real("share", share)
    _checks.require(0 <= part <= 1, "share must lie in [0, 1]", share)
    w = _plain(d_head, base)
    w[int(part * d_head // 2) :] = 0
    return w


def temperature(factor: float, mscale: float = 1.0) -> float:
    """YaRN's attention scale 0.1 ln(factor) + 1, for each turned query *and* each turned key.

    The score, their dot product, grows by its square. Peng et al. (2023), section 3.4, divide the
    score by a temperature t: this is sqrt(1/t), fitted to LLaMA. With `by_parts` it makes YaRN.
    Some models have a setting that multiplies the logarithm: `mscale`.

    >>> round(temperature(4), 4), round(temperature(4) ** 2, 4)
    (1.1386, 1.2965)
    """
    return 0.1 * _checks.strength("mscale", mscale) * log(_factor(factor)) + 1


def yarn_amplitude(factor: float, mscale: float = 0.0, mscale_all_dim: float = 0.0) -> float:
    """Return what YaRN multiplies cos and sin by, for `amplitude` in `rotate` and `cos_sin`.

    YaRN needs it beside the frequencies, for queries and for keys. The shortest way is
    rotate(x, positions, frequencies=yarn(d_head, factor, trained_length, base),
    amplitude=yarn_amplitude(factor)), which leaves entries that are not turned as they are.

    With both of DeepSeek's settings it is `temperature` with `mscale` over `temperature` with
    `mscale_all_dim`; without one of them it is that of the factor alone. A model with
    mscale_all_dim also multiplies *all* of its scores by the square of the second, with what
    unturned entries add. DeepSeek-V3 has 1 and 1, so the amplitude is 1, and that square is 1.874.

    >>> round(yarn_amplitude(40), 4), yarn_amplitude(40, 1, 1), round(temperature(40) ** 2, 4)
    (1.3689, 1.0, 1.8739)
    """
    one = _checks.strength("mscale", mscale)
    all_ = _checks.strength("mscale_all_dim", mscale_all_dim)
    if one and all_:
        return temperature(factor, one) / temperature(factor, all_)
    return temperature(factor)


def longrope_amplitude(factor: float, trained_length: int) -> float:
    """Return what LongRoPE multiplies cos and sin by: sqrt(1 + ln(factor)/ln(trained_length)).

    So in the code of Phi-3, which has LongRoPE's frequencies: Ding et al. (2024), arXiv 2402.13753,
    search a divisor for each pair. It is the `amplitude` of `rotate`. ValueError for
    trained_length = 1.

    >>> round(longrope_amplitude(32, 4096), 4)
    1.1902
    """
    trained = _length("trained_length", trained_length, 2)
    return sqrt(1 + log(_factor(factor)) / log(trained))


def growing(
    positions: ArrayLike, strength: float, every: int, ahead: int = 0
) -> NDArray[np.float64]:
    """A temperature that grows with the query's position t, in numpy: shape of `positions`.

    It is 1 + strength · ln(1 + floor((t + ahead)/every)), and the query is multiplied by it. Llama
    4 does so in its layers without rotation (strength 0.1, every 8,192, ahead 1), Ministral 3 and
    Mistral Small 4 in all layers (ahead 0). ValueError for a negative position or strength.

    >>> growing([0, 8190, 8191, 100_000], 0.1, 8192, ahead=1).round(4)
    array([1.    , 1.    , 1.0693, 1.2565])
    """
    t = _checks.positions("positions", positions)
    if t.size and t.min() < 0:
        raise ValueError(f"positions must not be negative, got {t.min()}")
    by, step = _checks.strength("strength", strength), _length("every", every)
    first = _length("ahead", ahead, 0)
    return 1 + by * np.log1p(np.floor((t.astype(np.float64) + first) / step))


def _plain(d_head: int, base: float) -> NDArray[np.float64]:
    even = _checks.integer("d_head", d_head, 1) % 2 == 0
    _checks.require(even, "d_head must be even (a pair takes two dimensions)", d_head)
    return frequencies(d_head, base)


def _scaled(name: str, d_head: int, s: float, base: float) -> float:
    """`ntk_base` for a factor s that goes by this name."""
    n, b = _plain(d_head, base).size, _checks.scale(base)
    _checks.integer("d_head", d_head, 4)
    with np.errstate(over="ignore"):
        return _checks.real(f"base scaled by {name}", float(b * np.float64(s) ** (n / (n - 1))))


def _factor(factor: float) -> float:
    number = _checks.real("factor", factor)
    _checks.require(number >= 1, "factor must be at least 1 (new length over trained)", factor)
    return number


def _rising(low_name: str, low: float, high_name: str, high: float) -> tuple[float, float]:
    """The two ends of a ramp."""
    first, last = _checks.real(low_name, low), _checks.real(high_name, high)
    said = f"{low_name} and {high_name} must satisfy 0 <= {low_name} <= {high_name}"
    _checks.require(0 <= first <= last, said, (low, high))
    return first, last


def _length(name: str, length: int, least: int = 1) -> float:
    return _checks.real(name, _checks.integer(name, length, least))
