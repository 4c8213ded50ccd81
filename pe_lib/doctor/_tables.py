"""Diagnose lists of frequencies, tables with one row for each position, and cos-sin caches."""

from dataclasses import replace
from itertools import islice

import numpy as np

from pe_lib.doctor import (
    _axes,
    _columns,
    _fill,
    _formats,
    _learned,
    _likeness,
    _numbers,
    _orders,
    _proof,
    _spacing,
)
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import HALVES, FixedValues, Proof, Waves
from pe_lib.doctor._turning import search_waves

COMPUTE_ROWS_AGAIN = "Compute these rows again."
MAX_RULES = 12  # at most this many rules are tried for a list of frequencies
# The relative errors of frequencies computed as powers in float64 and in float32.
DOUBLE, SINGLE = 5e-14, 1.5e-7
# A diagnosis is certain only if this many digits agree beyond what chance would explain. The three
# limits are for a list, for a list with exceptions, and for a grid. A grid needs fewer digits,
# because its two axes agree on every pair.
LIST_EVIDENCE, DAMAGED_EVIDENCE, GRID_EVIDENCE = 6, 12, 1.5
GRID_ENTRIES = 64  # a diagnosis of a grid with fewer entries is never certain
# The mean cosine between rows of a learned table is computed from at most this many rows.
MAX_UNIT_ROWS = 2048
# Wrong rows may belong to other texts only if they form runs of at least this many rows on average.
LEAST_RUN = 3
# If this share of the columns grows from row 1 to row 3, the table begins at 0, and its first row
# of zeros is not padding. In a random table, only one column in twelve grows.
GROWING = 0.35
LEAST_HALVES = 8  # a table with fewer columns is not searched for columns that are repeated
# If a rule holds for the first rows only, it is measured on this many of them.
FIRST_ROWS = 32
# The sines of a row may be this many positions ahead of its cosines by mistake.
MOST_AHEAD = (1, -1, 2, -2)
MAX_SYMBOLS = 4  # a table with at most this many different entries counts as a code
# A table is smooth if the mean cosine between neighbouring rows is larger than that between distant
# rows by more than this.
SMOOTH = 0.2
UNEVEN = 2e-3  # if cos² + sin² varies by more than this, more than one rounding is at work


def diagnose_frequencies(w: Floats) -> Diagnosis:
    """Diagnose a list of n numbers that may be frequencies, sorted from fast to slow."""
    d, finite = Diagnosis(), np.isfinite(w)
    if not finite.all():
        place = f"pair {format_number(int(np.argmin(finite)))}"
        d.problem("not_finite", count=(~finite).sum(), place=place)
    if not w.any():
        _fill.fill_literal(d, "none", FixedValues(w[None]), w[None])
        d.width = 2 * w.size
        d.problem("all_zero")
    elif not _match_rule(d, w, finite) and finite.all():
        one = _likeness.describe_repeated(d, w)
        if w.size > 3 and w[0] == 1 and not w[1:].any():
            d.problem("cast_to_integers", what="frequencies", how="cut off")
        elif one is not None and _match_rule(d, one, np.isfinite(one)):
            d.sure = False
        elif _match_turned(d, w[::-1]):
            d.problem("columns_reversed", what="frequencies")
        elif w.max() <= 0 and _match_turned(d, -w):
            d.problem("frequencies_negative", base=d.base)
        elif not _likeness.describe_frequencies(d, w) and not _likeness.report_rates(d, w):
            _report_irregular(d, w)
    return d


def _match_turned(d: Diagnosis, w: Floats) -> bool:
    """Fill in the rule of frequencies that were reversed or negated, and return whether one fits.

    The numbers w (n,) are the list as it should be.
    """
    right = Diagnosis()
    if w[0] <= w[-1] or not _match_rule(right, w, np.isfinite(w)):
        return False
    if not right.sure or right.problems:
        return False
    d.scheme, d.base, d.exponent = right.scheme, right.base, right.exponent
    d.readings, d.scaling, d.factor = right.readings, right.scaling, right.factor
    d.width, d.seen, d.details["resembles"] = right.width, w[None], True
    return True


