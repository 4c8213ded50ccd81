"""Propose rules that a list of frequencies may follow, each with a base, an exponent and a scaling.

If we plot the logarithms of plain, interpolated or NTK-scaled frequencies over the pair index, they
lie on a straight line. If the line has a bend, the frequencies may come from YaRN or llama3 (of
which every usual setting is tried), from a step, or from longrope. This module only proposes rules.
The proof decides whether one of them reproduces the numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil, exp, floor, log, pi, tau
from typing import Any

import numpy as np

from pe_lib.doctor import _numbers
from pe_lib.doctor._formats import Floats, Indices

Readings = list[tuple[float, str]]  # every (base, exponent) that gives the same list of frequencies

# Frequencies whose relative uncertainty exceeds these limits are ignored.
# WORST_OF_LINE applies to fitting a line, and WORST to fitting a bend and counting evidence.
WORST_OF_LINE = 0.3
WORST = 0.1
DEGREES = 180 / pi
COMMON_BASES = (1e4, 5e5, 1e6, 1e5)
WIDTH_STEP = 8  # the widths of heads and of tables are multiples of this number


@dataclass
class Spacing:
    """A rule for frequencies, and the frequencies (n,) that it gives, in radians per position."""

    w: Floats
    base: float
    exponent: str
    readings: Readings
    scaling: str = "none"
    factor: float | None = 1.0
    # how many parameters of the rule could have been adjusted to fit the frequencies
    free: float = 4.0
    # how many digits agree beyond what chance would explain
    evidence: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    # whether the base was only measured, and may not be a number that a person chose
    measured: bool = False
    usual: bool = True  # whether a person would plausibly choose this base and factor
    explained: Floats = field(
        default_factory=lambda: np.zeros(0)
    )  # (n,) the given frequencies that the rule explains


def plain_frequencies(n: int, base: float) -> Floats:
    """Return the n frequencies base^(-i/n) of an encoding of width 2n."""
    return np.asarray(base ** (-np.arange(n) / n), np.float64)


def propose_spacings(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Propose rules for frequencies w (n,), whose relative uncertainties are `doubt` (n,).

    The most likely rules come first: YaRN and llama3, then lines, then longrope. Negative
    frequencies, and frequencies with a doubt above 0.3, are ignored.
    """
    proposed: list[Floats] = []
    for rules in (_propose_bends, _propose_lines, _propose_longrope):
        for spacing in rules(w, doubt):
            if not any(_is_same_rule(spacing.w, other) for other in proposed):
                proposed.append(spacing.w)
                spacing.explained = w
                spacing.evidence = spacing.evidence or _weigh_evidence(w, doubt, spacing)
                yield spacing


def _is_same_rule(w: Floats, other: Floats) -> bool:
    return bool(np.abs(w - other).max() <= 1e-12 * w[0])


def _weigh_evidence(w: Floats, doubt: Floats, rule: Spacing) -> float:
    """Count the digits that agree, without those that the choice of parameters could explain."""
    usable = (w > 0) & (doubt < WORST) & (rule.w > 0)
    off = np.abs(w[usable] / rule.w[usable] - 1)
    # The uncertainty and the measured difference both estimate the error, so the larger one counts.
    error = np.maximum(np.maximum(8 * doubt[usable], 2 * off), 1e-12)
    digits = np.sort(-np.log10(error))
    return float(digits[: max(0, digits.size - ceil(rule.free))].clip(0).sum())


# --- Bases ---


def _pairs_per_base(n: int) -> dict[str, float]:
    """For each kind of exponent, return after how many pairs a frequency is divided by the base."""
    return {"2i/d": n, "i/(d/2-1)": n - 1, "4i/d": n / 2, "i/d": 2 * n}


