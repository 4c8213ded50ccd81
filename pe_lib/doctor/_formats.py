"""Round numbers to one of four number formats, and find the number format of an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# The largest relative rounding error of each format, with 53, 24, 11 and 8 binary digits.
UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
NARROW = ("bfloat16", "float16", "float32")
# About this many entries are tried before the whole array.
SAMPLE = 4096


def round_to(values: Any, form: str) -> Floats:
    """Round values to a number format, with ties to even, and return the result in float64."""
    x: Floats = np.asarray(values, np.float64)
    if form == "float64":
        return x
    with np.errstate(over="ignore", invalid="ignore"):
        if form == "float16":
            return np.asarray(x.astype(np.float16), np.float64)
        single = x.astype(np.float32)
        if form == "float32":
            return np.asarray(single, np.float64)
        # A bfloat16 is the upper half of a float32, so round to nearest and drop the lower half.
        bits = single.view(np.uint32)
        upper = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) & np.uint32(0xFFFF0000)
        return np.asarray(np.where(np.isfinite(single), upper.view(np.float32), single), np.float64)


def narrowest_format(x: Floats) -> str:
    """Return the narrowest number format that holds all numbers in x exactly, ignoring NaN."""
    # A small sample rules out most formats quickly.
    sample = x.reshape(-1)[:: max(1, x.size // SAMPLE)]
    for form in NARROW:
        if all(((round_to(y, form) == y) | (y != y)).all() for y in (sample, x)):
            return form
    return "float64"


def printed_digits(x: Floats) -> tuple[float, str] | None:
    """Return the rounding error and the number of digits if x looks printed, and otherwise None.

    The error is absolute for a number of decimals, and relative for a number of digits.

    >>> printed_digits(np.array([0.8415, -0.5403]))
    (5e-05, '4 decimals')
    >>> printed_digits(np.array([0.86596, 1.7783e-05]))
    (5e-05, '5 digits')
    """
    sample = x.reshape(-1)[:: max(1, x.size // SAMPLE)].tolist()
    for count in range(2, 10):  # a few significant digits are tried before many decimals
        for form, k, word in (("f", count, "decimals"), ("e", count - 1, "digits")):
            if 2 <= k <= 8 and all(float(f"{v:.{k}{form}}") == v for v in sample):
                return 0.5 * 10.0**-k, f"{count} {word}"
    return None
