"""Find the positions at which the rows of a cos-sin cache stand, on one axis or on several.

If the positions of a cache are consecutive, `_turning` measures the frequencies. This module does
the opposite. It assumes the frequencies, and solves for the position of each row on each axis. The
slowest pair of an axis gives a rough position, and each faster pair makes it more precise. Packed
texts, padding, a part of a longer text, and the rows and columns of an image need this module.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import exp, log10
from typing import Any

import numpy as np

from pe_lib.checkpoints import Layer
from pe_lib.doctor import _fill, _formats, _numbers, _orders, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import Proof, Waves
from pe_lib.doctor._spacing import Spacing

TURN = 2 * np.pi
# A radius may differ from the amplitude by this many rounding errors of its cosine and sine.
RADIUS = 3.0
# An angle may differ from its rule by this many times its estimated error.
ERRORS = 5.0
# If the estimated error of an angle exceeds this, in radians, agreement proves nothing.
VAGUE = 0.6
SINGLE = 4e-7  # the relative error of an angle that was computed in float32
# A position counts as whole if it differs from a whole number by at most WHOLE. In half precision,
# positions are less precise, and may differ from a whole number by up to MOST.
WHOLE = 0.05
MOST = 0.3
MAX_AXES = 4
# The slowest pair of an axis may have made this many whole turns in either direction.
MAX_TURNS = 16
# If all neighbouring positions are further apart than this, the assumed base is probably wrong.
SPARSE = 16
# At least this many rows at a single position are a mistake. Fewer rows may be one decoding step of
# several texts.
LEAST_SAME = 16
# How many numbers the types of integers have in which positions may overflow.
OVERFLOWS = {"int8": 2**8, "int16": 2**16}
# The rows of a grid are in no order if fewer than this share of them are neighbours of the next.
SCATTERED = 0.25
# In at least so many rows that count from 0, a single position left out or repeated is reported.
LEAST_COUNTED = 128
LEAST_STEP = 1e-6  # a smaller step from row to row may be rounding
# A measured base is rounded to the shortest number within each of these relative errors in turn.
DOUBTS = (1e-2, 1e-3, 2e-4)
MAX_ROWS = 1 << 14  # positions are solved for at most this many rows
# A guess is tried on about 3 rows, then on about 48 rows, and at last on all rows.
SAMPLES = (3, 48, 2 * MAX_ROWS)
# A diagnosis is certain only if the pairs of each axis together agree to this many digits.
AXIS_EVIDENCE = 7.0
# The widths of the axes of image and video models, as shares of all pairs.
SPLITS = ((1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 7, 7), (2, 3, 3), (22, 21, 21))
# Bases that only models with several axes use.
MORE_BASES = (256.0, 2_000.0, 10_000.0 / 4)


@dataclass
class Turns:
    """The angles of the pairs in each row of a cache, and their common amplitude."""

    angle: Floats  # (T, n)
    amplitude: float
    unit: float  # the relative rounding error of the cosines and sines
    least: float  # the rounding error of the smallest sines
    layout: str | None  # the layout in which columns are repeated, or None without repetition

    @property
    def error(self) -> Floats:
        """Return an estimate (T, n) of how far the rounded sines put each angle off."""
        size = np.minimum(np.abs(self.angle), 1.0)
        return np.asarray(2 * self.unit * size + self.least, np.float64)


@dataclass
class Axes:
    """The axis of each pair, and the position of each row on each axis."""

    axis: Indices  # (n,)
    positions: Floats  # (T, axes)
    sizes: list[int] = field(default_factory=list)  # how many pairs each axis has

    @property
    def are_whole(self) -> bool:
        return bool((np.abs(self.positions - np.floor(self.positions + 0.5)) <= WHOLE).all())

    def round_positions(self) -> "Axes":
        """Return the same axes with whole positions."""
        return replace(self, positions=np.floor(self.positions + 0.5))


def read_turns(cos: Floats, sin: Floats) -> Turns | None:
    """Return the angles of cosines and sines (T, columns), or None if they are not rotations.

    They are rotations if cos² + sin² is the same everywhere. A column that a layout repeats is read
    once.
    """
    both = np.concatenate([cos, sin], axis=1)
    if not np.isfinite(both).all() or not sin.any():
        return None
    radius = np.hypot(cos, sin)
    amplitude = float(np.median(radius))
    rounding = _proof.read_rounding(both)
    unit = max(_formats.UNIT[rounding.form], rounding.printed)
    if amplitude <= 0 or np.abs(radius / amplitude - 1).max() > RADIUS * unit + 1e-12:
        return None
    if abs(amplitude - 1) <= 2 * unit:
        amplitude = 1.0
    n, layout = cos.shape[1], None
    if n > 2 and n % 2 == 0:
        pairs = [(cos[:, : n // 2], cos[:, n // 2 :]), (sin[:, : n // 2], sin[:, n // 2 :])]
        twos = [(cos[:, 0::2], cos[:, 1::2]), (sin[:, 0::2], sin[:, 1::2])]
        if all((one == two).all() for one, two in twos):
            layout = "interleaved"
        elif all((one == two).all() for one, two in pairs):
            layout = "halves"
    columns = {None: slice(None), "halves": slice(0, n // 2), "interleaved": slice(0, None, 2)}
    part = columns[layout]
    # For small sines the error is absolute. A float16 below 2^-14 has a fixed smallest step, and so
    # does a number that was printed with a fixed number of decimals.
    least = max(2.0**-24 if rounding.form == "float16" else 1e-12, rounding.printed)
    return Turns(np.arctan2(sin[:, part], cos[:, part]), amplitude, unit, least, layout)


def _wrap(x: Floats) -> Floats:
    """Return angles minus whole turns, from -π to π."""
    return np.asarray(x - TURN * np.floor(x / TURN + 0.5), np.float64)


def solve_positions(angle: Floats, error: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Return the position of each row on one axis, and how far its angles are off: (T,) each.

    `angle` and `error` are (T, k), and the frequencies `w` are (k,). The angles of a row fit its
    position if they are off by at most 1, which stands for the largest error that is allowed.
    """
    order = np.asarray([k for k in np.argsort(w).tolist() if w[int(k)] > 0], np.int64)
    still = np.flatnonzero(w == 0)
    apart = np.zeros(len(angle))
    if still.size:
        apart = (np.abs(angle[:, still]) / (ERRORS * error[:, still] + 1e-9)).max(axis=1)
    if not order.size:
        return np.zeros(len(angle)), apart
    best, off = _refine(angle, error, w, order, np.zeros(len(angle)))
    # If the slowest pair is assumed to make the wrong number of turns, the solved position may be
    # close to the right one without being whole. So rows without a whole position are solved again.
    bad = np.flatnonzero((off > 1) | (np.abs(best - np.floor(best + 0.5)) > 0))
    if bad.size:
        # The slowest pair may have made several whole turns, so all numbers of turns are tried.
        row, turn = np.arange(2 * MAX_TURNS * bad.size) % bad.size, _list_turns(bad.size)
        again = bad[row]
        others, offs = _refine(angle[again], error[again], w, order, turn)
        others, offs = (x.reshape(2 * MAX_TURNS, bad.size) for x in (others, offs))
        at = offs.argmin(axis=0).astype(np.int64)
        i = np.arange(bad.size)
        better = offs[at, i] < off[bad]
        best[bad] = np.where(better, others[at, i], best[bad])
        off[bad] = np.where(better, offs[at, i], off[bad])
    return best, np.maximum(off, apart)


