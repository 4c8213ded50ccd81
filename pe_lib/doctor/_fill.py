"""Fill in the fields of a diagnosis from a proof, for tables, caches and lists alike."""

from collections.abc import Iterable
from math import log, log10, pi

import numpy as np

from pe_lib.context import temperature
from pe_lib.doctor import _formats, _numbers, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._numbers import format_bound, round_significant
from pe_lib.doctor._proof import HALVES, FixedValues, Proof, Rounding, Waves

# A diagnosis of sines and cosines is certain only if it covers at least LEAST_ENTRIES entries, and
# if at least LEAST_EVIDENCE digits agree beyond what chance would explain.
LEAST_ENTRIES = 24
LEAST_EVIDENCE = 4
LONGROPE_AMPLITUDE = 1.6  # the amplitude of longrope is between 1 and this number
# A measured base gives the other width of its list with at most this relative error.
OTHER_WIDTH_DOUBT = 1e-5

# Fewer neighbouring columns of zeros are not reported.
LEAST_ZERO_COLUMNS = 4


def fill_proof(d: Diagnosis, proof: Proof, x: Floats) -> str:
    """Fill in the recipe, its rounding and its exceptions, and return the evidence as text."""
    d.recipe, d.rounding, d.seen = proof.recipe, proof.rounding, x
    d.exceptions.update(rows=proof.rows, pairs=proof.pairs, entries=proof.entries)
    d.residual, rounding = proof.residual, proof.rounding
    d.precision, d.where = rounding.form, _name_step(rounding)
    if rounding.half or (rounding.rough and rounding.where != "values"):
        d.precision = rounding.rough
    return f"largest residual {format_bound(proof.residual)}"


def _name_step(rounding: Rounding) -> str:
    """Return which step of the computation was rounded, with one name for both kinds of angles."""
    return "angles" if rounding.where == "angle" else rounding.where


def report_exceptions(
    d: Diagnosis, evidence: str, mend: str, known_rows: Iterable[int], pairs_are: str = "pairs"
) -> None:
    """Report rows, pairs and entries that contradict the rule, except the `known_rows`."""
    rows = sorted({*d.exceptions["rows"]} - {*known_rows})
    pairs, entries = d.exceptions["pairs"], d.exceptions["entries"]
    if rows:
        d.problem("rows_off", evidence, count=len(rows), row=rows[0], mend=mend)
    if pairs:
        d.problem(f"{pairs_are}_off", evidence, count=len(pairs), pair=pairs[0])
    if entries:
        row, column = entries[0]
        d.problem("entries_off", evidence, count=len(entries), row=row, column=column)


def report_zero_columns(d: Diagnosis, x: Floats) -> None:
    """Report many neighbouring columns of x (rows, width) that are zero in every row.

    Single columns of zeros may come from pruning, or fill up an odd width.
    """
    width = x.shape[1]
    edges = np.flatnonzero(np.concatenate([[True], x.any(axis=0), [True]]))
    lengths = np.diff(edges) - 1
    longest = int(np.argmax(lengths))
    count, first = int(lengths[longest]), int(edges[longest])
    if LEAST_ZERO_COLUMNS <= count < width and count >= width // 8:
        d.problem("zero_columns", first=first, last=first + count - 1, width=width)


def report_rounding(d: Diagnosis, evidence: str) -> None:
    """Report earlier steps in half precision, and numbers that were rounded when printed."""
    rounding = d.rounding
    if rounding.half and rounding.where != "values":
        d.problem(f"half_precision_{_name_step(rounding)}", evidence, form=rounding.rough)
    if rounding.digits:
        d.problem("printed", evidence, digits=rounding.digits)


def fill_literal(d: Diagnosis, scheme: str, recipe: FixedValues, x: Floats) -> None:
    """Fill in a diagnosis whose recipe stores its values, as for a mask or a constant table."""
    d.scheme, d.residual, d.sure = scheme, 0.0, True
    d.recipe, d.seen = recipe, x


def fill_spacing(d: Diagnosis, spacing: _spacing.Spacing, n: int) -> None:
    """Fill in the base, exponent and scaling of n frequencies, and equivalent descriptions."""
    # A base is computed as a power, so rounding to twelve digits removes its rounding errors.
    d.readings = [(round_significant(base, 12), name) for base, name in spacing.readings]
    d.base, d.exponent = d.readings[0]
    d.scaling, d.factor, d.width = spacing.scaling, spacing.factor, 2 * n
    d.details.update(spacing.details)
    if spacing.scaling == "proportional":
        d.other("zeroed_tail", count=n - int(spacing.details["turning_pairs"]))
    _report_ntk_scaling(d, spacing, n)
    _mention_other_width(d, spacing, n)
    _report_exponent(d, spacing)
    _report_logarithm(d, spacing.base)
    _report_factor(d, spacing)
    if "pairs_from_one" in spacing.details:
        d.problem("pairs_from_one", other=float(1 / spacing.w[0]))
    d.picture = {"frequencies": np.abs(spacing.explained).tolist(), "rule": spacing.w.tolist()}


