"""Change the frequencies of rotary embeddings for texts longer than the texts in training.

A model was trained on L positions and should read s = L'/L times as many, where s is the `factor`.
There are n = d_head/2 pairs, and w_i = base^(-2i/d_head) is the frequency of pair i in training.
Each function gives pair i a new frequency:

    interpolated    w_i / s, so all pairs are treated alike
    ntk_aware       w_i / s^(i/(n - 1)), so the first pair is kept and the last is divided by s
    by_parts        between w_i/s and w_i, depending on how many turns the pair makes in L positions
    llama3          as by_parts, with the settings of Llama 3.1 and of models that follow it
    yarn            between w_i/s and w_i, depending on i, as in published models with YaRN

These functions return arrays (d_head/2,) of radians per position, fastest first, for `frequencies`
in `rotate`. All functions here raise TypeError or ValueError unless d_head is a positive even
integer, base finite and above 1, factor finite and at least 1, and lengths positive integers.
S. Chen et al. (2023) is arXiv 2306.15595. Peng et al. (2023), the paper on YaRN, is arXiv
2309.00071.
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
    """Return how many turns each pair makes over `length` positions: floats of shape (d_head/2,).

    The number is length · w_i / 2π, called r in Peng et al. (2023), section 3.2. A pair that makes
    less than one turn in the training length has shown the model only a part of the circle, and a
    longer text takes it to new angles.

    >>> turns(8, 1000).round(2)
    array([159.15,  15.92,   1.59,   0.16])
    >>> int(np.sum(turns(128, 4096) < 1))  # so many of 64 pairs never finish a turn
    18
    """
    return _length("length", length) * _compute_unscaled(d_head, base) / tau


def interpolated(d_head: int, factor: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """Divide every frequency by `factor`, as in Position Interpolation: shape (d_head/2,).

    Position t is rotated as position t/factor was before. No angle is larger than those in
    training, but neighbours are closer together. Source: S. Chen et al. (2023), section 2.3, who
    divide the position.

    >>> interpolated(8, 4)
    array([0.25   , 0.025  , 0.0025 , 0.00025])
    """
    return _compute_unscaled(d_head, base) / _factor(factor)


def ntk_base(d_head: int, factor: float, base: float = 10_000.0) -> float:
    """Return the base that divides the slowest frequency by `factor` and keeps the fastest.

    This base is base · factor^(d_head/(d_head - 2)), for "NTK-aware" interpolation in Peng et al.
    (2023), section 3.1 and appendix A.1. Raises ValueError also for d_head = 2, whose only pair is
    both the fastest and the slowest, and for a new base beyond float64.

    >>> round(ntk_base(128, 4))
    40890
    """
    return _scaled_base("factor", d_head, _factor(factor), base)


def ntk_aware(d_head: int, factor: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return the frequencies of NTK-aware interpolation with base `ntk_base`: shape (d_head/2,).

    The first frequency is kept, the last is divided by `factor`, and the frequencies between are
    divided by less. So if one of the pairs between did not finish a turn in training, it reaches
    new angles in a text that is `factor` times as long. Source and errors are those of `ntk_base`.

    >>> ntk_aware(8, 8).round(6)
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """
    return frequencies(d_head, ntk_base(d_head, factor, base))


def dynamic(
    d_head: int, length: int, trained_length: int, base: float = 10_000.0, factor: float = 1.0
) -> NDArray[np.float64]:
    """Return the frequencies of dynamic NTK for a text of the given length: shape (d_head/2,).

    These are the frequencies of `ntk_aware` with the factor max(1, length/trained_length). While a
    text grows beyond `trained_length`, all frequencies but the first change, so keys must be stored
    before they are rotated. Source: Peng et al. (2023), section 3.3. Their code, and transformers,
    use the factor a · length/trained_length - (a - 1) instead, with a setting a, which is `factor`
    here. Raises ValueError also as `ntk_base` does.

    >>> dynamic(8, 8000, 1000).round(6)
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """
    current, trained = _length("length", length), _length("trained_length", trained_length)
    current_factor = _factor(factor) * (max(1.0, current / trained) - 1) + 1
    return frequencies(d_head, _scaled_base("factor and length", d_head, current_factor, base))


