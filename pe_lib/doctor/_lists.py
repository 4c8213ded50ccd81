"""One row of numbers: slopes of ALiBi, or frequencies (`inv_freq`)."""

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _biases, _fill, _formats, _numbers, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import HALVES, Floats, Given

FEW = 12  # rules tried


def numbers(w: Floats) -> Diagnosis:
    """The diagnosis of n numbers that may be slopes, or frequencies, fastest first."""
    d = Diagnosis(width=2 * w.size)
    finite = np.isfinite(w)
    if not finite.all():
        place = f"pair {told(int(np.argmin(finite)))}"
        d.problem("not_finite", count=int((~finite).sum()), place=place)
    elif not w.any():
        _fill.itself(d, "none", Given(w[None]), w[None])
        d.problem("all_zero")
        return d
    elif _biases.slopes_alone(d, w):
        return d
    if not _frequencies(d, w, finite):
        _unlike(d, w, finite)
    return d


def _frequencies(d: Diagnosis, w: Floats, finite: NDArray[np.bool_]) -> bool:
    """Whether a rule gives the frequencies back, but for a few."""
    values = _proof.held(w)
    size = np.ones(w.size) if "digits" in values.digits else np.abs(np.where(w == 0, 1e-300, w))
    least = 5e-14 if values.form == "float64" else 1.5e-7
    doubt = np.where(finite & (w >= 0), np.maximum(least, values.printed / size), 1.0)
    rules = islice(_spacing.explain(np.where(finite, w, 1.0), doubt), FEW)
    guesses = (Given(s.w[None], s, listed=True) for s in rules)
    proof = _proof.best_of(guesses, w[None], values, np.zeros(1, np.int64))
    if proof is None or proof.rows:
        return False
    d.scheme, s = "rotary", proof.recipe.source
    evidence = _fill.proven(d, proof, w[None])
    pairs = sorted({*proof.pairs, *(pair for _, pair in proof.entries)})
    d.exceptions.update(rows=[], pairs=pairs, entries=[])
    _fill.spacing(d, s, w.size)
    d.where = "frequencies"
    _fill.rounding(d, evidence)
    lost = [pair for pair in pairs if finite[pair]]
    if lost:
        d.problem("pairs_off", evidence, count=len(lost), pair=lost[0])
    known = s.base in _numbers.BASES or s.scaling in ("yarn", "llama3", "longrope")
    if not values.digits and values.form not in HALVES:  # then any base is near
        known = known or "ntk" in d.details or _numbers.chosen(s.base, 1e-9)[1] <= 3
    if s.exponent == "i/(d/2-1)":  # numpy's logspace makes all others
        known = s.base == 1e4 and s.scaling == "none"
    enough = w.size > 2 or (s.base in _numbers.BASES and bool(w[0] == 1))
    d.sure = known and s.usual and enough and s.evidence >= (12 if lost else 6)
    if not known:
        d.scheme = "geometric"
        d.other("geometric", ratio=float(s.w[1] / s.w[0]), base=s.base)
    d.other("no_layout")
    d.picture = {"frequencies": np.where(finite, w, 0.0).tolist(), "rule": s.w.tolist()}
    return True


def _unlike(d: Diagnosis, w: Floats, finite: NDArray[np.bool_]) -> None:
    """What can be said of numbers that follow no rule."""
    d.width = None
    falling = (np.diff(w) < 0) | ((w[1:] == 0) & (w[:-1] == 0))
    if _formats.held(w[finite]) in HALVES:  # neighbours rounded to one number
        falling |= (np.diff(w) == 0) & (w[1:] > 0)
    if finite.all() and (w < 0).any():
        d.problem("negative", pair=int(np.argmax(w < 0)))
    elif finite.all() and not falling.all():
        d.problem("not_falling", pair=int(np.argmin(falling)) + 1)
