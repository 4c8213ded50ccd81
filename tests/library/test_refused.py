"""Test that invalid input raises a one-line error naming the argument, its value and its limits.

Each kind of argument has the same contract in every function. A table lists the cases that belong
to no kind. `test_any_input.py` tests random input.
"""

import inspect
import math

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
)
from pe_lib.biases import (
    alibi_bias,
    alibi_slopes,
    clipped_offsets,
    shaw_scores,
    t5_bias,
    t5_buckets,
)
from pe_lib.grid import encode_grid, grid_frequencies
from pe_lib.rotary import rotate, to_halves


def assert_refused(kind, message, call, *args, **kwargs):
    """Assert that a call raises exactly this type of error, with `message` in a single line."""
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    assert type(error.value) is kind
    assert message in str(error.value) and "\n" not in str(error.value), str(error.value)


def from_value(value=0.5, dim=0, d_model=8, **rest):
    return positions_from_value(value, dim, d_model, **rest)


def from_pair(sin=0.6, cos=0.8, pair=0, d_model=8, **rest):
    return positions_from_pair(sin, cos, pair, d_model, **rest)


def decode(**rest):
    return position_from_encoding(encode(3, 8), **rest)


def convert(weights, to="halves", heads=1, d_head=6, axis=-1, turned=None):
    return rotary.convert_weights(weights, to, heads=heads, d_head=d_head, axis=axis, turned=turned)


ONES = np.ones((32, 2))
# each case has an argument's name, its smallest valid value, and a function that passes the value
INTEGERS = [
    ("d_head", 2, to_halves),
    ("heads", 1, alibi_slopes),
    ("length", 1, lambda n: alibi_bias(length=n, heads=4)),
    ("limit", 0, lambda n: clipped_offsets(4, n)),
    ("buckets", 4, lambda n: t5_buckets(1, n)),
    ("buckets", 2, lambda n: t5_buckets(1, n, bidirectional=False)),
    ("max_distance", 17, lambda n: t5_buckets(1, 32, n, False)),
    ("max_position", 1, lambda n: from_value(max_position=n)),
    ("trained_length", 1, lambda n: context.dynamic(8, 100, n)),
    ("every", 1, lambda n: context.growing([2], 0.1, n)),
    ("shares", 0, lambda n: grid.sections([2, n])),
]


@pytest.mark.parametrize(("name", "least", "call"), INTEGERS)
def test_integers(name, least, call):
    call(least), call(np.int32(least))
    assert_refused(ValueError, f"{name} must be at least {least}, got {least - 1}", call, least - 1)
    for value in (least + 0.0, True, "8", None, [8], np.array([[1], [2]]), np.float64(8)):
        assert_refused(TypeError, f"{name} must be an integer, got ", call, value)


WIDTHS = [frequencies, lambda d: encode(1, d), lambda d: rotation(1, d), lambda d: kernel(1, d)]
SCALED = [
    lambda d=8, s=2, b=1e4: context.interpolated(d, s, b),
    lambda d=8, s=2, b=1e4: context.ntk_base(d, s, b),
    lambda d=8, s=2, b=1e4: context.ntk_aware(d, s, b),
    lambda d=8, s=2, b=1e4: context.by_parts(d, s, 100, b),
]
HEADS = [*SCALED, lambda d: context.dynamic(d, 200, 100), lambda d: context.turns(d, 100)]


@pytest.mark.parametrize("call", WIDTHS)
def test_widths(call):
    for value in (7, 0, -2, np.int64(-3)):
        message = "d_model must be a positive even number (each sine needs its cosine), got "
        assert_refused(ValueError, f"{message}{int(value)}", call, value)
    for value in (8.0, True, "8", None, [8]):
        assert_refused(TypeError, "d_model must be an integer, got ", call, value)
    for value, text in ((10**9, "1000000000"), (10**5000, "an integer of 16610 bits")):
        message = "d_model must be at most 2**24 (one encoding takes 128 MB then), got "
        assert_refused(ValueError, f"{message}{text}", call, value)


@pytest.mark.parametrize("call", HEADS)
def test_widths_of_heads(call):
    assert_refused(ValueError, "d_head must be at least 1, got 0", call, 0)
    assert_refused(ValueError, "d_head must be even (a pair takes two dimensions), got 7", call, 7)


