"""Frequencies alone, tables with a row for each position, and caches: what turns, or is learned."""

from dataclasses import replace
from itertools import islice

import numpy as np

from pe_lib.doctor import _fill, _formats, _numbers, _orders, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._proof import HALVES, FixedValues, Proof, Waves
from pe_lib.doctor._turning import search_waves

ANEW = "Compute these rows anew."
FEW = 12  # rules tried for frequencies


def diagnose_frequencies(w: Floats) -> Diagnosis:
    """The diagnosis of n numbers that may be frequencies (`inv_freq`), fastest first."""
    d, finite = Diagnosis(), np.isfinite(w)
    if not finite.all():
        place = f"pair {format_number(int(np.argmin(finite)))}"
        d.problem("not_finite", count=(~finite).sum(), place=place)
    if not w.any():
        _fill.fill_literal(d, "none", FixedValues(w[None]), w[None])
        d.width = 2 * w.size
        d.problem("all_zero")
    elif not _match_rule(d, w, finite) and finite.all():
        _report_irregular(d, w)
    return d


def _match_rule(d: Diagnosis, w: Floats, finite: Booleans) -> bool:
    """Whether a rule gives the frequencies back, but for a few."""
    values = _proof.read_rounding(w)
    size = np.ones(w.size) if "digits" in values.digits else np.abs(np.where(w == 0, 1e-300, w))
    least = 5e-14 if values.form == "float64" else 1.5e-7
    doubt = np.where(finite & (w >= 0), np.maximum(least, values.printed / size), 1.0)
    rules = islice(_spacing.propose_spacings(np.where(finite, w, 0.0), doubt), FEW)
    guesses = (FixedValues(s.w[None], s, listed=True) for s in rules)
    proof = _proof.best_proof(guesses, w[None], values, np.zeros(1, np.int64))
    if proof is None or proof.rows or proof.entries:
        return False
    d.scheme, s = "rotary", proof.recipe.source
    evidence = _fill.fill_proof(d, proof, w[None])
    _fill.fill_spacing(d, s, w.size)
    d.where = "frequencies"
    _fill.report_rounding(d, evidence)
    lost = [pair for pair in proof.pairs if finite[pair]]
    if lost:
        d.problem("pairs_off", evidence, count=len(lost), pair=lost[0])
    known = s.base in _numbers.BASES or s.scaling in ("yarn", "llama3", "longrope")
    if not values.digits and values.form not in HALVES:  # then any base is near
        known = known or "ntk" in d.details or _numbers.round_to_chosen(s.base, 1e-9)[1] <= 3
    elif s.exponent != "2i/d":  # and some base of some exponent is a usual one
        known = known and s.base == 1e4
    if s.exponent == "i/(d/2-1)":  # numpy's logspace makes all others
        known = s.base == 1e4 and s.scaling == "none"
    enough = w.size > 2 or (s.base in _numbers.BASES and bool(w[0] == 1))
    d.sure = known and s.usual and enough and s.evidence >= (12 if lost else 6)
    if not known:
        d.scheme = "geometric"
        d.other("geometric", ratio=float(s.w[1] / s.w[0]), base=s.base)
    d.other("no_layout")
    return True


def _report_irregular(d: Diagnosis, w: Floats) -> None:
    """What can be said of finite numbers that follow no rule."""
    if (w < 0).any():
        d.problem("negative", pair=int(np.argmax(w < 0)))
    elif (np.diff(w) > 0).any():
        d.problem("not_falling", pair=int(np.argmax(np.diff(w) > 0)) + 1)


def diagnose_table(x: Floats) -> Diagnosis:
    """The diagnosis of a table (T, d): as it stands, else transposed."""
    d = _diagnose_upright(x)
    length = (x * x).sum(axis=0)  # sin² + cos² = 1: columns that are positions are of one length
    if d.scheme == "learned" and length.max() - length.min() < 0.05 * length.mean():
        turned = _diagnose_upright(x.T)
        known = turned.sure and turned.scheme == "sinusoidal" and not turned.exceptions["rows"]
        if known and isinstance(turned.recipe, Waves):
            turned.recipe.transposed = True
            turned.problem("transposed")
            return turned
    return d


