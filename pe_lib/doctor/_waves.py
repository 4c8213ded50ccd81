"""Sines and cosines of turning pairs: how fast each turns, where it starts, how large it is.

A pair is read as the number c + i s. How far it turns in 1, 2, 4 … rows is the angle of the sum of
z[t + lag] · conj z[t]; each lag doubles the lever, and the one before says how many whole turns lie
in it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROWS = 256  # products summed for a lag: enough to be rid of noise


@dataclass
class Turns:
    """What n pairs do: frequencies with their sign, where row 0 stands, size and unevenness."""

    w: Floats  # (n,) radians per row, negative for clockwise
    doubt: Floats  # (n,) the share by which |w| may be off
    phase: Floats  # (n,) radians at row 0
    amplitude: float
    rough: float  # how far radii are off the amplitude, as a share of it: root of the mean square


def turns(sines: Floats, cosines: Floats, unit: float) -> Turns:
    """The turns of pairs (T, n), T at least 2, kept in a format whose rounding is `unit`."""
    rows, n = sines.shape
    few = slice(None, None, max(1, rows // 512))
    squares = sines[few] ** 2 + cosines[few] ** 2
    amplitude = float(np.sqrt(np.median(squares)))
    size = amplitude if amplitude > 0 else 1.0
    radius = np.sqrt(squares) / size - 1
    uneven = np.sqrt((radius**2).mean(axis=0))
    w, reach, lever = np.zeros(n), np.ones(n), np.ones(n)
    good = np.ones(n, bool)
    lag = 1
    while lag < rows:
        m = min(rows - lag, ROWS)
        s, c, s2, c2 = sines[:m], cosines[:m], sines[lag : lag + m], cosines[lag : lag + m]
        along, across = (c2 * c + s2 * s).sum(axis=0), (s2 * c - c2 * s).sum(axis=0)
        whole = np.sqrt((c * c + s * s).sum(axis=0) * (c2 * c2 + s2 * s2).sum(axis=0))
        agree = np.sqrt(along**2 + across**2) > 0.95 * np.maximum(whole, 1e-300)
        angle = np.arctan2(across, along)
        good &= agree | (lag == 1)
        turned = angle + 2 * np.pi * np.floor((w * lag - angle) / (2 * np.pi) + 0.5)
        w = np.where(good, (turned if lag > 1 else angle) / lag, w)
        reach = np.where(good, lag * np.sqrt(m), reach)
        lever = np.where(good, lag, lever)
        lag *= 2
    m = min(rows, 64)
    back = np.arange(m)[:, None] * w
    cos, sin = np.cos(back), np.sin(back)
    along = (cosines[:m] * cos + sines[:m] * sin).sum(axis=0)
    across = (sines[:m] * cos - cosines[:m] * sin).sum(axis=0)
    doubt = 2 * max(unit, 1e-14) + (2 * uneven + unit * 1e-3 + 1e-16) / np.maximum(
        np.abs(w) * reach, 1e-300
    )
    if unit == 2.0**-11:  # sines below 6e-5 are multiples of 6e-8 in float16
        doubt += 1.2e-7 / size / np.maximum(np.abs(w) * lever, 1e-300)
    return Turns(w, doubt, np.arctan2(across, along), amplitude, float(np.median(uneven)))


def start(found: Turns, w: Floats, direction: int) -> float:
    """The position of row 0, given the frequencies w: that which all phases agree on.

    Small whole numbers are tried first, and then the slowest pair says roughly where, each faster
    one more closely.
    """
    seen = (w > 0) & (found.doubt < 0.3)
    if not seen.any():
        return 0.0
    phase = direction * found.phase[seen]
    v = w[seen]

    def apart(t: float) -> float:
        off = phase - v * t
        off -= 2 * np.pi * np.floor(off / (2 * np.pi) + 0.5)
        return float(np.sqrt((off**2).mean()))

    near = sorted((apart(t), abs(t), t) for t in (0.0, 1.0, -1.0, 2.0, 3.0, 0.5))
    if near[0][0] < 0.02:
        return near[0][2]
    order = np.argsort(v)
    guess = 0.0
    for i in order:
        whole = np.floor((v[i] * guess - phase[i]) / (2 * np.pi) + 0.5)
        guess = float((phase[i] + 2 * np.pi * whole) / v[i])
    snapped = float(np.floor(guess + 0.5))
    if abs(snapped - guess) < 0.05:
        guess = snapped
    if apart(guess) > 0.3:  # no pair is slow enough: try every whole number
        few = np.arange(0, v.size, max(1, v.size // 24))
        places = np.arange(-2048, 16384)
        agree = np.zeros(places.size)
        for i in few:
            agree += np.cos(v[i] * places - phase[i])
        guess = float(places[int(np.argmax(agree))])
    return guess if apart(guess) < near[0][0] else near[0][2]
