"""What may be handed to the doctor: arrays of real numbers, read no further than needed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

Floats = NDArray[np.float64]

ENTRIES = 1 << 23  # read of one array: 64 MB as float64
WIDEST = 1 << 16


def array(name: str, values: Any) -> NDArray[Any]:
    """An array of integers or floats, not converted yet; it may hold what is not finite."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: fill or compress it")
    if isinstance(values, (str, bytes)) or values is None:
        raise TypeError(f"{name} must be an array of numbers, got {_checks.shown(values)}")
    if isinstance(values, dict):
        raise TypeError(f"{name} must be an array; pe_lib.doctor.examine takes dictionaries")
    if callable(values) and not hasattr(values, "__array__"):
        raise TypeError(f"{name} must be an array; pe_lib.doctor.probe takes functions")
    if type(values).__module__.partition(".")[0] == "torch":  # bfloat16, and with gradients
        values = values.detach().cpu()
        values = values.float().numpy() if values.is_floating_point() else values.numpy()
    try:
        x = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must form a rectangular array") from None
    except (TypeError, RuntimeError) as error:
        why = str(error).partition("\n")[0]
        raise TypeError(f"{name} must be an array that numpy can read: {why}") from None
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, got {x.dtype}: give its real and imaginary parts "
                        "as cosines and sines")  # fmt: skip
    if x.dtype.kind not in "iuf" and x.dtype.name != "bfloat16":
        raise TypeError(f"{name} must be integers or floats, got {x.dtype}")
    return x


def floats(x: NDArray[Any], name: str) -> Floats:
    """As float64, and as much of it as is looked at: its first rows, if it is very long."""
    if x.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {x.shape}")
    if x.ndim >= 2:
        width = x.shape[-1]
        if width > WIDEST:
            raise ValueError(f"{name} must be at most {WIDEST} wide, got shape {x.shape}")
        if x.size > ENTRIES:
            others = int(np.prod(x.shape[:-2], dtype=object)) or 1
            if others > 64:
                x, others = x[:64], int(np.prod((64, *x.shape[1:-2]), dtype=object))
            if others * width > ENTRIES // 2:
                raise ValueError(f"{name} is too large for a table, got shape {x.shape}")
            x = x[..., : max(2, ENTRIES // (others * width)), :]
    elif x.size > WIDEST:
        raise ValueError(f"{name} must have at most {WIDEST} entries, got {x.size}")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(x, np.float64)