def list_readings(n: int, fall: float, doubt: float, chosen: bool = False) -> Readings:
    """List every (base, exponent) whose frequencies fall from pair to pair at the given rate.

    `fall` is how far the logarithm falls from pair to pair, and `doubt` is its error. The most
    usual reading comes first: base 10,000 with any exponent, then a known base, then the base with
    the fewest digits. Equally usual readings are sorted by exponent: 2i/d, i/(d/2-1), 4i/d, i/d.

    With `chosen`, only readings that a person may have chosen are listed. For exponent 2i/d, these
    are bases of up to three digits, and bases that result from a round NTK factor. For the other
    exponents, they are the known bases.
    """
    ranked = []
    for order, (name, pairs) in enumerate(_pairs_per_base(n).items()):
        if pairs > 0 and fall * pairs < 600:  # exp overflows above 709
            share = max(doubt * pairs, 1e-9)
            base, digits = _numbers.round_to_chosen(exp(fall * pairs), share)
            if order == 0 and digits > 3 and (ntk := find_ntk_scaling(base, n, share)):
                base, digits = ntk[0] * ntk[1] ** (n / (n - 1)), 4
            is_known = base in _numbers.BASES
            if base > 1 and (is_known or not chosen or (order == 0 and digits < 5)):
                rank = 0 if base == 1e4 else 1 if is_known else digits + 1
                ranked.append((rank, order, base, name))
    return [(base, name) for _, _, base, name in sorted(ranked)]


def _equal_readings(n: int, base: float, exponent: str) -> Readings:
    """List (base, exponent), and then all other (base, exponent) with the same frequencies."""
    others = list_readings(n, log(base) / _pairs_per_base(n)[exponent], 1e-9)
    return [(base, exponent), *(reading for reading in others if reading[1] != exponent)]


def find_ntk_scaling(base: float, n: int, doubt: float) -> tuple[float, float] | None:
    """Return a common base and a round factor from which NTK-aware scaling computes `base`.

    Returns None if there is no such base and factor, or if this base is not known well enough.
    """
    if n < 3 or doubt > 3e-3:
        return None
    for usual in COMMON_BASES:
        if base > usual:
            factor = exp(log(base / usual) * (n - 1) / n)
            factor, digits = _numbers.round_to_chosen(factor, doubt)
            if digits <= 2 and 1 < factor <= 1024:
                return usual, factor
    return None


def find_other_width(base: float, width: int, doubt: float) -> tuple[float, int] | None:
    """Return a common base and another width in whose frequencies a list of this `width` begins.

    The powers base^(-2i/width) are the same numbers as usual^(-2i/other), if
    other = width · log(usual) / log(base). Returns None if no common base gives a usual width.
    """
    if base <= 1 or any(abs(log(base / usual)) < doubt for usual in COMMON_BASES):
        return None
    for usual in COMMON_BASES:
        other = width * log(usual) / log(base)
        whole = round(other / WIDTH_STEP) * WIDTH_STEP
        is_close = abs(other - whole) < doubt * other
        if is_close and whole != width and width / 4 <= whole <= 4 * width:
            return usual, whole
    return None


# --- A straight line ---

# A logarithm lies on the line if it differs by at most this amount.
LINE_OFF = 0.02
# If the line begins this close to 0, the first frequency may be exactly 1.
AT_START = 0.05
HALF_FORMAT = 2e-3  # the relative uncertainty of a base that was rounded to half precision


@dataclass
class _Line:
    """The logarithms of the frequencies, and the straight line on which most of them lie."""

    pairs: Indices  # the indices of the pairs whose frequencies are known
    logs: Floats
    doubts: Floats
    fall: float  # how far the line falls from each pair to the next
    level: float  # the logarithm that the line has at pair 0
    off: Floats  # how far each logarithm is from the line

    def refine(self, factor: float, from_one: int) -> tuple[float, float]:
        """Return the slope of the line and its uncertainty, if positions are divided by `factor`.

        Pairs count from `from_one`. Logarithms far from the line get a smaller weight.
        """
        scatter = np.maximum(self.off, 3 * np.median(self.off))
        least = np.maximum(np.maximum(self.doubts, 1e-15), scatter)
        j = self.pairs + from_one
        doubt = float(((j / least) ** 2).sum()) ** -0.5
        return float((j * (-log(factor) - self.logs) / least**2).sum()) * doubt**2, doubt


