"""Test that the functions that readers build in chapters give the same results as the library."""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib import (
    biases,
    context,
    encode,
    frequencies,
    kernel,
    position_from_encoding,
    positions_from_value,
    rotary,
    rotation,
    wavelengths,
)
from pe_lib.biases import alibi_slopes
from pe_lib.course import readers
from pe_lib.course.attention import attention
from pe_lib.course.model import Transformer
from pe_lib.course.model.schemes import Scheme
from pe_lib.grid import encode_grid, rotate_grid

RNG = np.random.default_rng(5)
X, Q, K = RNG.standard_normal((6, 8)), *RNG.standard_normal((2, 9, 8))
W = RNG.standard_normal((3, 8, 8))
HEADS = RNG.standard_normal((5, 24))
T, FAR = np.arange(400), np.arange(-3000, 3000)
ROWS, COLUMNS = np.divmod(np.arange(35), 7)
PHI = json.loads((CHAPTERS / "data/checkpoints/phi-3.5-mini.json").read_text("utf-8"))
LISTS = {k: np.array(PHI["config"]["rope_scaling"][f"{k}_factor"]) for k in ("short", "long")}


@cache
def load_functions(chapter: str) -> dict[str, Any]:
    """Return a chapter's functions, with the names from other cells that they use."""
    known = {
        "np": np, "math": math, "encode": encode, "frequencies": frequencies,
        "position_from_encoding": position_from_encoding, "alibi_slopes": alibi_slopes,
        "rotate": rotary.rotate, "attention": attention, "Transformer": Transformer,
        "Scheme": Scheme,
    }  # fmt: skip
    paths = CHAPTERS.glob(f"{chapter}*.ipynb")
    is_deeper = chapter.endswith("-deeper")
    (path,) = (path for path in paths if path.stem.endswith("-deeper") == is_deeper)
    return functions(path.stem, **known, **LISTS)


def forward_pass(length: int) -> tuple[Any, ...]:
    model = Transformer(8, 8, "learned", max_length=16, seed=length, dtype=np.float64)
    for value in model.parameters.values():
        # The model's thresholds start at 0, which would hide mistakes, so noise is added to them.
        value += np.random.default_rng(3).normal(size=value.shape) / 3
    tokens = np.random.default_rng(4).integers(8, size=(4, length))
    return "06", "forward", (tokens, model.parameters), model(tokens)


