"""Which rule a set of frequencies follows: base, exponent, scaling.

Logarithms of frequencies lie on a straight line over the pair for plain, interpolated and
NTK-scaled ones. A bend is YaRN, llama3 or longrope: each is solved for its few numbers where it
bends, and then has to give every frequency back. YaRN and llama3 without a ramp are one step.
"""

from dataclasses import dataclass, field
from math import ceil, exp, floor, inf, log, log10, sqrt, tau

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _numbers

Floats = NDArray[np.float64]
Readings = list[tuple[float, str]]

MARGIN = 4.0  # a rule holds if no frequency is further off than this many times its doubt


@dataclass
class Spacing:
    """A rule and the frequencies that it gives, (n,) radians per position."""

    w: Floats
    base: float
    exponent: str
    readings: Readings
    scaling: str = "none"
    factor: float | None = 1.0
    rounding: str = ""  # the format that the frequencies were rounded to, if they were
    residual: float = 0.0  # the largest share by which a frequency is off
    at: int = 0  # at which pair
    evidence: float = 0.0  # the logarithm (base 10) of how unlikely it is by chance
    details: dict[str, float | int | bool | str] = field(default_factory=dict)
    doubt: float = 0.0  # share by which w may be off
    options: list[Floats] = field(default_factory=list)  # other bases that fit, as frequencies
    kinds: list[int] = field(default_factory=list)  # and which of `readings` they are


def plain(n: int, base: float) -> Floats:
    """base^(-i/n) for i < n: the frequencies of width 2n."""
    return np.asarray(base ** (-np.arange(n) / n), np.float64)


def explain(w: Floats, doubt: Floats, rotary: bool, least: float = 0.0) -> Spacing | None:
    """The rule of frequencies w (n,), known within the shares `doubt` (n,); None if no rule fits.

    Frequencies with a doubt above 0.3, or not above 0, are not looked at. Below `least` a pair
    seems to stand still, as it does in float16 below 3e-8. In order: zeros at the end; one line;
    YaRN and llama3; longrope; a line, and a bend, in half precision.
    """
    turning = int((w != 0).sum())
    if not 1 < turning < w.size or w[turning:].any():
        return _levels(w, doubt, rotary)
    found = _levels(w, np.where(w == 0, 1.0, doubt), rotary)
    if found:
        if found.rounding == "float16" or found.details.get("noise"):
            least = max(least, 3.1e-8)
        if (found.w[w == 0] <= least).all():
            return found
    return _proportional(w, doubt, turning, rotary)


def _levels(w: Floats, doubt: Floats, rotary: bool) -> Spacing | None:
    for level in (0.0, 2e-6, 2.0**-10, 2.0**-7, 2.0**-6):
        d = np.maximum(doubt, level / MARGIN)
        if level == 2.0**-10:  # float16 ends at 6e-8
            d += 3e-8 / np.maximum(np.abs(w), 1e-30)
        found = _line(w, d, rotary) or _bent(w, d)
        if found is None and level == 2e-6:
            found = _longrope(w, doubt)
        if found:
            found.rounding = _rounded_to(w, doubt, found.w) if level > 1e-4 else ""
            if found.rounding:
                off = np.abs(_formats.rounded(found.w, found.rounding) / np.maximum(w, 1e-300) - 1)
                off = np.where((w > 0) & (doubt < 0.3), off, 0.0)
                found.at = int(np.argmax(off))
                found.residual = float(off[found.at])
            elif level > 1e-5:
                found.details["noise"] = True
            return found
    return None


def _rounded_to(w: Floats, doubt: Floats, rule: Floats) -> str:
    """The half precision that turns the rule into w, or ""."""
    seen = doubt < 1e-3
    for form in ("float16", "bfloat16"):
        y = _formats.rounded(rule, form)
        # computed in float32 before, one in many may fall to the other side: one step, rarely
        near = np.abs(y - w) <= np.maximum(MARGIN * doubt, 1e-7) * np.abs(w)
        step = np.abs(y - w) <= 2.1 * _formats.UNIT[form] * np.abs(w) + 6e-8 * (form == "float16")
        if seen.sum() > 1 and near[seen].sum() >= 0.8 * seen.sum() and step[seen].all():
            return form
    return ""


