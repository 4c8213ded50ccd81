"""The four formats in which numbers are kept: rounding to each, and which one holds an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# the largest share by which rounding to the nearest is off: 53, 24, 11 and 8 binary digits
UNIT = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
NARROW = ("bfloat16", "float16", "float32")


def round_to(values: Any, form: str) -> Floats:
    """The nearest numbers of a format, ties to even, as float64."""
    x: Floats = np.asarray(values, np.float64)
    if form == "float64":
        return x
    with np.errstate(over="ignore", invalid="ignore"):
        if form == "float16":
            return np.asarray(x.astype(np.float16), np.float64)
        single = x.astype(np.float32)
        if form == "float32":
            return np.asarray(single, np.float64)
        bits = single.view(np.uint32)
        kept = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) & np.uint32(0xFFFF0000)
        return np.asarray(np.where(np.isfinite(single), kept.view(np.float32), single), np.float64)


def narrowest_format(x: Floats) -> str:
    """The narrowest format that holds every number of x: bfloat16, float16, float32 or float64."""
    few = x.reshape(-1)[:: max(1, x.size // 4096)]  # most formats are ruled out by a few numbers
    for form in NARROW:
        if all(((round_to(y, form) == y) | (y != y)).all() for y in (few, x)):
            return form
    return "float64"


def printed_digits(x: Floats) -> tuple[float, str] | None:
    """If these are numbers as somebody printed them: by how much they may be off, and in words.

    To so many decimals the bound is of the number itself, to so many digits a share of it.

    >>> printed_digits(np.array([0.8415, -0.5403]))
    (5e-05, '4 decimals')
    >>> printed_digits(np.array([0.86596, 1.7783e-05]))
    (5e-05, '5 digits')
    """
    few = x.reshape(-1)[:: max(1, x.size // 4096)].tolist()
    for count in range(2, 10):  # five digits before 8 decimals
        for form, k, word in (("f", count, "decimals"), ("e", count - 1, "digits")):
            if 2 <= k <= 8 and all(float(f"{v:.{k}{form}}") == v for v in few):
                return 0.5 * 10.0**-k, f"{count} {word}"
    return None