def _match_rule(d: Diagnosis, w: Floats, finite: Booleans) -> bool:
    """Fill in the rule that almost all frequencies follow, and return whether there is one."""
    read = _proof.read_rounding(w)
    for values in _proof.list_readings_of_digits(read):
        proof = _prove_rule(w, finite, values)
        # Printed numbers are rounded to their last digit, so they need not fit the rule exactly.
        if proof and (proof.exact or values == read):
            _fill_rule(d, w, finite, proof, values)
            return True
    return False


def _prove_rule(w: Floats, finite: Booleans, values: _proof.Rounding) -> Proof | None:
    """Return the best proof that almost all frequencies follow a rule, or None."""
    size = np.ones(w.size) if "digits" in values.digits else np.abs(np.where(w == 0, 1e-300, w))
    least = DOUBLE if values.form == "float64" else SINGLE
    doubt = np.where(finite & (w >= 0), np.maximum(least, values.printed / size), 1.0)
    rules = islice(_spacing.propose_spacings(np.where(finite, w, 0.0), doubt), MAX_RULES)
    recipes = (FixedValues(rule.w[None], rule, listed=True) for rule in rules)
    proof = _proof.best_proof(recipes, w[None], values, np.zeros(1, np.int64))
    return None if proof is None or proof.rows or proof.entries else proof


def _fill_rule(
    d: Diagnosis, w: Floats, finite: Booleans, proof: Proof, values: _proof.Rounding
) -> None:
    """Fill in the rule from a proof, and decide whether the diagnosis is certain."""
    d.scheme, spacing = "rotary", proof.recipe.source
    evidence = _fill.fill_proof(d, proof, w[None])
    _fill.fill_spacing(d, spacing, w.size)
    d.where = "frequencies"
    _fill.report_rounding(d, evidence)
    lost = [pair for pair in proof.pairs if finite[pair]]
    if lost:
        d.problem("pairs_off", evidence, count=len(lost), pair=lost[0])
    is_known = _is_known_rule(d, spacing, values)
    enough = w.size > 2 or (spacing.base in _numbers.BASES and bool(w[0] == 1))
    least_evidence = DAMAGED_EVIDENCE if lost else LIST_EVIDENCE
    d.sure = is_known and spacing.usual and enough and spacing.evidence >= least_evidence
    if not is_known:
        d.scheme = "geometric"
        d.other("geometric", ratio=float(spacing.w[1] / spacing.w[0]), base=spacing.base)
    d.other("no_layout")


def _is_known_rule(d: Diagnosis, spacing: _spacing.Spacing, values: _proof.Rounding) -> bool:
    """Return whether frequencies follow a base and an exponent that rotary embeddings use."""
    # With this exponent, lists of any base other than 10,000 probably come from np.logspace.
    if spacing.exponent == "i/(d/2-1)":
        return spacing.base == 1e4 and spacing.scaling == "none"
    is_known = spacing.base in _numbers.BASES or spacing.scaling in ("yarn", "llama3", "longrope")
    if not values.digits and values.form not in HALVES:
        digits = _numbers.round_to_chosen(spacing.base, 1e-9)[1]
        return is_known or "ntk" in d.details or digits <= 3
    # Imprecise numbers can fit a common base by chance. For bases other than 10,000, only the most
    # common exponent is therefore accepted.
    return is_known and (spacing.exponent == "2i/d" or spacing.base == 1e4)


def _report_irregular(d: Diagnosis, w: Floats) -> None:
    """Report negative or rising numbers in a list of frequencies that follows no known rule."""
    if (w < 0).any():
        d.problem("negative", pair=int(np.argmax(w < 0)))
    elif (np.diff(w) > 0).any():
        d.problem("not_falling", pair=int(np.argmax(np.diff(w) > 0)) + 1)


