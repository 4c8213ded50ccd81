"""Check arguments, and raise one-line errors that give the argument's name and its value.

Every function here returns the argument in the type that the library computes with, or raises
TypeError for a wrong type and ValueError for a wrong value.
"""

import math
import numbers
import operator
import reprlib
import sys
from contextlib import suppress
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

MAX_POSITION = 2**53  # float64 represents every integer up to this limit exactly
MAX_LENGTH = 2**48  # No computer has enough memory for this many numbers.
MAX_WIDTH = 2**24  # An encoding of this width takes 128 MB, and few models are wider than 2^14.
MAX_BASE = 2.8e307  # With a larger base, the longest wavelength, 2π · base, would overflow.
_FLOATS = [np.dtype(kind) for kind in (np.float64, np.float32, np.float16)]

Layout: TypeAlias = Literal["interleaved", "halves"]


def quote(value: Any) -> str:
    """Return a short, one-line representation of a value for an error message."""
    # By default, Python refuses to convert an integer of more than 4,300 digits to text.
    if isinstance(value, int) and abs(value) >= 10**1000:
        return f"an integer of {value.bit_length()} bits"
    return " ".join(reprlib.repr(value).split())


def require(condition: bool, requirement: str, actual: Any) -> None:
    """Raise ValueError, with the requirement and the actual value, if the condition is false."""
    if not condition:
        raise ValueError(f"{requirement}, got {quote(actual)}")


# Numbers


def integer(name: str, value: Any, minimum: int) -> int:
    """Return an integer that is at least `minimum`. Raise TypeError for booleans and floats."""
    try:
        plain: Any = "" if isinstance(value, (bool, np.bool_)) else value
        number = operator.index(plain)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {quote(value)}") from None
    # The message is built only for invalid arguments, because most arguments are valid.
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {quote(number)}")
    return number


def index(name: str, value: Any, stop: int, d_model: int) -> int:
    """Return a valid index of a dimension or pair, which must be below `stop`."""
    number = integer(name, value, -sys.maxsize)
    requirement = f"{name} must lie in 0 <= {name} < {stop} for d_model = {d_model}"
    require(0 <= number < stop, requirement, number)
    return number


def width(d_model: Any) -> int:
    """Return the width of an encoding, which must be a positive even number."""
    number = integer("d_model", d_model, -sys.maxsize)
    is_even = number > 0 and number % 2 == 0
    require(is_even, "d_model must be a positive even number (each sine needs its cosine)", number)
    requirement = "d_model must be at most 2**24 (one encoding takes 128 MB then)"
    require(number <= MAX_WIDTH, requirement, number)
    return number


def real(name: str, value: Any) -> float:
    """Return a value as a float, or raise an error if it is not one finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {quote(value)}")
    try:
        number = float(value)
    except OverflowError:  # Integers with more than 308 digits are too large for a float.
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {quote(value)}")
    return number


def base_of_powers(base: Any) -> float:
    """Return the base of the frequencies, which must be greater than 1 and at most 2.8e307."""
    number = real("base", base)
    require(number > 1, "base must be greater than 1", base)
    require(number <= MAX_BASE, "base must be at most 2.8e307", base)
    return number


def nonnegative(name: str, value: Any) -> float:
    """Return a number that is at least 0 and below 1e300, so that its products stay finite."""
    number = real(name, value)
    require(0 <= number < 1e300, f"{name} must not be negative, and below 1e300", value)
    return number


def limit_of_positions(max_position: Any, bits: int = 53) -> int:
    """Return a valid max_position, which is an exclusive limit, like the end of a range."""
    number = integer("max_position", max_position, 1)
    require(number <= 2**bits, f"max_position must be at most 2**{bits}", number)
    return number


def sine_or_cosine(name: str, value: Any, atol: float) -> float:
    """Return a number that lies in [-1, 1], or outside this interval by at most `atol`."""
    number = real(name, value)
    require(abs(number) <= 1 + atol, f"{name} must lie in [-1, 1] within atol = {atol:g}", value)
    return number


# Arrays of numbers


def reals(name: str, values: Any, bits: int | None = None) -> NDArray[Any]:
    """Convert values to a numpy array of finite integers or floats, keeping the dtype if possible.

    With `bits`, floats must also be below 2^bits in size. Two types change: long doubles become
    float64, and bfloat16, which numpy does not have, becomes float32.
    """
    if isinstance(values, range):
        return array_of_range(representable_range(name, values))
    if is_bfloat16(values):
        values = values.float() if hasattr(values, "float") else values.astype(np.float32)
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: fill or compress it, got {quote(values)}")
    array = _as_array(name, values)
    if array.dtype.kind not in "iuf" or _contains_bool(values):
        _refuse_type(name, values, array)
    if array.dtype.kind == "f" and array.size:
        if array.dtype.itemsize > 8:
            with np.errstate(over="ignore"):
                array = array.astype(np.float64)
        _require_finite(name, values, array, bits)
    return array


def positions(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of positions: finite integers or floats with absolute values below 2^64."""
    return reals(name, values, bits=64)


