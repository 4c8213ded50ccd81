"""Which rules a set of frequencies may follow: base, exponent, scaling.

Logarithms of frequencies lie on a straight line over the pair for plain, interpolated and
NTK-scaled ones. A bend is YaRN or llama3, of which every usual one is tried, or a step, or
longrope. These are guesses: whether one gives the numbers back is for the proof to say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil, exp, floor, log, pi, tau
from typing import Any

import numpy as np

from pe_lib.doctor import _numbers
from pe_lib.doctor._formats import Floats

Readings = list[tuple[float, str]]


@dataclass
class Spacing:
    """A rule and the frequencies that it gives, (n,) radians per position."""

    w: Floats
    base: float
    exponent: str
    readings: Readings
    scaling: str = "none"
    factor: float | None = 1.0
    free: float = 4.0  # so many of its numbers could be chosen to meet what is seen
    evidence: float = 0.0  # the logarithm (base 10) of how unlikely it is by chance
    details: dict[str, Any] = field(default_factory=dict)
    measured: bool = False  # whether its base is measured, and no number that somebody chose
    usual: bool = True  # whether somebody would choose these numbers
    seen: Floats = field(default_factory=lambda: np.zeros(0))  # (n,) the frequencies explained


def plain_frequencies(n: int, base: float) -> Floats:
    """base^(-i/n) for i < n: the frequencies of width 2n."""
    return np.asarray(base ** (-np.arange(n) / n), np.float64)


def propose_spacings(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Rules of frequencies w (n,), known within the shares `doubt` (n,), likeliest first.

    Frequencies with a doubt above 0.3, or not above 0, are not looked at. In order: YaRN and
    llama3, lines, longrope.
    """
    found: list[Floats] = []
    for rules in (_propose_bends, _propose_lines, _propose_longrope):
        for spacing in rules(w, doubt):
            if not any(np.abs(spacing.w - rule).max() <= 1e-12 * spacing.w[0] for rule in found):
                found.append(spacing.w)
                spacing.seen = w
                spacing.evidence = spacing.evidence or _weigh_evidence(w, doubt, spacing)
                yield spacing


def _weigh_evidence(w: Floats, doubt: Floats, rule: Spacing) -> float:
    """The digits that agree, less those that free numbers could be chosen to meet."""
    seen = (w > 0) & (doubt < 0.1) & (rule.w > 0)
    off = np.abs(w[seen] / rule.w[seen] - 1)
    digits = np.sort(-np.log10(np.maximum(np.maximum(8 * doubt[seen], 2 * off), 1e-12)))
    return float(digits[: max(0, digits.size - ceil(rule.free))].clip(0).sum())


# what a base may be


def _pairs_per_base(n: int) -> dict[str, float]:
    """Over how many pairs each convention's frequencies fall by the base."""
    return {"2i/d": n, "i/(d/2-1)": n - 1, "4i/d": n / 2, "i/d": 2 * n}


def list_readings(n: int, fall: float, doubt: float, chosen: bool = False) -> Readings:
    """Every (base, exponent) with this fall per pair, or those that somebody may have `chosen`.

    The most usual first: base 10,000 in any convention, then a known base, then the fewest digits,
    each in the order 2i/d, i/(d/2-1), 4i/d, i/d. Chosen are a base of three digits, or a factor
    that made it, and in the other conventions the usual bases.
    """
    found = []
    for order, (name, pairs) in enumerate(_pairs_per_base(n).items()):
        if pairs > 0 and fall * pairs < 600:
            share = max(doubt * pairs, 1e-9)
            base, digits = _numbers.round_to_chosen(exp(fall * pairs), share)
            if order == 0 and digits > 3 and (ntk := find_ntk_scaling(base, n, share)):
                base, digits = ntk[0] * ntk[1] ** (n / (n - 1)), 4
            known = base in _numbers.BASES
            if base > 1 and (known or not chosen or (order == 0 and digits < 5)):
                rank = 0 if base == 1e4 else 1 if known else digits + 1
                found.append((rank, order, base, name))
    return [(base, name) for _, _, base, name in sorted(found)]


def _equal_readings(n: int, base: float, exponent: str) -> Readings:
    """This reading, and all others of the very rule."""
    others = list_readings(n, log(base) / _pairs_per_base(n)[exponent], 1e-9)
    return [(base, exponent), *(kind for kind in others if kind[1] != exponent)]


