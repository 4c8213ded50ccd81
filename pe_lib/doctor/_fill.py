"""From a proven recipe to the keys of a diagnosis, the same for tables, caches and lists."""

from math import pi, sqrt

import numpy as np

from pe_lib.context import temperature
from pe_lib.doctor import _formats, _numbers, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import bound, told
from pe_lib.doctor._proof import Floats, Proof, Recipe
from pe_lib.doctor._sentences import note, other
from pe_lib.doctor._turning import Found


def proven(d: Diagnosis, recipe: Recipe, proof: Proof, x: Floats) -> str:
    """What a proof says of any array: the recipe, its rounding, the exceptions; the evidence."""
    d.recipe, d.rounding, d.seen = recipe, proof.rounding, x
    d.exceptions.update(rows=proof.rows, pairs=proof.pairs, entries=proof.entries)
    d.residual, r = proof.residual, proof.rounding
    d.precision, d.where = r.form, r.where
    if r.half or (r.rough and r.where != "values"):
        d.precision = r.rough
    return f"largest residual {bound(proof.residual)}"


def exceptions(d: Diagnosis, evidence: str, mend: str, known: set[int]) -> None:
    """Rows, pairs and entries that the rule does not explain; `known` rows were named before."""
    rows = [row for row in d.exceptions["rows"] if row not in known]
    pairs, entries = d.exceptions["pairs"], d.exceptions["entries"]
    if rows:
        d.problem("rows_off", evidence, count=told(len(rows)), row=told(rows[0]), mend=mend)
    if pairs:
        d.problem("pairs_off", evidence, count=told(len(pairs)), pair=told(pairs[0]))
    if entries:
        row, column = map(told, entries[0])
        d.problem("entries_off", evidence, count=told(len(entries)), row=row, column=column)


def rounding(d: Diagnosis, evidence: str) -> None:
    """Half precision on the way, and digits that were lost in print."""
    r = d.rounding
    assert r is not None
    if r.half and r.where != "values":
        d.problem(f"half_precision_{r.where}", evidence, form=r.rough)
    if r.digits:
        d.problem("printed", evidence, digits=r.digits)


def spacing(d: Diagnosis, s: _spacing.Spacing, n: int) -> None:
    """What the frequencies say: base, exponent, scaling, and what else gives the same ones."""
    d.base, d.exponent, d.readings = s.base, s.exponent, s.readings
    d.scaling, d.factor, d.width = s.scaling, s.factor, 2 * n
    d.details.update(s.details)
    usual = {name: base for base, name in s.readings}.get("2i/d")
    if s.exponent in ("4i/d", "i/d") and usual in (100.0, 1e8):
        d.problem("either_exponent", base=told(usual), other=told(s.base), exponent=s.exponent)
        d.base, d.exponent = usual, "2i/d"
        d.readings.sort(key=lambda reading: reading[1] != "2i/d")
    elif s.exponent in ("4i/d", "i/d"):
        name = "doubled_exponent" if s.exponent == "4i/d" else "halved_exponent"
        d.problem(name, other=told(usual))
    else:
        d.alternatives += [other("same", exponent=kind, base=told(base))
                           for base, kind in s.readings[1:]]  # fmt: skip
    if s.scaling == "linear" and s.factor and abs(s.factor * pi / 180 - 1) < 1e-6:
        d.problem("degrees", base=told(s.base))
    elif s.scaling == "linear" and s.factor and s.factor < 1:
        d.problem("frequencies_multiplied", times=told(1 / s.factor), base=told(s.base))
    if "step" in s.details:
        pair = told(int(s.details["step"]))
        d.alternatives.append(other("step", pair=pair, factor=told(s.factor)))
    if s.details.get("pairs_from_one"):
        d.problem("pairs_from_one", other=told(float(1 / s.w[0])))
    if s.exponent != "2i/d" or s.scaling != "none" or _numbers.chosen(s.base, 1e-6)[1] <= 2:
        return
    if ntk := _spacing.scaled_base(s.base, n, 2e-6):  # it is another base
        d.details["ntk"] = {"base": ntk[0], "factor": ntk[1]}
        d.alternatives.insert(0, other("ntk", base=told(ntk[0]), factor=told(ntk[1])))


