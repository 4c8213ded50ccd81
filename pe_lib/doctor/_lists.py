"""One row of numbers: frequencies (`inv_freq`), or slopes of ALiBi."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _fill, _formats, _numbers, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import bound, told
from pe_lib.doctor._slopes import slopes

Floats = NDArray[np.float64]


def frequencies(w: Floats) -> Diagnosis:
    """The diagnosis of n numbers that may be frequencies, fastest first, or slopes."""
    n = w.size
    d = Diagnosis(scheme="unknown", width=2 * n)
    finite = np.isfinite(w)
    if not finite.all():
        first = int(np.argmin(finite))
        d.width = None
        d.problem("not_finite", count=told(int((~finite).sum())), place=f"pair {told(first)}")
        return d
    if not w.any():
        d.scheme, d.sure, d.residual = "none", True, 0.0
        d.problem("all_zero")
        return d
    if slopes(d, w):
        return d
    if (w < 0).all():
        turned = frequencies(-w)
        if turned.scheme == "rotary":
            turned.direction = -1
            turned.problem("clockwise")
        return turned
    falling = np.diff(w) < 0
    still = (w[1:] == 0) & (w[:-1] == 0)
    form = _formats.held(w)
    if form in ("bfloat16", "float16"):  # neighbours may be rounded to one number
        falling |= (np.diff(w) == 0) & (w[1:] > 0)
    wrong = (w < 0).any() or not (falling | still).all()
    unit = _formats.UNIT[form] if form in ("float64", "float32") else 2.0**-24
    doubt = np.full(n, 5e-14 if form == "float64" else 2.5 * unit)
    found = None if (w < 0).any() else _spacing.explain(w, doubt, True)
    if found is None and wrong:
        found = _repaired(d, w, doubt)
        if found is None:
            d.width = None
            if (w < 0).any():
                d.problem("negative", pair=told(int(np.argmax(w < 0))))
            else:
                d.problem("not_falling", pair=told(int(np.argmin(falling | still)) + 1))
            return d
    if found is None and n > 3 and 0.3 < w[0] <= 1.001 and 0 < w[-1] < 0.05 * w[0]:
        _nearest(d, w)
        return d
    if found is None:
        d.width = None
        return d
    d.scheme = "rotary"
    d.residual = found.residual
    _fill.spacing(d, found, n)
    d.precision, d.where = found.rounding or form, "frequencies"
    if form in ("bfloat16", "float16") and found.residual < 1e-12 and not found.rounding:
        d.precision = "float64"
    if found.details.get("noise"):
        size = f"{bound(found.residual)}"
        evidence = f"largest share {size}, at pair {told(found.at)}"
        how = _formats.printed(w)
        if how and found.residual <= 1.05 * how[0] / (1 if "digits" in how[1] else w.min()):
            d.problem("printed", evidence, digits=how[1])
        else:
            d.problem("noise", evidence, noise=size)
    known = found.base in _numbers.BASES and w[0] == 1
    d.sure = bool(found.evidence >= 6 and (n > 2 or known))
    d.sure = d.sure and not (found.details.get("noise") and found.evidence < 12)
    d.alternatives.append("Frequencies do not show a layout: interleaved and halves have the same.")
    d.picture = {"frequencies": w.tolist(), "rule": found.w.tolist()}
    return d


def _repaired(d: Diagnosis, w: Floats, doubt: Floats) -> _spacing.Spacing | None:
    """A rule that all but a few frequencies follow: those few are named."""
    n = w.size
    if n < 8:
        return None
    seen = w > 0
    y = np.log(np.where(seen, w, 1.0))
    ratios = np.sort((y[:-1] - y[1:])[seen[:-1] & seen[1:]])
    if not ratios.size:
        return None
    fall = float(ratios[ratios.size // 2])
    if not 1e-6 < fall < 50:
        return None
    levels = np.sort((y + fall * np.arange(n))[seen])
    level = float(levels[levels.size // 2])
    off = np.where(seen, np.abs(y + fall * np.arange(n) - level), 1e9)
    bad = off > 0.02
    if bad.sum() > n // 4:
        return None
    found = _spacing.explain(np.where(bad, 1.0, w), np.where(bad, 1.0, doubt), True)
    if found is None or found.evidence < 12:
        return None
    count = int(bad.sum())
    d.problem("pairs_off", count=told(count), pair=told(int(np.argmax(bad))))
    return found


def _nearest(d: Diagnosis, w: Floats) -> None:
    """Falling from 1, by no rule: longrope has a list of factors, and nothing else proves it."""
    d.scheme = "rotary"
    base = 1e4
    d.scaling, d.factor, d.base, d.exponent = "longrope", None, base, "2i/d"
    d.readings = [(base, "2i/d")]
    factors = _spacing.plain(w.size, base) / w
    d.alternatives.append(
        f"Factors of longrope over base {told(base)}, from {told(float(factors.min()))} to "
        f"{told(float(factors.max()))}: the configuration has their list."
    )
