"""Rotate pairs of entries in arrays from numpy, PyTorch, JAX and other array libraries.

An array from another library stays in that library, on its device and with its gradients.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

# How many pairs are rotated at a time. Their 256 kB fit into a processor's second-level cache.
_PAIRS = 1 << 14


def namespace(values: Any) -> Any:
    """Return the array API namespace of the array's library, or None if numpy can read the input.

    The functions in that namespace have the names of the array API standard.
    """
    # PyTorch tensors have no `__array_namespace__`. If x is a tensor, PyTorch is already imported.
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        return torch
    if isinstance(values, np.ndarray | np.generic) or not hasattr(values, "__array_namespace__"):
        return None
    return values.__array_namespace__()


def read_array(name: str, values: Any) -> tuple[Any, Any]:
    """Return the pair (library, array), where the library is None if numpy can read the input."""
    xp = namespace(values)
    if xp is None:
        return None, _checks.reals(name, values)
    if "float" not in str(values.dtype):
        raise TypeError(f"{name} must be floats, got an array of {values.dtype}")
    return xp, values


def convert_like(xp: Any, x: Any, values: Any) -> Any:
    """Convert values to an array in x's library and on x's device, in float32 precision or higher.

    The result has the precision of x. If that is lower than float32, it is float32, because
    products would lose too much.
    """
    dtype = xp.float32 if xp.finfo(x.dtype).bits < 32 else x.dtype
    device = {"device": x.device} if xp is sys.modules.get("torch") else {}
    return xp.asarray(values, dtype=dtype, **device)


def cast(xp: Any, x: Any, dtype: Any) -> Any:
    """Convert array x of the library xp (None means numpy) to another precision."""
    if hasattr(x, "to"):
        return x.to(dtype)
    return x.astype(dtype) if xp is None else xp.astype(x, dtype)


def rotate_pairs(
    xp: Any,
    x: Any,
    rotations: NDArray[np.complex128],
    halves: bool,
    out: NDArray[np.floating[Any]] | None = None,
) -> Any:
    """Multiply each pair (a, b) in x, taken as the complex number a + ib, by its rotation.

    `xp` and `x` are what `read_array` returns. `rotations`, (..., pairs), broadcasts with x. The
    result has the precision of x (integers become float64).
    """
    if xp is not None:
        cos, sin = rotations.real.copy(), rotations.imag.copy()
        return rotate_pairs_elsewhere(xp, x, cos, sin, halves, out)
    shape = (*np.broadcast_shapes(x.shape[:-1], rotations.shape[:-1]), x.shape[-1])
    dtype = x.dtype if x.dtype.kind == "f" else np.float64
    result = np.empty(shape, dtype) if out is None else _checks.output("out", out, shape)
    if result is not x and np.may_share_memory(result, x):
        x = x.copy()
    _rotate_into(result, x, rotations, halves)
    return result


def rotate_pairs_elsewhere(xp: Any, x: Any, cos: Any, sin: Any, halves: bool, out: Any) -> Any:
    """Rotate the pairs in x with x's own library, in float32 precision or higher.

    `cos` and `sin`, (..., pairs), may be arrays of any library.
    """
    if out is not None:
        raise TypeError("out must be None where vectors are another library's")
    c, s = (convert_like(xp, x, part) for part in (cos, sin))
    n = c.shape[-1]
    columns = (slice(n), slice(n, 2 * n)) if halves else (slice(0, 2 * n, 2), slice(1, 2 * n, 2))
    a, b = (x[..., column] for column in columns)
    pairs = [c * a - s * b, s * a + c * b]
    if halves:
        result = xp.concat(pairs, axis=-1)
    else:
        result = xp.stack(pairs, axis=-1)
        result = xp.reshape(result, (*result.shape[:-2], 2 * n))
    result = cast(xp, result, x.dtype)
    if 2 * n == x.shape[-1]:
        return result
    rest = xp.broadcast_to(x[..., 2 * n :], (*result.shape[:-1], x.shape[-1] - 2 * n))
    return xp.concat([result, rest], axis=-1)


def _rotate_into(
    out: NDArray[Any], x: NDArray[Any], rotations: NDArray[np.complex128], halves: bool
) -> None:
    """Write the rotated x into `out`. Products are computed in float64, and rounded only once."""
    n = rotations.shape[-1]
    if halves:
        rows = out if out.ndim > 1 else out[None]
        shape = *rows.shape[:-1], n
        a, b = (np.broadcast_to(part, shape) for part in (x[..., :n], x[..., n : 2 * n]))
        _rotate_halves_into(rows, a, b, np.broadcast_to(rotations, shape))
    else:
        source, target = _view_as_complex(x[..., : 2 * n]), _view_as_complex(out[..., : 2 * n])
        if source is None:
            source = np.ascontiguousarray(x[..., : 2 * n], np.float64).view(complex)
        if target is None:
            out[..., : 2 * n] = (source * rotations).view(np.float64)
        else:
            np.multiply(source, rotations, out=target, casting="same_kind")
    out[..., 2 * n :] = x[..., 2 * n :]


def _rotate_halves_into(
    out: NDArray[Any], a: NDArray[Any], b: NDArray[Any], rotations: NDArray[np.complex128]
) -> None:
    """Write (a + ib) · rotations into `out`, with all real parts before all imaginary parts.

    The pairs are processed in blocks that fit into the processor's caches.
    """
    if rotations.ndim > 2 and rotations[0].size > _PAIRS:
        for parts in zip(out, a, b, rotations, strict=True):
            _rotate_halves_into(*parts)
        return
    n = rotations.shape[-1]
    step = max(1, _PAIRS * len(rotations) // max(1, rotations.size))
    buffer = np.empty((min(step, len(rotations)), *rotations.shape[1:]), complex)
    for start in range(0, len(rotations), step):
        block = slice(start, start + step)
        pairs = buffer[: len(rotations[block])]
        pairs.real, pairs.imag = a[block], b[block]
        pairs *= rotations[block]
        out[block, ..., :n], out[block, ..., n : 2 * n] = pairs.real, pairs.imag


def _view_as_complex(x: NDArray[Any]) -> NDArray[np.complexfloating[Any]] | None:
    """View each two neighbouring entries as a complex number, or return None if numpy cannot."""
    if x.dtype not in (np.float64, np.float32) or x.strides[-1] != x.itemsize:
        return None
    return x.view(np.complex128 if x.itemsize == 8 else np.complex64)