def found(d: Diagnosis, f: Found, x: Floats, known: set[int], mend: str) -> None:
    """What the whole array says: start, direction, size, precision, and how well it fits."""
    recipe, s, n = f.recipe, f.spacing, f.spacing.w.size
    evidence = proven(d, recipe, f.proof, x)
    d.layout, d.order, d.amplitude = f.order.layout, f.order.order, recipe.amplitude
    d.first_position, d.direction = recipe.first, recipe.direction
    spacing(d, s, n)
    last = told(-d.first_position - len(x) + 1)
    if d.direction == -1 and d.first_position < 0:
        name = "reversed" if last == "0" else "counted_down"
        d.problem(name, evidence, first=told(-d.first_position), last=last)
    else:
        if d.direction == -1:
            d.problem("clockwise", evidence)
        if d.first_position != 0:
            d.problem("first_position", evidence, first=told(d.first_position))
    if f.backwards:
        columns = f.order.order == "cosine first"
        d.problem("columns_reversed", evidence, what="columns" if columns else "pairs")
        d.order = "sine first" if columns else d.order
    elif f.order.problem in ("cosine_before_sine", "swapped"):
        d.problem(f.order.problem, evidence)
    rounding(d, evidence)
    exceptions(d, evidence, mend, known)
    _amplitude(d, f, evidence)
    _constant(d, f, x)
    entries = (x.shape[0] - len(f.proof.rows)) * x.shape[1]
    d.sure = entries >= 24 and s.evidence >= 4 and s.usual
    d.picture = {"frequencies": np.abs(f.seen).tolist(), "rule": s.w.tolist()}


def _constant(d: Diagnosis, f: Found, x: Floats) -> None:
    """Columns of turning pairs that rounding makes constant, of which no more can be known."""
    good = x[np.setdiff1d(np.arange(len(x)), f.proof.rows)]
    pair = f.recipe.pair
    turning = (f.recipe.w[pair] > 0) & ~np.isin(pair, f.proof.pairs)
    columns = np.flatnonzero(turning & (good == good[0]).all(axis=0))
    if columns.size:
        count, column = told(columns.size), told(int(columns[0]))
        said = note("constant", count=count, column=column, form=f.proof.rounding.form)
        d.details.setdefault("notes", []).append(said)


def _amplitude(d: Diagnosis, f: Found, evidence: str) -> None:
    """A size other than 1: YaRN's or longrope's own, twice, or another."""
    a, s = f.recipe.amplitude, f.spacing
    doubt = max(1e-4, 3 * _formats.UNIT[f.proof.rounding.form])
    if a == 1.0 or (d.scheme == "rotary" and s.scaling == "longrope" and 1 < a < 1.6):
        return
    grown = d.scheme == "rotary" and (s.scaling == "yarn" or "step" in s.details)
    if grown and s.factor and abs(a - temperature(s.factor)) < 3 * doubt:
        d.amplitude, d.scaling = temperature(s.factor), "yarn"  # llama3 has no attention factor
    elif abs(a - 2) < 2 * doubt:
        d.amplitude = 2.0
        d.problem("added_twice", evidence)
    else:
        d.problem("amplitude", evidence, amplitude=told(a))


def own(d: Diagnosis, width: int) -> None:
    """A frequency for each dimension j: base^(-j/d), or base^(-2j/d) with the root of that base."""
    assert d.base is not None
    d.width = width
    ways = ("2j/d", sqrt(d.base)) if d.details["own_exponent"] == "j/d" else ("j/d", d.base**2)
    d.problem("own_frequencies")
    d.alternatives.append(other("own", exponent=ways[0], base=told(ways[1])))
