"""Sines and cosines of turning pairs: how fast each turns, where it starts, how large it is.

How far a pair turns in 1, 2, 4 … rows is the median of what its angle grows by: half of the rows
may be damaged. Each lag doubles the lever, and the one before says how many whole turns lie in it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TURN = 2 * np.pi
UNEVEN = 0.35  # pairs whose radii differ by more than this share do not turn
ROWS = 256  # compared for a lag: enough to be rid of noise


@dataclass
class Turns:
    """What n pairs do: angles of the rows, frequencies with their sign, size, unevenness."""

    angle: Floats  # (rows, n) radians
    w: Floats  # (n,) radians per row, negative for clockwise
    doubt: Floats  # (n,) the share by which |w| may be off
    amplitude: float
    rough: float = 0.0  # how far radii are off the amplitude, as a share of it

    def phase(self) -> Floats:
        """Where row 0 stands, (n,) radians."""
        few = self.angle[:64]
        back = few - np.arange(len(few))[:, None] * self.w
        sin, cos = (np.median(f(back), axis=0) for f in (np.sin, np.cos))
        return np.asarray(np.arctan2(sin, cos), np.float64)


def near_zero(angle: Floats) -> Floats:
    """Angles without their whole turns."""
    return angle - TURN * np.floor(angle / TURN + 0.5)


def turns(sines: Floats, cosines: Floats, unit: float) -> Turns:
    """The turns of pairs (T, n), T at least 2, kept in a format whose rounding is `unit`."""
    rows, n = sines.shape
    few = slice(None, None, max(1, rows // 512))
    radius = np.sqrt(sines[few] ** 2 + cosines[few] ** 2)
    amplitude = float(np.median(radius))
    uneven = 1.5 * np.median(np.abs(radius / (amplitude or 1.0) - 1), axis=0)
    w, reach = np.zeros(n), np.ones(n)
    if float(np.median(uneven)) > UNEVEN:
        return Turns(w, w, np.ones(n), 0.0)
    angle, lag = np.arctan2(sines, cosines), 1
    while lag < rows:
        m = min(rows - lag, ROWS)
        off = near_zero(angle[lag : lag + m] - angle[:m] - w * lag)
        middle = np.median(off, axis=0)
        good = (np.median(np.abs(off - middle), axis=0) < 0.3) | (lag == 1)
        w = np.where(good, w + middle / lag, w)
        reach = np.where(good, lag * m**0.5, reach)
        lag *= 2
    doubt = 2 * max(unit, 1e-14) + (2 * uneven + unit * 1e-3 + 1e-16) / np.maximum(
        np.abs(w) * reach, 1e-300
    )
    return Turns(angle, w, doubt, amplitude, float(np.median(uneven)))


def alone(x: Floats, cosine: NDArray[np.bool_], unit: float) -> Turns:
    """The turns of columns (T, n) that are each one wave, a sine or a cosine, from position 0."""
    amplitude = float(np.median(x[0, cosine])) if cosine.any() else 1.0
    n = cosine.size
    w, doubt, lag = np.zeros(n), np.ones(n), 1
    while lag < len(x) and amplitude > 0:
        value = (x[lag] / amplitude).clip(-1, 1)
        angle = np.arccos(value)
        one = np.where(cosine, angle, np.pi / 2 - angle)  # two angles have this value
        two = np.where(cosine, -angle, np.pi / 2 + angle)
        off = near_zero(np.stack([one, two]) - w * lag)
        off = np.where(np.abs(off[0]) <= np.abs(off[1]), off[0], off[1]) if lag > 1 else one
        guess = w * lag + off
        slope = np.maximum(np.sqrt(1 - value**2), 1e-9)
        apart = (unit + 1e-15) / slope / np.maximum(np.abs(guess), 1e-12)
        better = (guess > 0) & (apart < doubt) & ((lag == 1) | (doubt * w * lag < 0.5))
        w, doubt = np.where(better, guess / lag, w), np.where(better, apart, doubt)
        lag *= 2
    return Turns(x, w, np.maximum(doubt, 2 * unit), amplitude)


def start(phase: Floats, w: Floats) -> tuple[float, int]:
    """The whole position of row 0 on which phases (n,) agree, given frequencies w; and 1, or -1 if
    they do so half a turn on, which is all negated. Near positions are tried first."""
    few = slice(None, None, max(1, w.size // 24))
    best, agree = 0.0, np.zeros(1)
    for most in (33, 32768):
        k = np.arange(most)
        places = np.where(k % 2 == 1, k // 2 + 1.0, -(k // 2.0))  # 0, 1, -1, 2 …
        agree = np.cos(phase[few] - places[:, None] * w[few]).mean(axis=1)
        best = float(places[int(np.argmax(agree))])
        if agree.max() > 0.99 and abs(best) < 16:
            return best, 1
        if agree.min() < -0.99 and agree.max() < 0.9:
            return float(places[int(np.argmin(agree))]), -1
    return best, 1