def diagnose_table(x: Floats) -> Diagnosis:
    """Diagnose a table (T, d). If it looks learned, also try whether it was transposed."""
    width = x.shape[1]
    # Some programs fill an odd width with a column of zeros.
    if width % 2 and width > 2 and not x[:, -1].any():
        d = _diagnose_upright(x[:, :-1])
        if d.sure and d.scheme == "sinusoidal":
            d.note("zero_column", width=width)
            return d
    d = _diagnose_upright(x)
    if not d.sure and (cache := _read_cache(x)):
        return cache
    if d.scheme == "learned" and _may_be_transposed(x):
        other = _diagnose_upright(x.T)
        if not other.sure and (cache := _read_cache(x.T)):
            other = cache
        is_table = other.sure and not other.problems and other.scheme in ("sinusoidal", "rotary")
        if is_table and isinstance(other.recipe, Waves):
            other.recipe.transposed = True
            other.problem("transposed")
            return other
    return d


def _may_be_transposed(x: Floats) -> bool:
    """Return whether each column of a table may be a position's encoding.

    All columns are then equally long, because sin² + cos² = 1, or the first column holds the sines
    and cosines of position 0.
    """
    if not np.isfinite(x).all() or (x == np.floor(x)).all():
        return False
    length = (x * x).sum(axis=0)
    size = float(np.abs(x[:, 0]).max())
    begins = size > 0 and ((x[:, 0] == 0) | (x[:, 0] == size)).all()
    return bool(length.max() - length.min() < 0.05 * length.mean() or begins)