YARN = (128, 4.0, 4096)
# Each case: a chapter, a function's name, its arguments, and the library's result for them.
CASES: list[tuple[str, str, tuple[Any, ...], Any]] = [
    ("00", "attention", (X,), attention(X, X, X)),
    ("01", "attention", (X, *W), attention(*(X @ w for w in W))),
    ("01", "masked_attention", (X, *W), attention(*(X @ w for w in W), causal=True)),
    ("01", "binary", (T, 10), [[t >> (9 - b) & 1 for b in range(10)] for t in T]),
    ("02", "positional_encoding", (T, 64, 100.0), encode(T, 64, 100.0)),
    ("02", "positional_encoding", (T, 512), encode(T, 512)),
    *[("03", "my_frequencies", (d, b), frequencies(d, b)) for d, b in [(2, 7.0), (64, 1e6)]],
    *[("03", "my_wavelengths", (d, b), wavelengths(d, b)) for d, b in [(10, 50.0), (512, 1e4)]],
    ("03", "rows", ([1.0, 0.1], 9), readers.rows([1.0, 0.1], 9)),
    ("03", "measure_misses", (encode(T, 16), 0.7, 3),
     readers.measure_misses(encode(T, 16), 0.7, 3)),
    ("03-frequencies-deeper", "best_weights", (encode(T, 16), 0.3),
     readers.best_weights(encode(T, 16), 0.3)),
    *[("04", "from_sine", (v, 1.0, 400), positions_from_value(v, 0, 2, max_position=400))
      for v in np.sin([11, 344, 7, 123]).round(6)],
    *[("04", "decode", (encode(range(0, 3100, 3), d),), range(0, 3100, 3)) for d in (8, 64, 512)],
    *[("05", "rotation", (k, 16, 100.0), rotation(k, 16, 100.0)) for k in (-7, 2.5, 1000)],
    ("05", "shift", (encode(T, 16, 100.0), -7, 100.0), encode(T - 7, 16, 100.0)),
    ("05", "kernel", (FAR, 64), kernel(FAR, 64)),
    forward_pass(16),
    forward_pass(9),
    *[("09", "relative_scores", (Q, K, r), biases.shaw_scores(Q, K, r))
      for r in (X[:1], X[:3], RNG.standard_normal((41, 8)))],
    *[("09", "alibi", (9, h), biases.alibi_bias(length=9, heads=h)) for h in (1, 4, 16)],
    ("08", "rotate", (Q, T[:9] + 1000, 100.0), rotary.rotate(Q, T[:9] + 1000, 100.0)),
    ("08", "rotate_halves", (Q, T[:9], 50.0), rotary.rotate(Q, T[:9], 50.0, "halves")),
    *[("08", "to_halves", (HEADS, 24 // n),
       rotary.convert_weights(HEADS, "halves", axis=1, heads=n, d_head=24 // n)) for n in (1, 3)],
    *[case for d, s, b in [(4, 2.5, 100.0), (128, 16.0, 1e4)] for case in [
        ("10", "interpolated", (d, s, b), context.interpolated(d, s, b)),
        ("10", "ntk_aware", (d, s, b), context.ntk_aware(d, s, b)),
        ("10", "by_parts", (d, s, 500, b), context.by_parts(d, s, 500, b)),
        ("10", "dynamic", (d, 1250, 500, b), context.dynamic(d, 1250, 500, b)),
        ("10", "dynamic", (d, 100, 500, b), context.dynamic(d, 100, 500, b)),
        ("10", "turns", (d, 500, b), 500 * frequencies(d, b) / math.tau),
        ("10", "temperature", (s,), context.temperature(s))]],
    *[("10-longer-contexts-deeper", "ramp_over_pairs", some, context.yarn(*some))
      for some in (YARN, (64, 32, 4096, 150_000.0))],
    ("10-longer-contexts-deeper", "llama3", (frequencies(128, 5e5),),
     context.llama3(128, 8, 8192, 5e5)),
    ("11", "axial", (ROWS, COLUMNS, 16, 50.0), encode_grid(ROWS, COLUMNS, 16, 50.0)),
    ("11", "rotate_axial", (X, 1.5, 400, 50.0), rotate_grid(X, 1.5, 400, 50.0)),
    *[("13-length-deeper", "longrope", (n,), frequencies(96) / LISTS[k])
      for n, k in ((1, "short"), (4096, "short"), (4097, "long"))],
    *[("appendix-practice", name, arguments, expected) for name, arguments, expected in [
        ("sinusoidal", (T, 130, 5e5), encode(T, 130, 5e5)),
        ("sinusoidal", (5, 8, 50.0), encode(5, 8, 50.0)),
        *[("alibi_slopes", (n,), biases.alibi_slopes(n)) for n in (1, 6, 12, 40)],
        ("alibi", (T[5:7], T[:7], 6), biases.alibi_bias(length=7, heads=6, causal=False)[:, 5:7]),
        *[("t5_buckets", (T, T, *some), biases.t5_buckets(T - T[:, None], *some))
          for some in ((32, 128, True), (32, 128, False), (16, 64, True))],
        ("interpolated", (128, 4.0), context.interpolated(128, 4.0)),
        ("ntk_aware", (128, 4.0), context.ntk_aware(128, 4.0)),
        *[("yarn", some, context.yarn(*some))
          for some in (YARN, (64, 16.0, 8192, 5e5, 24, 2, False))],
        ("yarn_scale", (4.0,), context.temperature(4.0))]],
    ("appendix-speed", "by_digits", (np.array([0, 63, 4096, 262_143]), 12),
     encode([0, 63, 4096, 262_143], 12)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("chapter", "name", "arguments", "expected"), CASES, ids=[f"{c}-{n}" for c, n, *_ in CASES]
)
def test_built_in_front_of_the_reader_it_is_the_library_s(
    chapter: str, name: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    found = load_functions(chapter)[name](*arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_bucket_at_a_time() -> None:
    found = [load_functions("09")["bucket"](n) for n in FAR]
    np.testing.assert_array_equal(found, biases.t5_buckets(FAR))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_recipe_turns_each_text_by_its_own_positions(layout: str) -> None:
    page = load_functions("appendix-practice")
    cos, sin = page["rotary_table"](50, page["plain"](8, 300.0))
    x, t = RNG.standard_normal((2, 3, 4, 8)), np.array([[[5, 6, 7, 8]], [[0, 0, 1, 49]]])
    turned = page[f"turn_{layout}"](x, cos[t], sin[t])
    np.testing.assert_allclose(turned, rotary.rotate(x, t, 300.0, layout), atol=1e-12)
