"""Bad input: one line that names the argument, says what came and what is wanted."""

import inspect
import math
import re

import numpy as np
import pytest

import pe_lib
from pe_lib import (
    context,
    encode,
    frequencies,
    grid,
    kernel,
    position_from_encoding,
    positions_from_pair,
    positions_from_value,
    rotary,
    rotation,
    shift,
    wavelengths,
)

EVEN = "d_model must be a positive even number (each sine needs its cosine), got "
WITH_WIDTH = [
    frequencies,
    wavelengths,
    lambda d: encode(1, d),
    lambda d: rotation(1, d),
    lambda d: kernel(1, d),
    lambda d: positions_from_value(0.5, 0, d),
    lambda d: positions_from_pair(0.6, 0.8, 0, d),
]
WITH_BASE = [
    lambda b: frequencies(8, b),
    lambda b: wavelengths(8, b),
    lambda b: encode(1, 8, b),
    lambda b: rotation(1, 8, b),
    lambda b: shift(np.ones(8), 1, b),
    lambda b: kernel(1, 8, b),
    lambda b: positions_from_value(0.5, 0, 8, b),
    lambda b: positions_from_pair(0.6, 0.8, 0, 8, b),
    lambda b: position_from_encoding(np.ones(8), b),
]


def refused(kind, message, call, *args, **kwargs):
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    assert type(error.value) is kind
    assert "\n" not in str(error.value)
    assert re.search(re.escape(message), str(error.value)), str(error.value)


@pytest.mark.parametrize("call", WITH_WIDTH)
def test_d_model(call):
    for value in (7, 0, -2, np.int64(-3)):
        refused(ValueError, f"{EVEN}{int(value)}", call, value)
    for value in (8.0, True, "8", None, [8], np.array([8, 8]), np.float64(8)):
        refused(TypeError, "d_model must be an integer, got ", call, value)
    refused(ValueError, "d_model must be below 2**48, got 18446744073709551616", call, 2**64)
    refused(ValueError, "d_model must be below 2**48, got an integer of 16610 bits", call, 10**5000)
    call(np.int32(8))


@pytest.mark.parametrize("call", WITH_BASE)
def test_base(call):
    for value in (1, 1.0, 0.5, 0, -10_000):
        refused(ValueError, f"base must be greater than 1, got {value}", call, value)
    for value in (np.nan, np.inf, -np.inf, 10**400):
        refused(ValueError, "base must be finite, got ", call, value)
    refused(ValueError, "base must be at most 2.8e307, got 1e+308", call, 1e308)
    for value in (True, "10000", None, 1e4 + 0j, [1e4], np.array([1e4, 1e4])):
        refused(TypeError, "base must be a real number, got ", call, value)


@pytest.mark.parametrize("module", [pe_lib, context, grid, rotary])
def test_the_base_is_ten_thousand_unless_told_otherwise(module):
    functions = inspect.getmembers(module, inspect.isfunction)
    signatures = [inspect.signature(f).parameters for name, f in functions if name[0] != "_"]
    assert {given["base"].default for given in signatures if "base" in given} == {10_000}


@pytest.mark.parametrize(
    "name, call",
    [
        ("positions", lambda x: encode(x, 8)),
        ("offsets", lambda x: kernel(x, 8)),
        ("offset", lambda x: shift(np.ones(8), x)),
        ("encoding", lambda x: shift(x, 1)),
        ("encoding", position_from_encoding),
    ],
)
def test_arrays(name, call):
    for value, got in ((np.nan, "nan"), ([0, np.inf], "inf"), (np.array([[-np.inf]]), "-inf")):
        refused(ValueError, f"{name} must be finite, got {got}", call, value)
    for value in (True, [True, False], [True, 2], [[0.5, np.True_], [1, 2]], 1j, "5", ["1"], None,
                  np.datetime64("2024-01-01")):  # fmt: skip
        refused(TypeError, f"{name} must be integers or floats, got ", call, value)
    for value in (10**30, [2**64, 1], -(2**63) - 1):
        refused(ValueError, f"{name} must fit into 64 bits, got ", call, value)
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    refused(TypeError, f"{name} must not be masked", call, masked)
    if np.finfo(np.longdouble).max > 1e308:
        refused(ValueError, f"{name} must be finite, got inf", call, np.longdouble("1e4000"))
    refused(
        ValueError, f"{name} must form a rectangular array, got [[1, 2], [3]]", call, [[1, 2], [3]]
    )
    refused(TypeError, f"{name} must be", call, np.zeros((50, 50), dtype=complex))


def test_dtype():
    for value in (np.int64, np.float128 if hasattr(np, "float128") else "O", complex, None, ">f8"):
        refused(
            ValueError, "dtype must be float64, float32 or float16, got ", encode, 1, 8, dtype=value
        )
    for name in ("double trouble", "(2,)f8,", [("a", 1, 2, 3)]):
        refused(ValueError, f"float16, got {name!r}", encode, 1, 8, dtype=name)


def test_positions_that_64_bits_cannot_hold():
    for far in (
        2**64,
        -(2**63) - 1,
        [2**64],
        [2**63 + 1, -1],
        ([2**63 + 1], [0.5]),
        range(2**64, 2**64 + 3),
        range(-1, 2**64, 2**63),
    ):
        refused(ValueError, "positions must fit into 64 bits, got ", encode, far, 8)
    for far in (2.0**64, -1e300, np.float32(2e19)):
        refused(ValueError, "positions must be below 2**64 in size, got ", encode, far, 8)
    refused(ValueError, "positions must be fewer than 2**48", encode, range(10**30), 8)
    assert np.isfinite(encode([2**64 - 1, 2**63], 8)).all()


