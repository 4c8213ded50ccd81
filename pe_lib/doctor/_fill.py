"""From a rule that gives pairs back to the keys of a diagnosis, the same for tables and caches."""

from math import sqrt

import numpy as np

from pe_lib.context import temperature
from pe_lib.doctor import _numbers, _pairs, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._sentences import STEP

told, bound = _numbers.told, _numbers.bound


def spacing(d: Diagnosis, s: _spacing.Spacing, n: int) -> None:
    """What the frequencies say: base, exponent, scaling, and what else gives the same ones."""
    d.base, d.exponent, d.readings = s.base, s.exponent, s.readings
    d.scaling, d.factor, d.width = s.scaling, s.factor, 2 * n
    for key in ("trained_length", "rounded_ends", "ramp", "turning_pairs", "step"):
        if key in s.details:
            d.details[key] = s.details[key]
    other = told({name: base for base, name in s.readings}.get("2i/d"))
    if s.exponent == "4i/d":
        d.problem("doubled_exponent", other=other)
    elif s.exponent == "i/d":
        d.problem("halved_exponent", other=other)
    else:
        for base, name in s.readings[1:]:
            d.alternatives.append(
                f"Exponent {name} with base {told(base)} gives the same frequencies."
            )
    if "step" in s.details:
        pair = told(int(s.details["step"]))
        d.alternatives.append(STEP.format(pair=pair, factor=told(s.factor)))
    if s.details.get("pairs_from_one"):
        d.problem("pairs_from_one", other=told(float(1 / s.w[0])))
    if s.rounding:
        d.problem("half_precision_frequencies", form=s.rounding)
    if s.exponent == "2i/d" and s.scaling == "none":
        _ntk(d, s.base, n)
        if d.scheme == "rotary" and _numbers.chosen(s.base, 1e-6)[1] > 2:
            _wider(d, s.base, n)


def _wider(d: Diagnosis, base: float, n: int) -> None:
    """A base that is none for this width may be a usual one of a wider head."""
    for times in (2, 4, 8):
        wide = base**times
        if wide < 1e9 and (usual := _numbers.chosen(wide, 1e-6)[0]) in _numbers.BASES[:10]:
            d.alternatives.append(
                f"Base {told(usual)} for a width of {told(2 * n * times)}, of which the first "
                f"{told(n)} pairs were taken."
            )


def _ntk(d: Diagnosis, base: float, n: int) -> None:
    """NTK-aware scaling is another base: name the factor if it is a round one."""
    if _numbers.chosen(base, 1e-6)[1] > 2 and (ntk := _spacing.scaled_base(base, n, 2e-6)):
        d.details["ntk"] = {"base": ntk[0], "factor": ntk[1]}
        d.alternatives.insert(
            0, f"NTK-aware scaling of base {told(ntk[0])} by {told(ntk[1])}: it is another base."
        )


def exp_(x: float) -> float:
    return float(np.exp(x))


def fit(d: Diagnosis, f: _pairs.Fit, n: int, length: int) -> None:
    """What the whole array says: start, direction, size, precision, and how well it fits."""
    d.first_position, d.direction = f.first, f.direction
    d.amplitude, d.precision, d.where, d.residual = f.amplitude, f.precision, f.where, f.residual
    if f.spacing.rounding and f.where == "values":
        d.precision, d.where = f.spacing.rounding, "frequencies"
    evidence = f"largest residual {bound(f.residual)}"
    if f.residual > 2.5 * f.allowed and f.residual > 1e-6:
        evidence += f", at row {told(f.row)}, pair {told(f.pair)}"
    spacing(d, f.spacing, n)
    if f.direction == -1 and f.first == -(length - 1) and length > 1:
        d.problem("reversed", evidence)
    else:
        if f.direction == -1:
            d.problem("clockwise", evidence)
        if f.first != 0:
            d.problem("first_position", evidence, first=told(f.first))
    if f.where == "frequencies" and f.precision in ("float16", "bfloat16"):
        d.problem("half_precision_frequencies", evidence, form=f.precision)
    if f.where == "angles" and f.precision in ("float16", "bfloat16"):
        d.problem("half_precision_angles", evidence, form=f.precision)
    if f.bad_rows:
        d.problem(
            "rows_off",
            evidence,
            count=told(len(f.bad_rows)),
            row=told(f.bad_rows[0]),
            mend="Compute these rows anew.",
        )
    if f.bad_pairs:
        d.problem("pairs_off", evidence, count=told(len(f.bad_pairs)), pair=told(f.bad_pairs[0]))
    if f.noise and f.digits:
        d.problem("printed", evidence, digits=f.digits)
    elif f.noise:
        d.problem("noise", evidence, noise=told(_numbers.significant(f.noise, 2)))
    amplitude(d, f, n, evidence)
    entries = 2 * n * length
    loose = bool(f.spacing.details.get("noise")) and not (
        f.where == "angles" and f.precision in ("float16", "bfloat16")
    )
    # with noise, a line of which one pair is far off can pass for a bend
    loose = loose or (f.noise > 0 and f.spacing.scaling not in ("none", "linear"))
    d.sure = f.noise <= _pairs.LOST and entries >= 24 and not loose and f.spacing.evidence >= 4
    d.picture = {"frequencies": np.abs(f.turns.w).tolist(), "rule": f.spacing.w.tolist()}


def amplitude(d: Diagnosis, f: _pairs.Fit, n: int, evidence: str) -> None:
    """A size other than 1: YaRN's or longrope's own, twice, the root of the width, or another."""
    a = f.amplitude
    if a == 1.0:
        return
    doubt = max(1e-4, 2 * f.allowed, f.noise)
    s = f.spacing
    if d.scheme == "rotary":
        grown = s.scaling == "yarn" or "step" in s.details
        if grown and s.factor and abs(a - temperature(s.factor)) < 3 * doubt:
            d.amplitude = temperature(s.factor)
            d.scaling = "yarn"  # llama3 has no attention factor
            return
        if s.scaling == "longrope" and 1 < a < 1.6:
            return
    if abs(a - 2) < 2 * doubt:
        d.amplitude = 2.0
        d.problem("added_twice", evidence)
        return
    other = ""
    width = 2.0 * n
    if abs(a / sqrt(width) - 1) < doubt:
        other = "It is the root of the width, which words are multiplied by, not positions."
    elif abs(a * sqrt(width) - 1) < doubt:
        other = "It is 1 over the root of the width."
    elif d.scheme == "rotary" and 1 < a < 1.6:
        factor = told(_numbers.significant(exp_((a - 1) * 10), 2))
        other = f"YaRN's attention factor for a scaling by {factor}, without its frequencies."
    d.problem("amplitude", evidence, amplitude=told(a), other=other)