# each case: an argument's name, its requirement, invalid values, and a function that passes a value
NUMBERS = [
    *(
        ("base", "greater than 1", (1, 0.5, -10_000), call)
        for call in (
            lambda b: frequencies(8, b),
            lambda b: encode(1, 8, b),
            lambda b: from_value(base=b),
            lambda b: decode(base=b),
            lambda b: rotate([1, 2], 0, b),
            lambda b: grid_frequencies(8, b),
            *(lambda b, call=call: call(b=b) for call in SCALED),
        )
    ),
    *(
        ("factor", "at least 1 (new length over trained)", (0.9999999, 0, -2), call)
        for call in (*(lambda s, call=call: call(s=s) for call in SCALED), context.temperature)
    ),
    ("atol", "not be negative", (-1e-9,), lambda x: from_value(atol=x)),
    ("value", "in [-1, 1] within atol = 5e-07", (1.002, -1.002), from_value),
    ("cos", "in [-1, 1] within atol", (1.2, -1.2), lambda x: from_pair(cos=x)),
    ("offset", "", (), lambda x: rotation(x, 8)),
    ("share", "lie in [0, 1]", (-0.1, 1.1), lambda x: context.proportional(8, x)),
    ("mscale", "not be negative", (-1,), lambda x: context.temperature(4, x)),
    ("strength", "not be negative", (-1,), lambda x: context.growing([2], x, 8)),
    ("alpha", "0 <= alpha <= beta", (-1, 33), lambda x: context.by_parts(8, 2, 99, alpha=x)),
    ("beta", "0 <= alpha <= beta", (0.5,), lambda x: context.by_parts(8, 2, 99, beta=x)),
    (
        "low_freq_factor",
        "<= high_freq_factor",
        (-1, 5),
        lambda x: context.llama3(8, 2, 99, low_freq_factor=x),
    ),
    ("beta_fast", "0 < slow <= fast", (0.5,), lambda x: context.yarn(8, 2, 99, beta_fast=x)),
    ("beta_slow", "0 < slow <= fast", (0, -1, 33), lambda x: context.yarn(8, 2, 99, beta_slow=x)),
]


@pytest.mark.parametrize(("name", "requirement", "outside", "call"), NUMBERS)
def test_numbers(name, requirement, outside, call):
    inferred = {None} if name == "atol" else set()  # None is a valid value of atol.
    for value in outside:
        assert_refused(ValueError, requirement, call, value)
    for value in (math.nan, math.inf, -math.inf, 10**400):
        assert_refused(ValueError, f"{name} must be finite, got ", call, value)
    for value in (True, "1", *({None} - inferred), [1e4], 2j, np.array([2, 2])):
        assert_refused(TypeError, f"{name} must be a real number, got ", call, value)


ARRAYS = [
    ("positions", lambda x: encode(x, 8)),
    ("offsets", lambda x: kernel(x, 8)),
    ("offset", lambda x: shift(np.ones(8), x)),
    ("encoding", position_from_encoding),
    ("vectors", lambda x: rotate(x, 1)),
    ("rows", lambda x: encode_grid(x, 2, 8)),
    ("angle", lambda x: grid_frequencies(8, angle=x)),
    ("weights", lambda x: t5_bias(3, x)),
    ("weights", convert),
    ("queries", lambda x: shaw_scores(x, ONES, ONES)),
    ("relative_keys", lambda x: shaw_scores(ONES, ONES, x)),
    ("frequencies", lambda x: decode(frequencies=x)),
]


@pytest.mark.parametrize(("name", "call"), ARRAYS)
def test_arrays(name, call):
    for value, text in ((np.nan, "nan"), ([0, np.inf], "inf"), (np.array([[-np.inf]]), "-inf")):
        assert_refused(ValueError, f"{name} must be finite, got {text}", call, value)
    bools = True, [True, False], [True, 2], [[0.5, np.True_], [1, 2]]
    for value in (*bools, 1j, "5", ["1"], np.datetime64("2024-01-01"), np.zeros((50, 50), complex)):
        assert_refused(TypeError, f"{name} must be integers or floats, got ", call, value)
    for value in (10**30, [2**64, 1], -(2**63) - 1):
        assert_refused(ValueError, f"{name} must fit into 64 bits, got ", call, value)
    assert_refused(TypeError, f"{name} must not be masked", call, np.ma.masked_array([1.0], [True]))
    ragged = [[1, 2], [3]]
    assert_refused(ValueError, f"{name} must form a rectangular array, got {ragged}", call, ragged)


LAYOUTS = [
    ("layout", lambda x: encode(1, 8, layout=x)),
    ("layout", lambda x: rotate(np.ones(8), 1, layout=x)),
    ("layout", lambda x: decode(layout=x)),
    ("to", lambda x: convert(np.ones(6), to=x)),
]


