"""Tables with a row for each position, and caches: sinusoidal in any order, on a grid, learned."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _fill, _formats, _numbers, _orders, _proof
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import Floats, Rows
from pe_lib.doctor._recipes import Given, Waves
from pe_lib.doctor._sentences import note, other
from pe_lib.doctor._turning import Found, search

ANEW = "Compute these rows anew."


def table(x: Floats) -> Diagnosis:
    """The diagnosis of a table (T, d): as it stands, else negated, else transposed."""
    d = _upright(x)
    for name, y in (("negated", -x), ("transposed", x.T)) if d.scheme == "learned" else ():
        length = (y * y).sum(axis=1)  # sin² + cos² = 1: rows of waves are of one length
        if not length.max() - length.min() < 0.05 * length.mean():
            continue
        found = _upright(y)
        known = found.sure and found.scheme == "sinusoidal" and not any(found.exceptions.values())
        if known and found.recipe:
            found.recipe.given = name
            found.problem(name)
            return found
    return d


def _upright(x: Floats) -> Diagnosis:
    d = Diagnosis()
    bad = _corrupt(d, x)
    rows = np.flatnonzero(~bad)
    if _constant(d, x, rows) or rows.size < 2:
        return d
    orders = [*_orders.of_table(x.shape[1]), *_orders.of_one_wave_each(x[rows])]
    best = search(x, orders, rows, False)
    if (best is None or best.proof.kind) and _grid(d, x, rows):
        return d
    if best is None:
        _learned(d, x, bad)
        return d
    alone = best.order.problem == "Cosines"
    d.scheme = "rotary" if alone else "sinusoidal"
    _fill.found(d, best, x, set(np.flatnonzero(bad).tolist()), _mend(x, best))
    if alone:
        d.alternatives += [other("direction"), other("every")]
        d.direction, d.sure = None, d.sure and best.proof.kind == 0
    elif best.order.alone:
        _fill.own(d, x.shape[1])
    elif d.order == "cosine first" and d.layout == "halves":
        d.alternatives.append(other("side_by_side"))
    return d


def cache(cos: Floats, sin: Floats) -> Diagnosis:
    """The diagnosis of cosines and sines of one shape (T, …)."""
    x = np.concatenate([cos, sin], axis=1)
    d = Diagnosis()
    bad = _corrupt(d, x)
    rows = np.flatnonzero(~bad)
    if not sin.any() and (cos == cos[0, 0]).all():
        d.scheme, d.residual, d.sure, d.amplitude = "none", 0.0, True, float(cos[0, 0])
        d.recipe, d.rounding, d.seen = Given(x), _proof.Rounding("float64"), x
        d.problem("all_zero")
        return d
    best = search(x, _orders.of_cache(cos[rows], sin[rows]), rows, True) if rows.size > 1 else None
    if best is None:
        return d
    d.scheme = "rotary"
    _fill.found(d, best, x, set(np.flatnonzero(bad).tolist()), _mend(x, best))
    if best.order.problem == "mixed_layouts":
        names = {None: "not at all", "interleaved": "in twos", "halves": "in halves"}
        one, two = (names[_orders.repeats(y[rows])] for y in (cos, sin))
        d.problem("mixed_layouts", one=one, two=two)
    return d


def _corrupt(d: Diagnosis, x: Floats) -> NDArray[np.bool_]:
    """Which rows of x (T, width) are zero or not finite, (T,); problems are added to d."""
    finite = np.isfinite(x)
    bad = ~finite.all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        place = f"row {told(row)}, column {told(int(np.argmin(finite[row])))}"
        d.problem("not_finite", count=told(int((~finite).sum())), place=place)
    zero = (x == 0).all(axis=1)
    places = np.flatnonzero(zero)
    if places.size == 1 and places[0] < 4 and len(x) > 1:
        row = int(places[0])
        d.problem("padding_row", row=told(row), next=told(row + 1))
    elif 0 < places.size < len(x):
        d.problem("zero_rows", count=told(places.size), row=told(int(places[0])))
    return np.asarray(bad | zero)


def _constant(d: Diagnosis, x: Floats, rows: Rows) -> bool:
    """Whether nothing tells positions apart: all zero, or all rows the same."""
    finite = bool(np.isfinite(x).all())
    zero = not np.nan_to_num(x).any()
    if not zero and not (rows.size > 1 and (x[rows] == x[rows[0]]).all()):
        return False
    row = x[rows[0]] if rows.size else np.zeros(x.shape[1])
    steps = np.diff(row)  # a row that only rises, or falls, may be counters, or keys' biases
    steady = bool((steps >= 0).all() or (steps <= 0).all())
    d.scheme, d.sure, d.residual = "none", finite if zero else not steady, 0.0
    d.recipe = Given(np.broadcast_to(row, x.shape))
    d.rounding, d.seen = _proof.held(row), x
    if rows.size:
        d.exceptions["rows"] = _proof.prove(d.recipe, x, d.rounding, rows).rows
    if finite:
        d.problem("all_zero" if zero else "same_rows")
    return True


def _mend(x: Floats, f: Found) -> str:
    """The mend of rows that are other rows again: the last one (clamped), or from the start."""
    row = f.proof.rows[0] if f.proof.rows else 0
    if row > 0 and (x[row] == x[row - 1]).all():
        return f"They are copies of row {told(row - 1)}: positions were clamped there."
    if row > 0 and (x[row] == x[0]).all():
        return "They begin again from row 0: positions were wrapped."
    return ANEW


def _grid(d: Diagnosis, x: Floats, rows: Rows) -> bool:
    """Two axes: one half of the columns knows the row, the other the column."""
    y, count, width = x[rows], rows.size, x.shape[1]
    if width % 4 or count < 4:
        return False
    near = 1e-6 * float(np.abs(y).max())
    for rows_first in (True, False):
        slow, fast = np.split(y, 2, axis=1)[:: 1 if rows_first else -1]
        other_row = np.abs(slow - slow[0]).max(axis=1) > near
        columns = int(np.argmax(other_row)) if other_row.any() else count
        if columns < 2 or count % columns or count // columns < 2:
            continue
        down, along = slow[::columns], fast[:columns]
        orders = _orders.of_table(width // 2)
        axis = max(along, down, key=len)  # the longer one tells more
        best = search(axis, orders, np.arange(len(axis)), False)
        if best is None:
            continue
        one, n = best.recipe, best.recipe.w.size
        pair = np.concatenate([one.pair, one.pair + n])
        recipe = Waves(np.concatenate([one.w, one.w]), pair,
                       np.concatenate([one.cosine, one.cosine]), one.first, one.direction,
                       one.amplitude, False, one.measured, columns, int(rows[0]),
                       (np.arange(2 * n) < n) == rows_first)  # fmt: skip
        proof = _proof.prove(recipe, x, _proof.held(y), rows)
        if proof.kind > 1:
            continue
        if int(rows[0]) == 1 and "padding_row" in d.problems:  # the class token's
            d.drop("padding_row")
            d.problem("class_row")
        d.scheme = "sinusoidal"
        best.recipe, best.proof = recipe, proof
        _fill.found(d, best, x, {0}, ANEW)
        d.sure = best.spacing.usual and best.spacing.evidence >= 1.5 and y.size >= 64
        d.width = width
        order, which = ("rows first", "row") if rows_first else ("columns first", "column")
        d.details.update(axes=[len(down), columns], order=order, axis_width=width // 2)
        d.drop("either_exponent")  # on a grid, base 100 with 2i/d is usual
        d.details["notes"] = [note("grid", rows=told(len(down)), columns=told(columns),
                                   first=which, width=told(width // 2))]  # fmt: skip
        return True
    return False


def _learned(d: Diagnosis, x: Floats, bad: NDArray[np.bool_]) -> None:
    """Fill d for a table (T, d) that is no wave: learned, for all that can be seen."""
    good = np.flatnonzero(~bad)
    y, (length, width) = x[good], x.shape
    d.scheme, d.width, d.sure, d.seen = "learned", width, False, x
    d.precision, d.where = _formats.held(y), "values"
    norms = np.sqrt((y * y).sum(axis=1))
    middle = float(np.median(norms))
    # the mean cosine of neighbouring rows, and of rows half a table apart
    unit = (y / np.where(norms > 0, norms, 1.0)[:, None])[:2048]
    half = max(1, len(unit) // 2)
    near, far = (float((unit[k:] * unit[:-k]).sum(axis=1).mean()) for k in (1, half))
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    smooth = "smooth" if near > far + 0.2 else "not smooth"
    norm = told(_numbers.significant(middle, 3) if middle else 0.0)
    near_by, away = told(round(near, 2)), told(round(far, 2))
    d.details["notes"] = [note("learned", norm=norm, near=near_by, far=away, smooth=smooth)]
    d.alternatives.append(other("random"))
    before: dict[bytes, int] = {}  # rows that are another row to the last bit
    first = [before.setdefault(row.tobytes(), k) for k, row in enumerate(y[:8192])]
    copies = [k for k in range(len(first)) if first[k] != k]
    if copies:
        row, same = (told(int(good[k])) for k in (copies[0], first[copies[0]]))
        d.problem("same_rows_of_table", count=told(len(copies)), row=row, other=same)
    if length in (32, 64) and width <= 128:
        d.alternatives.append(other("t5_table", rows=told(length), heads=told(width)))
