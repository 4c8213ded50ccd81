"""Argument checks shared by the whole library: one line that names the argument, and what came."""

import math
import numbers
import operator
import reprlib
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

MAX_POSITION = 2**53  # float64 holds every integer up to here


def shown(value: Any) -> str:
    """A value in an error message: short, and in one line."""
    return " ".join(reprlib.repr(value).split())


def integer(name: str, value: Any, minimum: int) -> int:
    """An integer of at least `minimum`; neither a bool nor a float is one."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    try:
        number = operator.index(value)
    except TypeError:  # an array has __index__ whether or not it is one integer
        raise TypeError(f"{name} must be an integer, got {shown(value)}") from None
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}")
    return number


def below(name: str, value: Any, stop: int, d_model: int) -> int:
    """An integer in range(stop): a dimension or a pair of an encoding of width d_model."""
    number = integer(name, value, -sys.maxsize)
    if not 0 <= number < stop:
        raise ValueError(
            f"{name} must lie in 0 <= {name} < {stop} for d_model = {d_model}, got {number}"
        )
    return number


def width(d_model: Any) -> int:
    """A valid d_model."""
    number = integer("d_model", d_model, -sys.maxsize)
    if number <= 0 or number % 2:
        raise ValueError(
            "d_model must be a positive even number (each sine needs its cosine), "
            f"got {shown(number)}"
        )
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
    if number <= 1:
        raise ValueError(f"base must be greater than 1, got {shown(base)}")
    return number


def limit(max_position: Any) -> int:
    """A valid max_position: the first position that is not meant, as in range(max_position)."""
    number = integer("max_position", max_position, 1)
    if number > MAX_POSITION:
        raise ValueError(f"max_position must be at most 2**53 (float64 ends there), got {number}")
    return number


def tolerance(atol: Any) -> float:
    """A valid atol."""
    number = real("atol", atol)
    if number < 0:
        raise ValueError(f"atol must not be negative, got {shown(atol)}")
    return number


def cosine(name: str, value: Any, atol: float) -> float:
    """A number that can be a sine or a cosine."""
    number = real(name, value)
    if abs(number) > 1 + atol:
        raise ValueError(f"{name} must lie in [-1, 1] within atol = {atol:g}, got {shown(value)}")
    return number


def reals(name: str, values: ArrayLike) -> NDArray[Any]:
    """An array of finite integers or floats, in the dtype it came in."""
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must form a rectangular array, got {shown(values)}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be integers or floats, got {shown(values)}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        first = array[~np.isfinite(array)][0]
        raise ValueError(f"{name} must be finite, got {first}")
    return array


def encodings(name: str, values: ArrayLike) -> NDArray[Any]:
    """An array of shape (..., d_model)."""
    array = reals(name, values)
    if array.ndim == 0 or array.shape[-1] == 0 or array.shape[-1] % 2:
        raise ValueError(
            f"{name} must have shape (..., d_model) with d_model positive and even "
            f"(each sine needs its cosine), got shape {array.shape}"
        )
    return array


def broadcastable(name: str, array: NDArray[Any], leading: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `array` and the leading axes `leading` broadcast to."""
    try:
        return np.broadcast_shapes(array.shape, leading)
    except ValueError:
        raise ValueError(
            f"{name} must broadcast with the leading axes {leading}, got shape {array.shape}"
        ) from None


def precision(dtype: DTypeLike) -> np.dtype[np.floating[Any]]:
    """float64, float32 or float16, in the machine's byte order."""
    for known in (np.float64, np.float32, np.float16):
        try:
            if dtype is not None and np.dtype(dtype) == known:
                return np.dtype(known)
        except TypeError:  # numpy knows no such dtype
            break
    raise ValueError(f"dtype must be float64, float32 or float16, got {shown(dtype)}")