def _fit(w: Floats, doubt: Floats) -> tuple[float, float, float, float] | None:
    """The line through log w: fall per pair, value at pair 0, and the doubt of each."""
    seen = (w > 0) & (doubt < 0.3)
    if seen.sum() < 2:
        return None
    i, y = np.arange(w.size)[seen].astype(np.float64), np.log(w[seen])
    weight = 1 / np.maximum(doubt[seen], 1e-15) ** 2
    weight /= weight.max()
    total = float(weight.sum())
    mean = float((weight * i).sum()) / total
    spread = float((weight * (i - mean) ** 2).sum())
    if spread <= 0:
        return None
    level = float((weight * y).sum()) / total
    fall = -float((weight * (i - mean) * y).sum()) / spread
    unit = float(np.maximum(doubt[seen], 1e-15).min())
    return fall, level + fall * mean, unit / sqrt(spread), unit * sqrt(1 / total + mean**2 / spread)


def _through(w: Floats, doubt: Floats, start: float) -> tuple[float, float]:
    """The fall per pair of the line that begins at `start`, and its doubt."""
    seen = (w > 0) & (doubt < 0.3)
    seen[0] = False
    if not seen.any():
        return 0.0, inf
    i, y = np.arange(w.size)[seen].astype(np.float64), np.log(w[seen])
    unit = float(np.maximum(doubt[seen], 1e-15).min())
    weight = (unit / np.maximum(doubt[seen], 1e-15)) ** 2
    spread = float((weight * i * i).sum())
    return float((weight * i * (start - y)).sum()) / spread, unit / sqrt(spread)


def _off(w: Floats, rule: Floats, doubt: Floats) -> tuple[float, float, int]:
    """How far the rule is off at worst: in doubts, as a share, and at which pair."""
    seen = (w > 0) & (doubt < 0.1)
    if seen.sum() < 3:
        seen = (w > 0) & (doubt < 0.3)
    share = np.where(seen, np.abs(np.where(seen, w, 1.0) / np.where(seen, rule, 1.0) - 1), 0.0)
    times = np.where(seen, share / np.maximum(doubt, 1e-15), 0.0)
    at = int(np.argmax(times))
    return float(times[at]), float(share[at]), at


def readings(n: int, fall: float, doubt: float, rotary: bool) -> Readings:
    """Every (base, exponent) with this fall per pair, the most usual first.

    The most usual of a table: base 10,000 in any convention, then a known base or a power of ten,
    then the fewest digits, each in the order 2i/d, i/(d/2-1), 4i/d, i/d. Of a rotary scheme: 2i/d
    with a base of up to two digits, another convention with a known base from 10,000 on, 2i/d.
    """
    kinds = [("2i/d", n), ("i/(d/2-1)", n - 1), ("4i/d", n / 2), ("i/d", 2 * n)]
    found = []
    for order, (name, times) in enumerate(kinds):
        if times > 0 and fall * times < 600:
            base, digits = _numbers.chosen(exp(fall * times), max(doubt * times, 1e-9))
            if order == 0 and digits > 3:
                ntk = scaled_base(base, n, max(doubt * times, 1e-9))
                if ntk:
                    base, digits = ntk[0] * ntk[1] ** (n / (n - 1)), 4
            known = base in _numbers.BASES or _numbers.is_power_of_ten(base)
            rank = 1.0 if known else digits + 1
            if base == 1e4 and not rotary:
                rank = 0
            if rotary and order:  # another convention only where its base is a usual one
                rank = 3.5 if known and base >= 1e4 else 11
            found.append((rank, order, base, name))
    found.sort()
    return [(base, name) for _, _, base, name in found]


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


def fall_of(base: float, exponent: str, n: int) -> float:
    """The fall of log w per pair with this base and exponent."""
    times = {"2i/d": n, "i/(d/2-1)": n - 1, "4i/d": n / 2, "i/d": 2 * n}
    return log(base) / times[exponent]


