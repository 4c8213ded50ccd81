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


def start(phase: Floats, w: Floats) -> float:
    """The whole position of row 0 on which phases (n,) of frequencies w agree; near ones first."""
    few = slice(None, None, max(1, w.size // 24))
    best = 0.0
    for most in (33, 32768):
        k = np.arange(most)
        places = np.where(k % 2 == 1, k // 2 + 1.0, 0.0 - k // 2)  # 0, 1, -1, 2 …
        agree = np.cos(phase[few] - places[:, None] * w[few]).mean(axis=1)
        best = float(places[int(np.argmax(agree))])
        if agree.max() > 0.99 and abs(best) < 16:
            break
    return best