def _propose_lines(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Propose plain, NTK-scaled and interpolated frequencies, with or without zeros at the end."""
    n = w.size
    line = _fit_line(w, doubt)
    if line is None:
        return
    turning = n - int(((w == 0) & (doubt < WORST_OF_LINE)).sum())
    # If more than an eighth of the frequencies are zero at the end, a rule says so. Fewer zeros are
    # mistakes.
    stand = 1 < turning < n - n // 8 and not w[turning:].any() and _are_known(doubt[turning:])
    for factor, from_one in _propose_starts(line.level, line.fall):
        fall, fall_doubt = line.refine(factor, from_one)
        if not 1e-6 < fall < min(50, 600 / n):
            continue
        for spacing in _propose_bases(n, fall, fall_doubt, factor, from_one):
            yield spacing
            if stand:
                rule = np.where(np.arange(n) < turning, spacing.w, 0.0)
                details = {"turning_pairs": turning}
                yield replace(spacing, scaling="proportional", w=rule, details=details)


def _are_known(doubt: Floats) -> bool:
    return bool((doubt < WORST_OF_LINE).all())


def _fit_line(w: Floats, doubt: Floats) -> _Line | None:
    """Fit a line to the logarithms by medians, or return None if fewer than half lie on a line."""
    is_known = (w > 0) & (doubt < WORST_OF_LINE)
    i, y, doubts = np.arange(w.size)[is_known], np.log(w[is_known]), doubt[is_known]
    if i.size < 2:
        return None
    # The slope is most precise if it is measured between pairs that are half a list apart.
    half = (i.size + 1) // 2
    fall = float(np.median((y[:-half] - y[half:]) / (i[half:] - i[:-half])))
    level = float(np.median(y + fall * i))
    off = np.abs(y + fall * i - level)
    if (off <= np.maximum(LINE_OFF, 4 * doubts)).sum() < max(2, 0.5 * i.size):
        return None
    return _Line(i, y, doubts, fall, level, off)


def _propose_starts(level: float, fall: float) -> Iterator[tuple[float, int]]:
    """Propose factors that divide the positions, and whether pair numbers start at 0 or 1."""
    if abs(level) < AT_START:
        yield 1.0, 0
    if abs(level + fall) < AT_START:
        yield 1.0, 1
    # If the level is near 0, positions were not divided by a factor. If it is large, exp overflows.
    if 0.01 < abs(level) < 300:
        times = exp(-level)
        for unit in (DEGREES, 1 / DEGREES, 1 / tau):
            if abs(times / unit - 1) < 0.01:
                yield unit, 0
        yield _numbers.round_to_chosen(times, 2e-3)[0], 0


def _propose_bases(
    n: int, fall: float, doubt: float, factor: float, from_one: int
) -> Iterator[Spacing]:
    """Propose bases that a person may have chosen, and then the measured base."""
    shares = (doubt, max(doubt, HALF_FORMAT / n))
    chosen = [reading for share in shares for reading in list_readings(n, fall, share, True)]
    measured = exp(fall * n)
    chosen.append((_numbers.round_significant(measured, 3), "2i/d"))
    is_plain = factor == 1 and not from_one
    for base, exponent in [*chosen, (measured, "2i/d")]:
        is_round = _numbers.round_to_chosen(base, max(doubt * n, 1e-9))[1] <= 3
        per_pair = log(base) / _pairs_per_base(n)[exponent]
        yield Spacing(
            np.exp(-per_pair * (np.arange(n) + from_one)) / factor,
            base,
            exponent,
            _equal_readings(n, base, exponent),
            "none" if factor == 1 else "linear",
            factor,
            # A base counts as a free parameter unless it is round, and a factor unless it is 1.
            2 - is_round - is_plain,
            details={"pairs_from_one": True} if from_one else {},
            measured=(base, exponent) not in chosen,
            usual=is_plain or base in _numbers.BASES,
        )


# --- A bend ---

# A frequency counts as slow if it is below this share of the plain frequency.
BEND = 0.97
# The first frequency counts as plain if its relative error is at most this.
STRAIGHT = 0.01
# A scaling still fits if it fails to explain one pair in 32.
PAIRS_PER_LOST = 32


def bend_frequencies(n: int, base: float, s: float, ramp: Floats) -> Floats:
    """Divide plain frequencies by s where the ramp (…, n) is 1, and keep them where it is 0."""
    return plain_frequencies(n, base) * (1 - ramp + ramp / s)


def yarn_ramp(
    n: int, base: float, length: float, whole: bool = True, fast: float = 32.0, slow: float = 1.0
) -> Floats:
    """Return YaRN's ramp, which rises from 0 to 1 as pairs become slower: shape (n,).

    The ramp is 0 at the pair that makes `fast` turns in `length` positions, and 1 at the pair that
    makes `slow` turns. Between them it rises linearly with the pair index. With `whole`, the ends
    of the ramp are rounded to whole pairs.
    """
    low, high = (n * log(length / (tau * r)) / log(base) for r in (fast, slow))
    if whole:
        low, high = floor(low), ceil(high)
    low, high = max(low, 0.0), min(high, 2.0 * n - 1)
    return np.asarray(((np.arange(n) - low) / max(high - low, 1e-3)).clip(0, 1), np.float64)


# Other turns at which YaRN's ramp may begin and end, the usual ones first.
TURNS = [
    (fast, slow)
    for slow in (1.0, 2.0, 4.0, 0.5)
    for fast in (32.0, 16.0, 8.0, 64.0, 4.0, 128.0)
    if fast > slow
]
# The relative error with which a ramp may give frequencies.
RAMP_OFF = 1e-4


@dataclass
class Ramp:
    """The settings of YaRN's ramp, and the frequencies (n,) that it gives."""

    w: Floats
    length: float
    fast: float
    slow: float
    whole: bool  # whether its ends are rounded to whole pairs
    # whether slow frequencies are divided by the factor, and not computed with a larger base
    is_divided: bool

    def count_same(self, other: "Ramp") -> int:
        """Return how many settings two ramps have in common, where the length counts twice."""
        turns = int(self.fast == other.fast) + int(self.slow == other.slow)
        return turns + int(self.whole == other.whole) + 2 * int(self.length == other.length)

    def has_turns_of(self, other: "Ramp") -> bool:
        """Return whether two ramps differ in nothing but the length."""
        return self.is_divided and self.count_same(replace(other, length=self.length)) == 5

    def __str__(self) -> str:
        fast, slow, length = (
            _numbers.format_number(x) for x in (self.fast, self.slow, self.length)
        )
        ends = "" if self.whole else ", with ends between pairs"
        return f"from {fast} turns to {slow} in {length} positions{ends}"


def find_ramps(w: Floats, base: float, factor: float) -> list[Ramp]:
    """Return the ramps of YaRN that give frequencies w (n,) for a base and a factor.

    A ramp over a longer length with more turns may be the same, so there may be several. The usual
    turns come first. Trained lengths may have been multiplied by the factor.
    """
    n, ramps = w.size, []
    plain = plain_frequencies(n, base)
    divisions = [(True, plain / factor), (False, plain_frequencies(n, base * factor))]
    lengths = dict.fromkeys([*_numbers.LENGTHS, *(x * factor for x in _numbers.LENGTHS)])
    for fast, slow in TURNS:
        for length in lengths:
            for whole in (True, False):
                ramp = yarn_ramp(n, base, length, whole, fast, slow)
                for is_divided, slow_w in divisions:
                    rule = plain * (1 - ramp) + slow_w * ramp
                    is_bent = rule[-1] < BEND * plain[-1]
                    if is_bent and (np.abs(w / rule - 1) < RAMP_OFF).all():
                        ramps.append(Ramp(rule, length, fast, slow, whole, is_divided))
    return ramps


def llama3_ramp(n: int, base: float, length: float, low: float = 1.0, high: float = 4.0) -> Floats:
    """Return llama3's ramp, which rises from 0 to 1 as pairs become slower: shape (n,).

    The ramp is 0 if a pair makes `high` turns in `length` positions, and 1 if it makes `low` turns.
    Between them it is linear in the number of turns. If `high` and `low` are equal, it is a step.
    """
    turns = length * plain_frequencies(n, base) / tau
    return np.asarray(((high - turns) / ((high - low) or 1e-9)).clip(0, 1), np.float64)


def _propose_bends(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Propose the three best fits of YaRN, llama3 or a step, using common bases and lengths."""
    n, usable = w.size, (w > 0) & (doubt < WORST)
    fits: list[tuple[float, Spacing]] = []
    for base in _numbers.BASES if usable.sum() > 3 and usable[:2].all() else ():
        share = _drop_outliers(w[usable] / plain_frequencies(n, base)[usable])
        if _is_bent(share):
            fits += _fit_bends(w, doubt, base, share)
    for _, spacing in sorted(fits, key=lambda fit: fit[0])[:3]:
        yield spacing


def _drop_outliers(share: Floats) -> Floats:
    """If a number is above or below both of its neighbours, replace it by the nearer neighbour."""
    beside = np.stack([share[:-2], share[1:-1], share[2:]])
    return np.concatenate([share[:1], np.median(beside, axis=0), share[-1:]])


def _is_bent(share: Floats) -> bool:
    """Return whether the first frequencies follow the base, and later frequencies are slower."""
    # A single slow pair is probably a mistake and not part of a scaling.
    bends = (share < BEND).sum() > 1
    # At one of its ends, the list must be level: either the second pair is plain, or the last two
    # pairs are slowed by the same factor.
    levels_off = max(share[1], share[-1] / share[-2]) > 0.98
    falls = (share[1:] < 1.02 * share[:-1]).all()
    return bool(bends and abs(share[0] - 1) < STRAIGHT and levels_off and falls)


def _fit_bends(
    w: Floats, doubt: Floats, base: float, share: Floats
) -> Iterator[tuple[float, Spacing]]:
    """Yield the common scalings that roughly fit the frequencies for a base, each with its error.

    `share` is the ratio of the known frequencies to the plain frequencies.
    """
    n, usable = w.size, (w > 0) & (doubt < WORST)
    doubts = doubt[usable]
    most = float(1 / share.min())
    readings, ramps = _equal_readings(n, base, "2i/d"), [*_usual_ramps(n, base)]
    factors = [_numbers.round_to_chosen(most, float(doubts.max()))[0], *_numbers.FACTORS]
    for s in dict.fromkeys(s for s in factors if s > 0.98 * most):
        # the number of pairs before the middle of the ramp
        at = int((share > (1 + 1 / s) / 2).sum())
        step = ("llama3", {"step": at}, np.where(np.arange(n) < at, 0.0, 1.0))
        bends = [step, *ramps] if 0 < at < n else ramps
        rules = bend_frequencies(n, base, s, np.stack([ramp for _, _, ramp in bends]))
        off = np.abs(w[usable] / rules[:, usable] - 1)
        # The scaling need not explain every pair, because a few frequencies may be wrong.
        least = off.shape[1] - off.shape[1] // PAIRS_PER_LOST
        is_near = ((off < LINE_OFF).sum(axis=1) >= least) | (
            (off / doubts < 4).sum(axis=1) >= least
        )
        for k in np.flatnonzero(is_near):
            name, details, _ = bends[k]
            times = float((off[k] / np.maximum(doubts, 1e-9)).clip(0, 1e6).mean())
            yield times, Spacing(rules[k], base, "2i/d", readings, name, s, details=details)


def _usual_ramps(n: int, base: float) -> Iterator[tuple[str, dict[str, Any], Floats]]:
    """For each common scaling with a ramp, yield its name, its details and its ramp."""
    for trained in _numbers.LENGTHS:
        yield "llama3", {"trained_length": trained}, llama3_ramp(n, base, trained)
        for whole in (True, False):
            details = {"trained_length": trained, "rounded_ends": whole}
            for fast in _numbers.FAST_TURNS:
                yield "yarn", details, yarn_ramp(n, base, trained, whole, fast)


def _propose_longrope(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Propose plain frequencies divided by a list of factors with three decimals."""
    n, usable = w.size, (w > 0) & (doubt < 3e-6)
    if usable.sum() < max(4, n // 2):
        return
    doubts = np.where(usable, 4 * doubt + 1e-6, 0.5)
    for base in _numbers.BASES:
        factors = np.where(usable, plain_frequencies(n, base) / np.where(usable, w, 1.0), 1.0)
        near = np.floor(1000 * factors + 0.5) / 1000
        # If only a few factors differ from the median, they are mistakes in the list, not longrope.
        others = int((near[usable] != np.median(near[usable])).sum())
        digits = float(-np.log10((2000 * doubts * factors).clip(1e-9, 1)).sum())
        right = factors.min() > 0.5 and (np.abs(near / factors - 1) <= doubts).all()
        if right and others > n // 4 and digits > 6:
            rule = np.where(usable, plain_frequencies(n, base) / near, w)
            yield Spacing(rule, base, "2i/d", [(base, "2i/d")], "longrope", None, 0, digits)
            return