def _as_array(name: str, values: Any) -> NDArray[Any]:
    """Convert values to a numpy array, or raise ValueError if they are not rectangular."""
    try:
        return np.asarray(values)
    except ValueError:
        message = f"{name} must form a rectangular array, got {quote(values)}"
        raise ValueError(message) from None
    # Numpy cannot read, for example, a tensor that has gradients or lies on a GPU.
    except (RuntimeError, TypeError) as error:
        kind, reason = type(values).__name__, str(error).partition("\n")[0]
        message = f"{name} must be an array that numpy can read, got a {kind}: {reason}"
        raise TypeError(message) from None


def _refuse_type(name: str, values: Any, array: NDArray[Any]) -> NoReturn:
    """Raise TypeError or ValueError for an array that does not hold integers or floats."""
    if array.dtype == object:
        if isinstance(values, np.ndarray):
            raise TypeError(f"{name} must be integers or floats, got an array of dtype object")
        # If numpy stores only Python integers as objects, one of them does not fit into 64 bits.
        if {type(value) for value in array.flat} == {int}:
            raise ValueError(f"{name} must fit into 64 bits, got {quote(values)}")
    raise TypeError(f"{name} must be integers or floats, got {quote(values)}")


def _require_finite(name: str, values: Any, array: NDArray[Any], bits: int | None) -> None:
    """Raise ValueError unless all floats are finite and, if bits is given, below 2^bits in size."""
    # Checking only the smallest and the largest number avoids creating a boolean array.
    ends = float(array.min()), float(array.max())
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    size = max(-ends[0], ends[1])
    if bits is not None and size >= 2.0**bits:
        raise ValueError(f"{name} must be below 2**{bits} in size, got {max(ends, key=abs)}")
    # If no integer type holds every integer in a list, numpy rounds the integers to floats.
    if size > MAX_POSITION and _contains_inexact_integer(values):
        raise ValueError(f"{name} must fit into 64 bits, got {quote(values)}")


def is_bfloat16(values: Any) -> bool:
    """Return whether an array from any library holds bfloat16 numbers."""
    dtype = getattr(values, "dtype", None)
    is_known_to_numpy = getattr(dtype, "kind", "V") != "V"  # "V" is void
    return not is_known_to_numpy and str(dtype).endswith("bfloat16")


def representable_range(name: str, values: range) -> range:
    """Return a range, or raise ValueError if its numbers exceed 64 bits or the memory."""
    ends = (values[0], values[-1]) if values else (0, 0)
    if abs(ends[1] - ends[0]) // abs(values.step) >= MAX_LENGTH:
        raise ValueError(f"{name} must be fewer than 2**48, got {values}")
    if min(ends) < -(2**63) or max(ends) >= (2**63 if min(ends) < 0 else 2**64):
        raise ValueError(f"{name} must fit into 64 bits, got {values}")
    return values


def array_of_range(values: range) -> NDArray[Any]:
    """Return the numbers in a `representable_range`, as int64 if they fit and otherwise as uint64.

    numpy.arange computes with floats if a step or an end is beyond int64, and its result is wrong.
    """
    array = np.arange(len(values), dtype=np.uint64)
    # Arithmetic with uint64 wraps around at 2^64, so it is right even for a negative step.
    array *= np.uint64(values.step % 2**64)
    array += np.uint64(values.start % 2**64)
    is_large = len(values) > 0 and max(values[0], values[-1]) >= 2**63
    return array if is_large else array.view(np.int64)


