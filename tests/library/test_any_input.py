"""Test that each input gives a finite result of the right shape, or an error naming the argument.

Each test replaces one argument of a call by a random value. Sizes that cost memory or time are
either small, or too large for any array.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pe_lib
from pe_lib import biases, context, encode, grid, rotary
from pe_lib.course.attention import attention
from pe_lib.course.model import Transformer, accuracy, tasks, train

HUGE = [2**31, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400, -(10**400), 1e300, -1e300, 1.7e308]
ODD = [None, True, np.True_, "3", "", b"3", 2j, {}, [], [[]], [None], ["a"], [True], [[1, 2], [3]],
       math.nan, math.inf, -math.inf, [math.nan], [10**400], -0.0, 5e-324, np.int8(-1), np.uint8(2),
       np.int64(3), np.float16(2.5), np.float32("nan"), np.array(2), np.array(2.5), np.array("2"),
       np.array([[1], [2]]), np.zeros((2, 0)), np.datetime64("2024-01-01"), object(),
       int]  # fmt: skip
NUMBERS = st.integers(-3, 12) | st.floats()
SMALL = st.sampled_from(ODD) | NUMBERS | st.lists(st.lists(NUMBERS, max_size=3), max_size=3)
ANY = st.sampled_from(HUGE) | SMALL


def make_uncovered_bias(**options):
    return biases.alibi_bias(**options, causal=False)


def model(tokens=((0, 0, 0),), **options):
    return Transformer(**{"vocabulary": 8, "classes": 8, **options})(tokens)


def loss(targets):
    return Transformer(8, 8).loss_and_gradients([[3, 1, 4]], targets)[0]


def train_model(**options):
    fixed = {"steps": 1, "batch": 2, "length": 4, "progress": False}
    return train(Transformer(8, 8, d_model=4), tasks.previous(), **{**fixed, **options}).loss


def measure_accuracy(**options):
    return accuracy(Transformer(8, 8, d_model=4), tasks.previous(), **{"batch": 2, **options})


D, SQUARE, TABLE = {"d_head": 8}, [[1.0, 2.0], [3.0, 4.0]], np.ones((6, 2))
QKV = {"queries": SQUARE, "keys": SQUARE, "values": SQUARE}
SHAW = {"queries": SQUARE, "keys": SQUARE, "relative_keys": np.ones((3, 2))}
T5 = {"offsets": [-9, 3], "buckets": 32, "max_distance": 2**31}
CORE = {"d_model": 8, "base": 1e4}
ROW = np.ones(8) / np.sqrt(2)
FOUND = {"value": 0.5, "dim": 1, **CORE, "max_position": 50, "atol": 0.1}
PAIR = {"sin": 0.6, "cos": 0.8, "pair": 1, **CORE, "max_position": 50, "atol": 0.1}
VECTORS = {"vectors": np.ones((2, 8)), "positions": [0, 1]}
PATCH = {"rows": 1, "columns": [2, 3], "base": 100.0, "angle": 0.1}
COUNTS = {"vocabulary": 8, "classes": 8, "d_model": 4, "heads": 2, "layers": 1, "max_length": 4}


def pairs(a):
    return (a["d_head"] // 2,)


def one_row(a):
    return (*np.shape(a["positions"]), a["d_model"])


def halves(frequencies):
    return rotary.rotate(np.ones(8), 3, frequencies=frequencies, layout="halves")


def broadcast_shape(a):
    return (*np.broadcast_shapes(np.shape(a["vectors"])[:-1], np.shape(a["positions"])), 8)


def places(a):
    return np.broadcast_shapes(np.shape(a["rows"]), np.shape(a["columns"]))


def on_a_grid(a):
    *leading, width = np.shape(a["vectors"])
    return (*np.broadcast_shapes(tuple(leading), places(a)), width)


def queries_and_keys(a):
    queries = a["keys"] if a["queries"] is None else a["queries"]
    return (*np.shape(queries), *np.shape(a["keys"]))


def on_axes(a):
    *leading, width = np.shape(a["vectors"])
    return (*np.broadcast_shapes(tuple(leading), np.shape(a["places"])[:-1]), width)


# a function, valid arguments, which of them must stay small, and the shape of the result
CALLS = [
    (pe_lib.frequencies, CORE, "d_model", lambda a: (a["d_model"] // 2,)),
    (pe_lib.wavelengths, CORE, "d_model", lambda a: (a["d_model"] // 2,)),
    (encode, {"positions": [3, 1], **CORE, "dtype": float}, "d_model", one_row),
    (encode, {"positions": 3, "d_model": 8, "layout": "halves", "frequencies": [1, 2, 3, 4.0],
              "out": None}, "", one_row),
    (pe_lib.rotation, {"offset": 3, **CORE}, "d_model", lambda a: (a["d_model"],) * 2),
    (pe_lib.shift, {"encoding": ROW, "offset": 3, "base": 1e4}, "",
     lambda a: (*np.broadcast_shapes(np.shape(a["encoding"])[:-1], np.shape(a["offset"])),
                np.shape(a["encoding"])[-1])),
    (pe_lib.kernel, {"offsets": [3, 4], **CORE}, "d_model", lambda a: np.shape(a["offsets"])),
    (pe_lib.positions_from_value, FOUND, "d_model", None),
    (pe_lib.positions_from_pair, PAIR, "d_model", None),
    (pe_lib.position_from_encoding,
     {"encoding": encode(3, 8), "base": 1e4, "max_position": 50}, "base",
     lambda a: np.shape(a["encoding"])[:-1]),
    (rotary.rotate, {**VECTORS, "base": 1e4, "layout": "halves", "turned": 4, "out": None}, "",
     broadcast_shape),
    (halves, {"frequencies": [1, 2, 3, 4]}, "", lambda a: (8,)),
    (rotary.score, {"query": [3, 0], "key": [0, 2], "offset": 1}, "",
     lambda a: np.shape(a["offset"])),
    (rotary.to_halves, {"d_head": 8, "turned": 4}, "d_head turned", lambda a: (a["d_head"],)),
    (grid.grid_frequencies, {**CORE, "angle": 0.1}, "d_model", lambda a: (a["d_model"] // 2, 2)),
    (grid.encode_grid, {**PATCH, "d_model": 8, "dtype": float}, "d_model",
     lambda a: (*places(a), a["d_model"])),
    (grid.grid_kernel, {**PATCH, "d_model": 8}, "d_model", places),
    (grid.rotate_grid, {"vectors": np.ones((2, 8)), "rows": [0, 1], "columns": 3, "base": 1e4,
                        "angle": 0.1}, "", on_a_grid),
    (grid.rotate_axes, {"vectors": np.ones((2, 4)), "places": [[0, 1], [2, 3]], "axes": [0, 1],
                        "base": 1e4}, "", on_axes),
    (rotary.cos_sin, {"positions": [0, 2.5], "d_head": 8, "base": 1e4, "amplitude": 1.5,
                      "dtype": float}, "d_head",
     lambda a: (2, *np.shape(a["positions"]), a["d_head"] // 2)),
    (biases.alibi_slopes, {"heads": 3}, "", lambda a: (a["heads"],)),
    (make_uncovered_bias, {"length": 3, "heads": 3}, "",
     lambda a: (a["heads"], a["length"], a["length"])),
    (make_uncovered_bias, {"heads": 3, "queries": [5, 9], "keys": range(4)}, "",
     lambda a: (a["heads"], *queries_and_keys(a))),
    (biases.t5_buckets, T5, "", lambda a: np.shape(a["offsets"])),
    (biases.t5_bias, {"length": 3, "weights": TABLE, "max_distance": 9}, "",
     lambda a: (np.shape(a["weights"])[1], a["length"], a["length"])),
    (biases.t5_bias, {"weights": TABLE, "max_distance": 9, "queries": [5, 9], "keys": range(4)}, "",
     lambda a: (np.shape(a["weights"])[1], *queries_and_keys(a))),
    (biases.clipped_offsets, {"length": 3, "limit": 2}, "", lambda a: (a["length"], a["length"])),
    (biases.shaw_scores, SHAW, "", lambda a: np.shape(a["queries"])[:-1] * 2),
    (attention, QKV, "", lambda a: (len(a["queries"]), np.shape(a["values"])[1])),
    (context.turns, {**D, "length": 100, "base": 1e4}, "d_head", pairs),
    (context.interpolated, {**D, "factor": 4, "base": 1e4}, "d_head", pairs),
    (context.ntk_base, {**D, "factor": 4, "base": 1e4}, "d_head", lambda a: ()),
    (context.ntk_aware, {**D, "factor": 4, "base": 1e4}, "d_head", pairs),
    (context.dynamic, {**D, "length": 200, "trained_length": 100, "base": 1e4, "factor": 2},
     "d_head", pairs),
    (context.by_parts,
     {**D, "factor": 4, "trained_length": 99, "base": 1e4, "alpha": 1, "beta": 32}, "d_head",
     pairs),
    (context.yarn,
     {**D, "factor": 4, "trained_length": 99, "base": 1e4, "beta_fast": 32, "beta_slow": 1},
     "d_head", pairs),
    (context.proportional, {**D, "share": 0.5, "base": 1e4}, "d_head", pairs),
    (context.temperature, {"factor": 4, "mscale": 0.5}, "", lambda a: ()),
    (context.yarn_amplitude, {"factor": 4, "mscale": 1, "mscale_all_dim": 0.5}, "", lambda a: ()),
    (context.longrope_amplitude, {"factor": 4, "trained_length": 99}, "", lambda a: ()),
    (context.growing, {"positions": [0, 9], "strength": 0.1, "every": 8, "ahead": 1}, "",
     lambda a: np.shape(a["positions"])),
    (model, {"tokens": [[3, 1, 4]]}, "", lambda a: (*np.shape(a["tokens"]), 8)),
    (model, COUNTS, " ".join(COUNTS), lambda a: (1, 3, a["classes"])),
    (model, {"scheme": "none", "seed": 0, "dtype": float}, "", lambda a: (1, 3, 8)),
    (loss, {"targets": [[3, 1, 4]]}, "", lambda a: ()),
    (train_model, {"steps": 1, "batch": 2, "length": 4}, "steps batch length",
     lambda a: (a["steps"],)),
    (train_model, {"seed": 0, "record": 0}, "", lambda a: (1,)),
    (measure_accuracy, {"length": 4, "batch": 2, "seed": 0}, "length batch", lambda a: ()),
]  # fmt: skip
# If two arguments do not fit each other, the error may name either of them.
FITS = {"d_model": "frequencies dim pair columns", "base": "encoding", "max_position": "encoding",
        "vectors": "turned positions rows angle places axes", "axes": "places", "rows": "columns",
        "query": "key", "encoding": "offset"}  # fmt: skip
CASES = [
    pytest.param(call, fitting, name, SMALL if name in small.split() else ANY, shape,
                 id=f"{call.__name__}-{name}")
    for call, fitting, small, shape in CALLS for name in fitting
]  # fmt: skip


@pytest.mark.parametrize(("call", "fitting", "name", "values", "shape"), CASES)
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_a_right_answer_or_an_error_by_name(call, fitting, name, values, shape, data):
    arguments = {**fitting, name: data.draw(values)}
    try:
        result = call(**arguments)
    except (TypeError, ValueError) as error:
        names = (name, *FITS.get(name, "").split())
        assert any(n in str(error) for n in names) and "\n" not in str(error), str(error)
    else:
        assert np.ndim(result) == 1 if shape is None else np.shape(result) == shape(arguments)
        assert np.isfinite(result).all()
