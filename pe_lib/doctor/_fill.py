"""From a proven recipe to the keys of a diagnosis, the same for tables, caches and lists."""

from collections.abc import Iterable
from math import pi

import numpy as np

from pe_lib.context import temperature
from pe_lib.doctor import _formats, _numbers, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._numbers import format_bound, round_significant
from pe_lib.doctor._proof import HALVES, FixedValues, Proof, Waves


def fill_proof(d: Diagnosis, proof: Proof, x: Floats) -> str:
    """What a proof says of any array: the recipe, its rounding, the exceptions; the evidence."""
    d.recipe, d.rounding, d.seen = proof.recipe, proof.rounding, x
    d.exceptions.update(rows=proof.rows, pairs=proof.pairs, entries=proof.entries)
    d.residual, r = proof.residual, proof.rounding
    d.precision, d.where = r.form, r.where
    if r.half or (r.rough and r.where != "values"):
        d.precision = r.rough
    return f"largest residual {format_bound(proof.residual)}"


def report_exceptions(
    d: Diagnosis, evidence: str, mend: str, known: Iterable[int], pairs_are: str = "pairs"
) -> None:
    """Rows, pairs and entries that the rule does not explain; `known` rows were named before."""
    rows = sorted({*d.exceptions["rows"]} - {*known})
    pairs, entries = d.exceptions["pairs"], d.exceptions["entries"]
    if rows:
        d.problem("rows_off", evidence, count=len(rows), row=rows[0], mend=mend)
    if pairs:
        d.problem(f"{pairs_are}_off", evidence, count=len(pairs), pair=pairs[0])
    if entries:
        row, column = entries[0]
        d.problem("entries_off", evidence, count=len(entries), row=row, column=column)


def report_rounding(d: Diagnosis, evidence: str) -> None:
    """Half precision on the way, and digits that were lost in print."""
    r = d.rounding
    if r.half and r.where != "values":
        d.problem(f"half_precision_{r.where}", evidence, form=r.rough)
    if r.digits:
        d.problem("printed", evidence, digits=r.digits)


def fill_literal(d: Diagnosis, scheme: str, recipe: FixedValues, x: Floats) -> None:
    """Numbers that stand for themselves, to the last bit: masks, and what tells nothing apart."""
    d.scheme, d.residual, d.sure = scheme, 0.0, True
    d.recipe, d.seen = recipe, x


def fill_spacing(d: Diagnosis, s: _spacing.Spacing, n: int) -> None:
    """What the frequencies say: base, exponent, scaling, and what else gives the same ones."""
    d.readings = [
        (round_significant(base, 12), name) for base, name in s.readings
    ]  # as it is written
    d.base, d.exponent = d.readings[0]
    d.scaling, d.factor, d.width = s.scaling, s.factor, 2 * n
    d.details.update(s.details)
    usual = {name: base for base, name in d.readings}.get("2i/d")
    nobodys = (
        s.exponent == "2i/d"
        and s.scaling == "none"
        and _numbers.round_to_chosen(s.base, 1e-6)[1] > 2
    )
    if nobodys and (ntk := _spacing.find_ntk_scaling(s.base, n, 2e-6)):  # it is another base
        d.details["ntk"] = {"base": ntk[0], "factor": ntk[1]}
        d.other("ntk", base=ntk[0], factor=ntk[1])
    short = d.scheme == "rotary" and usual and _numbers.round_to_chosen(usual, 1e-9)[1] <= 2
    if s.exponent in ("4i/d", "i/d") and (short or usual in (100.0, 1e8)):
        d.base, d.exponent = usual, "2i/d"
        d.readings.sort(key=lambda reading: reading[1] != "2i/d")
    if d.exponent in ("4i/d", "i/d"):
        d.problem("doubled_exponent" if d.exponent == "4i/d" else "halved_exponent", other=usual)
    elif d.exponent != s.exponent and d.scheme == "sinusoidal":
        d.problem("either_exponent", base=usual, other=s.base, exponent=s.exponent)
    else:
        for base, kind in d.readings[1:]:
            d.other("same", exponent=kind, base=base)
    if s.scaling == "linear" and s.factor and abs(s.factor * pi / 180 - 1) < 1e-6:
        d.problem("degrees", base=s.base)
    elif s.scaling == "linear" and s.factor and s.factor < 1:
        d.problem("frequencies_multiplied", times=1 / s.factor, base=s.base)
    if "step" in s.details:
        d.other("step", pair=s.details["step"], factor=s.factor)
    if "pairs_from_one" in s.details:
        d.problem("pairs_from_one", other=float(1 / s.w[0]))
    d.picture = {"frequencies": np.abs(s.seen).tolist(), "rule": s.w.tolist()}


