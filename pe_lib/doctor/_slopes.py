"""Slopes of ALiBi: the program's, the paper's, scaled, or in another order."""

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import alibi_slopes
from pe_lib.doctor import _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import chosen, told

Floats = NDArray[np.float64]


def slopes(d: Diagnosis, m: Floats, known: bool = False) -> bool:
    """Whether the positive numbers m (heads,) are slopes; if so, d says which.

    With `known`, the numbers were read off a bias that falls in lines, and are slopes for certain.
    """
    heads = m.size
    if heads >= 2**16 or (heads < 2 and not known) or (m <= 0).any():
        return False
    form = _formats.held(m)
    unit = max(_formats.UNIT[form], 1e-7)
    program = alibi_slopes(heads)
    paper = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)

    def off(x: Floats, y: Floats) -> float:
        return float(np.abs(x / y - 1).max())

    d_new: list[tuple[str, dict[str, str]]] = []
    count = told(heads)
    if off(m, program) <= 4 * unit:
        residual = off(m, program)
    elif off(m, paper) <= 4 * unit:
        residual = off(m, paper)
        d_new.append(("slopes_of_the_paper", {"heads": count}))
    elif heads > 2 and off(np.sort(m), np.sort(program)) <= 4 * unit:
        residual = off(np.sort(m), np.sort(program))
        d_new.append(("slopes_order", {"heads": count}))
    elif (known or heads > 7) and off(m / m[0], program / program[0]) <= 8 * unit:
        residual = off(m / m[0], program / program[0])
        factor = chosen(float(m[0] / program[0]), 8 * unit)[0]
        if not known and (abs(m[0] - 1) < 1e-6):
            return False  # frequencies from 1 with base 256
        d_new.append(("slopes_scaled", {"heads": count, "factor": told(factor)}))
        d.factor = factor
    elif known:
        residual = off(m, program)
        d_new.append(("slopes", {"heads": count}))
    else:
        return False
    d.scheme, d.width, d.residual = "alibi", None, residual
    d.details["heads"] = heads
    d.precision, d.where = "float64" if residual < 1e-12 else form, "values"
    d.sure = known or heads > 3 or (heads > 1 and not d_new)
    for name, words in d_new:
        d.problem(name, **words)
    return True
