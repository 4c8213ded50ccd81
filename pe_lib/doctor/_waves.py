"""Sines and cosines of turning pairs: how fast each turns, where it starts, how large it is.

A pair is read as the number c + i s. How far it turns in 1, 2, 4 … rows is the angle of the sum of
z[t + lag] · conj z[t]; each lag doubles the lever, and the one before says how many whole turns lie
in it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TURN = 2 * np.pi
UNEVEN = 0.35  # pairs whose radii differ by more than this share do not turn
ROWS = 256  # products summed for a lag: enough to be rid of noise


@dataclass
class Turns:
    """What n pairs do: frequencies with their sign, where row 0 stands, size, unevenness."""

    w: Floats  # (n,) radians per row, negative for clockwise
    doubt: Floats  # (n,) the share by which |w| may be off
    phase: Floats  # (n,) radians at row 0
    amplitude: float
    rough: float = 0.0  # how far radii are off the amplitude, as a share of it


def turns(sines: Floats, cosines: Floats, unit: float) -> Turns:
    """The turns of pairs (T, n), T at least 2, kept in a format whose rounding is `unit`."""
    rows, n = sines.shape
    few = slice(None, None, max(1, rows // 512))
    squares = sines[few] ** 2 + cosines[few] ** 2
    amplitude = float(np.sqrt(np.median(squares)))
    size = amplitude if amplitude > 0 else 1.0
    # of most rows: a few that are damaged say nothing
    uneven = 1.5 * np.median(np.abs(np.sqrt(squares) / size - 1), axis=0)
    w, reach, lever, good = np.zeros(n), np.ones(n), np.ones(n), np.ones(n, bool)
    if float(np.median(uneven)) > UNEVEN:
        return Turns(w, np.ones(n), w, 0.0)
    lag = 1
    while lag < rows:
        m = min(rows - lag, ROWS)
        s, c, s2, c2 = sines[:m], cosines[:m], sines[lag : lag + m], cosines[lag : lag + m]
        along, across, agreement = _mean(c2 * c + s2 * s, s2 * c - c2 * s)
        good &= (agreement > 0.95) | (lag == 1)
        angle = np.arctan2(across, along)
        if lag > 1:
            angle = angle + TURN * np.floor((w * lag - angle) / TURN + 0.5)
        w = np.where(good, angle / lag, w)
        reach = np.where(good, lag * np.sqrt(m), reach)
        lever = np.where(good, lag, lever)
        lag *= 2
    m = min(rows, 64)
    back = np.arange(m)[:, None] * w
    cos, sin = np.cos(back), np.sin(back)
    s, c = sines[:m], cosines[:m]
    along, across, _ = _mean(c * cos + s * sin, s * cos - c * sin)
    doubt = 2 * max(unit, 1e-14) + (2 * uneven + unit * 1e-3 + 1e-16) / np.maximum(
        np.abs(w) * reach, 1e-300
    )
    if unit == 2.0**-11:  # sines below 6e-5 are multiples of 6e-8 in float16
        doubt += 1.2e-7 / size / np.maximum(np.abs(w) * lever, 1e-300)
    return Turns(w, doubt, np.arctan2(across, along), amplitude, float(np.median(uneven)))


def _mean(along: Floats, across: Floats) -> tuple[Floats, Floats, Floats]:
    """The sum of vectors (m, n) over m, without those that point elsewhere; and their agreement."""
    x, y = along.sum(axis=0), across.sum(axis=0)
    length = np.sqrt(along**2 + across**2)
    whole = np.maximum(length.sum(axis=0), 1e-300)
    agreement = np.sqrt(x * x + y * y) / whole
    if (agreement > 0.9999).all():
        return x, y, agreement
    unit = np.maximum(length, 1e-300)  # a few long ones would outvote all others
    x, y = np.median(along / unit, axis=0), np.median(across / unit, axis=0)
    apart = np.abs(np.arctan2(across * x - along * y, along * x + across * y))
    kept = apart <= 6 * np.median(apart, axis=0) + 1e-9
    x, y = np.where(kept, along, 0.0).sum(axis=0), np.where(kept, across, 0.0).sum(axis=0)
    whole = np.maximum(np.where(kept, length, 0.0).sum(axis=0), 1e-300)
    return x, y, np.sqrt(x * x + y * y) / whole


def alone(x: Floats, unit: float) -> Turns:
    """The turns of columns (T, n) that are each one wave: their signs cannot be seen.

    A wave has x[t + lag] + x[t - lag] = 2 cos(w · lag) x[t]; phases are those of sines.
    """
    rows, n = x.shape
    w, doubt = np.zeros(n), np.full(n, 1.0)
    lag = 1
    while 2 * lag < rows:
        m = min(rows - 2 * lag, ROWS)
        middle, around = x[lag : lag + m], x[:m] + x[2 * lag : 2 * lag + m]
        squares = np.maximum((middle * middle).sum(axis=0), 1e-300)
        half = (middle * around).sum(axis=0) / (2 * squares)
        left = np.sqrt(((around - 2 * half * middle) ** 2).sum(axis=0) / squares)
        angle = np.arccos(half.clip(-1, 1))
        whole = TURN * np.floor((w * lag + np.pi) / TURN)
        near = np.stack([whole + angle, whole - angle, whole + TURN - angle])
        at = np.abs(near - w * lag).argmin(axis=0) if lag > 1 else np.zeros(n, np.int64)
        guess = near[at, np.arange(n)]
        slope = np.maximum(np.abs(np.sin(guess)), 1e-9)
        apart = (left + 4 * unit + 1e-15) / slope / np.maximum(guess, 1e-12)
        better = (guess > 0) & (apart < doubt) & ((lag == 1) | (doubt * w * lag < 0.5))
        w, doubt = np.where(better, guess / lag, w), np.where(better, apart, doubt)
        lag *= 2
    m = min(rows, 256)
    back = np.arange(m)[:, None] * w
    sin, cos = np.sin(back), np.cos(back)
    ss, cc, sc = (sin * sin).sum(axis=0), (cos * cos).sum(axis=0), (sin * cos).sum(axis=0)
    xs, xc = (x[:m] * sin).sum(axis=0), (x[:m] * cos).sum(axis=0)
    det = ss * cc - sc * sc
    clear = det > 1e-3 * ss * cc
    det = np.where(clear, det, 1.0)
    a, b = (xs * cc - xc * sc) / det, (xc * ss - xs * sc) / det
    sizes = np.sqrt(a * a + b * b)[clear & (doubt < 0.01)]
    amplitude = float(np.median(sizes)) if sizes.size else 0.0
    doubt = np.where(clear, np.maximum(doubt, 2 * unit), np.maximum(doubt, 0.05))
    return Turns(w, doubt, np.arctan2(b, a), amplitude)


def start(found: Turns, w: Floats, direction: int) -> tuple[float, float]:
    """The position of row 0, given the frequencies w, on which all phases agree; how well they do.

    Small whole numbers are tried first, and then the slowest pair says roughly where, each faster
    one more closely.
    """
    seen = (w > 0) & (found.doubt < 0.3)
    if not seen.any():
        return 0.0, 0.0
    phase, v = direction * found.phase[seen], w[seen]

    def apart(t: float) -> float:
        off = phase - v * t
        off -= TURN * np.floor(off / TURN + 0.5)
        return float(np.sqrt((off**2).mean()))

    near = min((apart(t), abs(t), t) for t in (0.0, 1.0, -1.0, 2.0, 3.0, 0.5))
    if near[0] < 0.02:
        return near[2], near[0]
    guess = 0.0
    for i in np.argsort(v):
        guess = float((phase[i] + TURN * np.floor((v[i] * guess - phase[i]) / TURN + 0.5)) / v[i])
    snapped = float(np.floor(guess + 0.5))
    guess = snapped if abs(snapped - guess) < 0.05 else guess
    if apart(guess) > 0.3:  # no pair is slow enough: try every whole number
        places = np.arange(-2048, 16384)
        agree = np.zeros(places.size)
        for i in range(0, v.size, max(1, v.size // 24)):
            agree += np.cos(v[i] * places - phase[i])
        guess = float(places[int(np.argmax(agree))])
    off, _, place = min((apart(guess), 0.0, guess), near)
    return place, off