def by_parts(
    d_head: int,
    factor: float,
    trained_length: int,
    base: float = 10_000.0,
    alpha: float = 1.0,
    beta: float = 32.0,
) -> NDArray[np.float64]:
    """Return the frequencies of NTK-by-parts, as in the paper on YaRN: shape (d_head/2,).

    Fast pairs are kept, slow pairs are divided by `factor`, and between them there is a ramp. A
    pair with r = `turns(d_head, trained_length, base)` gets (1 - g) w/factor + g w. The ramp g is 0
    below `alpha` turns, 1 from `beta` turns on, and (r - alpha)/(beta - alpha) between. Source:
    Peng et al. (2023), section 3.2, whose values of alpha and beta for Llama are the defaults.
    Raises ValueError unless 0 <= alpha <= beta.

    In the authors' code (github.com/jquesnelle/yarn), and in code that follows it, g falls evenly
    with the pair number instead. Use `yarn` for that ramp. The frequencies of `yarn` are up to 1.7
    times the frequencies here for factor 4, and up to 3 times for factor 16 (d_head 128, 4,096
    positions). A model needs the ramp that it was trained with.

    >>> (by_parts(8, 4, 1000) / frequencies(8)).round(4)
    array([1.    , 0.6109, 0.2643, 0.25  ])
    """
    low, high = _read_ramp("alpha", alpha, "beta", beta)
    w, s = _compute_unscaled(d_head, base), _factor(factor)
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
    """Return the frequencies of Llama 3.1, "llama3" in transformers: shape (d_head/2,).

    These are the frequencies of `by_parts`, with the parameter names of a model's configuration.
    There, `base` is `rope_theta`, and `trained_length` is `original_max_position_embeddings`. The
    low and the high factor are 1 and 4 in Llama 3.1. In Llama 4 Scout both are 1, which makes the
    ramp a step. Source: `apply_scaling` in Meta's llama-models. Raises ValueError unless
    0 <= low_freq_factor <= high_freq_factor.

    >>> (llama3(128, 8, 8192, 500_000.0) / frequencies(128, 500_000.0))[[0, 30, 63]].round(4)
    array([1.    , 0.6437, 0.125 ])
    """
    low, high = _read_ramp("low_freq_factor", low_freq_factor, "high_freq_factor", high_freq_factor)
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
    """Return YaRN's frequencies, computed as published models do: shape (d_head/2,).

    The ramp falls evenly with the number of the pair. Let i_r be the number of the pair, rarely a
    whole number, that would make r turns in `trained_length` positions. Pairs up to i_{beta_fast}
    are kept, pairs from i_{beta_slow} on are divided by `factor`, and between them the ramp is
    straight. With `truncate`, as in the authors' program and by default in transformers, the ends
    of the ramp are rounded outward to whole pairs. In gpt-oss, truncate is false. Where both ends
    meet, the ramp is a step.

    Besides the frequencies, YaRN needs `yarn_amplitude`. The source, and the difference from the
    paper, are described in `by_parts`. Raises ValueError also unless 0 < beta_slow <= beta_fast,
    and if the ramp would end before it begins.

    >>> (yarn(8, 4, 1000) / frequencies(8)).round(4)
    array([1.  , 0.75, 0.5 , 0.25])
    >>> (yarn(8, 4, 1000, truncate=False) / frequencies(8)).round(4)
    array([1.    , 0.8489, 0.3506, 0.25  ])
    """
    fast, slow = _checks.real("beta_fast", beta_fast), _checks.real("beta_slow", beta_slow)
    requirement = "beta_slow and beta_fast must satisfy 0 < slow <= fast"
    _checks.require(0 < slow <= fast, requirement, (beta_slow, beta_fast))
    w, s = _compute_unscaled(d_head, base), _factor(factor)
    # The logarithm of r_0, which is how many turns pair 0 makes in the trained length.
    log_turns = log(_length("trained_length", trained_length) / tau)
    first, last = (d_head / 2 * (log_turns - log(r)) / log(base) for r in (fast, slow))
    if truncate:
        first, last = floor(first), ceil(last)
    # In the authors' program, the ramp ends at d_head - 1 or earlier, and no pair comes that late.
    first, last = max(first, 0), min(last, d_head - 1)
    if first > last:
        raise ValueError(
            "d_head, trained_length, base, beta_slow and beta_fast leave no ramp: "
            f"it would run from pair {first:g} to pair {last:g}"
        )
    kept = 1 - ((np.arange(w.size) - first) / (last - first or 0.001)).clip(0, 1)
    return w * (kept + (1 - kept) / s)


