"""Argument checks shared by the whole library: one line that names the argument, and what came."""

import math
import numbers
import operator
import reprlib
import sys
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

MAX_POSITION = 2**53  # float64 holds every integer up to here
MAX_LENGTH = 2**48  # no memory holds so many numbers
_FLOATS = [np.dtype(kind) for kind in (np.float64, np.float32, np.float16)]
MAX_WIDTH = 2**24  # one encoding takes 128 MB then; the widest models have some 2^14

Layout: TypeAlias = Literal["interleaved", "halves"]


def shown(value: Any) -> str:
    """A value in an error message: short, and in one line."""
    if isinstance(value, int) and abs(value) >= 10**1000:  # from 4,300 digits Python writes none
        return f"an integer of {value.bit_length()} bits"
    return " ".join(reprlib.repr(value).split())


def require(so: bool, said: str, got: Any) -> None:
    """What has to be so is said, and what came instead."""
    if not so:
        raise ValueError(f"{said}, got {shown(got)}")


def integer(name: str, value: Any, minimum: int) -> int:
    """An integer of at least `minimum`; neither a bool nor a float is one."""
    try:
        plain: Any = "" if isinstance(value, (bool, np.bool_)) else value
        number = operator.index(plain)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {shown(value)}") from None
    if number < minimum:  # what is said of usual arguments is made up only where it is needed
        raise ValueError(f"{name} must be at least {minimum}, got {shown(number)}")
    return number


def below(name: str, value: Any, stop: int, d_model: int) -> int:
    """An integer in range(stop): a dimension or a pair of an encoding of width d_model."""
    number = integer(name, value, -sys.maxsize)
    said = f"{name} must lie in 0 <= {name} < {stop} for d_model = {d_model}"
    require(0 <= number < stop, said, number)
    return number


def width(d_model: Any) -> int:
    """A valid d_model."""
    number = integer("d_model", d_model, -sys.maxsize)
    pairs = "d_model must be a positive even number (each sine needs its cosine)"
    require(number > 0 and number % 2 == 0, pairs, number)
    much = "d_model must be at most 2**24 (one encoding takes 128 MB then)"
    require(number <= MAX_WIDTH, much, number)
    return number


