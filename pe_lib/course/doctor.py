"""Add a drawing to each diagnosis in a notebook: its frequencies, and the rule that explains them.

from pe_lib.course.doctor import identify
"""

import numpy as np

from pe_lib.course import figures
from pe_lib.doctor import Diagnosis, compare, identify, probe

__all__ = ["compare", "identify", "probe"]


def draw_spectrum(d: Diagnosis) -> dict[str, str]:
    """Draw the frequencies of a diagnosis, if it has any, as SVG with a text alternative."""
    if "rule" not in d.picture:
        return {}
    measured, rule = (np.asarray(d.picture[name], float) for name in ("frequencies", "rule"))
    turning = (measured > 0) & (rule > 0)
    off = np.where(turning, measured / np.where(turning, rule, 1.0) - 1, 0.0)
    fig, (above, below) = figures.subplots(4.4, 3.4, 2, 1, sharex=True, height_ratios=[3, 1])
    pair = np.arange(rule.size)
    above.semilogy(pair[rule > 0], rule[rule > 0], color=figures.PALETTE["orange"])
    above.semilogy(
        pair[measured > 0], measured[measured > 0], "o", ms=3, color=figures.PALETTE["blue"]
    )
    above.set_ylabel("radians per position")
    above.set_title("dots: measured, line: the rule", size=10)
    below.bar(pair, 100 * off, color=figures.PALETTE["ink"])
    below.set(xlabel="pair", ylabel="off, %")
    alt = (
        f"The frequencies of {rule.size} pairs, as measured and by the rule; below, how far each "
        f"is off the rule, at most {100 * np.abs(off).max():.2g} percent."
    )
    return {"image/svg+xml": figures.svg(fig, alt)}


Diagnosis.draw = (draw_spectrum,)