def test_layout_frequencies_and_out():
    for layout in ("sines", None, 1, ["halves"]):
        message = "layout must be 'interleaved' or 'halves', got "
        refused(ValueError, message, encode, 1, 8, layout=layout)
        refused(ValueError, message, shift, np.ones(8), 1, layout=layout)
        refused(ValueError, message, rotary.rotate, np.ones(8), 1, layout=layout)
    for call in (encode, rotation, kernel):
        refused(ValueError, "frequencies must have shape (4,), got (3,)", call, 1, 8,
                frequencies=[1, 2, 3])  # fmt: skip
        refused(ValueError, "frequencies must be finite, got nan", call, 1, 8,
                frequencies=[1, 2, np.nan, 3])  # fmt: skip
        refused(TypeError, "frequencies must be integers or floats", call, 1, 8, frequencies="1234")
    read_only = np.empty(8)
    read_only.flags.writeable = False
    refused(
        TypeError, "out must be a plain array", encode, 1, 8, out=np.ma.masked_array(np.ones(8))
    )
    refused(
        ValueError, "frequencies must have shape (4,), got (1,)", encode, [], 8, frequencies=[1]
    )
    assert encode([], 8, base=0.5, frequencies=[1] * 4).shape == (0, 8)  # base is not used
    for out in (np.empty(7), np.empty((1, 8)), read_only):
        refused(ValueError, "out must be writable and of shape (8,), got ", encode, 1, 8, out=out)
    refused(
        ValueError,
        "out.dtype must be float64, float32 or float16",
        encode,
        1,
        8,
        out=np.ones(8, int),
    )
    refused(TypeError, "out must be a plain array, got [0.0", encode, 1, 8, out=[0.0] * 8)


def test_offset_of_a_rotation():
    refused(ValueError, "offset must be finite, got nan", rotation, np.nan, 8)
    for value in ([1, 2], True, 1j, "1"):
        refused(TypeError, "offset must be a real number, got ", rotation, value, 8)
    np.testing.assert_array_equal(rotation(np.array(3), 8), rotation(3, 8))


@pytest.mark.parametrize("call", [lambda x: shift(x, 1), position_from_encoding])
def test_shape_of_an_encoding(call):
    for value, shape in ((np.ones(7), "(7,)"), (np.ones((3, 0)), "(3, 0)"), (1.0, "()")):
        refused(
            ValueError,
            "encoding must have shape (..., d_model) with d_model positive and even "
            f"(each sine needs its cosine), got shape {shape}",
            call,
            value,
        )


def test_offsets_that_do_not_broadcast():
    message = "offset must broadcast with the leading axes (3,), got shape (2,)"
    refused(ValueError, message, shift, np.ones((3, 8)), [1, 2])


def from_value(value=0.5, dim=0, d_model=8, **rest):
    return positions_from_value(value, dim, d_model, **rest)


def from_pair(sin=0.6, cos=0.8, pair=0, d_model=8, **rest):
    return positions_from_pair(sin, cos, pair, d_model, **rest)


def test_dimension_and_pair():
    for dim in (-1, 8):
        message = f"dim must lie in 0 <= dim < 8 for d_model = 8, got {dim}"
        refused(ValueError, message, from_value, dim=dim)
    for pair in (-1, 4):
        message = f"pair must lie in 0 <= pair < 4 for d_model = 8, got {pair}"
        refused(ValueError, message, from_pair, pair=pair)
    refused(TypeError, "dim must be an integer, got 1.0", from_value, dim=1.0)
    refused(TypeError, "pair must be an integer, got True", from_pair, pair=True)
    from_value(dim=7), from_pair(pair=3)


@pytest.mark.parametrize(
    "call, name", [(from_value, "value"), (from_pair, "sin"), (from_pair, "cos")]
)
def test_values(call, name):
    message = f"{name} must lie in [-1, 1] within atol = 0.001, got "
    for value in (1.002, -1.002):
        refused(ValueError, message + str(value), call, **{name: value}, atol=1e-3)
    refused(ValueError, f"{name} must be finite, got nan", call, **{name: np.nan})
    refused(TypeError, f"{name} must be a real number, got ", call, **{name: [0.5]})


def test_a_pair_off_the_circle():
    message = "sin and cos must lie on the unit circle within atol = 5e-07, got sin² + cos² = 0.5"
    refused(ValueError, message, from_pair, sin=0.5, cos=0.5)
    refused(ValueError, "unit circle within atol = 0.1", from_pair, sin=0.8, cos=0.9, atol=0.1)
    # the corner of a square of side 2 · 0.1 is √2 · 0.1 from its middle, on the circle
    from_pair(sin=1.141 / math.sqrt(2), cos=1.141 / math.sqrt(2), atol=0.1)
    refused(ValueError, "unit circle", from_pair, *[1.142 / math.sqrt(2)] * 2, atol=0.1)


def far(max_position):
    return position_from_encoding(encode(3, 8), max_position=max_position)


@pytest.mark.parametrize(
    "call", [lambda n: from_value(max_position=n), lambda n: from_pair(max_position=n), far]
)
def test_max_position(call):
    refused(ValueError, "max_position must be at least 1, got 0", call, 0)
    refused(ValueError, "max_position must be at most 2**53", call, 2**53 + 1)
    refused(TypeError, "max_position must be an integer, got 5.0", call, 5.0)
    refused(TypeError, "max_position must be an integer, got True", call, True)


@pytest.mark.parametrize("call", [from_value, from_pair])
def test_atol(call):
    refused(ValueError, "atol must not be negative, got -1e-09", call, atol=-1e-9)
    refused(ValueError, "atol must be finite, got inf", call, atol=np.inf)
    refused(TypeError, "atol must be a real number, got None", call, atol=None)