def real(name: str, value: Any) -> float:
    """One finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return number


def scale(base: Any) -> float:
    """A valid base."""
    number = real("base", base)
    require(number > 1, "base must be greater than 1", base)
    require(number <= 2.8e307, "base must be at most 2.8e307", base)  # or a wavelength overflows
    return number


def strength(name: str, value: Any) -> float:
    """A number that is not negative, and whose products stay finite."""
    number = real(name, value)
    require(0 <= number < 1e300, f"{name} must not be negative, and below 1e300", value)
    return number


def limit(max_position: Any, bits: int = 53) -> int:
    """A valid max_position: the first position that is not meant, as in range(max_position)."""
    number = integer("max_position", max_position, 1)
    require(number <= 2**bits, f"max_position must be at most 2**{bits}", number)
    return number


def cosine(name: str, value: Any, atol: float) -> float:
    """A number that can be a sine or a cosine."""
    number = real(name, value)
    require(abs(number) <= 1 + atol, f"{name} must lie in [-1, 1] within atol = {atol:g}", value)
    return number


def reals(name: str, values: Any, bits: int | None = None) -> NDArray[Any]:
    """An array of finite integers or floats, if asked for below 2^bits, in the dtype it came in.

    Only long doubles become float64, and bfloat16, which numpy does not have, float32.
    """
    if isinstance(values, range):
        return spread(run(name, values))
    if is_bfloat16(values):
        values = values.float() if hasattr(values, "float") else values.astype(np.float32)
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: fill or compress it, got {shown(values)}")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must form a rectangular array, got {shown(values)}") from None
    except (RuntimeError, TypeError) as error:  # a tensor with gradients, or on another device
        kind, why = type(values).__name__, str(error).partition("\n")[0]
        message = f"{name} must be an array that numpy can read, got a {kind}: {why}"
        raise TypeError(message) from None
    if array.dtype.kind not in "iuf" or _holds_bool(values):
        if isinstance(values, np.ndarray) and array.dtype == object:
            raise TypeError(f"{name} must be integers or floats, got an array of dtype object")
        if array.dtype == object and {type(value) for value in array.flat} == {int}:
            raise ValueError(f"{name} must fit into 64 bits, got {shown(values)}")
        raise TypeError(f"{name} must be integers or floats, got {shown(values)}")
    if array.dtype.kind == "f" and array.size:
        if array.dtype.itemsize > 8:
            with np.errstate(over="ignore"):
                array = array.astype(np.float64)
        # the least and the largest say it of all, and make no array of True and False
        ends = float(array.min()), float(array.max())
        if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
            raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
        size = max(-ends[0], ends[1])
        if bits is not None and size >= 2.0**bits:
            raise ValueError(f"{name} must be below 2**{bits} in size, got {max(ends, key=abs)}")
        # of integers that no type holds together, numpy makes floats, rounded
        if size > MAX_POSITION and _holds_rounded(values):
            raise ValueError(f"{name} must fit into 64 bits, got {shown(values)}")
    return array


def is_bfloat16(values: Any) -> bool:
    """Whether an array holds bfloat16, of whichever library."""
    dtype = getattr(values, "dtype", None)
    ours = getattr(dtype, "kind", "V") != "V"  # to numpy, bfloat16 is nothing that it knows
    return not ours and str(dtype).endswith("bfloat16")


def positions(name: str, values: ArrayLike) -> NDArray[Any]:
    """`reals` below 2^64 in size."""
    return reals(name, values, bits=64)


def run(name: str, values: range) -> range:
    """A range of numbers that memory and 64 bits can hold."""
    ends = (values[0], values[-1]) if values else (0, 0)
    if abs(ends[1] - ends[0]) // abs(values.step) >= MAX_LENGTH:
        raise ValueError(f"{name} must be fewer than 2**48, got {values}")
    if min(ends) < -(2**63) or max(ends) >= (2**63 if min(ends) < 0 else 2**64):
        raise ValueError(f"{name} must fit into 64 bits, got {values}")
    return values


def spread(values: range) -> NDArray[Any]:
    """A `run` as an array, of int64 if that can hold it, or else of uint64."""
    array = np.arange(len(values), dtype=np.uint64)
    array *= np.uint64(values.step % 2**64)  # modulo 2^64, in which no step is too large
    array += np.uint64(values.start % 2**64)
    large = len(values) > 0 and max(values[0], values[-1]) >= 2**63
    return array if large else array.view(np.int64)


def _holds_bool(values: Any) -> bool:
    """Whether there is True or False, which numpy takes for 1 or 0 among numbers."""
    if isinstance(values, list | tuple):
        return not {*map(type, values)} <= {int, float} and any(map(_holds_bool, values))
    return isinstance(values, bool | np.bool_) or getattr(values, "dtype", None) == np.bool_


def _holds_rounded(values: Any) -> bool:
    """Whether there is an integer that float64 does not hold."""
    if isinstance(values, list | tuple):
        return any(map(_holds_rounded, values))
    return isinstance(values, int) and int(float(values)) != values


def summable(name: str, array: NDArray[Any]) -> None:
    """Numbers small enough for sums of their products, as many as memory holds, in float64."""
    least, most = array.min(initial=0), array.max(initial=0)
    if max(-float(least), float(most)) > 1e140:
        raise ValueError(f"{name} must lie within ±1e+140, got {array.min()} to {array.max()}")


def even(name: str, shape: tuple[int, ...], multiple: int = 2) -> None:
    """A shape (..., width) of which pairs can be made."""
    if not shape or shape[-1] == 0 or shape[-1] % multiple:
        of = "positive and even" if multiple == 2 else f"a positive multiple of {multiple}"
        said = f"{name} must have shape (..., width) with width {of} (a pair takes two entries)"
        raise ValueError(f"{said}, got shape {tuple(shape)}")


def broadcastable(name: str, array: NDArray[Any], leading: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `array` and the leading axes `leading` broadcast to."""
    try:
        return np.broadcast_shapes(array.shape, leading)
    except ValueError:
        shape = array.shape
        inserted = {"[..., None]": (*shape, 1), "[:, None]": (*shape[:1], 1, *shape[1:])}
        fitting = [f"; {name}{how} does" for how, new in inserted.items() if _fits(new, leading)]
        raise ValueError(
            f"{name} must broadcast with the leading axes {leading}, got shape {shape}"
            + "".join(fitting[-1:])
        ) from None


def _fits(shape: tuple[int, ...], leading: tuple[int, ...]) -> bool:
    """Whether positions of this shape are places along axes of arrays that lead with these."""
    places = zip(shape[::-1], leading[::-1], strict=False)
    return len(shape) <= len(leading) and all(n in (1, size) for n, size in places)


def precision(dtype: DTypeLike, name: str = "dtype") -> np.dtype[np.floating[Any]]:
    """float64, float32 or float16, in the machine's byte order."""
    kind: np.dtype[Any] = np.dtype("V")
    with suppress(TypeError, ValueError):  # numpy knows no such dtype
        kind = kind if dtype is None else np.dtype(dtype)
    if kind not in _FLOATS:
        raise ValueError(f"{name} must be numpy's float64, float32 or float16, got {shown(dtype)}")
    return kind


def is_halves(name: str, layout: Any) -> bool:
    """Which of the two layouts it is."""
    if not isinstance(layout, str) or layout not in ("interleaved", "halves"):
        raise ValueError(f"{name} must be 'interleaved' or 'halves', got {shown(layout)}")
    return layout == "halves"


def filled(name: str, out: Any, shape: tuple[int, ...]) -> NDArray[np.floating[Any]]:
    """An array to write a result of this shape into."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain array, got {shown(out)}")
    precision(out.dtype, f"{name}.dtype")
    if out.shape != shape or not out.flags.writeable:
        raise ValueError(f"{name} must be writable and of shape {shape}, got shape {out.shape}")
    return out
