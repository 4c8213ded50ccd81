"""Decode positions from whole encodings. Slower pairs show how many turns faster pairs have made.

A pair at position t has the angle w_i t, so it determines the position up to whole turns.
"""

from __future__ import annotations

from math import ceil, exp, lgamma, log, pi, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import _checks, _hands
from pe_lib._checks import Layout
from pe_lib.candidates import positive_frequencies

__all__ = ["position_from_encoding"]


def __dir__() -> list[str]:
    return __all__


Floats = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_TAU = 2 * np.pi
# How many angles are computed at a time. They take 1 MB and fit into the processor's caches.
_BLOCK = 1 << 17
# The largest number of candidate positions per row. Each candidate takes one pass over the pairs.
_MAX_TURNS = 1 << 16
_CHANCE = 1e-6  # the fraction of rows with random angles that may be accepted by mistake


def position_from_encoding(
    encoding: ArrayLike,
    base: float = 10_000.0,
    max_position: int | None = None,
    *,
    layout: Layout = "interleaved",
    frequencies: ArrayLike | None = None,
    errors: Literal["raise", "mask"] = "raise",
) -> NDArray[np.int64] | np.int64:
    """Return the position of each encoding in an array (..., d_model): integers of shape (...).

    The slowest pair says roughly where the position is. Each faster pair corrects that estimate by
    its own small angle, weighted by its frequency squared (least squares). The time that this takes
    is proportional to d_model.

    Without `max_position`, or with a small limit, the answer is the nearest position below 15/16 of
    the longest wavelength, in any precision and under noise. Noise moves a pair off the unit circle
    as much as along it. Therefore an angle is accepted if it is off by at most 0.05 radians plus
    three times the root mean square of (radius - 1). This tolerance has three upper limits. The
    first is 0.5, and the second is twice the ratio of neighbouring frequencies. The third is the
    tolerance with which one row of random angles in a million would agree with some position (at
    base 10,000, it is 0.008 for d_model = 8, 0.10 for 16 and 0.38 for 32). With noise of standard
    deviation 0.2 on every entry, more than 99.5 % of encodings are decoded correctly at
    d_model = 64, and with noise of 0.05 at 16. The rounding of an encoder is always tolerated, so
    very short rows cannot be judged. At this base, these are rows of 2 or 4 entries in float16, and
    of up to 6 in bfloat16. In rows of 4 entries, position 119 looks the same in both layouts.

    A larger `max_position` needs input that is as clean as its dtype allows. Two neighbouring pairs
    drift apart as slowly as a pair of frequency w_i - w_{i+1} turns, and differences of differences
    are slower still. This helps at base 10,000 from d_model = 28 on. Where it is not enough, up to
    65,536 turns of the slowest pair or difference are tried. An answer is proven to be the only
    position below `max_position` that agrees with every pair. In float64, d_model = 512 reaches
    beyond 10^14, 64 beyond 10^12, 8 beyond 10^8, and 4 beyond 10^7, unless another position looks
    the same.

    `layout` and `frequencies` are those of `encode`, and the frequencies may come in any order. If
    a row is not an encoding and `errors` is "raise", the error names the first such row, and the
    other layout if that layout fits. With "mask", the other rows are returned as a masked array.

    Built in chapter 4. Raises TypeError or ValueError for an input that is not real and finite or
    has an odd last axis, for pairs off the unit circle, for angles that agree with no position (or
    with more than one) below the limit, for a `max_position` below 1 or beyond reach, for a base
    not above 1, another layout or another word for `errors`, and for frequencies of another shape,
    not positive, or (also by a large base) further apart than the input's precision can bridge.

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
        raise ValueError(f"errors must be 'raise' or 'mask', got {_checks.quote(errors)}")
    pe = _checks.reals("encoding", encoding)
    _checks.require_pairs("encoding", pe.shape)
    _checks.is_halves("layout", layout)
    rows, shape = pe.reshape(-1, pe.shape[-1]), pe.shape[:-1]
    w = positive_frequencies(rows.shape[1], base, frequencies)
    precision, eps = _precision(encoding, pe)
    plan = _make_plan(w, max_position, precision, eps, has_base=frequencies is None)
    positions, is_refused = _decode(rows, layout, plan, shape if errors == "raise" else None)
    if errors == "mask":
        return np.ma.masked_array(positions.reshape(shape), is_refused.reshape(shape))
    return positions.reshape(shape)[()]


class _Plan(NamedTuple):
    """The settings of a search for positions, including the largest errors that are tolerated."""

    frequencies: Floats  # (pairs,): frequencies, in the order in which the pairs appear in a row
    order: NDArray[np.intp]  # (pairs,): indices of the pairs, fastest pair first
    w: Floats  # (pairs,): frequencies, fastest pair first
    eps: float  # the machine epsilon of the rows' precision
    stop: int  # the end of the search, which is the first position not searched
    level: int  # how many levels of beats (see `_prepend_beats`) come before the slowest pair
    turns: int  # how many turns of the slowest pair or beat are tried
    off_circle: float  # the largest root mean square of (radius - 1) that is tolerated
    is_limited_by_chance: bool  # whether `off_circle` is limited only to prevent matches by chance
    # (pairs, 1): the error allowed in each angle, or None if the rows may be noisy
    rounding: Floats | None

    @property
    def block_size(self) -> int:
        """Return how many rows to decode at a time."""
        return max(1, _BLOCK // max(self.turns, self.w.size))

    def columns(self, layout: Layout) -> NDArray[np.intp]:
        """Return the column indices of sines and cosines, (2, pairs), in order of falling speed."""
        if layout == "halves":
            return np.stack([self.order, self.order + self.order.size])
        return np.stack([2 * self.order, 2 * self.order + 1])


class _Match(NamedTuple):
    """For each row in a block, the range of positions that agree with the row."""

    first: Floats  # the first position that agrees, or the plan's `stop` if no position does
    last: Floats  # the last position that agrees, or -1 if no position does
    off_circle: Floats  # the root mean square of (radius - 1) in each row
    is_refused: NDArray[np.bool_]  # whether a row is off the circle or has no unique position


def _precision(encoding: ArrayLike, pe: NDArray[Any]) -> tuple[str, float]:
    """Return the name of the encodings' number format, and its machine epsilon."""
    if _checks.is_bfloat16(encoding):
        return "bfloat16", 2.0**-7
    if pe.dtype.kind == "f":
        return pe.dtype.name, float(np.finfo(pe.dtype).eps)
    return "float64", _EPS


