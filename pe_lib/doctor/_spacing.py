"""Which rule a set of frequencies follows: base, exponent, scaling.

Logarithms of frequencies lie on a straight line over the pair for plain, interpolated and
NTK-scaled ones. A bend is YaRN, llama3 or longrope: each is solved for its few numbers where it
bends, and then has to give every frequency back. YaRN and llama3 without a ramp are one step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil, exp, floor, inf, log, log10, sqrt, tau
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _numbers

Floats = NDArray[np.float64]
Readings = list[tuple[float, str]]

MARGIN = 4.0  # a rule holds if no frequency is further off than this many times its doubt
# doubts that are tried, one after the other: as measured, of float32, float16 and bfloat16
LEVELS = (0.0, 2e-6, 2.0**-10, 2.0**-7, 2.0**-6)


@dataclass
class Spacing:
    """A rule and the frequencies that it gives, (n,) radians per position."""

    w: Floats
    base: float
    exponent: str
    readings: Readings
    scaling: str = "none"
    factor: float | None = 1.0
    evidence: float = 0.0  # the logarithm (base 10) of how unlikely it is by chance
    details: dict[str, float | int | bool | str] = field(default_factory=dict)
    measured: bool = False  # whether its base is measured, and no number that somebody chose
    usual: bool = True  # whether somebody would choose these numbers


def plain(n: int, base: float) -> Floats:
    """base^(-i/n) for i < n: the frequencies of width 2n."""
    return np.asarray(base ** (-np.arange(n) / n), np.float64)


def explain(w: Floats, doubt: Floats, rotary: bool) -> Iterator[Spacing]:
    """Rules of frequencies w (n,), known within the shares `doubt` (n,), likeliest first.

    Frequencies with a doubt above 0.3, or not above 0, are not looked at. In order: one line,
    YaRN and llama3, longrope; then a line and a bend with the tolerance of float16, and of
    bfloat16; zeros at the end; and all but a few that are off the line of the others.
    """
    found: list[Floats] = []
    for spacing in _rules(w, doubt, rotary):
        if not any(np.abs(spacing.w - rule).max() <= 1e-12 * spacing.w[0] for rule in found):
            found.append(spacing.w)
            yield spacing


def _rules(w: Floats, doubt: Floats, rotary: bool) -> Iterator[Spacing]:
    turning = int((w != 0).sum())
    zeros = 1 < turning < w.size - w.size // 8 and not w[turning:].any()  # fewer are lost
    seen = np.where(w == 0, 1.0, doubt) if zeros else doubt
    yield from _levels(w, seen, rotary)
    if zeros:
        yield from _proportional(w, doubt, turning, rotary)
    rest = _without_outliers(w, seen)
    if rest is not None:
        for found in _levels(np.where(rest < 1, w, 1.0), rest, rotary):
            if found.evidence >= 6 + 6 * (found.scaling != "none"):
                yield found


def _levels(w: Floats, doubt: Floats, rotary: bool) -> Iterator[Spacing]:
    for level in LEVELS:
        d = np.maximum(doubt, level / MARGIN)
        if level == 2.0**-10:  # float16 ends at 6e-8
            d += 3e-8 / np.maximum(np.abs(w), 1e-30)
        found = [*_line(w, d, rotary)] or [*_bent(w, d)]
        yield from found
        if level == 2e-6 and not found:
            yield from _longrope(w, doubt)


def _proportional(w: Floats, doubt: Floats, turning: int, rotary: bool) -> Iterator[Spacing]:
    """The first pairs as in the whole head, the others still (Gemma's "proportional")."""
    for found in _levels(w[:turning], doubt[:turning], rotary):
        if found.scaling in ("none", "linear"):
            fall = log(found.base) / _pairs(turning)[found.exponent]
            share = max(float(doubt[:turning].max()) / turning, 1e-9)
            kinds = readings(w.size, fall, share, rotary)
            found.details["turning_pairs"] = turning
            base, exponent = kinds[0]
            rule = np.concatenate([found.w, np.zeros(w.size - turning)])
            yield replace(found, w=rule, base=base, exponent=exponent, readings=kinds,
                          scaling="proportional", measured=not is_chosen(base, exponent, w.size)
                          )  # fmt: skip


def _without_outliers(w: Floats, doubt: Floats) -> Floats | None:
    """The doubts, 1 for what is off the line of most by 2 %; None if that is nothing, or much."""
    seen = (w > 0) & (doubt < 0.1)
    i, y = np.arange(w.size), np.log(np.where(seen, w, 1.0))
    both = seen[:-1] & seen[1:]
    if w.size < 8 or both.sum() < 4:
        return None
    fall = float(np.median((y[:-1] - y[1:])[both]))
    level = float(np.median((y + fall * i)[seen]))
    bad = ~seen | (np.abs(y + fall * i - level) > np.maximum(0.02, 2 * doubt))
    few = 0 < (bad & seen).sum() <= w.size // 4
    return np.where(bad, 1.0, doubt) if few else None


# one line


def _fit(w: Floats, doubt: Floats) -> tuple[float, float, float] | None:
    """The line through log w: fall per pair, value at pair 0, and that value's doubt."""
    seen = (w > 0) & (doubt < 0.3)
    if seen.sum() < 2:
        return None
    i, y = np.arange(w.size)[seen].astype(np.float64), np.log(w[seen])
    least = np.maximum(doubt[seen], 1e-15)
    weight = 1 / least**2
    weight /= weight.max()
    total = float(weight.sum())
    mean = float((weight * i).sum()) / total
    spread = float((weight * (i - mean) ** 2).sum())
    if spread <= 0:
        return None
    level = float((weight * y).sum()) / total
    fall = -float((weight * (i - mean) * y).sum()) / spread
    return fall, level + fall * mean, float(least.min()) * sqrt(1 / total + mean**2 / spread)


def _through(w: Floats, doubt: Floats, start: float) -> tuple[float, float]:
    """The fall per pair of the line that begins at `start`, and its doubt."""
    seen = (w > 0) & (doubt < 0.3)
    seen[0] = False
    if not seen.any():
        return 0.0, inf
    i, y = np.arange(w.size)[seen].astype(np.float64), np.log(w[seen])
    least = np.maximum(doubt[seen], 1e-15)
    unit = float(least.min())
    weight = (unit / least) ** 2
    spread = float((weight * i * i).sum())
    return float((weight * i * (start - y)).sum()) / spread, unit / sqrt(spread)


def _off(w: Floats, rule: Floats, doubt: Floats) -> float:
    """How far the rule is off at worst, in doubts."""
    seen = (w > 0) & (doubt < 0.1)
    if seen.sum() < 3:
        seen = (w > 0) & (doubt < 0.3)
    share = np.abs(np.where(seen, w, 1.0) / np.where(seen, rule, 1.0) - 1)
    return float((share / np.maximum(doubt, 1e-15))[seen].max(initial=0.0))


def _evidence(w: Floats, doubt: Floats, free: float) -> float:
    """The digits that agree, less those that `free` numbers could be chosen to meet."""
    seen = (w > 0) & (doubt < 0.1)
    digits = np.sort(-np.log10(np.maximum(2 * MARGIN * doubt[seen], 1e-12)))
    return float(digits[: max(0, digits.size - ceil(free))].clip(0).sum())


def _pairs(n: int) -> dict[str, float]:
    """Over how many pairs each convention's frequencies fall by the base."""
    return {"2i/d": n, "i/(d/2-1)": n - 1, "4i/d": n / 2, "i/d": 2 * n}


def _known(base: float) -> bool:
    return base in _numbers.BASES or _numbers.is_power_of_ten(base)


def readings(n: int, fall: float, doubt: float, rotary: bool) -> Readings:
    """Every (base, exponent) with this fall per pair, the most usual first.

    The most usual of a table: base 10,000 in any convention, then a known base or a power of ten,
    then the fewest digits, each in the order 2i/d, i/(d/2-1), 4i/d, i/d. Of a rotary scheme: 2i/d
    with a base of up to two digits, another convention with a known base from 10,000 on, 2i/d.
    """
    found = []
    for order, (name, pairs) in enumerate(_pairs(n).items()):
        if pairs > 0 and fall * pairs < 600:
            share = max(doubt * pairs, 1e-9)
            base, digits = _numbers.chosen(exp(fall * pairs), share)
            if order == 0 and digits > 3 and (ntk := scaled_base(base, n, share)):
                base, digits = ntk[0] * ntk[1] ** (n / (n - 1)), 4
            rank = 1.0 if _known(base) else digits + 1
            if base == 1e4 and not rotary:
                rank = 0
            if rotary and order:  # another convention only where its base is a usual one
                rank = 3.5 if _known(base) and base >= 1e4 else 11
            found.append((rank, order, base, name))
    return [(base, name) for _, _, base, name in sorted(found)]


def is_chosen(base: float, exponent: str, n: int) -> bool:
    """Whether somebody chose this base, or a factor that made it; a usual one if not 2i/d."""
    if exponent != "2i/d":
        return _known(base)
    return _numbers.chosen(base, 1e-9)[1] <= 3 or scaled_base(base, n, 1e-9) is not None


def scaled_base(base: float, n: int, doubt: float) -> tuple[float, float] | None:
    """The usual base and the round factor by which NTK-aware scaling makes this one, or None."""
    if n < 3 or doubt > 1e-3:
        return None
    for usual in (1e4, 5e5, 1e6, 1e5):
        if base > usual:
            factor, digits = _numbers.chosen(exp(log(base / usual) * (n - 1) / n), doubt)
            if digits <= 2 and 1 < factor <= 1024:
                return usual, factor
    return None


def _line(w: Floats, doubt: Floats, rotary: bool) -> Iterator[Spacing]:
    """Plain, NTK-scaled or interpolated frequencies."""
    n, line = w.size, _fit(w, doubt)
    if line is None:
        return
    fall, start, start_doubt = line
    tried: list[float] = []
    if abs(start) <= MARGIN * max(start_doubt, float(doubt[0])) + 1e-9:
        tried.append(1.0)
    if abs(start) < 600:
        tried.append(_numbers.chosen(exp(-start), max(start_doubt, 1e-9))[0])
    for factor in tried:
        fall, fall_doubt = _through(w, doubt, -log(factor))
        if not 1e-6 < fall < 50 or (factor != 1 and abs(start) < 0.04 and doubt.min() > 2e-4):
            continue
        share = max(fall_doubt * n, 1e-9)
        chosen = [kind for kind in readings(n, fall, fall_doubt, rotary) if is_chosen(*kind, n)]
        if fall_doubt * n > 1e-3:  # too little is known to see a factor in the base: try them all
            grown = [usual * s ** (n / (n - 1)) for usual in _numbers.BASES[:4]
                     for s in _numbers.FACTORS]  # fmt: skip
            chosen += [(base, "2i/d") for base in grown
                       if abs(log(base) / n - fall) <= MARGIN * fall_doubt]  # fmt: skip
        for reading in [*chosen, None]:
            slope = log(reading[0]) / _pairs(n)[reading[1]] if reading else fall
            rule = np.exp(-slope * np.arange(n)) / factor
            if _off(w, rule, doubt) > MARGIN:
                continue
            order = readings(n, slope, 1e-9, rotary)  # of this very rule
            if reading:
                order = [reading, *(kind for kind in order if kind[1] != reading[1])]
            base, exponent = order[0]
            found = Spacing(rule, base, exponent, order, measured=reading is None)
            nice = _numbers.chosen(base, share)[1] <= 3
            if factor != 1:
                degrees = abs(factor * tau / 360 - 1) < 1e-6
                found.usual = _known(base) and (degrees or _numbers.chosen(factor, 1e-9)[1] <= 3)
                found.factor, found.scaling = factor, "linear"
                if abs(log(factor) / fall - 1) <= MARGIN * (start_doubt + fall_doubt) / fall:
                    found.scaling, found.factor = "none", 1.0
                    found.details["pairs_from_one"], found.usual = True, _known(base)
            found.evidence = _evidence(w, doubt, 2 - nice - (factor == 1.0))
            yield found


# a bend


def yarn(n: int, base: float, s: float, low: float, high: float) -> Floats:
    """Kept up to pair `low`, divided by s from pair `high` on, a straight ramp between."""
    g = ((np.arange(n) - low) / max(high - low, 1e-3)).clip(0, 1)
    return plain(n, base) * (1 - g + g / s)


def by_turns(n: int, base: float, s: float, length: float, low: float, high: float) -> Floats:
    """Divided by s below `low` turns in `length`, kept above `high`, a ramp in turns between."""
    w = plain(n, base)
    g = ((length * w / tau - low) / ((high - low) or 1e-9)).clip(0, 1)  # both the same: a step
    return w * (g + (1 - g) / s)


def ends(
    n: int, base: float, length: float, whole: bool, fast: float = 32.0, slow: float = 1.0
) -> tuple[float, float]:
    """The pairs between which YaRN's ramp lies: those that make `fast` and `slow` turns."""
    low, high = (n * log(length / (tau * r)) / log(base) for r in (fast, slow))
    if whole:
        low, high = floor(low), ceil(high)
    return max(low, 0.0), min(high, 2.0 * n - 1)


def _bent(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """YaRN, llama3, YaRN with the ramp of its paper, a step."""
    n, seen = w.size, (w > 0) & (doubt < 0.1)
    if n < 4 or seen.sum() < 4 or not seen[:2].all() or abs(log(w[0])) > MARGIN * doubt[0] + 1e-9:
        return
    bases: list[float] = []
    for m in (2, max(2, int(seen.sum()) // 8)):
        fall, share = _through(w[:m], doubt[:m], 0.0)
        if 0.4 < fall * n < 46:
            bases += [_numbers.chosen(exp(fall * n), max(share * n, 1e-9))[0], exp(fall * n)]
    near = [b for b in _numbers.BASES if any(abs(b / e - 1) < 0.05 for e in bases)]
    for base in dict.fromkeys([*near, *bases, *_numbers.BASES]):
        k = np.where(seen, w / plain(n, base), 0.0)
        shares, d = k[seen], doubt[seen]  # they fall, or stay, from pair to pair
        if (shares > 1 + MARGIN * d + 1e-6).any() or shares.min() < 1 / 300:
            continue
        if (shares < 1 - MARGIN * d - 1e-6).sum() == 1:
            continue  # one pair is no bend: it is off
        if (shares[1:] > shares[:-1] * (1 + MARGIN * (d[1:] + d[:-1]) + 1e-9)).any():
            continue
        fitting: list[tuple[int, float, int, Spacing]] = []
        for found in _bends(doubt, base, k, seen):
            times = _off(w, found.w, doubt)
            known = found.factor in _numbers.FACTORS, "trained_length" in found.details
            if times <= MARGIN:
                fitting.append((-sum(known), round(times, 9), len(fitting), found))
        evidence = _evidence(w, doubt, 4)
        for _, _, _, found in sorted(fitting, key=lambda fit: fit[:3])[:3]:
            found.evidence, found.readings = evidence, _first(n, base)
            found.usual = "trained_length" in found.details or "step" in found.details
            if evidence > 3:
                yield found
        if fitting:
            return


def _bends(doubt: Floats, base: float, k: Floats, seen: NDArray[np.bool_]) -> Iterator[Spacing]:
    """Candidates with this base; k = w / plain frequencies, 1 where kept and 1/s where divided."""
    n, last = k.size, int(np.flatnonzero(seen)[-1])
    rough = max(float(doubt[last]), 1e-9)
    factor = _numbers.chosen(float(1 / k[last]), rough)[0]
    near = [s for s in _numbers.FACTORS if abs(s / factor - 1) <= 6 * rough]
    for order, s in enumerate(dict.fromkeys([*near, factor, *_numbers.FACTORS])):
        if s < 1.05 or (k[seen] < (1 - MARGIN * doubt[seen] - 1e-6) / s).any():
            continue
        kept = (k - 1 / s) / (1 - 1 / s)
        inner = seen & (kept > 0.02) & (kept < 0.98)
        divided = np.flatnonzero(seen & (kept < 0.5))
        if not inner.any() and divided.size > 1 and divided[0] > 0 and seen[divided[0] - 1]:
            at, w = int(divided[0]), plain(n, base)
            yield _bend("llama3", np.where(np.arange(n) < at, w, w / s), base, s, step=at)
        if inner.any() and (order == 0 or doubt[last] > 1e-4):
            for name, high in (("llama3", 4.0), ("yarn", 32.0)):
                length = (1 + (high - 1) * kept[inner]) * tau / plain(n, base)[inner]
                middle = float(np.sort(length)[length.size // 2])
                power = 2.0 ** round(log10(middle) / log10(2.0))
                usual = power if abs(power / middle - 1) < 0.05 else middle
                for trained in dict.fromkeys((usual, middle)):
                    ramp: dict[str, Any] = {"ramp": "paper"} if name == "yarn" else {}
                    rule = by_turns(n, base, s, trained, 1.0, high)
                    yield _bend(name, rule, base, s, trained_length=trained, **ramp)
        if inner.sum() > 1:  # the ramp's ends from its first and last pair inside
            a, b = (int(x) for x in np.flatnonzero(inner)[[0, -1]])
            slope = float(kept[a] - kept[b]) / (b - a)
            if slope > 0:
                low = a - (1 - float(kept[a])) / slope
                high = low + 1 / slope
                for x, y in ((float(round(low)), float(round(high))), (low, high)):
                    if -0.5 < x < y:
                        whole = x == floor(x) and y == floor(y)
                        rule = yarn(n, base, s, max(x, 0.0), y)
                        yield _bend("yarn", rule, base, s, rounded_ends=whole)
        if order == 0 or inner.sum() <= 1 or k[last] > 1.01 / s:
            for trained in _numbers.LENGTHS:
                for whole in (True, False):
                    low, high = ends(n, base, trained, whole)
                    if high > low:
                        rule = yarn(n, base, s, low, high)
                        yield _bend(
                            "yarn", rule, base, s, trained_length=trained, rounded_ends=whole
                        )
                rule = by_turns(n, base, s, trained, 1.0, 4.0)
                yield _bend("llama3", rule, base, s, trained_length=trained)


def _bend(name: str, rule: Floats, base: float, s: float, **details: Any) -> Spacing:
    return Spacing(rule, base, "2i/d", [], name, s, details=details)


def _first(n: int, base: float) -> Readings:
    """Every reading, 2i/d with this base first."""
    others = readings(n, log(base) / n, 1e-9, True)
    return [(base, "2i/d"), *(kind for kind in others if kind[1] != "2i/d")]


def _longrope(w: Floats, doubt: Floats) -> Iterator[Spacing]:
    """Plain frequencies divided by a list of factors of few decimals each."""
    n, seen = w.size, (w > 0) & (doubt < 3e-6)
    if seen.sum() < max(4, n // 2):
        return
    doubts = np.where(seen, MARGIN * doubt + 1e-6, 0.5)
    fitting: list[Spacing] = []
    for base in _numbers.BASES:
        factors = np.where(seen, plain(n, base) / np.where(seen, w, 1.0), 1.0)
        if factors.min() < 0.5 or factors.max() > 1000:
            continue
        for tens in (10.0, 100.0, 1000.0):
            near = np.floor(factors * tens + 0.5) / tens
            if (np.abs(near / factors - 1) > doubts).any():
                continue
            others = int((near[seen] != np.median(near[seen])).sum())
            if others > n // 4:  # or one factor but for a few pairs: these are off
                found = Spacing(np.where(seen, plain(n, base) / near, w), base, "2i/d",
                                _first(n, base), "longrope", None)  # fmt: skip
                found.evidence = float(-np.log10((2 * doubts * factors * tens).clip(1e-9, 1)).sum())
                fitting.append(found)
            break
    if fitting and (best := max(fitting, key=lambda found: found.evidence)).evidence > 6:
        yield best