def _report_ntk_scaling(d: Diagnosis, spacing: _spacing.Spacing, n: int) -> None:
    """If an unusual base is a common base after NTK scaling, mention that base and its factor."""
    if spacing.exponent != "2i/d" or spacing.scaling != "none":
        return
    is_odd = _numbers.round_to_chosen(spacing.base, 1e-6)[1] > 2
    if is_odd and (ntk := _spacing.find_ntk_scaling(spacing.base, n, 2e-6)):
        d.details["ntk"] = {"base": ntk[0], "factor": ntk[1]}
        d.other("ntk", base=ntk[0], factor=ntk[1])


def _mention_other_width(d: Diagnosis, spacing: _spacing.Spacing, n: int) -> None:
    """Mention a common base with another width that gives the same frequencies."""
    if spacing.exponent != "2i/d" or spacing.scaling != "none":
        return
    reading = _spacing.find_other_width(spacing.base, 2 * n, OTHER_WIDTH_DOUBT)
    if reading is not None:
        base, width = reading
        d.details["other_width"] = width
        d.other("other_width", count=n, base=base, width=width, actual=2 * n)


def _report_exponent(d: Diagnosis, spacing: _spacing.Spacing) -> None:
    """Report a wrong exponent, or list the other bases and exponents that fit equally well."""
    usual = {name: base for base, name in d.readings}.get("2i/d")
    is_short = d.scheme == "rotary" and usual and _numbers.round_to_chosen(usual, 1e-9)[1] <= 2
    if spacing.exponent in ("4i/d", "i/d") and (is_short or usual in (100.0, 1e8)):
        d.base, d.exponent = usual, "2i/d"
        d.readings.sort(key=lambda reading: reading[1] != "2i/d")
    if d.exponent in ("4i/d", "i/d"):
        d.problem("doubled_exponent" if d.exponent == "4i/d" else "halved_exponent", other=usual)
    elif d.exponent != spacing.exponent and d.scheme == "sinusoidal":
        base, exponent = spacing.base, spacing.exponent
        d.problem("either_exponent", base=usual, other=base, exponent=exponent)
    else:
        for base, exponent in d.readings[1:]:
            d.other("same", exponent=exponent, base=base)


def _report_logarithm(d: Diagnosis, base: float) -> None:
    """Report a base that is e to the power of a usual base's logarithm to base 10."""
    for usual in _numbers.BASES:
        power = log10(usual)
        if power > 3 and abs(log(base) / power - 1) < 1e-7:
            d.problem("base_log10", base=base, power=power, usual=usual)


def _report_factor(d: Diagnosis, spacing: _spacing.Spacing) -> None:
    """Report angles in degrees and multiplied frequencies, and explain a step in frequencies."""
    factor, base = spacing.factor, spacing.base
    if spacing.scaling == "linear" and factor and abs(factor * pi / 180 - 1) < 1e-6:
        d.problem("degrees", base=base)
    elif spacing.scaling == "linear" and factor and abs(factor * 180 / pi - 1) < 1e-6:
        d.problem("in_degrees", base=base)
    elif spacing.scaling == "linear" and factor and factor < 1:
        d.problem("frequencies_multiplied", times=1 / factor, base=base)
    if "step" in spacing.details:
        d.other("step", pair=spacing.details["step"], factor=factor)


def fill_waves(d: Diagnosis, proof: Proof, x: Floats, known_rows: Iterable[int], mend: str) -> None:
    """Fill in the diagnosis of a table or cache (T, columns), and decide whether it is certain.

    The `known_rows` were already reported. The text `mend` says how to repair other wrong rows.
    """
    waves: Waves = proof.recipe
    spacing, evidence = waves.spacing, fill_proof(d, proof, x)
    d.layout, d.order = waves.order.layout, waves.order.order
    d.amplitude = abs(waves.amplitude)
    d.first_position, d.direction = waves.first, waves.direction
    fill_spacing(d, spacing, spacing.w.size)
    _report_direction(d, waves, len(x), evidence, known_rows)
    _report_order(d, waves, evidence)
    report_rounding(d, evidence)
    report_exceptions(d, evidence, mend, known_rows)
    report_amplitude(d, proof, evidence)
    _note_constant_columns(d, proof, x)
    factor = spacing.factor or 1.0
    if d.scheme == "sinusoidal" and factor > 2 and len(x) - 1 <= factor <= len(x) + 1:
        d.problem("positions_divided", evidence, factor=factor)
    entries = (x.shape[0] - len(proof.rows)) * x.shape[1]
    # If a base was measured in half precision, wrong pairs may have distorted it.
    is_measured = _numbers.round_to_chosen(spacing.base, 1e-6)[1] > 3
    bends = proof.rounding.form in HALVES and is_measured and proof.pairs
    enough = entries >= LEAST_ENTRIES and spacing.evidence >= LEAST_EVIDENCE
    d.sure = bool(enough and spacing.usual and not bends)