# What to search


def _make_plan(
    frequencies: Floats, max_position: int | None, precision: str, eps: float, has_base: bool
) -> _Plan:
    """Choose a search method, or raise ValueError if no method can find all positions."""
    order = np.argsort(-frequencies, kind="stable")
    w = frequencies[order]
    smallest_ratio = float((w[1:] / w[:-1]).min(initial=1.0))
    if 8 * smallest_ratio < eps:  # Rounding can hide a half turn of the next faster pair.
        subject = "base must not put frequencies" if has_base else "frequencies must not be"
        raise ValueError(
            f"{subject} further apart than {precision} can bridge, "
            f"got one that is {smallest_ratio:.1e} of the next"
        )
    near = ceil(min(15 / 16 * _TAU / w[-1], _checks.MAX_POSITION))
    stop = near if max_position is None else _checks.limit_of_positions(max_position)
    if stop <= near:
        # The further apart neighbouring frequencies are, the less noise can be tolerated.
        # Errors that come from rounding the entries are always tolerated.
        by_chance = _chance_limit(w.size, stop)
        off_circle = max(min(0.5, 2 * smallest_ratio, by_chance), eps / 2 + 64 * _EPS)
        turns, is_limited = _count_turns(w[-1], stop), off_circle == by_chance
        return _Plan(frequencies, order, w, eps, stop, 0, turns, off_circle, is_limited, None)
    subject = f"d_model = {2 * w.size} at this base" if has_base else "these frequencies"
    level, turns = _plan_proven_search(w, stop, eps, f"{subject} and {precision} precision")
    rounding = _angle_errors(w, stop, eps)[:, None]
    off_circle = float(rounding.min())
    return _Plan(frequencies, order, w, eps, stop, level, turns, off_circle, False, rounding)


