"""One row of numbers: slopes of ALiBi, or frequencies (`inv_freq`)."""

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import alibi_slopes
from pe_lib.doctor import _fill, _formats, _numbers, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import HALVES, Floats
from pe_lib.doctor._recipes import Numbers
from pe_lib.doctor._sentences import other

FEW = 8  # rules tried
ONE = np.zeros(1, np.int64)  # the row of a list


def numbers(w: Floats) -> Diagnosis:
    """The diagnosis of n numbers that may be slopes, or frequencies, fastest first."""
    d = Diagnosis(width=2 * w.size)
    finite = np.isfinite(w)
    if not finite.all():
        place = f"pair {told(int(np.argmin(finite)))}"
        d.problem("not_finite", count=told(int((~finite).sum())), place=place)
    elif not w.any():
        d.scheme, d.residual, d.sure = "none", 0.0, True
        d.recipe, d.rounding, d.seen = Numbers(w), _proof.Rounding("float64"), w[None]
        d.problem("all_zero")
        return d
    elif slopes(d, w):
        return d
    if finite.any() and (w[finite] < 0).all():
        turned = numbers(-w)
        if turned.scheme in ("rotary", "alibi") and isinstance(turned.recipe, Numbers):
            turned.recipe, turned.seen = Numbers(-turned.recipe.row), w[None]
            if turned.scheme == "rotary":
                turned.direction = -1
                turned.problem("clockwise")
            elif turned.problems:
                turned.sure = False
            else:
                turned.problem("slopes_scaled", heads=told(w.size), factor=told(-1))
        return turned
    if not _frequencies(d, w, finite):
        _unlike(d, w, finite)
    return d


def _frequencies(d: Diagnosis, w: Floats, finite: NDArray[np.bool_]) -> bool:
    """Whether a rule gives the frequencies back, but for a few."""
    values = _proof.held(w)
    doubt = np.full(w.size, 5e-14 if values.form == "float64" else 1.5e-7)
    if values.printed:
        size = 1.0 if values.relative else np.maximum(np.abs(np.nan_to_num(w)), 1e-300)
        doubt = np.maximum(doubt, values.printed / size)
    doubt = np.where(finite & (w >= 0), doubt, 1.0)
    best: tuple[_proof.Proof, Numbers, _spacing.Spacing] | None = None
    for s in islice(_spacing.explain(np.where(finite, w, 1.0), doubt, True), FEW):
        recipe = Numbers(s.w, ramp=3 * _proof.SINGLE if s.scaling in ("yarn", "llama3") else 0.0)
        proof = _proof.prove(recipe, w[None], values, ONE)
        if best is None or proof.order < best[0].order:
            best = proof, recipe, s
        if proof.kind == 0:
            break
    if best is None or best[0].kind == 3 or best[0].rows:
        return False
    proof, recipe, s = best
    d.scheme = "rotary"
    evidence = _fill.proven(d, recipe, proof, w[None])
    pairs = sorted({*proof.pairs, *(pair for _, pair in proof.entries)})
    d.exceptions.update(rows=[], pairs=pairs, entries=[])
    _fill.spacing(d, s, w.size)
    d.where = "frequencies"
    _fill.rounding(d, evidence)
    lost = [pair for pair in pairs if finite[pair]]
    if lost:
        d.problem("pairs_off", evidence, count=told(len(lost)), pair=told(lost[0]))
    coarse = bool(values.digits) or values.form in HALVES  # then any base is near
    known = s.base in _numbers.BASES or s.scaling in ("yarn", "llama3", "longrope")
    known = known or (not coarse and ("ntk" in d.details or _numbers.chosen(s.base, 1e-9)[1] <= 3))
    if s.exponent == "i/(d/2-1)":  # numpy's logspace makes all others
        known = s.base == 1e4 and s.scaling == "none"
    enough = w.size > 2 or (s.base in _numbers.BASES and bool(w[0] == 1))
    wanted = 12 if proof.rounding.noise or lost else 6
    d.sure = known and s.usual and enough and s.evidence >= wanted
    if not known:
        d.scheme = "geometric"
        ratio = told(float(s.w[1] / s.w[0]))
        d.alternatives.insert(0, other("geometric", ratio=ratio, base=told(s.base)))
    d.alternatives.append(other("no_layout"))
    d.picture = {"frequencies": np.where(finite, w, 0.0).tolist(), "rule": s.w.tolist()}
    return True