def _line(w: Floats, doubt: Floats, rotary: bool) -> Spacing | None:
    """Plain, NTK-scaled or interpolated frequencies."""
    n, line = w.size, _fit(w, doubt)
    if line is None:
        return None
    fall, start, _, start_doubt = line
    tried: list[float] = []
    if abs(start) <= MARGIN * max(start_doubt, float(doubt[0])) + 1e-9:
        tried.append(1.0)
    if -start < 600:
        tried.append(_numbers.chosen(exp(-start), max(start_doubt, 1e-9))[0])
    for factor in tried:
        fall, fall_doubt = _through(w, doubt, -log(factor))
        if not 1e-6 < fall < 50 or (factor != 1 and abs(start) < 0.04 and doubt.min() > 2e-4):
            continue
        all_readings = readings(n, fall, fall_doubt, rotary)
        options = [fall_of(*reading, n) for reading in all_readings] + [fall]
        fits = []
        for k, slope in enumerate(options):
            rule = np.exp(-slope * np.arange(n)) / factor
            times, off, at = _off(w, rule, doubt)
            if times <= MARGIN:
                fits.append((k, rule, off, at))
        if not fits:
            continue
        k, rule, off, at = fits[0]
        share = 1e-15 if k < len(all_readings) else fall_doubt
        if k < len(all_readings):
            all_readings.insert(0, all_readings.pop(k))
        base, exponent = all_readings[0]
        found = Spacing(rule, base, exponent, all_readings, residual=off, at=at)
        round_factor = _numbers.chosen(factor, 1e-9)[1] <= 3
        found.doubt = max(share * n, 0.0 if round_factor else start_doubt)
        found.options = [fit[1] for fit in fits]
        found.kinds = [fit[0] for fit in fits]
        if factor != 1.0:
            found.factor, found.scaling = factor, "linear"
            if abs(log(factor) / fall - 1) <= MARGIN * (start_doubt / fall + fall_doubt / fall):
                found.scaling, found.factor = "none", 1.0
                found.details["pairs_from_one"] = True
        nice = _numbers.chosen(base, max(fall_doubt * n, 1e-9))[1] <= 3
        found.evidence = _evidence(w, doubt, 2 - nice - (factor == 1.0))
        return found
    return None


def _evidence(w: Floats, doubt: Floats, free: float) -> float:
    """The digits that agree, less those that `free` numbers could be chosen to meet."""
    seen = (w > 0) & (doubt < 0.1)
    digits = np.sort(-np.log10(np.maximum(2 * MARGIN * doubt[seen], 1e-12)))
    take = max(0, digits.size - ceil(free))
    return float(digits[:take].clip(0).sum())


def _proportional(w: Floats, doubt: Floats, turning: int, rotary: bool) -> Spacing | None:
    """The first pairs as in the whole head, the others still (Gemma's "proportional")."""
    found = _levels(w[:turning], doubt[:turning], rotary)
    if found is None or found.scaling not in ("none", "linear"):
        return None
    n, fall = w.size, fall_of(found.base, found.exponent, turning)
    fall_doubt = max(float(doubt[:turning].max()) / turning, 1e-9)
    kinds = readings(n, fall, fall_doubt, rotary)
    rule = np.zeros(n)
    rule[:turning] = found.w
    found.details.update(turning_pairs=turning)
    base, exponent = kinds[0]
    return Spacing(
        rule,
        base,
        exponent,
        kinds,
        "proportional",
        found.factor,
        found.rounding,
        found.residual,
        found.at,
        found.evidence,
        found.details,
    )


def yarn(n: int, base: float, s: float, low: float, high: float) -> Floats:
    """Kept up to pair `low`, divided by s from pair `high` on, a straight ramp between."""
    g = ((np.arange(n) - low) / max(high - low, 1e-3)).clip(0, 1)
    return plain(n, base) * (1 - g + g / s)


def by_turns(n: int, base: float, s: float, length: float, low: float, high: float) -> Floats:
    """Divided by s below `low` turns in `length`, kept above `high`, a ramp in turns between."""
    w = plain(n, base)
    g = ((length * w / tau - low) / ((high - low) or 1e-9)).clip(0, 1)  # both the same: a step
    return w * (g + (1 - g) / s)


