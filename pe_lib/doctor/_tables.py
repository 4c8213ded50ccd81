"""Tables with a row for each position, and caches: sinusoidal in any order, on a grid, learned."""

from dataclasses import replace
from math import log

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _fill, _learned, _numbers, _proof, _turning
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import Floats, Rows
from pe_lib.doctor._recipes import Grid, Numbers
from pe_lib.doctor._rows import corrupt
from pe_lib.doctor._sentences import note, other


def table(x: Floats, upright: bool = True) -> Diagnosis:
    """The diagnosis of a table (T, d), or of one that is transposed, if it is given `upright`."""
    d = Diagnosis()
    bad = corrupt(d, x)
    rows = np.flatnonzero(~bad)
    if _constant(d, x, rows) or rows.size < 2:
        return d
    best = _turning.search(x, _turning.of_table(x.shape[1]), rows, False)
    if best is None or best.proof.kind:
        single = _turning.search(x, _turning.of_one_wave_each(x[rows]), rows, False)
        if single and (best is None or single.proof.order < best.proof.order):
            best = single
    if (best is None or best.proof.kind) and _grid(d, x, rows):
        return d
    if best is None and upright and x.shape[0] > 2 and _upright(x.T):
        d = table(x.T, False)
        d.problem("transposed")
        return d
    if best is None:
        _learned.table(d, x, bad)
        return d
    alone = best.order.problem in ("Cosines", "Sines")
    d.scheme = "rotary" if alone else "sinusoidal"
    _fill.found(d, best, x, set(np.flatnonzero(bad).tolist()), _copies(x, best))
    if best.order.problem == "own_frequencies":
        _fill.own(d, best.spacing, x.shape[1])
    elif alone:
        what = best.order.problem
        d.direction = None if what == "Cosines" else d.direction
        sines = "sines" if what == "Cosines" else "cosines"
        if what == "Sines":
            d.drop("padding_row")  # the sines of position 0
        d.alternatives.append(other("direction", what=what, other=sines))
        d.sure = d.sure and best.proof.kind == 0 and what == "Cosines"
        d.alternatives.append(other("every", what=what.lower()))
    elif x.shape[1] % 2:
        _odd(d, best, x.shape[1])
    if not alone and d.order == "cosine first" and d.layout == "halves":
        d.alternatives.append(other("side_by_side"))
    return d


def cache(cos: Floats, sin: Floats) -> Diagnosis:
    """The diagnosis of cosines and sines of one shape (T, …)."""
    x = np.concatenate([cos, sin], axis=1)
    d = Diagnosis(scheme="rotary")
    bad = corrupt(d, x)
    rows = np.flatnonzero(~bad)
    still = not sin.any() and (cos == cos[0, 0]).all()
    if still and np.isfinite(cos[0, 0]):
        d.scheme, d.residual, d.sure, d.amplitude = "none", 0.0, True, float(cos[0, 0])
        d.recipe, d.rounding, d.seen = Numbers(x[0], False), _proof.Rounding("float64"), x
        d.problem("all_zero")
        return d
    if rows.size < 2:
        d.scheme = "unknown"
        return d
    orders = _turning.of_cache(cos[rows], sin[rows])
    best = _turning.search(x, orders, rows, True)
    if best is None and _axial(d, cos, sin, rows):
        return d
    if best is None:
        d.scheme = "rotary" if _circle(d, cos[rows], sin[rows]) else "unknown"
        return d
    _fill.found(d, best, x, set(np.flatnonzero(bad).tolist()), _copies(x, best))
    names = {None: "not at all", "interleaved": "in twos", "halves": "in halves"}
    one, two = _turning.repeats(cos[rows]), _turning.repeats(sin[rows])
    if best.order.problem == "mixed_layouts":
        d.problem("mixed_layouts", one=names[one], two=names[two])
    return d


def _upright(x: Floats) -> bool:
    """Whether this is a table, without doubt."""
    rows = np.arange(len(x))
    found = _turning.search(x, _turning.of_table(x.shape[1]), rows, False)
    return found is not None and found.proof.kind == 0


def _constant(d: Diagnosis, x: Floats, rows: Rows) -> bool:
    """Whether nothing tells positions apart: all zero, or all rows the same."""
    if not np.nan_to_num(x).any():
        d.scheme, d.sure, name = "none", bool(np.isfinite(x).all()), "all_zero"
    elif rows.size > 1 and (x[rows] == x[rows[0]]).all():
        d.scheme, d.sure, name = "none", True, "same_rows"
    else:
        return False
    row = x[rows[0]] if rows.size else np.zeros(x.shape[1])
    proof = _proof.prove(Numbers(row, False), x, _proof.held(row), rows) if rows.size else None
    d.recipe, d.rounding, d.seen, d.residual = Numbers(row, False), _proof.held(row), x, 0.0
    d.exceptions["rows"] = proof.rows if proof else []
    if np.isfinite(x).all():
        d.problem(name)
    return True