def _list_turns(rows: int) -> Floats:
    """Return the numbers of turns 1, -1, 2, -2 …, repeating each number once for every row."""
    number = np.arange(2 * MAX_TURNS * rows) // rows
    return np.asarray((number // 2 + 1) * (1 - 2 * (number % 2)), np.float64)


def _refine(
    angle: Floats, error: Floats, w: Floats, order: Indices, turns: Floats
) -> tuple[Floats, Floats]:
    """Solve the position of each row, beginning with the slowest pair, which made whole `turns`.

    `turns` has a whole number for each row, (T,).
    """
    first = int(order[0])
    t = (angle[:, first] + TURN * turns) / w[first]
    for k in order[1:].tolist():
        t = t + _wrap(angle[:, k] - t * w[k]) / w[k]
    # All pairs together give the position more precisely than the fastest pair alone.
    weights = (w[order] / error[:, order]) ** 2
    more = (_wrap(angle[:, order] - t[:, None] * w[order]) / w[order] * weights).sum(axis=1)
    t = t + more / weights.sum(axis=1)
    # Most positions are whole numbers, so a position close to a whole number is rounded to it.
    whole, doubt = np.floor(t + 0.5), weights.sum(axis=1) ** -0.5
    near = np.maximum(WHOLE, np.minimum(ERRORS * doubt, MOST))
    t = np.where(np.abs(t - whole) <= near, whole, t)
    theta = t[:, None] * w[order]
    slack = ERRORS * (error[:, order] + SINGLE * np.abs(theta)) + 1e-9
    return t, (np.abs(_wrap(angle[:, order] - theta)) / slack).max(axis=1)


def find_axes(turns: Turns, w: Floats) -> Axes | None:
    """Find which pairs share an axis, because the same positions explain all of their angles.

    Pair i has the frequency w[i].

    Pairs join an axis one by one, from the slowest to the fastest. Returns None if there are more
    than four axes, or if an axis has only one pair that turns.
    """
    angle, error = turns.angle, turns.error
    n = w.size
    axis = np.full(n, -1)
    last: list[int] = []  # for each axis, the pair that joined last
    positions: list[Floats] = []
    for k in [int(k) for k in np.argsort(w).tolist() if w[int(k)] > 0]:
        joined = -1
        for a in range(len(last)):
            t, before = positions[a], last[a]
            doubt = error[:, k] + SINGLE * np.abs(t) * w[k] + error[:, before] * w[k] / w[before]
            off = _wrap(angle[:, k] - t * w[k])
            if doubt.max() < VAGUE and (np.abs(off) <= ERRORS * doubt + 1e-9).all():
                joined = a
                positions[a] = t + off / w[k]
                last[a] = k
                break
        if joined < 0:
            if len(last) == MAX_AXES:
                return None
            joined = len(last)
            positions.append(angle[:, k] / w[k])
            last.append(k)
        axis[k] = joined
    return _number_axes(turns, w, axis)


def _number_axes(turns: Turns, w: Floats, axis: Indices) -> Axes | None:
    """Give axes numbers by the order of their pairs, and solve each row's position on each axis."""
    names = list(dict.fromkeys(int(a) for a in axis if a >= 0))
    columns, new, sizes = [], np.zeros(axis.size), []
    for number, name in enumerate(names):
        pairs = np.flatnonzero(axis == name)
        t = _solve_axis(turns, w, pairs)
        if pairs.size < 2 or t is None:
            return None
        new[pairs] = number
        columns.append(t)
        sizes.append(int(pairs.size))
    if not names:
        return None
    return Axes(new.astype(np.int64), np.stack(columns, axis=1), sizes)


def _solve_axis(turns: Turns, w: Floats, pairs: Indices) -> Floats | None:
    """Return each row's position on the axis of these pairs, or None if a row has no position."""
    t, off = solve_positions(turns.angle[:, pairs], turns.error[:, pairs], w[pairs])
    return t if (off <= 1).all() else None


def solve_rows(turns: Turns, layer: Layer) -> Axes | None:
    """Solve the position of each row of a cache, using a layer's frequencies and axes.

    Returns None if no positions explain the cache. In a text, positions have to be whole numbers.
    """
    w = layer.frequencies
    if turns.angle.shape[1] != w.size or not 0 < len(turns.angle) <= MAX_ROWS:
        return None
    axis = np.zeros(w.size, np.int64) if layer.axes is None else np.asarray(layer.axes)
    axes = solve_axes(turns, w, axis)
    if axes is None or (not axes.are_whole and layer.part != "vision"):
        return None
    return axes.round_positions() if axes.are_whole else axes


def find_other_axes(turns: Turns, layer: Layer) -> Axes | None:
    """Find axes that explain a cache with a layer's frequencies, if the layer's own axes do not."""
    w = layer.frequencies
    if turns.angle.shape[1] != w.size or len(turns.angle) > MAX_ROWS:
        return None
    axes = find_axes(turns, w)
    return axes.round_positions() if axes is not None and axes.are_whole else None


def describe_axes(layer: Layer) -> str:
    """Describe in words which axis rotates each pair of a layer."""
    if layer.axes is None:
        return "one axis"
    pairs = [np.flatnonzero(layer.axes == a) for a in range(int(layer.axes.max()) + 1)]
    texts = [f"{layer.axis_names[a]}: pairs {describe_list(pairs[a])}" for a in range(len(pairs))]
    return f"{_name_arrangement(pairs)} ({'; '.join(texts)})"


def solve_axes(turns: Turns, w: Floats, axis: Indices) -> Axes | None:
    """Solve each row's position on given axes, or return None if a row has no position."""
    columns, sizes = [], []
    for number in range(int(axis.max()) + 1):
        pairs = np.flatnonzero(axis == number)
        t = _solve_axis(turns, w, pairs) if pairs.size else np.zeros(len(turns.angle))
        if t is None:
            return None
        columns.append(t)
        sizes.append(int(pairs.size))
    return Axes(axis, np.stack(columns, axis=1), sizes)


# --- Without a configuration ---


@dataclass
class _Guess:
    """Frequencies that a cache may have, with their base, and how they restart on each axis."""

    w: Floats  # (n,)
    base: float
    # "" if one list of frequencies covers all axes, or "sections", "alternating" or "strided"
    kind: str
    spacing: Spacing | None = None  # the rule of the frequencies, if one was measured


def _list_guesses(n: int, measured: list[float]) -> Iterator[_Guess]:
    """Yield frequencies that models use for n pairs: one list for all axes, or one for each axis.

    Bases that were `measured` come first.
    """
    i = np.arange(n)
    bases = list(dict.fromkeys([*measured, *_numbers.BASES, *MORE_BASES]))
    for base in bases:
        yield _Guess(_spacing.plain_frequencies(n, base), base, "")
    for base in bases:
        for sizes in list_sections(n):
            parts = [_spacing.plain_frequencies(size, base) for size in sizes]
            yield _Guess(np.concatenate(parts), base, "sections")
            if len(set(sizes)) == 1:
                rule = _spacing.plain_frequencies(sizes[0], base)
                yield _Guess(rule[i // len(sizes)], base, "alternating")
        if n % 2 == 0:
            rule = _spacing.plain_frequencies(n, base)
            yield _Guess(np.concatenate([rule[0::2], rule[1::2]]), base, "strided")


def diagnose_turns(cos: Floats, sin: Floats, likely: Spacing | None = None) -> Diagnosis | None:
    """Diagnose a cache whose rows may stand at any positions, or return None for other numbers.

    The diagnosis is certain only if whole positions and a usual base reproduce every entry. The
    frequencies that are `likely` are tried first. If no frequencies fit, the diagnosis says that
    the array holds rotations at unknown positions.
    """
    turns = read_turns(cos, sin)
    if turns is None:
        return None
    n = turns.angle.shape[1]
    is_likely = likely is not None and likely.w.size == n
    first = [_Guess(likely.w, likely.base, "", likely)] if likely and is_likely else []
    guesses = [*first, *_list_guesses(n, _measure_bases(turns))]
    second: tuple[_Guess, Axes] | None = None
    for guess in guesses if len(turns.angle) <= MAX_ROWS else ():
        axes = _try_guess(turns, guess)
        if axes is None:
            continue
        if not _are_sparse(axes):
            if d := _prove_axes(cos, sin, turns, guess, axes):
                return d
        else:
            second = second or (guess, axes)
    if second and (d := _prove_axes(cos, sin, turns, *second)):
        return d
    d = Diagnosis("rotary", amplitude=turns.amplitude, width=2 * turns.angle.shape[1])
    d.layout, d.order = turns.layout, turns.layout and "repeated"
    d.details["turns"] = True
    d.note("turns")
    return d


def _try_guess(turns: Turns, guess: _Guess) -> Axes | None:
    """Return axes on which a guess gives all rows whole positions, or None if there are none."""
    ways: list[Callable[[Turns], Axes | None]] = [lambda x: find_axes(x, guess.w)]
    if not guess.kind:
        # If even the slowest pair of an axis makes a whole turn, `find_axes` cannot find the axes,
        # so usual axes are tried as well.
        usual = _list_usual_axes(guess.w.size)
        ways = [_solve_on(guess.w, usual[0]), *ways, *(_solve_on(guess.w, x) for x in usual[1:])]
    for solve in ways:
        axes: Axes | None = None
        for rows in SAMPLES:
            step = 1 + len(turns.angle) // rows
            axes = solve(replace(turns, angle=turns.angle[::step]))
            if axes is None or not axes.are_whole:
                break
        if axes is not None and axes.are_whole:
            return axes
    return None


def _solve_on(w: Floats, axis: Indices) -> Callable[[Turns], Axes | None]:
    """Return a function that solves positions with the given frequencies and axes."""
    return lambda turns: solve_axes(turns, w, axis)


def _list_usual_axes(n: int) -> list[Indices]:
    """List usual ways to assign n pairs to axes: all to one, in turn to several, or in sections."""
    i = np.arange(n)
    ways = [i * 0, *(i % count for count in range(2, MAX_AXES + 1) if n >= 2 * count)]
    for sizes in list_sections(n):
        sections = [np.full(sizes[a], a) for a in range(len(sizes))]
        ways.append(np.concatenate(sections).astype(np.int64))
    return ways


def list_sections(n: int) -> list[list[int]]:
    """List how many pairs each axis usually gets if n pairs are divided into sections.

    >>> list_sections(24)[:2]
    [[12, 12], [8, 8, 8]]
    """
    return [
        [part * n // sum(split) for part in split]
        for split in SPLITS
        if n % sum(split) == 0 and n > 2 * len(split)
    ]


def _measure_bases(turns: Turns) -> list[float]:
    """Return bases that a person may have chosen, if most rows are one position apart."""
    n = turns.angle.shape[1]
    if len(turns.angle) < 3:
        return []
    # On a grid, one axis moves by the same step in most rows, and the other axes stand still.
    step = np.median(_wrap(np.diff(turns.angle, axis=0)), axis=0)
    i = np.flatnonzero(step > LEAST_STEP)
    if i.size < 3:
        return []
    logs, half = np.log(step[i]), (i.size + 1) // 2
    fall = float(np.median((logs[half:] - logs[:-half]) / (i[half:] - i[:-half])))
    if not -25 < fall * n < 0:
        return []
    whole = [exp(-fall * n), exp(-fall * n / 2)]
    rounded = [_numbers.round_to_chosen(base, doubt) for base in whole for doubt in DOUBTS]
    return list(dict.fromkeys(base for base, digits in rounded if base > 1 and digits <= 3))


def _are_sparse(axes: Axes) -> bool:
    """Return whether all positions on some axis are far apart, which suggests a wrong base."""
    for a in range(axes.positions.shape[1]):
        steps = np.diff(np.unique(axes.positions[:, a]))
        if steps.size > 1 and steps.min() > SPARSE:
            return True
    return False


def _prove_axes(
    cos: Floats, sin: Floats, turns: Turns, guess: _Guess, axes: Axes
) -> Diagnosis | None:
    """Return a diagnosis with the positions of all rows, or None unless they explain the cache."""
    x, n, whole = np.concatenate([cos, sin], axis=1), guess.w.size, axes.round_positions()
    pair = _orders.repeated_pairs(cos.shape[1], turns.layout)
    order = Order(turns.layout, turns.layout and "repeated", np.concatenate([pair, pair]),
                  np.arange(2 * cos.shape[1]) < cos.shape[1], cache=True)  # fmt: skip
    evidence = min(size * -log10(8 * turns.unit) for size in axes.sizes)
    spacing = guess.spacing or Spacing(guess.w, guess.base, "2i/d", [(guess.base, "2i/d")])
    spacing = replace(spacing, evidence=evidence, explained=guess.w)
    recipe = Waves(order, spacing, amplitude=turns.amplitude, places=whole.positions,
                   axis=whole.axis)  # fmt: skip
    proof = _proof.prove(recipe, x, _proof.read_rounding(x), np.arange(len(x)))
    if proof.kind:
        return None
    return _fill_axes(proof, x, guess, whole, evidence, n)


def _fill_axes(
    proof: Proof, x: Floats, guess: _Guess, axes: Axes, evidence: float, n: int
) -> Diagnosis:
    """Fill in the diagnosis of a cache whose positions were proven."""
    d, waves = Diagnosis("rotary"), proof.recipe
    residual = _fill.fill_proof(d, proof, x)
    _fill.fill_spacing(d, waves.spacing, n)
    d.layout, d.order = waves.order.layout, waves.order.order
    d.amplitude, d.direction = abs(waves.amplitude), 1
    d.details["turns"] = True
    note_positions(d, axes)
    _fill.report_rounding(d, residual)
    _fill.report_amplitude(d, proof, residual)
    arrangement = d.details["arrangement"]
    are_halves = len(axes.sizes) == 2 and axes.sizes[0] == axes.sizes[1]
    if len(axes.sizes) == 2 and (axes.positions[:, 1] == -axes.positions[:, 0]).all():
        pairs = describe_list(np.flatnonzero(axes.axis == 1))
        d.problem("part_turned_back", residual, pairs=pairs)
    elif arrangement == "sections" and are_halves and not guess.kind:
        d.problem("axes_in_sections", residual)
    if len(x) >= LEAST_SAME and (axes.positions == axes.positions[0]).all():
        d.problem("same_place", residual, count=len(x))
    if slip := find_misplaced(d):
        name, words = slip
        # In the cosines and sines of one call, two tokens may share a position on purpose, but a
        # single slip in many rows is more often a mistake.
        is_long = len(x) >= LEAST_COUNTED and axes.positions[0, 0] == 0
        if name in ("rows_permuted", "positions_overflow") or is_long:
            d.problem(name, **words)
        else:
            d.note(name, **words)
    d.sure = evidence >= AXIS_EVIDENCE and x.size >= _fill.LEAST_ENTRIES
    return d


def report_shuffled_grid(d: Diagnosis) -> None:
    """Report rows that hold each place of a grid once, but in no order.

    Some models list the patches of a grid block by block, so neighbours may be a block apart.
    """
    places = d.recipe.places if isinstance(d.recipe, Waves) else None
    if places is None or places.shape[1] < 2 or len(places) < LEAST_SAME:
        return
    lengths = places.max(axis=0) - places.min(axis=0) + 1
    code = places[:, 0] - float(places[:, 0].min())
    for a in range(1, places.shape[1]):
        code = code * float(lengths[a]) + places[:, a] - float(places[:, a].min())
    is_whole = bool((np.sort(code) == np.arange(code.size)).all())
    near = (np.abs(np.diff(places, axis=0)) <= 1).all(axis=1)
    if is_whole and float(near.mean()) < SCATTERED:
        d.problem("grid_permuted", count=code.size)


def find_misplaced(d: Diagnosis) -> tuple[str, dict[str, Any]] | None:
    """Return the problem of rows that stand at wrong positions, or None.

    The rows may be in no order, and hold each position from 0 on once. If only blocks of rows
    changed places, a program may have dealt them out to several devices. Or the positions overflow,
    or one of them is left out or there twice. The second value has the words of the problem's
    sentence.
    """
    places = d.recipe.places if isinstance(d.recipe, Waves) else None
    if places is None or places.shape[1] != 1 or len(places) < LEAST_SAME:
        return None
    t = places[:, 0]
    steps = np.diff(t)
    if (np.sort(t) == np.arange(t.size)).all() and float((steps == 1).mean()) < 0.5:
        return "rows_permuted", {"count": t.size, "first": float(t[0])}
    for bits, count in OVERFLOWS.items():
        wraps = np.flatnonzero((steps == 1 - count) & (t[1:] == -count / 2))
        if wraps.size:
            row = int(wraps[0])
            last, after = float(t[row]), float(t[row + 1])
            words = {"bits": bits, "row": row + 1, "last": last, "next": after}
            return "positions_overflow", words
    breaks = np.flatnonzero(steps != 1)
    if breaks.size != 1:
        return None
    row, position = int(breaks[0]) + 1, float(t[breaks[0] + 1])
    words = {"row": row, "before": row - 1, "position": position, "missing": position - 1}
    # The rows of another text, or of a later decoding step, begin anywhere.
    names = {2: "position_skipped", 0: "position_repeated"}
    step = int(steps[breaks[0]])
    return (names[step], words) if step in names else None


# --- Words ---


def note_positions(d: Diagnosis, axes: Axes) -> None:
    """Add notes on the positions of all rows, on one axis or on several axes."""
    texts = [describe_positions(axes.positions[:, a]) for a in range(axes.positions.shape[1])]
    pairs = [np.flatnonzero(axes.axis == a) for a in range(len(texts))]
    if len(texts) == 1:
        d.note("positions", positions=texts[0])
        step = measure_step(axes.positions[:, 0])
        if step > 1:
            d.note("positions_apart", step=step)
    else:
        d.note("axes", count=len(texts))
        for a in range(len(texts)):
            d.note("axis", axis=a, pairs=describe_list(pairs[a]), positions=texts[a])
    d.details["arrangement"] = _name_arrangement(pairs)
    d.details["axis_positions"] = texts


def measure_step(t: Floats) -> float:
    """Return by how much each position is greater than the one before, or 0 if steps differ."""
    step = float(t[1] - t[0]) if t.size > 2 else 0.0
    return step if (np.diff(t) == step).all() else 0.0


def _name_arrangement(pairs: list[Indices]) -> str:
    """Return "one axis", "sections", "alternating" or "mixed" for the pairs of each axis."""
    if len(pairs) == 1:
        return "one axis"
    if all((np.diff(part) == 1).all() for part in pairs):
        return "sections"
    return "alternating" if all((np.diff(part) == len(pairs)).all() for part in pairs) else "mixed"


def describe_list(numbers: Indices) -> str:
    """Describe rising whole numbers, such as "0–31", "0, 2, 4 … 62", or the first of them."""
    items = [format_number(int(k)) for k in numbers]
    if len(items) > 2 and (np.diff(numbers) == 1).all():
        return f"{items[0]}–{items[-1]}"
    if len(items) > 4:
        return f"{', '.join(items[:3])} … {items[-1]}"
    return ", ".join(items)


def describe_positions(t: Floats) -> str:
    """Describe the positions of rows as runs, such as "0–9, then 0–4" or "0–15, each 16 times"."""
    n = t.size
    if n == 1:
        return format_number(float(t[0]))
    if (t == t[0]).all():
        return f"always {format_number(float(t[0]))}"
    if measure_step(t) > 1:
        first, second, last = (format_number(float(t[k])) for k in (0, 1, n - 1))
        return f"{first}, {second} … {last}"
    # On a grid, one axis repeats each position several times, and the other axis starts again.
    each = int(np.argmax(t != t[0]))
    if each > 1 and n % each == 0 and (t == t[np.arange(n) // each * each]).all():
        return f"{_describe_runs(t[::each])}, each {format_number(each)} times"
    period = int(np.argmax(t[1:] == t[0])) + 1
    if 1 < period < n and n % period == 0 and (t == t[np.arange(n) % period]).all():
        return f"{_describe_runs(t[:period])}, {format_number(n // period)} times over"
    return _describe_runs(t)


def _describe_runs(t: Floats) -> str:
    """Describe runs of rising, falling or equal positions, at most the first eight of them."""
    n, runs, begin = t.size, list[str](), 0
    while begin < n:
        end = begin + 1
        step = float(t[end] - t[begin]) if end < n else 1.0
        while end < n and step in (-1.0, 0.0, 1.0) and t[end] - t[end - 1] == step:
            end += 1
        if step == -1 and end - begin == 2:
            end -= 1  # two positions do not count down
        first, last = (format_number(float(v)) for v in (t[begin], t[end - 1]))
        if end - begin == 1:
            runs.append(first)
        elif step == 1:
            runs.append(f"{first}–{last}")
        elif step == -1:
            runs.append(f"{first} down to {last}")
        else:
            runs.append(f"{first} ({format_number(end - begin)} times)")
        begin = end
    more = f" and {format_number(len(runs) - 8)} more runs" if len(runs) > 8 else ""
    return ", then ".join(runs[:8]) + more