def _read_cache(x: Floats) -> Diagnosis | None:
    """Diagnose a cache (T, 4n) of n cosines twice and then n sines twice, or return None."""
    half = x.shape[1] // 2
    if x.shape[1] % 4 or half < 4:
        return None
    parts = [x[:, :half], x[:, half:]]
    are_halves = all(np.array_equal(y[:, : half // 2], y[:, half // 2 :]) for y in parts)
    if not are_halves and not all(np.array_equal(y[:, 0::2], y[:, 1::2]) for y in parts):
        return None
    d = _diagnose_upright_cache(*parts)
    if not d.sure:
        return None
    d.note("cosines_and_sines")
    return d


def _diagnose_upright(x: Floats) -> Diagnosis:
    """Diagnose a table (T, d) that has a row for each position."""
    d = Diagnosis()
    bad = _find_corrupt_rows(d, x)
    rows, width = np.flatnonzero(~bad), x.shape[1]
    if _likeness.describe_integers(d, x, _orders.table_orders(width)):
        return d
    if _match_constant(d, x, rows) or rows.size < 2:
        return d
    orders = [*_orders.table_orders(width), *_orders.single_wave_orders(width)]
    proof = search_waves(x, orders, rows)
    if (proof is None or proof.kind) and (_match_grid(d, x, rows) or _match_apart(d, x, rows)):
        return d
    if proof is None:
        matches = (_match_angles(d, x) or _match_sines(d, x) or _match_columns(d, x, rows)
                   or _match_rows(d, x, rows) or _match_half(d, x)
                   or _match_first_rows(d, x, rows)
                   or _match_shifted(d, x, _orders.table_orders(width)))  # fmt: skip
        if "parts_shifted" in d.problems:
            d.scheme = "sinusoidal"
        if not matches and not _likeness.describe_table(d, x, rows):
            _describe_learned(d, x, rows)
        return d
    moved = Diagnosis()
    if _are_runs(proof.rows) and _match_rows(moved, x, rows) and moved.problems:
        return moved
    order = proof.recipe.order
    are_cosines = order.alone and not order.problem
    d.scheme = "rotary" if are_cosines else "sinusoidal"
    bad_rows = np.flatnonzero(bad).tolist()
    _fill.fill_waves(d, proof, x, bad_rows, _explain_repeated_rows(x, proof))
    if are_cosines:
        d.other("direction")
        d.other("every")
        d.details["alone"] = "cosines"
        d.direction, d.sure = None, d.sure and proof.kind == 0
    # For dimension j, the frequency base^(-j/d) equals (√base)^(-2j/d), so both ways to read it are
    # reported.
    elif order.alone:
        base, d.width = proof.recipe.spacing.base, width
        by_root = d.details["own_exponent"] == "j/d"
        exponent, other_base = ("2j/d", base**0.5) if by_root else ("j/d", base**2)
        d.other("own", exponent=exponent, base=other_base)
    elif d.order == "cosine first" and d.layout == "halves":
        d.other("side_by_side")
    return d


def _match_sines(d: Diagnosis, x: Floats) -> bool:
    """Diagnose the sines of a rotary cache, which lie in an array without its cosines."""
    if x[0].any():
        return False
    width, rows = x.shape[1], np.arange(len(x))
    orders = [_orders.sines_order(width)]
    for layout in ("halves", "interleaved") if width % 4 == 0 else ():
        pair = _orders.repeated_pairs(width, layout)
        orders.append(replace(orders[0], layout=layout, order="repeated", pair=pair))
    proof = search_waves(x, orders, rows)
    if proof is None or proof.kind:
        return False
    d.drop("padding_row")
    d.scheme = "rotary"
    _fill.fill_waves(d, proof, x, (), COMPUTE_ROWS_AGAIN)
    d.other("sines_alone")
    d.details["alone"] = "sines"
    d.direction = None
    return True


def _match_half(d: Diagnosis, x: Floats) -> bool:
    """Diagnose a table of which half the columns repeat the others, or hold only zeros."""
    width = x.shape[1]
    halves = {
        "twice in a row": (x[:, 0::2], x[:, 1::2]),
        "all columns, then all again": (x[:, : width // 2], x[:, width // 2 :]),
    }
    for how, (one, two) in halves.items() if width % 2 == 0 and width > LEAST_HALVES else ():
        is_repeated = bool((one == two).all())
        if not is_repeated and one.any() and two.any():
            continue
        part = _diagnose_upright(one if one.any() else two)
        if part.scheme not in ("sinusoidal", "rotary") or not part.sure:
            continue
        d.scheme, d.width, d.seen = "sinusoidal", width, x
        d.drop("padding_row")
        # Some programs repeat the angles for both halves of a head before they take the cosine.
        if part.holds_angles:
            d.scheme, d.base, d.exponent = "rotary", part.base, part.exponent
            d.readings = part.readings
            d.holds_angles, d.details["unusual"] = True, True
            d.note("angles")
        elif is_repeated:
            d.problem("columns_repeated", how=how)
        else:
            which = ("even", "odd") if how == "twice in a row" else ("first", "second")
            d.problem("columns_empty", which=which[int(one.any())])
        return True
    return False


def _match_first_rows(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a sinusoidal table of which only the first rows follow the rule."""
    if rows.size < 2 * FIRST_ROWS or rows[FIRST_ROWS - 1] != FIRST_ROWS - 1:
        return False
    first = search_waves(x[:FIRST_ROWS], _orders.table_orders(x.shape[1]), rows[:FIRST_ROWS])
    if first is None or first.kind:
        return False
    proof = _proof.prove(first.recipe, x, _proof.read_rounding(x[:FIRST_ROWS]), rows)
    if proof.kind == 2:
        return False
    d.scheme = "sinusoidal"
    _fill.fill_waves(d, proof, x, (), COMPUTE_ROWS_AGAIN)
    return True


def _match_shifted(d: Diagnosis, x: Floats, orders: list[Order]) -> bool:
    """Diagnose a table or cache x (T, width) whose sines stand at other positions than its cosines.

    Row t may hold the cosines of position t and the sines of position t + 1.
    """
    for ahead in MOST_AHEAD if np.isfinite(x).all() else ():
        n = len(x) - abs(ahead)
        late, early = max(0, ahead), max(0, -ahead)
        for order in orders if n > 2 else ():
            y = np.where(order.cosine, x[late : late + n], x[early : early + n])
            aligned = [*_columns.search_rows(y, [order])]
            proof = search_waves(y, [order], np.arange(n)) if aligned else None
            if proof is None or proof.kind or not isinstance(proof.recipe, Waves):
                continue
            recipe = replace(proof.recipe, first=proof.recipe.first - late, ahead=ahead)
            proof = _proof.prove(recipe, x, _proof.read_rounding(x), np.arange(len(x)))
            if proof.kind == 0:
                _fill.fill_waves(d, proof, x, (), COMPUTE_ROWS_AGAIN)
                which = ("sines", "cosines") if ahead > 0 else ("cosines", "sines")
                d.problem("parts_shifted", ahead=which[0], behind=which[1], count=abs(ahead))
                return True
    return False


def _match_columns(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a sinusoidal table of odd width, or one whose columns stand in no usual order."""
    proof = _columns.search_columns(x, rows)
    if proof is None:
        return False
    d.scheme = "sinusoidal"
    _fill.fill_waves(d, proof, x, (), COMPUTE_ROWS_AGAIN)
    d.width = x.shape[1]
    _columns.report_missing(d, proof.recipe.order)
    return True


def _match_rows(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a sinusoidal table whose rows stand at any positions, on one axis or on several."""
    width = x.shape[1]
    if rows.size < len(x) or width % 2:
        return False
    sections = [sizes for sizes in _axes.list_sections(width // 2) if min(sizes) > 1]
    orders = [*_orders.table_orders(width), *_orders.section_orders(width, sections)]
    for order, cosines, sines in _columns.search_rows(x, orders):
        cache = _axes.diagnose_turns(cosines, sines)
        waves = cache.recipe if cache is not None and cache.sure else None
        # In some other order of columns, each pair may be there twice.
        if not isinstance(waves, Waves) or waves.spacing.w.size != width // 2:
            continue
        recipe = replace(waves, order=order)
        proof = _proof.prove(recipe, x, _proof.read_rounding(x), rows)
        if proof.kind == 0:
            _fill.fill_waves(d, proof, x, (), COMPUTE_ROWS_AGAIN)
            d.scheme, d.first_position, d.direction = "sinusoidal", None, None
            axis, places = (np.asarray(part) for part in (recipe.axis, recipe.places))
            _axes.note_positions(d, _axes.Axes(axis, places))
            if slip := _axes.find_misplaced(d):
                d.problem(slip[0], **slip[1])
            _axes.report_shuffled_grid(d)
            return True
    return False


def diagnose_cache(cos: Floats, sin: Floats) -> Diagnosis:
    """Diagnose an array of cosines and an array of sines with the same shape (T, columns).

    If they are turns at unknown positions, also try whether they were transposed.
    """
    d = _diagnose_upright_cache(cos, sin)
    if not d.sure and "turns" in d.details and len(cos) > 1:
        other = _diagnose_upright_cache(cos.T, sin.T)
        if other.sure and isinstance(other.recipe, Waves) and other.recipe.places is None:
            other.recipe.transposed = True
            other.problem("transposed")
            return other
    return d


def _diagnose_upright_cache(cos: Floats, sin: Floats) -> Diagnosis:
    """Diagnose cosines and sines (T, columns) that have a row for each position."""
    x, d = np.concatenate([cos, sin], axis=1), Diagnosis()
    if not sin.any() and _match_lost_sines(d, cos):
        return d
    bad = _find_corrupt_rows(d, x)
    if _likeness.describe_integers(d, x, _orders.cache_orders(cos.shape[1])):
        return d
    if not sin.any() and (cos == cos[0, 0]).all():
        d.amplitude = float(cos[0, 0])
        _fill.fill_literal(d, "none", FixedValues(x), x)
        d.problem("all_zero")
        return d
    proof = search_waves(x, _orders.cache_orders(cos.shape[1]), np.flatnonzero(~bad))
    # If runs of rows are wrong, the rows may stand at positions that are not consecutive.
    if proof is None or (_are_runs(proof.rows) and not _are_clamped(x, proof)):
        other = _axes.diagnose_turns(cos, sin, proof.recipe.spacing if proof else None)
        if other and (other.sure or proof is None):
            return other
    if proof:
        d.scheme = "rotary"
        bad_rows = np.flatnonzero(bad).tolist()
        _fill.fill_waves(d, proof, x, bad_rows, _explain_repeated_rows(x, proof))
    elif np.array_equal(cos, sin) and _match_stored_angles(d, cos):
        d.problem("angles_stored")
    elif np.array_equal(cos, sin) and not bad.all():
        d.scheme = "rotary"
        d.problem("same_arrays")
    elif _match_shifted(d, x, _orders.cache_orders(cos.shape[1])):
        d.scheme = "rotary"
    elif not bad.any() and not _match_two_bases(d, cos, sin):
        _likeness.describe_cache(d, cos, sin)
        _fill.report_zero_columns(d, np.abs(cos) + np.abs(sin))
        _note_uneven(d, cos, sin)
    return d


def _match_stored_angles(d: Diagnosis, angles: Floats) -> bool:
    """Fill in a cache of which both arrays hold angles, and return whether they do."""
    part = _diagnose_upright(angles)
    if not part.holds_angles or part.base is None:
        return False
    d.drop("padding_row")
    d.scheme, d.base, d.exponent, d.readings = "rotary", part.base, part.exponent, part.readings
    d.width, d.seen, d.details["resembles"] = part.width, angles, True
    return True


def _match_two_bases(d: Diagnosis, cos: Floats, sin: Floats) -> bool:
    """Report cosines and sines of different bases, and return whether they are such."""
    cosines, sines = Diagnosis(), Diagnosis()
    if len(cos) > 1 and not sin[0].any() and (cos != cos[0]).any():
        cosines = _diagnose_upright(cos)
    if not cosines.sure or cosines.scheme != "rotary" or not _match_sines(sines, sin):
        return False
    if not sines.sure or sines.base == cosines.base:
        return False
    d.scheme, d.width, d.layout, d.order = "rotary", cosines.width, cosines.layout, cosines.order
    d.seen, d.details["resembles"] = cos, True
    d.problem("bases_of_parts", cosines=cosines.base, sines=sines.base)
    return True


def _note_uneven(d: Diagnosis, cos: Floats, sin: Floats) -> None:
    """Note that pairs begin with length 1, and then grow or shrink from row to row."""
    size = cos * cos + sin * sin
    low, high = float(size.min()), float(size.max())
    is_near = d.scheme == "rotary" and bool((size[0] == 1).all()) and low > 0.5 and high < 2
    if is_near and high - low > UNEVEN:
        d.note("uneven", low=_numbers.round_significant(low, 3),
               high=_numbers.round_significant(high, 3))  # fmt: skip


def _match_lost_sines(d: Diagnosis, cos: Floats) -> bool:
    """Diagnose a cache whose cosines follow a rule, but whose sines are all zero."""
    part = Diagnosis() if (cos == cos[0]).all() else _diagnose_upright(cos)
    if part.scheme != "rotary" or not part.sure:
        return False
    d.scheme, d.base, d.exponent, d.readings = "rotary", part.base, part.exponent, part.readings
    d.width, d.seen, d.details["resembles"] = part.width, cos, True
    d.problem("sines_lost")
    return True


def _are_runs(rows: list[int]) -> bool:
    """Return whether wrong rows form runs, as the rows of other texts do, and are not scattered."""
    runs = sum(k == 0 or rows[k] != rows[k - 1] + 1 for k in range(len(rows)))
    return len(rows) >= LEAST_RUN * max(1, runs)


def _are_clamped(x: Floats, proof: Proof) -> bool:
    """Return whether all wrong rows repeat the row before the first of them."""
    row = proof.rows[0] if proof.rows else 0
    return bool(row > 0 and (x[proof.rows] == x[row - 1]).all())


def _find_corrupt_rows(d: Diagnosis, x: Floats) -> Booleans:
    """Return which rows of x (T, width) are zero or not finite, and report them."""
    finite = np.isfinite(x)
    bad = ~finite.all(axis=1)
    if bad.any():
        row, column = np.argwhere(~finite)[0]
        place = f"row {format_number(int(row))}, column {format_number(int(column))}"
        d.problem("not_finite", count=int((~finite).sum()), place=place)
    zero = (x == 0).all(axis=1)
    zero_rows = np.flatnonzero(zero).tolist()
    if len(zero_rows) == 1 and zero_rows[0] < 4 and len(x) > 1:
        d.problem("padding_row", row=zero_rows[0], next=zero_rows[0] + 1)
    elif 0 < len(zero_rows) < len(x):
        d.problem("zero_rows", count=len(zero_rows), row=zero_rows[0])
    return np.asarray(bad | zero)


def _match_constant(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a table that cannot tell positions apart, because its rows are equal or zero."""
    finite = bool(np.isfinite(x).all())
    zero = not np.nan_to_num(x).any()
    if not zero and not (rows.size > 1 and (x[rows] == x[rows[0]]).all()):
        return False
    row = x[rows[0]] if rows.size else np.zeros(x.shape[1])
    _fill.fill_literal(d, "none", FixedValues(np.broadcast_to(row, x.shape)), x)
    # If the entries of the row only rise or only fall, they may be positions or biases, so the
    # diagnosis is not certain.
    steps = np.diff(row)
    d.sure = finite if zero else not bool((steps >= 0).all() or (steps <= 0).all())
    d.exceptions["rows"] = np.setdiff1d(np.arange(len(x)), rows).tolist()
    if finite:
        d.problem("all_zero" if zero else "same_rows")
    return True


def _explain_repeated_rows(x: Floats, proof: Proof) -> str:
    """Return a sentence on wrong rows: which rows they repeat, or else that they need computing."""
    row = proof.rows[0] if proof.rows else 0
    if row > 0 and (x[row] == x[row - 1]).all():
        return f"They are copies of row {format_number(row - 1)}: positions were clamped there."
    if row > 0 and (x[row] == x[0]).all():
        return "They begin again from row 0: positions were wrapped."
    return COMPUTE_ROWS_AGAIN


def _match_grid(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a table for patches on a grid, in which half the columns encode a patch's row."""
    y, width = x[rows], x.shape[1]
    for rows_first in (True, False) if width % 4 == 0 else ():
        proof = _prove_grid(x, y, rows, rows_first)
        if proof is None:
            continue
        recipe: Waves = proof.recipe
        # A row of zeros before a grid belongs to the class token, so it is not padding.
        if recipe.before == 1 and "padding_row" in d.problems:
            d.drop("padding_row")
            d.note("class_row")
        d.scheme = "sinusoidal"
        _fill.fill_waves(d, proof, x, {0}, COMPUTE_ROWS_AGAIN)
        spacing, columns = recipe.spacing, recipe.columns
        enough = spacing.evidence >= GRID_EVIDENCE and y.size >= GRID_ENTRIES
        d.sure, d.width = spacing.usual and enough, width
        d.drop("either_exponent")  # the common choice for grids is base 100 with exponent 2i/d
        first, down = "row" if rows_first else "column", len(y) // columns
        d.details.update(axes=[down, columns], order=f"{first}s first", axis_width=width // 2)
        d.note("grid", rows=down, columns=columns, first=first, width=width // 2)
        return True
    return False


def _prove_grid(x: Floats, y: Floats, rows: Indices, rows_first: bool) -> Proof | None:
    """Return a proof that y, the intact rows of a table x, encodes a grid, or None."""
    width, before = x.shape[1], int(rows[0])
    near = 1e-6 * float(np.abs(y).max())
    slow, fast = np.split(y, 2, axis=1)[:: 1 if rows_first else -1]
    # the number of patches in one row of the grid
    columns = int(np.argmax(np.abs(slow - slow[0]).max(axis=1) > near))
    if columns < 2 or len(y) % columns:
        return None
    # The frequencies are measured on the longer axis, because it has more positions.
    axis = max(fast[:columns], slow[::columns], key=len)
    along = search_waves(axis, _orders.table_orders(width // 2), np.arange(len(axis)))
    if along is None:
        return None
    recipe = replace(along.recipe, order=_double_order(along.recipe.order, width // 4),
                     columns=columns, before=before, rows_first=rows_first)  # fmt: skip
    proof = _proof.prove(recipe, x, _proof.read_rounding(y), rows)
    return None if proof.kind > 1 else proof


def _match_apart(d: Diagnosis, x: Floats, rows: Indices) -> bool:
    """Diagnose a grid whose axes have different frequencies.

    Some image models divide each patch's row and column by the length of their axis.
    """
    width, k = x.shape[1], np.arange(len(x))
    halves = np.split(x, 2, axis=1) if width % 4 == 0 and rows.size == len(x) else [x[:, :0]] * 2
    for slow, fast in (halves, halves[::-1]) if halves[0].size else ():
        columns = int(np.argmax((slow != slow[0]).any(axis=1)))
        if columns < 2 or len(x) % columns or (fast != fast[k % columns]).any():
            continue
        if (slow != slow[k // columns * columns]).any():
            continue
        axes = slow[::columns], fast[:columns]
        near = [Diagnosis(), Diagnosis()]
        if not all(_likeness.describe_table(near[a], axes[a], np.arange(len(axes[a])))
                   for a in (0, 1)):  # fmt: skip
            continue
        d.scheme, d.width, d.seen, d.layout = "sinusoidal", width, x, near[0].layout
        d.order, d.base, d.exponent = near[0].order, near[0].base, near[0].exponent
        d.details.update(axes=[len(x) // columns, columns], unusual=True)
        d.note("grid_apart", rows=len(x) // columns, columns=columns)
        return True
    return False


def _double_order(order: Order, n: int) -> Order:
    """Return the column order for two axes side by side, each of which has n pairs."""
    return replace(order, pair=np.concatenate([order.pair, order.pair + n]),
                   cosine=np.concatenate([order.cosine, order.cosine]))  # fmt: skip


def _match_angles(d: Diagnosis, x: Floats) -> bool:
    """Fill in the diagnosis of a table of angles, in which row t is t times the frequencies."""
    w, t = x[1], np.arange(len(x))[:, None]
    if len(x) < 3 or x[0].any() or (w <= 0).any() or (np.diff(w) > 0).any():
        return False
    rule = diagnose_frequencies(w)
    if rule.recipe is None or rule.scheme != "rotary" or rule.problems:
        return False
    exact = np.asarray(rule.rebuild(), np.float64)
    for frequencies in (exact, w):
        recipe = FixedValues(t * frequencies)
        rows = np.arange(len(x))
        proof = _proof.best_proof([recipe], x, _proof.read_rounding(x), rows)
        if proof is not None and proof.kind == 0:
            d.drop("padding_row")
            d.scheme, d.base, d.exponent, d.readings = (
                "rotary",
                rule.base,
                rule.exponent,
                rule.readings,
            )
            d.scaling, d.factor, d.width = rule.scaling, rule.factor, rule.width
            d.sure, d.first_position = rule.sure, 0.0
            _fill.fill_proof(d, proof, x)
            d.holds_angles = True
            d.note("angles")
            return True
    return False


def _begins_at_zero(x: Floats) -> bool:
    """Return whether row 0 is zero because the columns grow from 0, as sines and ramps do.

    A code of a few symbols, such as zeros and ones, also begins at 0.
    """
    one, two, three = (np.abs(x[k]) for k in (1, 2, 3))
    grows = (one < two) & (two < three) & (np.sign(x[1]) == np.sign(x[3]))
    few = len(set(x[1:64].reshape(-1).tolist())) <= MAX_SYMBOLS
    return few or float(grows.mean()) >= GROWING


def _describe_learned(d: Diagnosis, x: Floats, rows: Indices) -> None:
    """Describe a table (T, d) that was probably learned, because it contains no sine waves."""
    y, (length, width) = x[rows], x.shape
    d.scheme, d.width, d.sure, d.seen = "learned", width, False, x
    d.precision, d.where = _formats.narrowest_format(y), "values"
    norms = np.sqrt((y * y).sum(axis=1))
    middle = float(np.median(norms))
    # In a smooth table, neighbouring rows are more similar than rows half the table apart.
    unit = (y / np.where(norms > 0, norms, 1.0)[:, None])[:MAX_UNIT_ROWS]
    half = max(1, len(unit) // 2)
    near, far = (float((unit[k:] * unit[:-k]).sum(axis=1).mean()) for k in (1, half))
    d.details.update(norm=middle, neighbours=near, strangers=far, rows=length)
    smooth = "smooth" if near > far + SMOOTH else "not smooth"
    norm = _numbers.round_significant(middle, 3) if middle else 0.0
    d.note("learned", norm=norm, near=round(near, 2), far=round(far, 2), smooth=smooth)
    d.other("random")
    if "padding_row" in d.problems and rows[0] == 1 and length > 4 and _begins_at_zero(x):
        d.drop("padding_row")
    _learned.report_history(d, y, norms, rows)
    if length in (32, 64) and width <= 128:
        d.other("t5_table", rows=length, heads=width)