def _diagnose_upright(x: Floats) -> Diagnosis:
    d = Diagnosis()
    bad = _find_corrupt_rows(d, x)
    rows = np.flatnonzero(~bad)
    if _match_constant(d, x, rows) or rows.size < 2:
        return d
    width = x.shape[1]
    best = search_waves(x, [*_orders.table_orders(width), *_orders.single_wave_orders(width)], rows)
    if (best is None or best.kind) and _match_grid(d, x, rows):
        return d
    if best is None:
        _describe_learned(d, x, rows)
        return d
    order = best.recipe.order
    cosines = order.alone and not order.problem
    d.scheme = "rotary" if cosines else "sinusoidal"
    _fill.fill_waves(d, best, x, np.flatnonzero(bad).tolist(), _explain_repeated_rows(x, best))
    if cosines:
        d.other("direction")
        d.other("every")
        d.direction, d.sure = None, d.sure and best.kind == 0
    elif order.alone:  # a frequency for each dimension: base^(-j/d), or of its root base^(-2j/d)
        base, d.width = best.recipe.spacing.base, width
        ways = ("2j/d", base**0.5) if d.details["own_exponent"] == "j/d" else ("j/d", base**2)
        d.other("own", exponent=ways[0], base=ways[1])
    elif d.order == "cosine first" and d.layout == "halves":
        d.other("side_by_side")
    return d


def diagnose_cache(cos: Floats, sin: Floats) -> Diagnosis:
    """The diagnosis of cosines and sines of one shape (T, …)."""
    x, d = np.concatenate([cos, sin], axis=1), Diagnosis()
    bad = _find_corrupt_rows(d, x)
    if not sin.any() and (cos == cos[0, 0]).all():
        d.amplitude = float(cos[0, 0])
        _fill.fill_literal(d, "none", FixedValues(x), x)
        d.problem("all_zero")
    elif best := search_waves(x, _orders.cache_orders(cos.shape[1]), np.flatnonzero(~bad)):
        d.scheme = "rotary"
        _fill.fill_waves(d, best, x, np.flatnonzero(bad).tolist(), _explain_repeated_rows(x, best))
    return d


def _find_corrupt_rows(d: Diagnosis, x: Floats) -> Booleans:
    """Which rows of x (T, width) are zero or not finite, (T,); problems are added to d."""
    finite = np.isfinite(x)
    bad = ~finite.all(axis=1)
    if bad.any():
        row, column = np.argwhere(~finite)[0]
        place = f"row {format_number(int(row))}, column {format_number(int(column))}"
        d.problem("not_finite", count=int((~finite).sum()), place=place)
    zero = (x == 0).all(axis=1)
    places = np.flatnonzero(zero).tolist()
    if len(places) == 1 and places[0] < 4 and len(x) > 1:
        d.problem("padding_row", row=places[0], next=places[0] + 1)
    elif 0 < len(places) < len(x):
        d.problem("zero_rows", count=len(places), row=places[0])
    return np.asarray(bad | zero)


