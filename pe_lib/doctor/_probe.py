"""A function asked instead of an array: unit vectors and shifted positions tell what it does."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _tables
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, told

Floats = NDArray[np.float64]

WIDTHS = (64, 32, 128, 16, 8, 96, 80, 256, 4, 2)


def probe(function: Callable[..., Any], width: int | None = None) -> Diagnosis:
    """What a function does with positions: layout, direction, turned width, where it starts.

    `function` takes (vector, position), a vector (width,) and a whole number, and returns the
    vector with its position in it; or (length, width), and returns a table (length, width) or
    (cos, sin), which is then diagnosed as by `identify`. `width` is tried, or else usual widths.

    The first kind is given unit vectors at positions 0 to 31. The entries that one turns into show
    the layout ("interleaved" or "halves"), the sign the direction (1 counter-clockwise), entries
    that stay the turned width. `details` has "turned", "relative" (whether scores know the offset
    alone) and "added" (whether positions are added instead). Which layout trained *weights* expect
    cannot be read off them.

    Raises TypeError if it is no function, ValueError if no call gave such an array.

    >>> from pe_lib import rotary
    >>> found = probe(lambda x, t: rotary.rotate(x, t, layout="halves", turned=16), width=64)
    >>> found.scheme, found.layout, found.direction, found.details["turned"], found.base
    ('rotary', 'halves', 1, 16, 10000.0)
    """
    if not callable(function):
        raise TypeError("function must be a function of (vector, position) or (length, width)")
    why = ""
    for d_head in (width,) if width else WIDTHS:
        try:
            moved = _moved(function, np.eye(d_head)[0] + 0.0, 1)
            if moved.shape == (d_head,):
                return _vectors(function, d_head)
        except Exception as error:  # whatever another's function raises
            why = why or " ".join(f"{type(error).__name__}: {error}".split())[:120]
    for d_model in (width,) if width else WIDTHS:
        try:
            made = function(128, d_model)
            if isinstance(made, tuple) or np.ndim(made) >= 2:
                return identify(made)
        except Exception as error:
            why = why or " ".join(f"{type(error).__name__}: {error}".split())[:120]
    raise ValueError("function must take (vector, position) or (length, width) and return an array"
                     + (f": {why}" if why else ""))  # fmt: skip


def _moved(function: Callable[..., Any], x: Floats, t: int) -> Floats:
    return np.asarray(function(x.copy(), t), np.float64)


def _vectors(function: Callable[..., Any], n: int) -> Diagnosis:
    """A function of a vector and a position."""
    length = 32
    zero = np.stack([_moved(function, np.zeros(n), t) for t in range(length)])
    if np.abs(zero).max() > 1e-9:  # positions are added: what comes out for 0 is the table
        one = _moved(function, np.eye(n)[0], 3) - zero[3]
        scale = float(one[0])
        d = identify(zero)
        d.details["added"] = True
        if abs(scale - 1) > 1e-6:
            text = f"The vector itself is multiplied by {told(scale)} before."
            d.findings.append(Finding("vector_scaled", text))
        return d
    d = Diagnosis(scheme="rotary", width=n)
    moved = np.stack([[_moved(function, row, t) for row in np.eye(n)] for t in range(length)])
    off = np.abs(moved[1] - np.diag(np.diagonal(moved[1])))
    if np.abs(moved - np.eye(n)).max() < 1e-12:
        d.scheme, d.sure = "none", True
        d.details.update(turned=0, relative=True)
        return d
    partner = np.where(off.max(axis=1) > 1e-12, off.argmax(axis=1), -1)
    halves, inter, turned = _pairing(partner, n)
    d.details["turned"] = turned
    d.details["relative"] = _relative(function, n, d)
    if not (halves or inter):
        d.scheme = "unknown"
        d.alternatives.append("Entries do not turn in pairs of a known order.")
        return d
    d.layout = "halves" if halves else "interleaved"
    m = turned // 2
    i = np.arange(m)
    first, second = (i, i + m) if halves else (2 * i, 2 * i + 1)
    cos, sin = moved[:, first, first], moved[:, first, second]
    other = moved[:, second, first]
    if np.abs(other + sin).max() > 1e-5 or np.abs(moved[:, second, second] - cos).max() > 1e-5:
        d.scheme = "unknown"
        d.alternatives.append("Pairs are changed, and not by a rotation.")
        return d
    found = _tables.cache(cos, sin)
    layout, details = d.layout, d.details
    found.layout, found.width = layout, turned
    found.details = {**found.details, **details}
    if "clockwise" in found.problems and found.sure:
        found.direction = -1
    notes = found.details.setdefault("notes", [])
    notes.append(f"The first {told(turned)} of {told(n)} entries turn." if turned < n
                 else f"All {told(n)} entries turn.")  # fmt: skip
    notes.append("Scores depend on the offset alone." if details["relative"] else
                 "Scores depend on more than the offset: they change by "
                 f"{bound(details['changes'])} when both positions are moved.")  # fmt: skip
    return found


def _pairing(partner: NDArray[np.int64], n: int) -> tuple[bool, bool, int]:
    """Whether entries are paired in halves, side by side, and how many there are."""
    known = np.flatnonzero(partner >= 0)
    if known.size == 0:
        return False, False, 0
    step = int(partner[known[0]] - known[0])
    inter = all(int(partner[j]) == int(j) ^ 1 for j in known)
    turned = int(known.max()) + 1
    if inter:
        return False, True, turned + turned % 2
    low = known[partner[known] > known]
    halves = step > 0 and all(int(partner[j]) - int(j) == step for j in low)
    halves = halves and int(partner[known].max()) < 2 * step
    return halves, False, 2 * step if halves else turned


def _relative(function: Callable[..., Any], n: int, d: Diagnosis) -> bool:
    """Whether a score knows the offset alone: queries and keys moved on together."""
    q = np.sin(np.arange(n) * 1.7 + 0.3)
    k = np.cos(np.arange(n) * 0.9 + 0.1)
    size = float(np.sqrt((q @ q) * (k @ k)))
    most = 0.0
    for t, s in ((5, 2), (9, 9), (1, 12)):
        here = _moved(function, q, t) @ _moved(function, k, s)
        for on in (1, 7, 19):
            there = _moved(function, q, t + on) @ _moved(function, k, s + on)
            most = max(most, abs(float(there - here)) / size)
    d.details["changes"] = most
    return most < 1e-4
