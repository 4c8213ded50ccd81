"""From a whole encoding back to its position: the slower hands say which turn the faster are in.

A pair is the hand of a clock, at the angle w_i t. It fixes a position up to whole turns.
"""

from __future__ import annotations

from math import ceil, exp, lgamma, log, pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks
from pe_lib._checks import Layout
from pe_lib.candidates import positive_frequencies
from pe_lib.sinusoidal import encode

__all__ = ["position_from_encoding"]


def __dir__() -> list[str]:
    return __all__


_EPS = float(np.finfo(np.float64).eps)
_TAU = 2 * np.pi
_BLOCK = 1 << 17  # angles held at a time: 1 MB, which the caches can hold
_MAX_TURNS = 1 << 16  # candidates tried per vector; each costs one pass over the hands
_CHANCE = 1e-6  # the share of vectors of random angles that may pass for encodings


def position_from_encoding(
    encoding: ArrayLike,
    base: float = 10_000.0,
    max_position: int | None = None,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
    errors: Literal["raise", "mask"] = "raise",
) -> NDArray[np.int64] | np.int64:
    """The position of each encoding (..., d_model): integers of shape (...), in numpy.

    Slow hand first: the slowest pair says roughly where, and each faster hand corrects that guess
    by its own small angle, weighted by its frequency squared (least squares), in O(d_model).

    Without `max_position` (or with a smaller one) the answer is the nearest position below 15/16
    of the longest wavelength, from any precision, under noise too. Noise moves a point off the unit
    circle as much as along it: of angles, 0.05 radians and three times the root mean square of
    (radius - 1) are forgiven, at most 0.5, at most twice the ratio of neighbouring frequencies, and
    no more than leaves one vector of random angles in a million that some position agrees with (at
    base 10,000, 0.008 at d_model = 8, 0.10 at 16, 0.38 at 32). Noise of standard deviation 0.2 on
    every entry is decoded right in more than 99.5 % of cases at d_model = 64, of 0.05 at 16. An
    encoder's rounding is always forgiven, so that few entries cannot be judged: at this base 2 and
    4 from float16, up to 6 from bfloat16. Of 4, position 119 looks the same in both layouts.

    A larger `max_position` needs input as clean as its dtype allows. Two neighbouring hands drift
    apart as slowly as a hand of frequency w_i - w_{i+1} turns, differences of differences slower
    still; where that ends (at base 10,000 it begins at d_model = 28), up to 65,536 turns of the
    slowest hand are tried. An answer is proven: the only position below `max_position` that agrees
    with every hand. From float64, d_model = 512 is good past 10^14, 64 past 10^12, 8 past 10^8 and
    4 past 10^7 if no other position looks the same.

    `layout` and `frequencies` are those of `encode`; the frequencies may come in any order. Of what
    is no encoding, `errors` "raise" names the first; "mask" gives the rest, in a masked array.

    Built in chapter 4. Raises TypeError or ValueError for an input that is not real and finite
    or has an odd last axis, pairs off the unit circle, angles that no position (or more than one)
    below the limit agrees with, a `max_position` below 1 or beyond reach, a base not above 1,
    another layout or word for `errors`, and frequencies of another shape, not positive, or (also
    by a large base) further apart than the input's precision can bridge.

    >>> from pe_lib import encode
    >>> position_from_encoding(encode(range(40_000, 40_003), 64, dtype=np.float16))
    array([40000, 40001, 40002])
    >>> position_from_encoding(encode(10**12, 512), max_position=2 * 10**12)
    np.int64(1000000000000)
    >>> position_from_encoding([encode(7, 64), np.zeros(64)], errors="mask")
    masked_array(data=[7, --],
                 mask=[False,  True],
           fill_value=999999)
    """
    if errors not in ("raise", "mask"):
        raise ValueError(f"errors must be 'raise' or 'mask', got {_checks.short_repr(errors)}")
    pe = _checks.reals("encoding", encoding)
    _checks.require_pairs("encoding", pe.shape)
    halves = _checks.is_halves("layout", layout)
    rows = pe.reshape(-1, pe.shape[-1])
    given = positive_frequencies(rows.shape[1], base, frequencies)
    order = np.argsort(-given, kind="stable")  # fastest first
    pairs = np.stack([order, order + order.size] if halves else [2 * order, 2 * order + 1])
    w = given[order]
    closest = float((w[1:] / w[:-1]).min(initial=1.0))
    kind, eps = "float64", _EPS
    if _checks.is_bfloat16(encoding):
        kind, eps = "bfloat16", 2.0**-7
    elif pe.dtype.kind == "f":
        kind, eps = pe.dtype.name, float(np.finfo(pe.dtype).eps)
    if 8 * closest < eps:  # an angle that is rounded by 0.35 eps says less than half a turn then
        name = "base must not put frequencies" if frequencies is None else "frequencies must not be"
        got = f"got one that is {closest:.1e} of the next"
        raise ValueError(f"{name} further apart than {kind} can bridge, {got}")
    near = ceil(min(15 / 16 * _TAU / w[-1], _checks.MAX_POSITION))
    stop = near if max_position is None else _checks.limit_of_positions(max_position)
    k = np.full(len(rows), -1)
    unread = np.zeros(len(rows), bool)
    if stop <= near:
        level = 0
        turns = _turns(w[-1], stop)
        rounding = None
        # The further apart the hands, the less is forgiven, but in any case an encoder's rounding.
        evidence = _evidence(w.size, stop)
        most = max(min(0.5, 2 * closest, evidence), eps / 2 + 64 * _EPS)
    else:
        width = f"d_model = {2 * w.size} at this base"
        which = f"{width if frequencies is None else 'these frequencies'} and {kind} precision"
        level, turns = _plan(w, stop, eps, which)
        rounding = _angle_errors(w, stop, eps)[:, None]
        evidence = np.inf
        most = rounding.min()

    step = max(1, _BLOCK // max(turns, w.size))
    left = np.arange(len(rows))
    if rounding is None and 8 * eps < w[-1]:
        for start in range(0, len(rows), step):
            here = slice(start, start + step)  # the slowest hand alone, if the others agree
            slowest = rows[here].T[pairs[:, -1]].astype(np.float64)
            guess = np.rint(np.arctan2(*slowest) % _TAU / w[-1])
            again = encode(guess, rows.shape[1], layout=layout, frequencies=given)
            agrees = (np.abs(again - rows[here]).max(axis=1) <= eps / 2) & (guess < stop)
            k[here][agrees] = guess[agrees]
            if not agrees.any():  # noise is everywhere
                break
        left = left[k < 0]
    for start in range(0, len(left), step):
        some = left[start : start + step]
        sin, cos = rows[some].T.astype(np.float64)[pairs]
        angles = np.arctan2(sin, cos)
        with np.errstate(over="ignore"):  # infinity, too, is off the circle
            off = np.sqrt(np.mean((np.hypot(sin, cos) - 1) ** 2, axis=0))
        guesses = np.clip(np.rint(_slow_first(angles, w, level, turns, stop)), -1, stop)
        forgiven = _forgiven(off, most, w, guesses) if rounding is None else rounding
        first, last = _agreeing(guesses, angles, w, forgiven, stop)
        wrong = (off > most) | (first != last)
        k[some], unread[some] = first, wrong
        if wrong.any() and errors == "raise":
            j = wrong.argmax()
            where = np.unravel_index(some[j], pe.shape[:-1])
            row = f"[{', '.join(map(str, where))}]" if where else ""
            if off[j] > most:
                problem = f"lies off the unit circle by more than {most:.1e}"
                if most == evidence:
                    problem += f", all that d_model = {2 * w.size} tells from chance"
            else:
                found = "no" if first[j] > last[j] else "more than one"
                problem = f"agrees with {found} position 0 <= k < {stop}"
            other: Layout = "interleaved" if halves else "halves"
            position = position_from_encoding(
                rows[some[j]], base, max_position,
                layout=other, frequencies=frequencies, errors="mask",
            )  # fmt: skip
            if not np.ma.is_masked(position):
                problem += f"; with layout={other!r} it is the encoding of {position}"
            raise ValueError(
                f"encoding must hold encodings of positions, but encoding{row} {problem}"
            )
    positions = k.reshape(pe.shape[:-1])
    if errors == "mask":
        return np.ma.masked_array(positions, unread.reshape(positions.shape))
    return positions[()]


def _evidence(n: int, stop: int) -> float:
    """How far off n angles may be, root mean square: f, with stop · V (sqrt(n) f / 2π)^n = _CHANCE.

    V is the volume of the unit ball in n dimensions: such a share of angles is so close to one k.
    """
    volume = n / 2 * log(pi) - lgamma(n / 2 + 1)  # its logarithm
    return _TAU / sqrt(n) * exp((log(_CHANCE / stop) - volume) / n)


def _forgiven(
    off: NDArray[np.float64], most: float, w: NDArray[np.float64], guesses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far each angle of n rows may be off, rounding included: (1, n) or (d/2, n)."""
    forgiven: NDArray[np.float64] = np.minimum(most, 0.05 + 3 * off)[None]
    if most < 0.05:
        rounding = _angle_errors(w[:, None], guesses.max(axis=0).clip(0), _EPS)
        forgiven = np.maximum(forgiven, np.minimum(rounding, 0.05))
    return forgiven


def _slow_first(
    angles: NDArray[np.float64], w: NDArray[np.float64], level: int, turns: int, stop: int
) -> NDArray[np.float64]:
    """The position each turn of the slowest hand leads to: (d/2, rows) in, (turns, rows) out."""
    hands = _slowed(w, level)
    read = _slowed(angles, level)
    wavelength = _TAU / hands[0]
    low = (stop - wavelength * (turns - 1)) / 2
    t: NDArray[np.float64] = wavelength * np.arange(turns)[:, None]
    t = t + low + _wrapped(read[0] - hands[0] * low) / hands[0]
    weight = 1.0  # the sum of squared frequencies, in units of the last one's
    for before, v, angle in zip(hands, hands[1:], read[1:], strict=False):
        weight = weight * (before / v) ** 2 + 1
        t += _wrapped(angle - v * t) / (v * weight)
    return t


def _agreeing(
    k: NDArray[np.float64],
    angles: NDArray[np.float64],
    w: NDArray[np.float64],
    forgiven: NDArray[np.float64],
    stop: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first and last candidate within `forgiven` radians of the angles; stop, -1 if none."""
    misfit = np.zeros(k.shape)
    for angle, v, most in zip(angles, w, np.broadcast_to(forgiven, angles.shape), strict=True):
        misfit += (_wrapped(angle - v * k) / most) ** 2 / w.size
    agrees = (misfit <= 1) & (k >= 0) & (k < stop)
    return np.where(agrees, k, stop).min(axis=0), np.where(agrees, k, -1).max(axis=0)


def _plan(w: NDArray[np.float64], stop: int, eps: float, which: str) -> tuple[int, int]:
    """How many levels of beats, and turns of the slowest, are proven to cover range(stop)."""

    def plan(stop: int) -> tuple[int, int] | None:
        best = None
        errors = _angle_errors(w, stop, eps)
        errors[1::2] *= -1  # so that a difference of two errors is their sum, the worst case
        for level in range(w.size):
            hands = _slowed(w, level)
            turns = _turns(hands[0], stop)
            if not _proven(hands, np.abs(_slowed(errors, level))):
                break
            if turns <= _MAX_TURNS and (best is None or turns < best[1]):
                best = level, turns
            if turns == 1:
                break
        return best

    found = plan(stop)
    if found is None:
        reach, beyond = 0, stop  # what is proven for a limit is so for all below
        while beyond - reach > 1:
            middle = (reach + beyond) // 2
            reach, beyond = (middle, beyond) if plan(middle) else (reach, middle)
        raise ValueError(f"max_position must be at most {reach} for {which}, got {stop}")
    return found


def _turns(v: float, stop: int) -> int:
    """How many turns of a hand cover range(stop), with a quarter of a turn to spare at each end."""
    return ceil(stop * v / _TAU + 1 / 2)


def _proven(hands: NDArray[np.float64], errors: NDArray[np.float64]) -> bool:
    """Whether `_slow_first` must find the position if no hand is off by more than its error."""
    doubt = 0.0  # in positions
    weight = 0.0  # as in `_slow_first`
    before = hands[0]
    for v, error in zip(hands, errors, strict=True):
        # Half a turn off, and a hand is read the wrong way; the first has a quarter to spare.
        # Of hands that were chosen freely, a beat can stand still or outrun the next hand.
        if not 0 < before <= v or v * doubt + error >= (np.pi if weight else np.pi / 2):
            return False
        weight = weight * (before / v) ** 2 + 1
        before = v
        doubt += (error / v - doubt) / weight
    return bool(doubt < 0.5)


def _angle_errors(
    w: NDArray[np.float64], stop: int | NDArray[np.float64], eps: float
) -> NDArray[np.float64]:
    """How far an honest encoding of a position up to `stop` can be off in each angle, in radians.

    Half an eps for its entries, the rest for w_i t in float64, there and here: the rounding of
    2i/d_model alone moves a frequency by up to ln(base)/4 eps, 7 at base 10^12.
    """
    return eps / 2 + 4 * _EPS + 8 * _EPS * stop * w


def _slowed(x: NDArray[np.float64], level: int) -> NDArray[np.float64]:
    """Of all hands, slowest first, preceded by the slowest of their beats down to the first level.

    The beat of two hands is a hand too: its frequency is the difference of theirs, and its angle
    the difference of their angles. Level m is m times the difference of neighbours.
    """
    beats = [(-1) ** m * np.diff(x[-1 - m :], m, axis=0)[0] for m in range(level, 0, -1)]
    return np.stack([*beats, *x[::-1]])


def _wrapped(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same angle in [-π, π]."""
    turns: NDArray[np.float64] = np.rint(angle / _TAU)
    return angle - _TAU * turns