def _match_constant(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Whether nothing tells positions apart: all zero, or all rows the same."""
    finite = bool(np.isfinite(x).all())
    zero = not np.nan_to_num(x).any()
    if not zero and not (rows.size > 1 and (x[rows] == x[rows[0]]).all()):
        return False
    row = x[rows[0]] if rows.size else np.zeros(x.shape[1])
    _fill.fill_literal(d, "none", FixedValues(np.broadcast_to(row, x.shape)), x)
    steps = np.diff(row)  # a row that only rises, or falls, may be counters, or keys' biases
    d.sure = finite if zero else not bool((steps >= 0).all() or (steps <= 0).all())
    d.exceptions["rows"] = np.setdiff1d(np.arange(len(x)), rows).tolist()
    if finite:
        d.problem("all_zero" if zero else "same_rows")
    return True


def _explain_repeated_rows(x: Floats, proof: Proof) -> str:
    """The mend of rows that are other rows again: the last one (clamped), or from the start."""
    row = proof.rows[0] if proof.rows else 0
    if row > 0 and (x[row] == x[row - 1]).all():
        return f"They are copies of row {format_number(row - 1)}: positions were clamped there."
    if row > 0 and (x[row] == x[0]).all():
        return "They begin again from row 0: positions were wrapped."
    return ANEW


def _match_grid(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Two axes: one half of the columns knows the row, the other the column."""
    y, width, before = x[rows], x.shape[1], int(rows[0])
    near = 1e-6 * float(np.abs(y).max())
    for rows_first in (True, False) if width % 4 == 0 else ():
        slow, fast = np.split(y, 2, axis=1)[:: 1 if rows_first else -1]
        columns = int(np.argmax(np.abs(slow - slow[0]).max(axis=1) > near))  # until the next row
        if columns < 2 or len(y) % columns:
            continue
        down, along = slow[::columns], fast[:columns]
        axis = max(along, down, key=len)  # the longer one tells more
        best = search_waves(axis, _orders.table_orders(width // 2), np.arange(len(axis)))
        if best is None:
            continue
        one, n = best.recipe.order, width // 4
        order = replace(one, pair=np.concatenate([one.pair, one.pair + n]),
                        cosine=np.concatenate([one.cosine, one.cosine]))  # fmt: skip
        recipe = replace(best.recipe, order=order, columns=columns, before=before,
                         rows_first=rows_first)  # fmt: skip
        proof = _proof.prove(recipe, x, _proof.read_rounding(y), rows)
        if proof.kind > 1:
            continue
        if before == 1 and "padding_row" in d.problems:  # the class token's
            d.drop("padding_row")
            d.problem("class_row")
        d.scheme = "sinusoidal"
        _fill.fill_waves(d, proof, x, {0}, ANEW)
        rule = recipe.spacing
        d.sure, d.width = rule.usual and rule.evidence >= 1.5 and y.size >= 64, width
        d.drop("either_exponent")  # on a grid, base 100 with 2i/d is usual
        first = "row" if rows_first else "column"
        d.details.update(axes=[len(down), columns], order=f"{first}s first", axis_width=width // 2)
        d.note("grid", rows=len(down), columns=columns, first=first, width=width // 2)
        return True
    return False


def _describe_learned(d: Diagnosis, x: Floats, rows: Indices) -> None:
    """Fill d for a table (T, d) that is no wave: learned, for all that can be seen."""
    y, (length, width) = x[rows], x.shape
    d.scheme, d.width, d.sure, d.seen = "learned", width, False, x
    d.precision, d.where = _formats.narrowest_format(y), "values"
    norms = np.sqrt((y * y).sum(axis=1))
    middle = float(np.median(norms))
    # the mean cosine of neighbouring rows, and of rows half a table apart
    unit = (y / np.where(norms > 0, norms, 1.0)[:, None])[:2048]
    half = max(1, len(unit) // 2)
    near, far = (float((unit[k:] * unit[:-k]).sum(axis=1).mean()) for k in (1, half))
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    smooth = "smooth" if near > far + 0.2 else "not smooth"
    norm = _numbers.round_significant(middle, 3) if middle else 0.0
    d.note("learned", norm=norm, near=round(near, 2), far=round(far, 2), smooth=smooth)
    d.other("random")
    before: dict[bytes, int] = {}  # rows that are another row to the last bit
    first = [before.setdefault(row.tobytes(), k) for k, row in enumerate(y[:8192])]
    copies = [k for k in range(len(first)) if first[k] != k]
    if copies:
        row, same = (int(rows[k]) for k in (copies[0], first[copies[0]]))
        d.problem("same_rows_of_table", count=len(copies), row=row, other=same)
    if length in (32, 64) and width <= 128:
        d.other("t5_table", rows=length, heads=width)