def _unlike(d: Diagnosis, w: Floats, finite: NDArray[np.bool_]) -> None:
    """What can be said of numbers that follow no rule."""
    d.width = None
    falling = (np.diff(w) < 0) | ((w[1:] == 0) & (w[:-1] == 0))
    if _formats.held(w[finite]) in HALVES:  # neighbours rounded to one number
        falling |= (np.diff(w) == 0) & (w[1:] > 0)
    if not finite.all():
        return
    if (w < 0).any():
        d.problem("negative", pair=told(int(np.argmax(w < 0))))
    elif not falling.all():
        d.problem("not_falling", pair=told(int(np.argmin(falling)) + 1))
    elif w.size >= 8 and abs(w[0] - 1) < 1e-6:
        factors = _spacing.plain(w.size, 1e4) / np.maximum(w, 1e-300)
        if factors.min() > 0.9:
            d.scheme, d.scaling, d.base, d.exponent = "rotary", "longrope", 1e4, "2i/d"
            d.readings, d.width = [(1e4, "2i/d")], 2 * w.size
            least, largest = told(float(factors.min())), told(float(factors.max()))
            said = other("longrope", base=told(1e4), least=least, largest=largest)
            d.alternatives.append(said)


def slopes(d: Diagnosis, m: Floats, known: bool = False) -> bool:
    """Whether the positive numbers m (heads,) are slopes; if so, d says which, and how surely.

    With `known`, the numbers were read off a bias that falls in lines; then a quarter of the heads
    may be off.
    """
    heads = m.size
    lost = (m <= 0).sum() > (heads // 4 if known else 0)
    if heads >= 2**16 or (heads < 2 and not known) or lost:
        return False
    program = alibi_slopes(heads)
    paper = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    order = np.argsort(np.argsort(-m, kind="stable"), kind="stable")
    factor = _numbers.chosen(float(np.median(m / program)), 1e-6)[0]
    values = _proof.held(m)
    kinds = {
        "": (program, heads > 2 or known),
        "slopes_of_the_paper": (paper, heads > 3 or known),
        "slopes_order": (np.sort(program)[::-1][order], heads > 3),
        "slopes_scaled": (factor * program, heads > 3),
    }
    tried = []  # what is wrong with them, whether that is believed, and the proof
    for problem, (row, believed) in list(kinds.items())[: 2 if heads < 3 and not known else 4]:
        recipe = Numbers(row)
        tried.append((problem, believed, recipe, _proof.prove(recipe, m[None], values, ONE)))
    found = [x for x in tried if x[3].kind == 0]
    if known and not found and not tried[0][3].rows:
        found = [x for x in tried if x[3].kind == 1]
    if known and not found:
        recipe = Numbers(m)
        found = [("slopes", False, recipe, _proof.prove(recipe, m[None], values, ONE))]
        d.alternatives.append(other("lines", slopes=", ".join(told(float(v)) for v in m[:4])))
    if not found:
        return False
    problem, believed, recipe, proof = found[0]
    words = {"heads": told(heads)}
    if problem == "slopes_scaled":
        if not known and (heads < 8 or abs(m[0] - 1) < 1e-6):
            return False  # frequencies from 1 with base 256
        d.factor, words["factor"] = factor, told(factor)
        times = max(factor, 1 / factor)  # the root of a head's width, or what a kernel takes out
        believed = known and any(x % 8 == 0 or x in (2, 4) for x in (times, round(times**2, 6)))
    d.scheme, d.width, d.details["heads"] = "alibi", None, heads
    _fill.proven(d, recipe, proof, m[None])
    d.where = "values"
    if heads == 1 and problem:  # one head of many: its slope is one of some number of heads
        whole = np.log2(m[0]) * 2
        believed, problem = bool(m[0] < 1 and whole == np.floor(whole)), ""
    if problem:
        d.problem(problem, **words)
    d.sure = believed
    return True
