"""Pairs of sines and cosines, from a table or a cache: the rule, and whether it gives them back.

In order: how fast each pair turns (`_waves`), which rule the frequencies follow (`_spacing`), where
row 0 stands, and then the whole array computed again and compared: first exactly, then with angles
in float32, with frequencies or angles in half precision, and last with noise.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _spacing, _waves

Floats = NDArray[np.float64]

SAMPLE = 1 << 18  # entries compared while variants are tried
EXACT = 4e-15  # how much a float64 angle of 1 may be off
LOST = 0.1  # noise above this share of the amplitude hides what it is


@dataclass
class Fit:
    """A rule that gives pairs back, and how well."""

    spacing: _spacing.Spacing
    turns: _waves.Turns
    direction: int
    first: float
    amplitude: float
    precision: str
    where: str
    residual: float  # the largest distance, as a share of the amplitude
    row: int
    pair: int
    noise: float = 0.0  # root mean square of what is left, if it is no rounding
    bad_rows: list[int] = field(default_factory=list)
    bad_pairs: list[int] = field(default_factory=list)
    allowed: float = 0.0  # what rounding explains
    digits: str = ""  # with how many the numbers were printed, if that explains the noise


def fit(sines: Floats, cosines: Floats, rotary: bool, rows: NDArray[np.int64]) -> Fit | None:
    """The rule of pairs (T, n), which stand at `rows` of the array, one after the other."""
    form = _formats.held(np.concatenate([sines.reshape(-1), cosines.reshape(-1)]))
    unit = _formats.UNIT[form]
    found = _waves.turns(sines, cosines, unit)
    if found.amplitude == 0 or found.rough > 0.35:
        return None
    sure = found.doubt < 0.1
    if not sure.any():
        return None
    signs = float(np.sign(found.w[sure]).sum())
    direction = -1 if signs < 0 else 1
    w = direction * found.w
    doubt = np.where(w > 0, found.doubt, np.where(sure, 0.2, 1.0))
    still = ~sines.any(axis=0)  # what does not turn at all, or too little for the format
    least = 0.0
    if still.any() and not still.all():
        w, doubt = np.where(still, 0.0, w), np.where(still, 1e-9, doubt)
        least = np.inf if not rotary else (6.2e-8 if form == "float16" else 1e-30) / len(sines)
    spacing = _spacing.explain(w, doubt, rotary, least)
    if spacing is None:
        return None
    amplitude = found.amplitude
    if abs(amplitude - 1) < 2 * unit + 0.5 * found.rough + 1e-6 * (found.rough > 1e-7):
        amplitude = 1.0
    best: Fit | None = None
    chosen = 0
    for k, rule in enumerate(spacing.options or [spacing.w]):
        used = _formats.rounded(rule, spacing.rounding or "float64")
        first = _waves.start(found, used, direction) - float(rows[0])
        first = _snapped(first)
        now = _compared(sines, cosines, rows, rule, spacing, direction, first, amplitude, form)
        now.turns = found
        if best is None or _clearly_better(now, best):
            best, chosen = now, k
        if _quality(now) == (0, 0.0):
            break
    if best and chosen and spacing.options:
        _take(spacing, chosen)
    if best and best.noise and form == "float64":
        how = _formats.printed(np.concatenate([sines.reshape(-1), cosines.reshape(-1)]))
        if how and best.residual * amplitude <= 1.05 * how[0]:
            best.digits = how[1]
    return best


def _quality(fit: Fit) -> tuple[int, float]:
    """0 for rounding alone, then half precision within, then what no rounding explains."""
    half = fit.precision in ("float16", "bfloat16") and fit.where != "values"
    order = 3 if fit.noise else 2 if fit.bad_rows or fit.bad_pairs else int(half)
    return order, fit.noise if fit.noise else 0.0


def _clearly_better(now: Fit, best: Fit) -> bool:
    """Explained by less, or by the same with a tenth less noise: else the more usual base stays."""
    (order, noise), (least, most) = _quality(now), _quality(best)
    return order < least or (order == least and noise < 0.9 * most)


def _take(spacing: _spacing.Spacing, k: int) -> None:
    """Another of the bases that the frequencies leave open, the one that gives the array back."""
    spacing.w = spacing.options[k]
    kind = spacing.kinds[k]
    if kind < len(spacing.readings):
        # the first reading had been moved to the front
        order = spacing.kinds[0]
        place = kind if kind > order else kind + 1
        spacing.readings.insert(0, spacing.readings.pop(place if order else kind))
        spacing.base, spacing.exponent = spacing.readings[0]


def _snapped(x: float) -> float:
    return float(np.floor(x + 0.5)) if abs(x - np.floor(x + 0.5)) < 0.02 else x


def _compared(
    sines: Floats,
    cosines: Floats,
    rows: NDArray[np.int64],
    w: Floats,
    spacing: _spacing.Spacing,
    direction: int,
    first: float,
    amplitude: float,
    form: str,
) -> Fit:
    """The array computed again: exactly, rounded here or there, or with noise."""
    n = w.size
    some = _some(len(sines), max(32, SAMPLE // max(1, 2 * n)))
    unit = _formats.UNIT[form]
    own = min(spacing.doubt, 1e-4)  # where the base is measured and no round number

    def measured(kind: Variant, places: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """How far each pair of these rows is off, and how far it may be: (rows, n)."""
        t = np.asarray(rows[places] + first, np.float64)
        theta = np.abs(t)[:, None] * w
        off = _apart(sines[places] / amplitude, cosines[places] / amplitude,
                     kind.angles(t, w), direction)  # fmt: skip
        allowed = 1.02 * unit + EXACT * (theta + 8) + own * theta + 3 * (amplitude != 1.0) * unit
        return off, allowed if kind.exact else allowed + 4e-7 * theta + 1.2e-7

    variants = [Variant(form, "values", True)]
    single = "float32" if form in ("float64", "float32") else form
    variants.append(Variant(single, "angles" if single == "float32" else "values", False))
    results = [measured(kind, some) for kind in variants]
    plain = results[0][0]
    if not (plain <= results[1][1]).all():
        for name in ("float16", "bfloat16"):
            if spacing.rounding in ("", name):
                more = [Variant(name, "frequencies", False)]
                more += [Variant(name, "angles", False, steps) for steps in ("tw", "w", "", "t")]
                variants += more
                results += [measured(kind, some) for kind in more]
    chosen = -1
    for k, (off, allowed) in enumerate(results):
        if chosen < 0 and (off <= allowed).all():
            chosen = k
    if chosen < 0:
        for k, (off, allowed) in enumerate(results):
            middle = float(np.median(off.max(axis=1)))
            if chosen < 0 and (off <= allowed).mean() > 0.97 and middle < 8 * unit + 1e-3:
                chosen = k
    noise, bad_rows, bad_pairs = 0.0, [], []
    if chosen < 0:
        chosen = min(range(len(results)), key=lambda k: float(np.median(results[k][0])))
        over = results[chosen][0] > results[chosen][1]
        row_bad, pair_bad = over.any(axis=1), over.mean(axis=0) > 0.5
        far = float(np.median(results[chosen][0][row_bad].max(axis=1))) if row_bad.any() else 0.0
        if 0 < row_bad.sum() <= 0.25 * len(some) and far > 0.1:
            bad_rows = [int(r) for r in rows[some][row_bad]]
        elif 0 < pair_bad.sum() <= 0.25 * n and not over[:, ~pair_bad].any():
            bad_pairs = [int(i) for i in np.flatnonzero(pair_bad)]
        else:
            chosen = 0
            noise = float(np.sqrt((plain**2).mean()))
    kind = variants[chosen]
    off, allowed = results[chosen]
    name, where = kind.name, kind.where
    if noise == 0 and len(some) < len(rows):  # every row once, with what was chosen
        most = np.zeros(len(rows))
        limit = np.ones(len(rows))
        for begin in range(0, len(rows), 512):
            block = np.arange(begin, min(begin + 512, len(rows)))
            apart, may = measured(kind, block)
            most[block] = apart.max(axis=1)
            limit[block] = may.max(axis=1)
        wrong = most > (limit if not bad_rows and chosen < 2 else limit + 0.1)
        bad_rows = [int(r) for r in rows[wrong]]
        if wrong.any():
            worst = np.array([int(np.argmax(most))])
            off, allowed = measured(kind, worst)
            some = worst
    t = rows[some] + first
    theta = np.abs(t)[:, None] * w
    if where == "values" and (off <= EXACT * (theta + 8) + own * theta).all():
        name = "float64"  # numbers that any format holds
    if where == "angles" and name == "float32" and not spacing.rounding:
        near = 1.02 * unit + EXACT * (theta + 8)
        if (measured(Variant("float32", "frequencies", True), some)[0] <= near).all():
            where = "frequencies"
    at = int(np.argmax(off))
    row, pair = at // n, at % n
    return Fit(spacing, None, direction, first, amplitude, name, where, float(off[row, pair]),  # type: ignore[arg-type]
               int(rows[some][row]), pair, noise, bad_rows, bad_pairs,
               float(allowed[row, pair]))  # fmt: skip


@dataclass
class Variant:
    """One way in which the array may have been computed: what was rounded, and to what."""

    name: str  # the format
    where: str  # "values", "frequencies" or "angles"
    exact: bool  # whether angles are better than float32
    steps: str = ""  # of half-precision angles: whether t and w were rounded before

    def angles(self, t: Floats, w: Floats) -> Floats:
        """The angles (rows, n) of positions t with frequencies w."""
        if self.where == "values" or (self.where == "angles" and self.name == "float32"):
            return t[:, None] * w
        if self.where == "frequencies":
            return t[:, None] * _formats.rounded(w, self.name)
        v = _formats.rounded(w, self.name) if "w" in self.steps else w
        if "t" in self.steps:
            t = _formats.rounded(t, self.name)
            t = np.where(np.isfinite(t), t, np.nan)  # beyond float16
        return _formats.rounded(t[:, None] * v, self.name)


def _some(rows: int, many: int) -> NDArray[np.int64]:
    """At most `many` of the rows: all, or the first, the last and some evenly between."""
    if rows <= many:
        return np.arange(rows)
    quarter = max(8, many // 4)
    between = quarter + (np.arange(2 * quarter) * (rows - 2 * quarter)) // (2 * quarter)
    found = np.concatenate([np.arange(quarter), between, np.arange(rows - quarter, rows)])
    return np.unique(found)


def _apart(s: Floats, c: Floats, angle: Floats, direction: int) -> Floats:
    """The larger distance of sine and cosine, at each row and pair."""
    lost = ~np.isfinite(angle)  # beyond float16
    angle = np.where(lost, 0.0, angle)
    off = np.maximum(np.abs(s - direction * np.sin(angle)), np.abs(c - np.cos(angle)))
    return np.where(lost, 2.0, off)