@pytest.mark.parametrize(("name", "call"), LAYOUTS)
def test_layouts(name, call):
    for layout in ("sines", None, 1, ["halves"]):
        assert_refused(ValueError, f"{name} must be 'interleaved' or 'halves', got ", call, layout)


CHOSEN = [
    lambda w: encode([], 8, frequencies=w),
    lambda w: rotate(np.ones(8), 1, frequencies=w),
    lambda w: from_value(frequencies=w),
    lambda w: from_pair(frequencies=w),
    lambda w: decode(frequencies=w),
]


@pytest.mark.parametrize("call", CHOSEN)
def test_frequencies(call):
    assert_refused(ValueError, "frequencies must have shape (4,), got (3,)", call, [1, 2, 3])
    assert_refused(ValueError, "frequencies must have shape (4,), got (1, 4)", call, [[1, 2, 3, 4]])
    if call in CHOSEN[-3:]:  # These functions divide by frequencies, so they reject 0.
        for value, least in ((0, "0.0"), (-1, "-1.0"), (1e-301, "1e-301")):
            message = f"frequencies must be positive, at least 1e-300, got {least}"
            assert_refused(ValueError, message, call, [1, 2, value, 3])


@pytest.mark.parametrize("module", [pe_lib, context, grid, rotary])
def test_the_base_is_ten_thousand_unless_told_otherwise(module):
    functions = inspect.getmembers(module, inspect.isfunction)
    signatures = [inspect.signature(f).parameters for name, f in functions if name[0] != "_"]
    bases = {parameters["base"].default for parameters in signatures if "base" in parameters}
    assert bases == {10_000}