def _contains_bool(values: Any) -> bool:
    """Return whether values contain True or False, which numpy would read as 1 or 0."""
    if isinstance(values, list | tuple):
        has_other_types = not {*map(type, values)} <= {int, float}
        return has_other_types and any(map(_contains_bool, values))
    return isinstance(values, bool | np.bool_) or getattr(values, "dtype", None) == np.bool_


def _contains_inexact_integer(values: Any) -> bool:
    """Return whether values contain an integer that float64 does not represent exactly."""
    if isinstance(values, list | tuple):
        return any(map(_contains_inexact_integer, values))
    return isinstance(values, int) and int(float(values)) != values


def require_summable(name: str, array: NDArray[Any]) -> None:
    """Raise ValueError unless float64 can hold sums of products of these numbers."""
    least, largest = array.min(initial=0), array.max(initial=0)
    if max(-float(least), float(largest)) > 1e140:
        raise ValueError(f"{name} must lie within ±1e+140, got {array.min()} to {array.max()}")


# Shapes, layouts and types of results


def require_pairs(name: str, shape: tuple[int, ...], multiple: int = 2) -> None:
    """Raise ValueError unless the last axis has a positive multiple of `multiple` entries."""
    if not shape or shape[-1] == 0 or shape[-1] % multiple:
        kind = "positive and even" if multiple == 2 else f"a positive multiple of {multiple}"
        raise ValueError(
            f"{name} must have shape (..., width) with width {kind} (a pair takes two entries), "
            f"got shape {tuple(shape)}"
        )


def broadcast_shape(name: str, array: NDArray[Any], leading: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that results if an array is broadcast with the leading axes of an input.

    If one more axis would make them broadcast, the error says where to insert that axis.
    """
    try:
        return np.broadcast_shapes(array.shape, leading)
    except ValueError:
        shape = array.shape
        inserted = {"[..., None]": (*shape, 1), "[:, None]": (*shape[:1], 1, *shape[1:])}
        hints = [
            f"; {name}{index} does" for index, new in inserted.items() if _runs_along(new, leading)
        ]
        raise ValueError(
            f"{name} must broadcast with the leading axes {leading}, got shape {shape}"
            + "".join(hints[-1:])
        ) from None


def _runs_along(shape: tuple[int, ...], leading: tuple[int, ...]) -> bool:
    """Return whether an array of this shape can be broadcast to exactly the leading axes."""
    sizes = zip(shape[::-1], leading[::-1], strict=False)
    return len(shape) <= len(leading) and all(n in (1, size) for n, size in sizes)


def precision(dtype: DTypeLike, name: str = "dtype") -> np.dtype[np.floating[Any]]:
    """Return a dtype, which must be numpy's float64, float32 or float16 in native byte order."""
    kind: np.dtype[Any] = np.dtype("V")
    # If numpy does not know this dtype, `kind` stays "void", which the next check rejects.
    with suppress(TypeError, ValueError):
        kind = kind if dtype is None else np.dtype(dtype)
    if kind not in _FLOATS:
        message = f"{name} must be numpy's float64, float32 or float16, got {quote(dtype)}"
        raise ValueError(message)
    return kind


def is_halves(name: str, layout: Any) -> bool:
    """Return True for the layout "halves", False for "interleaved", and reject other layouts."""
    if not isinstance(layout, str) or layout not in ("interleaved", "halves"):
        raise ValueError(f"{name} must be 'interleaved' or 'halves', got {quote(layout)}")
    return layout == "halves"


def output(name: str, out: Any, shape: tuple[int, ...]) -> NDArray[np.floating[Any]]:
    """Return the array `out`, or raise an error if it cannot hold a result of this shape."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain array, got {quote(out)}")
    precision(out.dtype, f"{name}.dtype")
    if out.shape != shape or not out.flags.writeable:
        raise ValueError(f"{name} must be writable and of shape {shape}, got shape {out.shape}")
    return out
