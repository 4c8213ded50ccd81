"""Round numbers to values that people choose, and format numbers for use in sentences.

The sentences and the usual numbers themselves are data, in `sentences.toml`.
"""

import tomllib
from math import floor, isfinite, log, log10
from pathlib import Path
from typing import Any

from pe_lib.checkpoints._scaling import SCALINGS

# The sentences and common numbers in sentences.toml, and the doctor's names for types of scaling.
# The doctor's web page gets the same data from _ext/doctor/__init__.py.
DATA: dict[str, Any] = {
    **tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8")),
    "scalings": {scaling.doctor_name: scaling.doctor_phrase for scaling in SCALINGS.values()},
    "scaling_names": {name: scaling.doctor_name for name, scaling in SCALINGS.items()},
}
BASES: list[float] = DATA["bases"]
LENGTHS: list[int] = DATA["trained_lengths"]
FACTORS: list[float] = DATA["factors"]
FAST_TURNS: list[float] = DATA["fast_turns"]
# Two bases or factors count as equal if their logarithms differ by less than this.
SAME = 1e-3


def is_same(a: float, b: float) -> bool:
    """Return whether two bases or factors are equal but for rounding.

    >>> is_same(10_000.0, 10_000.7), is_same(10_000.0, 10_100.0)
    (True, False)
    """
    return abs(log(a / b)) < SAME


def round_significant(x: float, digits: int) -> float:
    """Round x > 0 to `digits` significant digits. For example, 0.0347 becomes 0.03 with 1 digit."""
    power = floor(log10(x)) - digits + 1
    scale = 10.0 ** abs(power)
    whole = floor((x / scale if power >= 0 else x * scale) + 0.5)
    return whole * scale if power >= 0 else whole / scale


def round_to_chosen(x: float, doubt: float) -> tuple[float, int]:
    """Return the short number near x that a person probably chose, and its number of digits.

    `doubt` is the relative error of x. If no number of up to three digits is that near, x comes
    back with 9 digits. Numbers of one digit lie at least 10 % apart, and numbers of two digits 1 %,
    so more digits are believed only if `doubt` is at most a fifth of their distance.

    >>> round_to_chosen(9999.97, 1e-5), round_to_chosen(9800.0, 0.01)
    ((10000.0, 1), (10000.0, 1))
    >>> round_to_chosen(40889.9, 1e-7)
    (40889.9, 9)
    """
    if not (isfinite(x) and 1e-300 < x < 1e300):
        return x, 9
    for digits in (1, 2, 3):
        y = round_significant(x, digits)
        if doubt <= 0.2 * 10.0**-digits and abs(y / x - 1) <= 3 * doubt:
            return y, digits
    return x, 9


def format_number(x: float | None) -> str:
    """Format a number for a sentence. Numbers that are not whole get at most five digits.

    >>> [format_number(x) for x in (10000.0, 0.125, 2.5e-7, 40889.94, 1e8, 8659.64)]
    ['10,000', '0.125', '2.5e-07', '40,890', '100,000,000', '8,659.6']
    """
    if x is None:
        return "unknown"
    if not isfinite(x):
        return "not finite"
    size = abs(x)
    short = size if size < 1e15 and size == floor(size) else float(f"{size:.4e}")
    return f"{'-' if x < 0 else ''}{short:,.15g}"


def format_bound(x: float) -> str:
    """Format an error for a sentence as an upper bound that begins with 1, 2 or 5.

    A bound hides the last bits, which differ between processors.

    >>> [format_bound(x) for x in (3.1e-4, 1e-12, 2e-3, 0.6)]
    ['below 0.0005', 'below 1e-09', 'below 0.005', 'below 1']
    """
    top = _round_up(x)
    return "not finite" if top is None else f"below {format_number(top)}"


def format_share(x: float) -> str:
    """Format a relative difference for a sentence as an upper bound in percent.

    >>> [format_share(x) for x in (3.1e-4, 0.6, 3.2)]
    ['less than 0.05 %', 'less than 100 %', 'less than 500 %']
    """
    top = _round_up(x)
    return "an infinite share" if top is None else f"less than {format_number(100 * top)} %"


def _round_up(x: float) -> float | None:
    """Return the next number above x that begins with 1, 2 or 5, or None if x is not finite."""
    tops = (float(f"{step}e{power}") for power in range(-9, 300) for step in (1, 2, 5))
    return next((top for top in tops if x < top * 0.999), None)