def _chance_limit(n: int, stop: int) -> float:
    """Return how large an error in n angles may be tolerated if random rows should be rejected.

    The result is the f with stop · V (sqrt(n) f / 2π)^n = _CHANCE, where V is the volume of the
    unit ball in n dimensions. The left side is the share of random rows (of n angles) that lie
    within f of the encoding of one of `stop` positions.
    """
    log_volume = n / 2 * log(pi) - lgamma(n / 2 + 1)
    return _TAU / sqrt(n) * exp((log(_CHANCE / stop) - log_volume) / n)


def _plan_proven_search(w: Floats, stop: int, eps: float, subject: str) -> tuple[int, int]:
    """Return how many levels of beats and how many turns a search needs to cover range(stop).

    Such a search provably finds every position. If no such numbers exist, raise ValueError with
    the largest `max_position` that can be covered.
    """
    plan = _find_proven_search(w, stop, eps)
    if plan is None:
        # Bisection is possible, because a proof for one limit also holds for all smaller limits.
        reach, beyond = 0, stop
        while beyond - reach > 1:
            middle = (reach + beyond) // 2
            if _find_proven_search(w, middle, eps):
                reach = middle
            else:
                beyond = middle
        raise ValueError(f"max_position must be at most {reach} for {subject}, got {stop}")
    return plan


def _find_proven_search(w: Floats, stop: int, eps: float) -> tuple[int, int] | None:
    """Return the levels of beats and the turns of the shortest search that covers range(stop)."""
    best = None
    errors = _angle_errors(w, stop, eps)
    errors[1::2] *= -1  # In the worst case, the errors of two angles add up in their difference.
    for level in range(w.size):
        speeds = _prepend_beats(w, level)
        turns = _count_turns(speeds[0], stop)
        if not _is_proven(speeds, np.abs(_prepend_beats(errors, level))):
            break
        if turns <= _MAX_TURNS and (best is None or turns < best[1]):
            best = level, turns
        if turns == 1:
            break
    return best


def _count_turns(v: float, stop: int) -> int:
    """Return how many turns a pair of frequency v makes in range(stop), plus some margin."""
    return ceil(stop * v / _TAU + 1 / 2)


def _is_proven(speeds: Floats, errors: Floats) -> bool:
    """Return whether `_refine` finds the right position whenever angle errors stay within bounds.

    `speeds` are the frequencies of beats and pairs, slowest first.
    """
    doubt = 0.0  # how far the estimate may be off, in positions
    weight = 0.0  # the sum of squared frequencies, in units of the last one, as in `_refine`
    previous = speeds[0]
    for v, error in zip(speeds, errors, strict=True):
        # An error of half a turn (or of a quarter turn in the first angle) leads to a wrong turn.
        # With custom frequencies, a beat may have frequency 0, or be faster than the next pair.
        if not 0 < previous <= v or v * doubt + error >= (np.pi if weight else np.pi / 2):
            return False
        weight = weight * (previous / v) ** 2 + 1
        previous = v
        doubt += (error / v - doubt) / weight
    return bool(doubt < 0.5)


def _angle_errors(w: Floats, stop: int | Floats, eps: float) -> Floats:
    """Return how far each angle of a correct encoding below `stop` can be off, in radians.

    The term eps / 2 is for the rounding of the entries. The other terms are for computing w_i t in
    float64, in the encoder and here. Rounding 2i/d_model alone changes a frequency by up to
    ln(base)/4 eps, which is 7 eps at base 10^12.
    """
    return eps / 2 + 4 * _EPS + 8 * _EPS * stop * w


