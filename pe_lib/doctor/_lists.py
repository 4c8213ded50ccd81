"""One row of numbers: slopes of ALiBi, or frequencies (`inv_freq`)."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import alibi_slopes
from pe_lib.doctor import _fill, _formats, _numbers, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import HALVES, Floats
from pe_lib.doctor._recipes import Given
from pe_lib.doctor._sentences import other

FEW = 12  # rules tried
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
        d.recipe, d.rounding, d.seen = Given(w[None]), _proof.Rounding("float64"), w[None]
        d.problem("all_zero")
        return d
    elif _slopes(d, w):
        return d
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
    rules = islice(_spacing.explain(np.where(finite, w, 1.0), doubt, True), FEW)
    guesses = ((Given(s.w[None], None, True), s) for s in rules)
    proof, recipe, s = _proof.best_of(guesses, w[None], values, ONE)
    if proof.kind == 2 or proof.rows:
        return False
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
    known = s.base in _numbers.BASES or s.scaling in ("yarn", "llama3", "longrope")
    if not values.digits and values.form not in HALVES:  # then any base is near
        known = known or "ntk" in d.details or _numbers.chosen(s.base, 1e-9)[1] <= 3
    if s.exponent == "i/(d/2-1)":  # numpy's logspace makes all others
        known = s.base == 1e4 and s.scaling == "none"
    enough = w.size > 2 or (s.base in _numbers.BASES and bool(w[0] == 1))
    d.sure = known and s.usual and enough and s.evidence >= (12 if lost else 6)
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
    if finite.all() and (w < 0).any():
        d.problem("negative", pair=told(int(np.argmax(w < 0))))
    elif finite.all() and not falling.all():
        d.problem("not_falling", pair=told(int(np.argmin(falling)) + 1))


Slopes = tuple[str, Floats, bool]  # what is wrong with them, (heads,), and whether it is believed


def slopes(m: Floats, bias: bool) -> Iterator[Slopes]:
    """What numbers m (heads,) may be as slopes; of a `bias` of lines more is believed."""
    heads = m.size
    program = alibi_slopes(heads)
    yield "", program, heads > 2 or bias
    yield "slopes_of_the_paper", 2.0 ** (-8 * np.arange(1, heads + 1) / heads), heads > 3 or bias
    order = np.argsort(np.argsort(-m))
    yield "slopes_order", np.sort(program)[::-1][order], heads > 3
    factor = _numbers.chosen(float(np.median(m / program)), 1e-6)[0]
    if not factor > 0:
        return
    times = max(factor, 1 / factor)  # the root of a head's width, or what a kernel takes out
    usual = any(x % 8 == 0 or x in (2, 4) for x in (times, round(times**2, 6)))
    if bias or (heads >= 8 and abs(m[0] - 1) > 1e-6):  # else frequencies from 1 with base 256
        yield "slopes_scaled", factor * program, bias and usual


def named(d: Diagnosis, found: Slopes, m: Floats) -> None:
    """Fill d for slopes that were found."""
    problem, row, believed = found
    heads = m.size
    d.scheme, d.width, d.details["heads"] = "alibi", None, heads
    if problem == "slopes":
        d.alternatives.append(other("lines", slopes=", ".join(told(float(v)) for v in m[:4])))
    if heads == 1 and problem:  # one head of many: its slope is one of some number of heads
        whole = np.log2(m[0]) * 2
        believed, problem = bool(m[0] < 1 and whole == np.floor(whole)), ""
    words = {"heads": told(heads)}
    if problem == "slopes_scaled":
        d.factor = float(row[0] / alibi_slopes(heads)[0])
        words["factor"] = told(d.factor)
    if problem:
        d.problem(problem, **words)
    d.sure = believed


def _slopes(d: Diagnosis, m: Floats) -> bool:
    """Whether the numbers m (heads,) are slopes; if so, d says which, and how surely."""
    if not 2 <= m.size < 2**16 or (m <= 0).any():
        return False
    guesses = ((Given(found[1][None], None, True), found) for found in slopes(m, False))
    proof, recipe, found = _proof.best_of(guesses, m[None], _proof.held(m), ONE)
    if proof.kind:
        return False
    _fill.proven(d, recipe, proof, m[None])
    d.where = "values"
    named(d, found, m)
    return True
