"""Frequencies for texts longer than those in training: rotary embeddings, slowed down.

A model trained on L positions is to read s = L'/L times as many; s is the `factor`. Of the n =
d_head/2 pairs, each with w_i = base^(-2i/d_head) radians per position, pair i gets

    interpolated    w_i / s               every pair alike
    ntk_aware       w_i / s^(i/(n - 1))   the first kept, the last divided by s
    by_parts        between w_i/s and w_i, by how many turns it makes in L positions

as arrays (d_head/2,) of radians per position, fastest first, like `frequencies`. All functions
raise TypeError or ValueError unless d_head is a positive even integer, base finite and above 1,
factor finite and at least 1, lengths positive integers. S. Chen et al. (2023) is arXiv 2306.15595;
Peng et al. (2023), the paper on YaRN, is arXiv 2309.00071.
"""

from math import log, tau

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks
from pe_lib.sinusoidal import frequencies


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
    d_head: int, length: int, trained_length: int, base: float = 10_000.0
) -> NDArray[np.float64]:
    """Dynamic NTK: `ntk_aware` with the factor max(1, length/trained_length) of the text at hand.

    As a text grows beyond `trained_length`, all frequencies but the first change: keys have to be
    stored before they are turned. Peng et al. (2023), section 3.3. Their code takes the factor
    a · length/trained_length - (a - 1), with a setting a; here a = 1. Errors: also as `ntk_base`.

    >>> dynamic(8, 8000, 1000).round(6)
    array([1.00e+00, 5.00e-02, 2.50e-03, 1.25e-04])
    """
    now, trained = _length("length", length), _length("trained_length", trained_length)
    scaled = _scaled("length/trained_length", d_head, max(1.0, now / trained), base)
    return frequencies(d_head, scaled)


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
    is 0 up to `alpha` turns, 1 from `beta` on, and (r - alpha)/(beta - alpha) between: Peng et al.
    (2023), section 3.2, with their alpha and beta for Llama. ValueError unless 0 <= alpha < beta.

    In their code (github.com/jquesnelle/yarn), and what follows it, g falls evenly with the pair
    number instead, from 1 at floor(i_beta) to 0 at ceil(i_alpha), where pair "i_r" makes r turns.
    Its frequencies are up to 1.7 times these for factor 4, 3 times for factor 16 (d_head 128, 4,096
    positions). A model needs the ramp that it was trained with.

    >>> (by_parts(8, 4, 1000) / frequencies(8)).round(4)
    array([1.    , 0.6109, 0.2643, 0.25  ])
    """
    low, high = _checks.real("alpha", alpha), _checks.real("beta", beta)
    if not 0 <= low < high:
        got = f"{_checks.shown(alpha)} and {_checks.shown(beta)}"
        raise ValueError(f"alpha and beta must satisfy 0 <= alpha < beta, got {got}")
    w, s = _plain(d_head, base), _factor(factor)
    r = _length("trained_length", trained_length) * w / tau
    g = (r.clip(low, high) - low) / (high - low)
    return (1 - g) * w / s + g * w


def temperature(factor: float) -> float:
    """YaRN's attention scale 0.1 ln(factor) + 1, for each turned query *and* each turned key.

    The score, their dot product, grows by its square. Peng et al. (2023), section 3.4, divide the
    score by a temperature t: this is sqrt(1/t), fitted to LLaMA. With `by_parts` it makes YaRN.

    >>> round(temperature(4), 4), round(temperature(4) ** 2, 4)
    (1.1386, 1.2965)
    """
    return 0.1 * log(_factor(factor)) + 1


def _plain(d_head: int, base: float) -> NDArray[np.float64]:
    if _checks.integer("d_head", d_head, 1) % 2:
        raise ValueError(f"d_head must be even (a pair takes two dimensions), got {d_head}")
    return frequencies(d_head, base)


def _scaled(name: str, d_head: int, s: float, base: float) -> float:
    """`ntk_base` for a factor s that goes by this name."""
    n, b = _plain(d_head, base).size, _checks.scale(base)
    _checks.integer("d_head", d_head, 4)
    with np.errstate(over="ignore"):
        return _checks.real(f"base scaled by {name}", float(b * np.float64(s) ** (n / (n - 1))))


def _factor(factor: float) -> float:
    if (number := _checks.real("factor", factor)) < 1:
        raise ValueError(
            f"factor must be at least 1 (new length over trained), got {_checks.shown(factor)}"
        )
    return number


def _length(name: str, length: int) -> float:
    return _checks.real(name, _checks.integer(name, length, 1))