def step(n: int, base: float, s: float, at: int) -> Spacing:
    """Kept before pair `at`, divided by s from there on: llama3, or YaRN, with both ends equal."""
    w = plain(n, base)
    rule = np.where(np.arange(n) < at, w, w / s)
    return Spacing(rule, base, "2i/d", [], "llama3", s, details={"step": at})


def ends(
    n: int, base: float, length: float, whole: bool, fast: float = 32.0, slow: float = 1.0
) -> tuple[float, float]:
    """The pairs between which YaRN's ramp lies: those that make `fast` and `slow` turns."""
    low, high = (n * log(length / (tau * r)) / log(base) for r in (fast, slow))
    if whole:
        low, high = floor(low), ceil(high)
    return max(low, 0.0), min(high, 2.0 * n - 1)


def _bent(w: Floats, doubt: Floats) -> Spacing | None:
    """YaRN, llama3, YaRN with the ramp of its paper, a step."""
    n = w.size
    seen = (w > 0) & (doubt < 0.1)
    if n < 4 or seen.sum() < 4 or not seen[:2].all() or abs(log(w[0])) > MARGIN * doubt[0] + 1e-9:
        return None
    bases: list[float] = []
    many = max(2, int(seen.sum()) // 8)
    for m in (2, many):
        fall, share = _through(w[:m], doubt[:m], 0.0)
        if 0.4 < fall * n < 46:
            bases += [_numbers.chosen(exp(fall * n), max(share * n, 1e-9))[0], exp(fall * n)]
    best: Spacing | None = None
    best_order = (0, 0.0)
    near = [b for b in _numbers.BASES if any(abs(b / e - 1) < 0.05 for e in bases)]
    for base in dict.fromkeys([*near, *bases, *_numbers.BASES]):
        k = np.where(seen, w / plain(n, base), 0.0)
        if (k > 1 + MARGIN * doubt + 1e-6)[seen].any() or k[seen].min() < 1 / 300:
            continue
        shares, d = k[seen], doubt[seen]  # they fall, or stay, from pair to pair
        if (shares[1:] > shares[:-1] * (1 + MARGIN * (d[1:] + d[:-1]) + 1e-9)).any():
            continue
        for found in _bends(w, doubt, base, k, seen):
            times, found.residual, found.at = _off(w, found.w, doubt)
            known = found.factor in _numbers.FACTORS, "trained_length" in found.details
            order = (-sum(known), found.residual)
            if times <= MARGIN and (best is None or order < best_order):
                best, best_order = found, order
        if best:
            best.evidence = _evidence(w, doubt, 4)
            best.readings = _first(n, base)
            return best if best.evidence > 3 else None
    return None


def _bends(
    w: Floats, doubt: Floats, base: float, k: Floats, seen: NDArray[np.bool_]
) -> list[Spacing]:
    """Candidates with this base; k = w / plain frequencies, 1 where kept and 1/s where divided."""
    n, out = w.size, []
    last = int(np.flatnonzero(seen)[-1])
    rough = max(float(doubt[last]), 1e-9)
    factor = _numbers.chosen(float(1 / k[last]), rough)[0]
    near = [s for s in _numbers.FACTORS if abs(s / factor - 1) <= 6 * rough]
    factors = list(dict.fromkeys([*near, factor, *_numbers.FACTORS]))
    for order, s in enumerate(factors):
        if s < 1.05 or (k[seen] < (1 - MARGIN * doubt[seen] - 1e-6) / s).any():
            continue
        kept = (k - 1 / s) / (1 - 1 / s)
        inner = seen & (kept > 0.02) & (kept < 0.98)
        divided = np.flatnonzero(seen & (kept < 0.5))
        if not inner.any() and divided.size > 1 and divided[0] > 0 and seen[divided[0] - 1]:
            out.append(step(n, base, s, int(divided[0])))
        if inner.any() and (order == 0 or doubt[last] > 1e-4):
            for name, low, high in (("llama3", 1.0, 4.0), ("yarn", 1.0, 32.0)):
                length = (low + (high - low) * kept[inner]) * tau / plain(n, base)[inner]
                middle = float(np.sort(length)[length.size // 2])
                for trained in dict.fromkeys((_nearest_length(middle), middle)):
                    rule = by_turns(n, base, s, trained, low, high)
                    out.append(_scaled(rule, n, base, name, s, trained))
                    if name == "yarn":
                        out[-1].details["ramp"] = "paper"
        if inner.sum() > 1:  # the ramp's ends from its first and last pair inside
            a, b = (int(x) for x in np.flatnonzero(inner)[[0, -1]])
            slope = float(kept[a] - kept[b]) / (b - a)
            if slope > 0:
                low = a - (1 - float(kept[a])) / slope
                high = low + 1 / slope
                for x, y in ((float(round(low)), float(round(high))), (low, high)):
                    if -0.5 < x < y:
                        out.append(_yarn(n, base, s, max(x, 0.0), y))
        if order == 0 or inner.sum() <= 1 or k[last] > 1.01 / s:
            for trained in _numbers.LENGTHS:
                for whole in (True, False):
                    low, high = ends(n, base, trained, whole)
                    if high > low:
                        rule = yarn(n, base, s, low, high)
                        out.append(_scaled(rule, n, base, "yarn", s, trained))
                        out[-1].details.update(rounded_ends=whole, low=low, high=high)
                rule = by_turns(n, base, s, trained, 1.0, 4.0)
                out.append(_scaled(rule, n, base, "llama3", s, trained))
    return out


def _first(n: int, base: float) -> Readings:
    """Every reading, 2i/d with this base first."""
    others = readings(n, log(base) / n, 1e-9, True)
    return [(base, "2i/d"), *(kind for kind in others if kind[1] != "2i/d")]


def _nearest_length(x: float) -> float:
    """The power of two nearby, if there is one, or else x."""
    power = 2.0 ** round(log10(x) / log10(2.0))
    return power if abs(power / x - 1) < 0.05 else x


def _scaled(rule: Floats, n: int, base: float, name: str, s: float, trained: float) -> Spacing:
    return Spacing(rule, base, "2i/d", [], name, s, details={"trained_length": trained})


def _yarn(n: int, base: float, s: float, low: float, high: float) -> Spacing:
    """A ramp between two pairs, and the trained length that puts it there, if one does."""
    whole = low == floor(low) and high == floor(high)
    rule = yarn(n, base, s, low, high)
    for trained in _numbers.LENGTHS:
        first, last = ends(n, base, trained, whole)
        if abs(first - low) < 0.02 and abs(last - high) < 0.02:
            found = _scaled(yarn(n, base, s, first, last), n, base, "yarn", s, trained)
            break
    else:
        found = _scaled(rule, n, base, "yarn", s, 0)
        del found.details["trained_length"]
    found.details.update(rounded_ends=whole, low=low, high=high)
    return found


def _longrope(w: Floats, doubt: Floats) -> Spacing | None:
    """Plain frequencies divided by a list of factors of few decimals each."""
    seen = (w > 0) & (doubt < 3e-6)
    if seen.sum() < max(4, w.size // 2):
        return None
    least = np.where(seen, w, 1.0)
    best: Spacing | None = None
    for base in _numbers.BASES:
        factors = np.where(seen, plain(w.size, base) / least, 1.0)
        if factors.min() < 0.5 or factors.max() > 1000:
            continue
        for decimals in (1, 2, 3):
            near = np.floor(factors * 10.0**decimals + 0.5) / 10.0**decimals
            off = np.abs(near / factors - 1)
            doubts = np.where(seen, MARGIN * doubt + 1e-6, 0.5)
            if (off <= doubts).all():
                share = 2 * doubts * factors * 10.0**decimals
                rule = np.where(seen, plain(w.size, base) / near, w)
                found = _scaled(rule, w.size, base, "longrope", 1.0, 0)
                found.factor, found.residual, found.at = None, float(off.max()), int(off.argmax())
                found.evidence = float(-np.log10(share.clip(1e-9, 1)).sum())
                found.details = {"least": float(near.min()), "largest": float(near.max())}
                if best is None or found.evidence > best.evidence:
                    best = found
                    best.readings = _first(w.size, base)
                break
    return best if best and best.evidence > 6 else None
