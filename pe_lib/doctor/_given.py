"""What may be handed to the doctor: arrays of real numbers, read no further than needed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks
from pe_lib.doctor._formats import Floats

ENTRIES = 1 << 23  # read of one array: 64 MB as float64
WIDEST = 1 << 16


def plain(x: Any) -> Any:
    """A tensor of PyTorch as an array: without gradients, and bfloat16 as float32."""
    if not hasattr(x, "detach"):
        return x
    x = x.detach().cpu()
    return (x.float() if "bfloat16" in str(x.dtype) else x).numpy()


def array(name: str, values: Any) -> NDArray[Any]:
    """An array of integers, floats or truths, not converted yet; it may hold what is not finite."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: fill or compress it")
    try:
        x = np.asarray(plain(values))
    except ValueError:
        raise ValueError(f"{name} must form a rectangular array") from None
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got {x.dtype}: give its real and imaginary parts "
                        "as cosines and sines")  # fmt: skip
    if x.dtype.kind not in "biuf" and x.dtype.name != "bfloat16":
        got = _checks.short_repr(values)
        raise TypeError(f"{name} must be an array of numbers, got {got}; examine takes "
                        "dictionaries, probe functions")  # fmt: skip
    return x


def floats(x: NDArray[Any], name: str) -> Floats:
    """As float64, and as much of it as is looked at."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(part(x, name), np.float64)


def part(x: NDArray[Any], name: str) -> NDArray[Any]:
    """What is looked at of an array: its first rows, if it is very long."""
    if x.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {x.shape}")
    width = x.shape[-1] if x.ndim else 1
    if width > WIDEST:
        raise ValueError(f"{name} must be at most {WIDEST} wide, got shape {x.shape}")
    if x.size <= ENTRIES:
        return x
    x = x[:64] if x.ndim > 2 else x
    others = x.size // x.shape[-2]  # entries of one row of all tables
    if others > ENTRIES // 2:
        raise ValueError(f"{name} is too large for a table, got shape {x.shape}")
    return x[..., : max(2, ENTRIES // others), :]
