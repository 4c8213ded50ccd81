"""Caches of cosines and sines, (T, pairs) or (T, width) with each column twice."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _fill, _pairs, _rows
from pe_lib.doctor._diagnosis import Diagnosis

Floats = NDArray[np.float64]


def repeats(x: Floats) -> str:
    """How the columns of a cache (T, width) are repeated: in pairs, in halves, or "" if not."""
    width = x.shape[1]
    if width < 4 or width % 2:
        return ""
    x = np.nan_to_num(x)
    n = width // 2
    same = {"repeated_halves": (x[:, :n], x[:, n:]), "repeated_pairs": (x[:, 0::2], x[:, 1::2])}
    for name, (a, b) in same.items():
        if (
            np.abs(a - b).max() <= 1e-3 * max(1e-300, float(np.abs(x).max()))
            and (np.abs(a - b) <= 1e-6).mean() > 0.9
        ):
            if n > 1 and (a[:, :1] == a).all():
                return ""  # all columns alike
            return name
    return ""


def once(x: Floats, layout: str) -> Floats:
    """Each column once."""
    n = x.shape[1] // 2
    return x[:, :n] if layout == "repeated_halves" else x[:, 0::2] if layout else x


def cache(cos: Floats, sin: Floats) -> Diagnosis:
    """The diagnosis of cosines and sines of one shape (T, …)."""
    d = Diagnosis(scheme="rotary")
    bad = _rows.corrupt(d, np.concatenate([cos, sin], axis=1))
    finite = np.isfinite(cos).all() and np.isfinite(sin).all()
    if finite and (not cos.any() and not sin.any()):
        d.scheme, d.sure, d.residual = "none", True, 0.0
        d.problem("all_zero")
        return d
    if finite and (np.abs(sin).max() == 0) and (cos == cos[0, 0]).all():
        d.scheme, d.sure, d.residual, d.amplitude = "none", True, 0.0, float(cos[0, 0])
        d.problem("all_zero")
        return d
    one, two = repeats(cos), repeats(sin)
    if not one and two and (cos == cos[:, :1]).all():
        one = two
    layout = one if one == two else ""
    d.layout = layout or None
    c, s = once(cos, one), once(sin, two)
    if one != two:
        names = {"": "not at all", "repeated_pairs": "in twos", "repeated_halves": "in halves"}
        if c.shape != s.shape:
            return Diagnosis()
        d.problem("mixed_layouts", one=names[one], two=names[two])
    good = _rows.longest(np.isfinite(c).all(axis=1) & np.isfinite(s).all(axis=1) & ~bad)
    if good.size < 2:
        d.scheme = "unknown"
        return d
    found = best(s[good], c[good], good)
    if found is None:
        swapped = _pairs.fit(c[good], s[good], True, good)
        whole = same_pairs(d, s[good], c[good])
        if swapped is None or swapped.noise > _pairs.LOST:
            if not whole:
                d.scheme, d.layout = "unknown", None
            return d
        d.problem("swapped")
        found = swapped
    elif abs(found.first) > 0.6 * len(cos) or found.noise:
        other = _pairs.fit(c[good], s[good], True, good)
        if other and abs(other.first) < 0.5 * len(cos) and other.noise < found.noise + 1e-9:
            d.problem("swapped")
            found = other
    _fill.fit(d, found, c.shape[1], len(cos))
    return d


def best(s: Floats, c: Floats, rows: NDArray[np.int64]) -> _pairs.Fit | None:
    """The fit, if it leaves more than noise."""
    found = _pairs.fit(s, c, True, rows)
    return found if found and found.noise <= 3 * _pairs.LOST else None


def same_pairs(d: Diagnosis, s: Floats, c: Floats) -> bool:
    """Pairs that do turn, evenly, with frequencies of no rule: say so, and be sure of no more."""
    radius = np.sqrt(s**2 + c**2)
    size = float(np.median(radius))
    if size == 0 or np.abs(radius / size - 1).max() > 0.05:
        return False
    d.width, d.amplitude = 2 * s.shape[1], size if abs(size - 1) > 1e-2 else 1.0
    d.alternatives.append("Pairs on a circle whose frequencies follow no rule that I know.")
    return True