def _report_direction(
    d: Diagnosis, waves: Waves, rows: int, evidence: str, known_rows: Iterable[int]
) -> None:
    """Report rows in reverse order and clockwise rotation, and note a first position other than 0.

    If the `known_rows` before position 0 are all padding, no note says so again.
    """
    last = -waves.first - rows + 1
    if d.direction == -1 and waves.first < 0:
        name = "counted_down" if last else "reversed"
        d.problem(name, evidence, first=-waves.first, last=last)
        return
    if d.direction == -1:
        d.problem("clockwise", evidence)
    is_padded = waves.first < 0 and {*range(int(-waves.first))} <= {*known_rows}
    if waves.first != 0 and not is_padded:
        d.note("first_position", first=waves.first)


def report_first_position(d: Diagnosis) -> None:
    """Report a first position other than 0, where a configuration or a function needs position 0.

    An array that was given alone may begin anywhere, so there it is only a note.
    """
    is_other = any(name in d.problems for name in ("counted_down", "reversed", "parts_shifted"))
    if d.sure and d.scheme in ("rotary", "sinusoidal") and d.first_position and not is_other:
        evidence = f"largest residual {format_bound(d.residual or 0.0)}"
        d.problem("first_position", evidence, first=d.first_position)


def _report_order(d: Diagnosis, waves: Waves, evidence: str) -> None:
    """Report columns in reverse order, or any other mistake in the order of the columns."""
    if waves.backwards:
        is_cosine_first = waves.order.order == "cosine first"
        d.problem("columns_reversed", evidence, what="columns" if is_cosine_first else "pairs")
        d.order = "sine first" if is_cosine_first else d.order
    elif waves.order.problem:
        d.problem(waves.order.problem, evidence, **waves.order.words)


def _note_constant_columns(d: Diagnosis, proof: Proof, x: Floats) -> None:
    """Add a note about columns whose pairs rotate so slowly that rounding makes them constant."""
    good, pair = np.delete(np.arange(len(x)), proof.rows), proof.recipe.pair
    turning = (proof.recipe.w[pair] > 0) & ~np.isin(pair, proof.pairs)
    columns = np.flatnonzero(turning & (x[good] == x[good[0]]).all(axis=0))
    if columns.size:
        d.note("constant", count=columns.size, column=int(columns[0]), form=proof.rounding.form)
    empty = np.flatnonzero(np.isin(pair, proof.pairs) & ~x[good].any(axis=0))
    if empty.size:
        d.note("zero_columns", count=empty.size, column=int(empty[0]))


def report_amplitude(d: Diagnosis, proof: Proof, evidence: str) -> None:
    """Report an amplitude other than 1, unless YaRN or longrope explains it."""
    amplitude, spacing = abs(proof.recipe.amplitude), proof.recipe.spacing
    is_rotary = d.scheme == "rotary"
    if proof.recipe.amplitude < 0:
        d.problem("negated", evidence)
    doubt = max(1e-4, 3 * _formats.UNIT[proof.rounding.form])
    is_longrope = is_rotary and spacing.scaling == "longrope"
    if amplitude == 1.0 or (is_longrope and 1 < amplitude < LONGROPE_AMPLITUDE):
        return
    may_grow = is_rotary and (spacing.scaling == "yarn" or "step" in spacing.details)
    factor = spacing.factor
    if may_grow and factor and abs(amplitude - temperature(factor)) < 3 * doubt:
        d.amplitude, d.scaling = temperature(factor), "yarn"  # llama3 has no amplitude of this kind
    elif abs(amplitude - 2) < 2 * doubt:
        d.amplitude = 2.0
        d.problem("added_twice", evidence)
    elif d.scheme == "sinusoidal" and (root := _name_root(amplitude, d.width or 0, doubt)):
        d.note("root_of_width", amplitude=amplitude, root=root)
    else:
        d.problem("amplitude", evidence, amplitude=amplitude)


def _name_root(amplitude: float, width: int, doubt: float) -> str:
    """Say which root of the width an amplitude is, or return "" if it is none.

    >>> _name_root(8.0, 64, 1e-4), _name_root(0.125, 64, 1e-4), _name_root(3.0, 64, 1e-4)
    ('the root of the width', '1 divided by the root of the width', '')
    """
    if abs(amplitude**2 / width - 1) < 2 * doubt:
        return "the root of the width"
    return "1 divided by the root of the width" if abs(amplitude**2 * width - 1) < 2 * doubt else ""
