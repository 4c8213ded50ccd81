"""Pairs of entries, turned: in arrays of numpy, and in those of PyTorch, JAX and others.

What numpy has no part in stays in its library, on its device, with its gradients.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

_PAIRS = 1 << 14  # turned at a time, 256 kB, which a second-level cache can hold


def namespace(values: Any) -> Any:
    """The library's functions, as in the array API standard; None for whatever numpy reads."""
    torch = sys.modules.get("torch")  # whoever has its arrays, which say nothing, has imported it
    if torch is not None and isinstance(values, torch.Tensor):
        return torch
    if isinstance(values, np.ndarray | np.generic) or not hasattr(values, "__array_namespace__"):
        return None
    return values.__array_namespace__()


def read(name: str, values: Any) -> tuple[Any, Any]:
    """Another library's functions and its array of floats as it is, or None and a numpy array."""
    xp = namespace(values)
    if xp is None:
        return None, _checks.reals(name, values)
    if "float" not in str(values.dtype):
        raise TypeError(f"{name} must be floats, got an array of {values.dtype}")
    return xp, values


def beside(xp: Any, x: Any, values: Any) -> Any:
    """Values in another library, on the device of x and of its precision, but float32 at least."""
    kind = xp.float32 if xp.finfo(x.dtype).bits < 32 else x.dtype
    where = {"device": x.device} if xp is sys.modules.get("torch") else {}
    return xp.asarray(values, dtype=kind, **where)


def cast(xp: Any, x: Any, kind: Any) -> Any:
    """x in another precision, in its library or, without one, in numpy."""
    if hasattr(x, "to"):
        return x.to(kind)
    return x.astype(kind) if xp is None else xp.astype(x, kind)


def turned(
    xp: Any,
    x: Any,
    turn: NDArray[np.complex128],
    halves: bool,
    out: NDArray[np.floating[Any]] | None = None,
) -> Any:
    """x, as `read` gave it, with each pair (a, b) read as a + ib and multiplied by its turn.

    `turn`, (..., pairs), broadcasts with x. The result has the precision of x (integers: float64).
    """
    if xp is not None:
        return turned_elsewhere(xp, x, turn.real.copy(), turn.imag.copy(), halves, out)
    shape = (*np.broadcast_shapes(x.shape[:-1], turn.shape[:-1]), x.shape[-1])
    kind = x.dtype if x.dtype.kind == "f" else np.float64
    result = np.empty(shape, kind) if out is None else _checks.filled("out", out, shape)
    if result is not x and np.may_share_memory(result, x):
        x = x.copy()
    _turn_into(result, x, turn, halves)
    return result


def turned_elsewhere(xp: Any, x: Any, cos: Any, sin: Any, halves: bool, out: Any) -> Any:
    """The same in another library, whose products are of x's precision, or of float32 if narrower.

    `cos` and `sin`, (..., pairs), are any library's.
    """
    if out is not None:
        raise TypeError("out must be None where vectors are another library's")
    c, s = (beside(xp, x, part) for part in (cos, sin))
    n = c.shape[-1]
    places = (slice(n), slice(n, 2 * n)) if halves else (slice(0, 2 * n, 2), slice(1, 2 * n, 2))
    a, b = (x[..., some] for some in places)
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


def _turn_into(
    out: NDArray[Any], x: NDArray[Any], turn: NDArray[np.complex128], halves: bool
) -> None:
    """Fill `out` with x turned: products are float64, rounded once to the precision of out."""
    n = turn.shape[-1]
    if halves:
        rows = out if out.ndim > 1 else out[None]
        every = *rows.shape[:-1], n
        a, b = (np.broadcast_to(part, every) for part in (x[..., :n], x[..., n : 2 * n]))
        _halves_into(rows, a, b, np.broadcast_to(turn, every))
    else:
        source, target = _as_complex(x[..., : 2 * n]), _as_complex(out[..., : 2 * n])
        if source is None:
            source = np.ascontiguousarray(x[..., : 2 * n], np.float64).view(complex)
        if target is None:
            out[..., : 2 * n] = (source * turn).view(np.float64)
        else:
            np.multiply(source, turn, out=target, casting="same_kind")
    out[..., 2 * n :] = x[..., 2 * n :]


def _halves_into(
    out: NDArray[Any], a: NDArray[Any], b: NDArray[Any], turn: NDArray[np.complex128]
) -> None:
    """The real parts of (a + ib) · turn before the imaginary ones, as many as the caches hold."""
    if turn.ndim > 2 and turn[0].size > _PAIRS:
        for one in zip(out, a, b, turn, strict=True):
            _halves_into(*one)
        return
    n = turn.shape[-1]
    step = max(1, _PAIRS * len(turn) // max(1, turn.size))
    between = np.empty((min(step, len(turn)), *turn.shape[1:]), complex)
    for begin in range(0, len(turn), step):
        some = slice(begin, begin + step)
        pairs = between[: len(turn[some])]
        pairs.real, pairs.imag = a[some], b[some]
        pairs *= turn[some]
        out[some, ..., :n], out[some, ..., n : 2 * n] = pairs.real, pairs.imag


def _as_complex(x: NDArray[Any]) -> NDArray[np.complexfloating[Any]] | None:
    """Neighbours as they lie in memory, read as complex numbers, where numpy has such numbers."""
    if x.dtype not in (np.float64, np.float32) or x.strides[-1] != x.itemsize:
        return None
    return x.view(np.complex128 if x.itemsize == 8 else np.complex64)