def proportional(d_head: int, share: float, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return the frequencies of a head in which only the fastest pairs rotate: shape (d_head/2,).

    The first `share` of the pairs keep their frequencies, and the others get 0. A fraction of a
    pair is dropped. This differs from a head in which only the first entries are `turned`. The
    pairs of such a head have all the frequencies of a narrower head, but here the slowest
    frequencies are left out. Source: p-RoPE of Barbero et al. (2025), arXiv 2410.06205, and
    "proportional" in transformers (Gemma 4). Raises ValueError unless 0 <= share <= 1.

    >>> proportional(16, 0.5).round(4)
    array([1.    , 0.3162, 0.1   , 0.0316, 0.    , 0.    , 0.    , 0.    ])
    """
    part = _checks.real("share", share)
    _checks.require(0 <= part <= 1, "share must lie in [0, 1]", share)
    w = _compute_unscaled(d_head, base)
    w[int(part * d_head // 2) :] = 0
    return w


def temperature(factor: float, mscale: float = 1.0) -> float:
    """Return 0.1 ln(factor) + 1, by which YaRN scales each rotated query *and* each rotated key.

    The score, which is their dot product, grows by the square of this scale. Peng et al. (2023),
    section 3.4, divide the score by a temperature t. The scale is sqrt(1/t), fitted to LLaMA. YaRN
    is `by_parts` with this scale. Some models have a setting that multiplies the logarithm:
    `mscale`.

    >>> round(temperature(4), 4), round(temperature(4) ** 2, 4)
    (1.1386, 1.2965)
    """
    return 0.1 * _checks.nonnegative("mscale", mscale) * log(_factor(factor)) + 1


def yarn_amplitude(factor: float, mscale: float = 0.0, mscale_all_dim: float = 0.0) -> float:
    """Return YaRN's factor for cos and sin, which `rotate` and `cos_sin` take as `amplitude`.

    YaRN needs this factor in addition to its frequencies, for queries and for keys. The shortest
    way is rotate(x, positions, frequencies=yarn(d_head, factor, trained_length, base),
    amplitude=yarn_amplitude(factor)), which leaves entries that are not turned as they are.

    With both of DeepSeek's settings, the result is `temperature` with `mscale`, divided by
    `temperature` with `mscale_all_dim`. If one of them is missing, the result is `temperature` of
    the factor alone. A model with mscale_all_dim also multiplies *all* of its scores, including
    what unrotated entries add, by the square of the second temperature. DeepSeek-V3 has 1 and 1, so
    the amplitude is 1, and that square is 1.874.

    >>> round(yarn_amplitude(40), 4), yarn_amplitude(40, 1, 1), round(temperature(40) ** 2, 4)
    (1.3689, 1.0, 1.8739)
    """
    turned_scale = _checks.nonnegative("mscale", mscale)
    whole_scale = _checks.nonnegative("mscale_all_dim", mscale_all_dim)
    if turned_scale and whole_scale:
        return temperature(factor, turned_scale) / temperature(factor, whole_scale)
    return temperature(factor)


def longrope_amplitude(factor: float, trained_length: int) -> float:
    """Return sqrt(1 + ln(factor)/ln(trained_length)), by which LongRoPE multiplies cos and sin.

    Pass it to `rotate` as `amplitude`, as in the code of Phi-3, which has LongRoPE's frequencies.
    Ding et al. (2024), arXiv 2402.13753, search for a divisor for the frequency of each pair.
    Raises ValueError also for trained_length = 1.

    >>> round(longrope_amplitude(32, 4096), 4)
    1.1902
    """
    trained = _length("trained_length", trained_length, 2)
    return sqrt(1 + log(_factor(factor)) / log(trained))


def growing(
    positions: ArrayLike, strength: float, every: int, ahead: int = 0
) -> NDArray[np.float64]:
    """Return a factor for the query at each position, growing in steps: shape np.shape(positions).

    The query is multiplied by 1 + strength · ln(1 + floor((t + ahead)/every)).
    Llama 4 does so in its layers without rotation (strength 0.1, every 8,192, ahead 1), and
    Ministral 3 and Mistral Small 4 do so in all layers (ahead 0). Raises ValueError also for a
    negative position or strength.

    >>> growing([0, 8190, 8191, 100_000], 0.1, 8192, ahead=1).round(4)
    array([1.    , 1.    , 1.0693, 1.2565])
    """
    t = _checks.positions("positions", positions)
    if t.size and t.min() < 0:
        raise ValueError(f"positions must not be negative, got {t.min()}")
    growth, step = _checks.nonnegative("strength", strength), _length("every", every)
    start = _length("ahead", ahead, 0)
    return 1 + growth * np.log1p(np.floor((t.astype(np.float64) + start) / step))


def _compute_unscaled(d_head: int, base: float) -> NDArray[np.float64]:
    """Return each pair's frequency in training, before any scaling: shape (d_head/2,)."""
    is_even = _checks.integer("d_head", d_head, 1) % 2 == 0
    _checks.require(is_even, "d_head must be even (a pair takes two dimensions)", d_head)
    return frequencies(d_head, base)


def _scaled_base(name: str, d_head: int, s: float, base: float) -> float:
    """Return `ntk_base` for a factor s. Error messages refer to this argument by `name`."""
    n, b = _compute_unscaled(d_head, base).size, _checks.base_of_powers(base)
    _checks.integer("d_head", d_head, 4)
    with np.errstate(over="ignore"):
        return _checks.real(f"base scaled by {name}", float(b * np.float64(s) ** (n / (n - 1))))


def _factor(factor: float) -> float:
    """Return the factor as a float, or raise ValueError if it is below 1."""
    number = _checks.real("factor", factor)
    _checks.require(number >= 1, "factor must be at least 1 (new length over trained)", factor)
    return number


def _read_ramp(low_name: str, low: float, high_name: str, high: float) -> tuple[float, float]:
    """Return both ends of a ramp, or raise ValueError if the low end is above the high end."""
    first, last = _checks.real(low_name, low), _checks.real(high_name, high)
    requirement = f"{low_name} and {high_name} must satisfy 0 <= {low_name} <= {high_name}"
    _checks.require(0 <= first <= last, requirement, (low, high))
    return first, last


def _length(name: str, length: int, least: int = 1) -> float:
    """Return a length as a float, or raise an error if it is not an integer of at least `least`."""
    return _checks.real(name, _checks.integer(name, length, least))