def _axial(d: Diagnosis, cos: Floats, sin: Floats, rows: Rows) -> bool:
    """Whether half of the pairs turn by a patch's row and half by its column."""
    layout = _turning.repeats(cos[rows])
    pair, places = _turning.repeated(cos.shape[1], layout)
    c, s = cos[:, places], sin[:, places]
    if not (np.array_equal(c[:, pair], cos, True) and np.array_equal(s[:, pair], sin, True)):
        return False
    parts = [half for pairs in zip(np.array_split(c, 2, 1), np.array_split(s, 2, 1), strict=True)
             for half in pairs]  # fmt: skip
    if not _grid(d, np.concatenate(parts, axis=1), rows):
        return False
    d.scheme, d.layout, d.order = "rotary", layout, "repeated" if layout else None
    return True


def _circle(d: Diagnosis, cos: Floats, sin: Floats) -> bool:
    """Pairs that do turn, evenly, with frequencies of no rule: say so, and be sure of no more."""
    radius = np.sqrt(sin**2 + cos**2)
    size = float(np.median(radius))
    if size == 0 or np.abs(radius / size - 1).max() > 0.05:
        return False
    layout = _turning.repeats(cos)
    n = _turning.repeated(cos.shape[1], layout)[1].size
    d.width, d.amplitude = 2 * n, size if abs(size - 1) > 1e-2 else 1.0
    d.layout, d.order = layout, "repeated" if layout else None
    d.alternatives.append(other("circle"))
    return True


def _odd(d: Diagnosis, f: _turning.Found, width: int) -> None:
    """An odd width: the last sine stands alone, and the exponent's d is that width."""
    d.width = width
    d.problem("odd_width", width=told(width))
    w = f.spacing.w
    if w.size > 1 and w[-1] > 0:
        fall = log(w[0] / w[-1]) / (w.size - 1)
        base, digits = _numbers.chosen(float(np.exp(fall * width / 2)), 1e-5)
        if digits <= 3:
            d.base, d.exponent = base, "2i/d"
            d.readings.insert(0, (base, "2i/d"))


def _copies(x: Floats, f: _turning.Found) -> str:
    """The mend of rows that are other rows again: the last one (clamped), or from the start."""
    off = f.proof.rows
    row = off[0] if off else 0
    if row > 0 and (x[row] == x[row - 1]).all():
        return f"They are copies of row {told(row - 1)}: positions were clamped there."
    if row > 0 and (x[row] == x[0]).all():
        return "They begin again from row 0: positions were wrapped."
    return "Compute these rows anew."


def _grid(d: Diagnosis, x: Floats, rows: Rows) -> bool:
    """Two axes: one half of the columns knows the row, the other the column."""
    width = x.shape[1]
    y = x[rows]
    count = len(y)
    if width % 4 or count < 4:
        return False
    half = width // 2
    near = 1e-6 * float(np.abs(y).max())
    for rows_first in (True, False):
        slow, fast = np.split(y, 2, axis=1)[:: 1 if rows_first else -1]
        other_row = np.abs(slow - slow[0]).max(axis=1) > near
        columns = int(np.argmax(other_row)) if other_row.any() else count
        if columns < 2 or count % columns or count // columns < 2:
            continue
        down, along = slow[::columns], fast[:columns]
        lengths = len(down), columns
        orders = _turning.of_table(half)
        axes = sorted((along, down), key=len, reverse=True)  # the longer one tells more
        parts = (_turning.search(axis, orders, np.arange(len(axis)), False) for axis in axes)
        best = next((part for part in parts if part), None)
        if best is None:
            continue
        w = best.recipe
        recipe = Grid(w, replace(w), columns, rows_first, int(rows[0]))
        values = _proof.held(y)
        proof = _proof.prove(recipe, x, values, rows)
        if proof.kind > 1:
            continue
        _class_row(d, rows)
        d.scheme = "sinusoidal"
        _fill.found(d, best, x, {*range(len(x))} - {*rows.tolist()}, "Compute these rows anew.")
        evidence = _fill.proven(d, recipe, proof, x)
        _fill.exceptions(d, evidence, "Compute these rows anew.", {0})
        d.sure = best.spacing.usual and best.spacing.evidence >= 1.5 and y.size >= 64
        d.width = width
        order = "rows first" if rows_first else "columns first"
        d.details.update(axes=list(lengths), order=order, axis_width=half)
        d.drop("either_exponent")  # on a grid, base 100 with 2i/d is usual
        which = "row" if rows_first else "column"
        d.details["notes"] = [note("grid", rows=told(lengths[0]), columns=told(columns),
                                   first=which, width=told(half))]  # fmt: skip
        return True
    return False


def _class_row(d: Diagnosis, rows: NDArray[np.int64]) -> None:
    """A zero row before the patches is the class token's."""
    if int(rows[0]) == 1 and "padding_row" in d.problems:
        d.drop("padding_row")
        d.problem("class_row")