READ_ONLY = np.empty(8)
READ_ONLY.flags.writeable = False
FLOATS = "dtype must be numpy's float64, float32 or float16, got "
BATCH = np.ones((2, 5, 3, 8))  # (batch, length, heads, d_head)
COLUMN = np.ones((3, 1))
SQUARE, FOUR, SIX, KEYS = np.ones((5, 4)), np.ones(4), np.ones(6), np.ones((5, 12))
VALUES = [
    # Ranges and integers that exceed 64 bits or the memory
    ("positions must fit into 64 bits, got ", lambda: encode([2**63 + 1, -1], 8)),
    ("positions must be below 2**64 in size, got ", lambda: encode(2.0**64, 8)),
    ("positions must fit into 64 bits, got ", lambda: encode(range(-1, 2**63 + 2, 2**62 + 1), 8)),
    ("positions must be fewer than 2**48", lambda: encode(range(2**50), 8)),
    ("base must be greater than 1", lambda: encode([], 8, base=1)),
    ("base must be at most 2.8e307, got 1e+308", lambda: encode(1, 8, 1e308)),
    ("max_position must be at most 2**53", lambda: decode(max_position=2**53 + 1)),
    (f"limit must be at most {2**63 - 3}, got ", lambda: clipped_offsets(3, 2**63 - 2)),
    ("buckets must be at most 1,024 a side, got 2050", lambda: t5_buckets(1, 2050, 2**31)),
    ("max_distance must be at most 2**31", lambda: t5_buckets(1, 32, 2**31 + 1)),
    # Results and their precision
    (f"{FLOATS}'>f8'", lambda: encode(1, 8, dtype=">f8")),
    (f"{FLOATS}'(2,)f8,'", lambda: encode(1, 8, dtype="(2,)f8,")),
    (f"out.{FLOATS}", lambda: encode(1, 8, out=np.ones(8, int))),
    ("out must be writable and of shape (8,)", lambda: encode(1, 8, out=READ_ONLY)),
    # Invalid shapes, with one example of each error message
    ("relative_keys must be (2 · limit + 1, 4),", lambda: shaw_scores(SQUARE, SQUARE, SQUARE[1:])),
    # Arguments that are valid alone but contradict each other
    ("dim must lie in 0 <= dim < 8 for d_model = 8, got 8", lambda: from_value(dim=8)),
    ("pair must lie in 0 <= pair < 4", lambda: from_pair(pair=4)),
    ("unit circle within atol = 0.05, got sin² + cos² = 0.5", lambda: from_pair(0.5, 0.5)),
    # This point is more than √2 · atol off the circle, so atol cannot explain both errors.
    ("unit circle", lambda: from_pair(*[1.142 / math.sqrt(2)] * 2, atol=0.1)),
    ("turned must be even and at most d_head = 2, got 4", lambda: rotate([1, 2], 0, turned=4)),
    ("turned must be at least 2, got 0", lambda: rotate(FOUR, 0, turned=0)),
    ("d_head must be even (a rotation takes pairs), got 5", lambda: to_halves(5)),
    # Here the number of query heads, 8, is used for weights of keys, of which there are 2 heads.
    ("8 · 6 = 48 entries along axis -1, got shape (5, 12)", lambda: convert(KEYS, heads=8)),
    ("say, is 0), got shape (5, 4)", lambda: grid.resized(SQUARE, (2, 2), (3, 3))),
    (
        "method must be 'bicubic' or 'bilinear', got 'area'",
        lambda: grid.resized(SQUARE, (5, 1), (3, 3), "area"),
    ),
    ("(2, 5, 3), got shape (5,); positions[:, None] does", lambda: rotate(BATCH, range(5))),
    ("got shape (2, 5); positions[..., None] does", lambda: rotate(BATCH, np.ones((2, 5)))),
    (
        "(2, 3, 5), got shape (2, 5); positions[:, None] does",
        lambda: rotate(BATCH.swapaxes(1, 2), np.ones((2, 5))),
    ),
    ("(2, 5, 3), got shape (4,)", lambda: rotate(BATCH, range(4))),
    (
        "must broadcast, got shapes (3,) and (4,); for every row with every column give "
        "np.asarray(rows)[:, None]",
        lambda: encode_grid(range(3), range(4), 8),
    ),
    ("broadcast, got shapes (3, 1) and (4, 5)", lambda: encode_grid(COLUMN, np.ones((4, 5)), 8)),
    ("keys must be below 2**53 in size, got [", lambda: alibi_bias(heads=2, keys=[2**53])),
    ("amplitude must not be negative, and below 1e300", lambda: rotate(FOUR, 0, amplitude=-1)),
    (
        "off the unit circle by more than 5.0e-01; with layout='halves' it is the encoding of 5",
        lambda: position_from_encoding(encode(5, 512, layout="halves")),
    ),
    ("shares must hold at least one pair, got []", lambda: grid.sections([])),
    ("shares must give axis 1 only pairs up to the last, 4", lambda: grid.round_robin([2, 3])),
    ("leave no ramp: it would run from pair 0 to pair -", lambda: context.yarn(64, 2, 1)),
]
TYPES = [
    ("out must be a plain array, got [0.0", lambda: encode(1, 8, out=[0.0] * 8)),
    ("out must be a plain array", lambda: encode(1, 8, out=np.ma.masked_array(np.ones(8)))),
    ("'axis'", lambda: rotary.convert_weights(SIX, "halves", heads=1, d_head=6)),  # no default
    ("offsets must be integers, got [0.5]", lambda: t5_buckets([0.5])),
    ("queries must be integers, got 2.5", lambda: alibi_bias(3, 2, queries=2.5)),
    ("keys must be integers, got [0.0]", lambda: t5_bias(weights=FOUR[:, None], keys=[0.0])),
    ("length must be an integer, got None: give it, or", lambda: alibi_bias(heads=2, queries=3)),
    ("length must be None where keys have positions, got 3", lambda: alibi_bias(3, 2, keys=[0])),
    ("heads must be an integer, got None", lambda: alibi_bias(3)),
    ("weights must be integers or floats, got None", lambda: t5_bias(3)),
    ("limit must be an integer, got None", lambda: clipped_offsets(3)),
    (
        "shares must be a list with an integer for each axis, got 16",
        lambda: grid.sections(16),
    ),
    (
        "positions must be integers or floats, got an array of dtype object",
        lambda: encode(np.array([1, 2], object), 8),
    ),
    ("base must be a real number", lambda: encode(range(3), 8, np.float32)),
    (
        "new_grid must be two integers, (rows, columns), got 3",
        lambda: grid.resized(SQUARE, (5, 1), 3),
    ),
]


@pytest.mark.parametrize(("message", "call"), VALUES + TYPES)
def test_what_does_not_fit(message, call):
    assert_refused(TypeError if (message, call) in TYPES else ValueError, message, call)


def test_what_only_just_fits():
    assert np.isfinite(encode([2**64 - 1, 2**63], 8)).all()
    # The base is not used here.
    assert encode([], 8, base=0.5, frequencies=[1] * 4).shape == (0, 8)
    from_value(dim=7), from_pair(*[1.141 / math.sqrt(2)] * 2, pair=3, atol=0.1)
