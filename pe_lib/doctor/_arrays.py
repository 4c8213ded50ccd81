"""Check and convert the arrays of real numbers that the doctor reads, and limit their size."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks
from pe_lib.doctor._formats import Floats

# the largest number of entries that are read from one array, which take 64 MB as float64
MAX_ENTRIES = 1 << 23
MAX_WIDTH = 1 << 16
MAX_TABLES = 64  # the number of tables that are read from a very large batch of tables


def to_numpy(x: Any) -> Any:
    """Convert a PyTorch tensor to a NumPy array (bfloat16 to float32). Return others unchanged."""
    if not hasattr(x, "detach"):
        return x
    x = x.detach().cpu()
    return (x.float() if "bfloat16" in str(x.dtype) else x).numpy()


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Convert `values` to an array of integers, floats or booleans. NaN and infinity are allowed.

    Raises TypeError or ValueError, with the `name` of the argument, for anything else.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array: fill or compress it")
    try:
        x = np.asarray(to_numpy(values))
    except ValueError:
        raise ValueError(f"{name} must form a rectangular array") from None
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got {x.dtype}: give its real and imaginary parts "
                        "as cosines and sines")  # fmt: skip
    if x.dtype.kind not in "biuf" and x.dtype.name != "bfloat16":
        raise TypeError(f"{name} must be an array of numbers, got {_checks.quote(values)}; "
                        "examine takes dictionaries, probe functions")  # fmt: skip
    return x


def read_floats(x: NDArray[Any], name: str) -> Floats:
    """Return the entries of `x` that the doctor examines, as float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(first_rows(x, name), np.float64)


def first_rows(x: NDArray[Any], name: str) -> NDArray[Any]:
    """Return only the first rows of a very long array, but any other array unchanged.

    Raises ValueError if the array is empty, or if its first rows are still too large.
    """
    if x.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {x.shape}")
    width = x.shape[-1] if x.ndim else 1
    if width > MAX_WIDTH:
        raise ValueError(f"{name} must be at most {MAX_WIDTH} wide, got shape {x.shape}")
    if x.size <= MAX_ENTRIES:
        return x
    x = x[:MAX_TABLES] if x.ndim > 2 else x
    # the number of entries in one row, added up over all tables of the batch
    row_entries = x.size // x.shape[-2]
    if row_entries > MAX_ENTRIES // 2:
        raise ValueError(f"{name} is too large for a table, got shape {x.shape}")
    return x[..., : max(2, MAX_ENTRIES // row_entries), :]