# Decoding rows


def _decode(
    rows: NDArray[Any], layout: Layout, plan: _Plan, shape: tuple[int, ...] | None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return each row's position, and a boolean array that is true for the rejected rows.

    If `shape`, the shape of the positions, is given, a refused row raises ValueError instead.
    """
    columns = plan.columns(layout)
    positions = _decode_by_slowest_pair(rows, layout, columns[:, -1], plan)
    is_refused = np.zeros(len(rows), bool)
    remaining = np.flatnonzero(positions < 0)
    for start in range(0, len(remaining), plan.block_size):
        block = remaining[start : start + plan.block_size]
        match = _match_rows(rows[block], columns, plan)
        positions[block], is_refused[block] = match.first, match.is_refused
        if shape is not None and match.is_refused.any():
            k = int(match.is_refused.argmax())
            index = np.unravel_index(block[k], shape)
            name = f"encoding[{', '.join(map(str, index))}]" if index else "encoding"
            problem = _describe_problem(match, k, plan)
            hint = _suggest_layout(rows[block[k] : block[k] + 1], layout, plan)
            raise ValueError(
                f"encoding must hold encodings of positions, but {name} {problem}{hint}"
            )
    return positions, is_refused


def _decode_by_slowest_pair(
    rows: NDArray[Any], layout: Layout, slowest: NDArray[np.intp], plan: _Plan
) -> NDArray[np.int64]:
    """Return each row's position according to its slowest pair, or -1 if another pair disagrees.

    A row agrees if all of it is the encoding of that position. `slowest` holds the columns of the
    slowest pair's sine and cosine. Without noise this decides almost every row, and it is much
    quicker than a search.
    """
    positions = np.full(len(rows), -1)
    if plan.rounding is not None or 8 * plan.eps >= plan.w[-1]:
        return positions
    step = plan.block_size
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        sin_and_cos = rows[block].T[slowest].astype(np.float64)
        estimate = np.rint(np.arctan2(*sin_and_cos) % _TAU / plan.w[-1])
        expected = np.empty((len(estimate), rows.shape[1]))
        # `encode` would give the same rows, but it would check all arguments a second time.
        _hands.sines_and_cosines(estimate, plan.frequencies, layout == "halves", expected)
        is_equal = np.abs(expected - rows[block]).max(axis=1) <= plan.eps / 2
        agrees = is_equal & (estimate < plan.stop)
        positions[block][agrees] = estimate[agrees]
        # Every row in this block is noisy, so the rows in later blocks probably are, too.
        if not agrees.any():
            break
    return positions


def _match_rows(rows: NDArray[Any], columns: NDArray[np.intp], plan: _Plan) -> _Match:
    """For each row, find the positions whose encodings agree with the row."""
    sin, cos = rows.T.astype(np.float64)[columns]
    angles = np.arctan2(sin, cos)
    # If a radius overflows, the row is certainly not on the unit circle.
    with np.errstate(over="ignore"):
        off_circle = np.sqrt(np.mean((np.hypot(sin, cos) - 1) ** 2, axis=0))
    candidates = np.clip(np.rint(_refine(angles, plan)), -1, plan.stop)
    tolerance = plan.rounding
    if tolerance is None:
        tolerance = _tolerated_noise(off_circle, plan, candidates)
    first, last = _find_agreeing(candidates, angles, tolerance, plan)
    return _Match(first, last, off_circle, (off_circle > plan.off_circle) | (first != last))


def _refine(angles: Floats, plan: _Plan) -> Floats:
    """Return the position that follows from each possible turn of the slowest pair: (turns, n).

    Each faster pair corrects the estimate by its own angle, weighted by its frequency squared.
    """
    speeds = _prepend_beats(plan.w, plan.level)
    slow_to_fast = _prepend_beats(angles, plan.level)
    wavelength = _TAU / speeds[0]
    low = (plan.stop - wavelength * (plan.turns - 1)) / 2
    t: Floats = wavelength * np.arange(plan.turns)[:, None]
    t = t + low + _wrap_angle(slow_to_fast[0] - speeds[0] * low) / speeds[0]
    weight = 1.0  # the sum of squared frequencies, in units of the last squared frequency
    for previous, v, angle in zip(speeds, speeds[1:], slow_to_fast[1:], strict=False):
        weight = weight * (previous / v) ** 2 + 1
        t += _wrap_angle(angle - v * t) / (v * weight)
    return t


def _tolerated_noise(off_circle: Floats, plan: _Plan, candidates: Floats) -> Floats:
    """Return the error allowed in each angle of n noisy rows: shape (1, n) or (pairs, n)."""
    tolerance: Floats = np.minimum(plan.off_circle, 0.05 + 3 * off_circle)[None]
    if plan.off_circle < 0.05:
        rounding = _angle_errors(plan.w[:, None], candidates.max(axis=0).clip(0), _EPS)
        tolerance = np.maximum(tolerance, np.minimum(rounding, 0.05))
    return tolerance


def _find_agreeing(
    candidates: Floats, angles: Floats, tolerance: Floats, plan: _Plan
) -> tuple[Floats, Floats]:
    """Return the first and the last candidate position whose angles all agree with the row.

    The root mean square of the errors, in units of the tolerance, is 1 at most. If no candidate
    agrees, the first is the plan's `stop` and the last -1.
    """
    misfit = np.zeros(candidates.shape)
    tolerances = np.broadcast_to(tolerance, angles.shape)
    for angle, v, tolerated in zip(angles, plan.w, tolerances, strict=True):
        misfit += (_wrap_angle(angle - v * candidates) / tolerated) ** 2 / plan.w.size
    agrees = (misfit <= 1) & (candidates >= 0) & (candidates < plan.stop)
    first = np.where(agrees, candidates, plan.stop).min(axis=0)
    return first, np.where(agrees, candidates, -1).max(axis=0)


def _describe_problem(match: _Match, k: int, plan: _Plan) -> str:
    """Return the part of an error message that says why row k was rejected."""
    if match.off_circle[k] <= plan.off_circle:
        count = "no" if match.first[k] > match.last[k] else "more than one"
        return f"agrees with {count} position 0 <= k < {plan.stop}"
    problem = f"lies off the unit circle by more than {plan.off_circle:.1e}"
    if plan.is_limited_by_chance:
        problem += f", all that d_model = {2 * plan.w.size} tells from chance"
    return problem


def _suggest_layout(row: NDArray[Any], layout: Layout, plan: _Plan) -> str:
    """Return a hint for the error message if the row (1, d_model) is valid in the other layout."""
    other: Layout = "interleaved" if layout == "halves" else "halves"
    positions, is_refused = _decode(row, other, plan, None)
    if is_refused[0]:
        return ""
    return f"; with layout={other!r} it is the encoding of {positions[0]}"


def _prepend_beats(x: Floats, level: int) -> Floats:
    """Return x for the slowest beat of each level from `level` to 1, then for all pairs by speed.

    The beat of two pairs behaves like a pair. Its frequency is the difference of their frequencies,
    and its angle is the difference of their angles. Beats of level m are m-fold differences of
    neighbouring pairs.
    """
    beats = [(-1) ** m * np.diff(x[-1 - m :], m, axis=0)[0] for m in range(level, 0, -1)]
    return np.stack([*beats, *x[::-1]])


def _wrap_angle(angle: Floats) -> Floats:
    """Return the equivalent angle in [-π, π]."""
    turns: Floats = np.rint(angle / _TAU)
    return angle - _TAU * turns