def fill_waves(d: Diagnosis, proof: Proof, x: Floats, known: Iterable[int], mend: str) -> None:
    """What the whole array says: start, direction, size, precision, and how well it fits."""
    f: Waves = proof.recipe
    s, evidence = f.spacing, fill_proof(d, proof, x)
    d.layout, d.order, d.amplitude = f.order.layout, f.order.order, abs(f.amplitude)
    d.first_position, d.direction = f.first, f.direction
    fill_spacing(d, s, s.w.size)
    last = -f.first - len(x) + 1
    if d.direction == -1 and f.first < 0:
        name = "counted_down" if last else "reversed"
        d.problem(name, evidence, first=-f.first, last=last)
    else:
        if d.direction == -1:
            d.problem("clockwise", evidence)
        if f.first != 0:
            d.problem("first_position", evidence, first=f.first)
    if f.backwards:
        columns = f.order.order == "cosine first"
        d.problem("columns_reversed", evidence, what="columns" if columns else "pairs")
        d.order = "sine first" if columns else d.order
    elif f.order.problem:
        d.problem(f.order.problem, evidence, **f.order.words)
    report_rounding(d, evidence)
    report_exceptions(d, evidence, mend, known)
    _report_amplitude(d, proof, evidence)
    _note_constant_columns(d, proof, x)
    entries = (x.shape[0] - len(proof.rows)) * x.shape[1]
    near = (
        proof.rounding.form in HALVES and _numbers.round_to_chosen(s.base, 1e-6)[1] > 3
    )  # a measured base
    d.sure = entries >= 24 and s.evidence >= 4 and s.usual and not (near and proof.pairs)


def _note_constant_columns(d: Diagnosis, proof: Proof, x: Floats) -> None:
    """Columns of turning pairs that rounding makes constant, of which no more can be known."""
    good, pair = np.delete(np.arange(len(x)), proof.rows), proof.recipe.pair
    turning = (proof.recipe.w[pair] > 0) & ~np.isin(pair, proof.pairs)
    columns = np.flatnonzero(turning & (x[good] == x[good[0]]).all(axis=0))
    if columns.size:
        d.note("constant", count=columns.size, column=int(columns[0]), form=proof.rounding.form)


def _report_amplitude(d: Diagnosis, proof: Proof, evidence: str) -> None:
    """A size other than 1: YaRN's or longrope's own, twice, or another."""
    a, s = abs(proof.recipe.amplitude), proof.recipe.spacing
    if proof.recipe.amplitude < 0:
        d.problem("negated", evidence)
    doubt = max(1e-4, 3 * _formats.UNIT[proof.rounding.form])
    if a == 1.0 or (d.scheme == "rotary" and s.scaling == "longrope" and 1 < a < 1.6):
        return
    grown = d.scheme == "rotary" and (s.scaling == "yarn" or "step" in s.details)
    if grown and s.factor and abs(a - temperature(s.factor)) < 3 * doubt:
        d.amplitude, d.scaling = temperature(s.factor), "yarn"  # llama3 has no attention factor
    elif abs(a - 2) < 2 * doubt:
        d.amplitude = 2.0
        d.problem("added_twice", evidence)
    else:
        d.problem("amplitude", evidence, amplitude=a)