def find_ntk_scaling(base: float, n: int, doubt: float) -> tuple[float, float] | None:
    """The usual base and the round factor by which NTK-aware scaling makes this one, or None."""
    if n < 3 or doubt > 3e-3:
        return None
    for usual in (1e4, 5e5, 1e6, 1e5):
        if base > usual:
            factor, digits = _numbers.round_to_chosen(exp(log(base / usual) * (n - 1) / n), doubt)
            if digits <= 2 and 1 < factor <= 1024:
                return usual, factor
    return None


# one line


def _propose_lines(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Plain, NTK-scaled or interpolated frequencies; perhaps with the later pairs still."""
    n, every = w.size, np.arange(w.size)
    seen, zero = (w > 0) & (doubt < 0.3), (w == 0) & (doubt < 0.3)
    i, y, doubts = every[seen], np.log(w[seen]), doubt[seen]
    half = (i.size + 1) // 2  # a line through most of them
    if i.size < 2:
        return
    fall = float(np.median((y[:-half] - y[half:]) / (i[half:] - i[:-half])))
    level = float(np.median(y + fall * i))
    off = np.abs(y + fall * i - level)
    if (off <= np.maximum(0.02, 4 * doubts)).sum() < max(2, 0.5 * i.size):
        return
    # what is further off than most weighs less
    least = np.maximum(np.maximum(doubts, 1e-15), np.maximum(off, 3 * np.median(off)))
    turning = n - int(zero.sum())
    still = 1 < turning < n - n // 8 and bool(zero[turning:].all())  # fewer are lost
    for factor, from_one in _propose_starts(level, fall):
        j = i + from_one
        unsure = float(((j / least) ** 2).sum()) ** -0.5
        fall = float((j * (-log(factor) - y) / least**2).sum()) * unsure**2
        if not 1e-6 < fall < min(50, 600 / n):
            continue
        # as well as they are known, and as if a format of half precision had rounded them
        shares = (unsure, max(unsure, 2e-3 / n))
        kinds = [kind for share in shares for kind in list_readings(n, fall, share, True)]
        seen_base = exp(fall * n)
        kinds.append(
            (_numbers.round_significant(seen_base, 3), "2i/d")
        )  # if that gives all numbers back
        for base, exponent in [*kinds, (seen_base, "2i/d")]:
            plainly = factor == 1 and not from_one
            nice = _numbers.round_to_chosen(base, max(unsure * n, 1e-9))[1] <= 3
            found = Spacing(
                np.exp(-log(base) / _pairs_per_base(n)[exponent] * (every + from_one)) / factor,
                base, exponent, _equal_readings(n, base, exponent),
                "none" if factor == 1 else "linear", factor, 2 - nice - plainly,
                details={"pairs_from_one": True} if from_one else {},
                measured=(base, exponent) not in kinds,
                usual=plainly or base in _numbers.BASES,
            )  # fmt: skip
            yield found
            if still:
                rule = np.where(every < turning, found.w, 0.0)
                details = {"turning_pairs": turning}
                yield replace(found, scaling="proportional", w=rule, details=details)


def _propose_starts(level: float, fall: float) -> Iterator[tuple[float, int]]:
    """What frequencies may be divided by, and whether pairs may be counted from 1."""
    if abs(level) < 0.05:
        yield 1.0, 0
    if abs(level + fall) < 0.05:
        yield 1.0, 1
    if 0.01 < abs(level) < 300:
        times = exp(-level)
        yield (
            180 / pi
            if abs(times * pi / 180 - 1) < 0.01
            else _numbers.round_to_chosen(times, 2e-3)[0],
            0,
        )


# a bend


def bend_frequencies(n: int, base: float, s: float, ramp: Floats) -> Floats:
    """Plain frequencies, kept where a ramp (…, n) is 0 and divided by s where it is 1."""
    return plain_frequencies(n, base) * (1 - ramp + ramp / s)


def yarn_ramp(
    n: int, base: float, length: float, whole: bool = True, fast: float = 32.0, slow: float = 1.0
) -> Floats:
    """From the pair that makes `fast` turns in `length` to the one that makes `slow`, straight over
    the pairs; its ends are perhaps `whole` pairs."""
    low, high = (n * log(length / (tau * r)) / log(base) for r in (fast, slow))
    if whole:
        low, high = floor(low), ceil(high)
    low, high = max(low, 0.0), min(high, 2.0 * n - 1)
    return np.asarray(((np.arange(n) - low) / max(high - low, 1e-3)).clip(0, 1), np.float64)


def llama3_ramp(n: int, base: float, length: float, low: float = 1.0, high: float = 4.0) -> Floats:
    """From `high` turns in `length` to `low`, straight over the turns; both the same: a step."""
    turns = length * plain_frequencies(n, base) / tau
    return np.asarray(((high - turns) / ((high - low) or 1e-9)).clip(0, 1), np.float64)


def _propose_bends(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """YaRN and llama3 of the usual bases and lengths, or without a ramp: the nearest three."""
    n, seen = w.size, (w > 0) & (doubt < 0.1)
    v, doubts, fitting = w[seen], doubt[seen], []
    for base in _numbers.BASES if v.size > 3 and seen[:2].all() else ():
        share = v / plain_frequencies(n, base)[seen]  # they stay, or fall, from pair to pair
        bend = (share < 0.97).sum() > 1  # one pair is no bend: it is off
        kept = abs(share[0] - 1) < 0.01 and max(share[1], share[-1] / share[-2]) > 0.98
        if not (bend and kept and (share[1:] < 1.02 * share[:-1]).all()):
            continue
        most, order, ramps = (
            float(1 / share.min()),
            _equal_readings(n, base, "2i/d"),
            [*_usual_ramps(n, base)],
        )
        factors = [_numbers.round_to_chosen(most, float(doubts.max()))[0], *_numbers.FACTORS]
        for s in dict.fromkeys(s for s in factors if s > 0.98 * most):
            at = int((share > (1 + 1 / s) / 2).sum())
            step = ("llama3", {"step": at}, np.where(np.arange(n) < at, 0.0, 1.0))
            tried = [step, *ramps] if 0 < at < n else ramps
            rules = bend_frequencies(n, base, s, np.stack([ramp for _, _, ramp in tried]))
            off = np.abs(v / rules[:, seen] - 1)
            near = (off.max(axis=1) < 0.02) | ((off / doubts).max(axis=1) < 4)
            for k in np.flatnonzero(near):
                name, details, _ = tried[k]
                times = float((off[k] / np.maximum(doubts, 1e-9)).clip(0, 1e6).mean())
                found = Spacing(rules[k], base, "2i/d", order, name, s, details=details)
                fitting.append((times, found))
    for _, found in sorted(fitting, key=lambda fit: fit[0])[:3]:
        yield found


def _usual_ramps(n: int, base: float) -> Iterator[tuple[str, dict[str, Any], Floats]]:
    """Those in use: what they are called, what is told of them, and the ramp."""
    for trained in _numbers.LENGTHS:
        yield "llama3", {"trained_length": trained}, llama3_ramp(n, base, trained)
        for whole in (True, False):
            details = {"trained_length": trained, "rounded_ends": whole}
            for fast in _numbers.FAST_TURNS:
                yield "yarn", details, yarn_ramp(n, base, trained, whole, fast)


def _propose_longrope(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Plain frequencies divided by a list of factors of few decimals each."""
    n, seen = w.size, (w > 0) & (doubt < 3e-6)
    if seen.sum() < max(4, n // 2):
        return
    doubts = np.where(seen, 4 * doubt + 1e-6, 0.5)
    for base in _numbers.BASES:
        factors = np.where(seen, plain_frequencies(n, base) / np.where(seen, w, 1.0), 1.0)
        near = np.floor(1000 * factors + 0.5) / 1000
        others = int((near[seen] != np.median(near[seen])).sum())  # few are pairs that are off
        digits = float(-np.log10((2000 * doubts * factors).clip(1e-9, 1)).sum())
        right = factors.min() > 0.5 and (np.abs(near / factors - 1) <= doubts).all()
        if right and others > n // 4 and digits > 6:
            rule = np.where(seen, plain_frequencies(n, base) / near, w)
            yield Spacing(rule, base, "2i/d", [(base, "2i/d")], "longrope", None, 0, digits)
            return
