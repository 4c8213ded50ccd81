"""List 250 arrays of published kinds, a third of them healthy, with the right diagnosis of each.

The arrays are computed as the programs that use them do it, most of them in float32. Nothing from
the doctor or the library is used.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import doctor_bank as bank
import numpy as np

F4 = np.float32


@dataclass(frozen=True)
class Row:
    """An array with what a right diagnosis of it says."""

    name: str
    make: Callable[[], Any]
    schemes: tuple[str, ...]  # each of these schemes is right
    problems: tuple[str, ...] = ()  # one of these is right; none stands for a healthy array
    base: float | None = None
    is_known: bool = True  # whether a rule gives the array, so that the diagnosis may be sure


# --- Frequencies and angles, as programs compute them ---


def space(base: float, width: int, form: Any = F4) -> Any:
    """Return 1 / base^(2i/width) for each pair, as PyTorch code computes it."""
    return (1.0 / form(base) ** (np.arange(0, width, 2).astype(form) / form(width))).astype(form)


def through_logs(base: float, width: int, last: int = 0) -> Any:
    """Return the same frequencies as exp(-i log(base) / (n - last)), as TensorFlow code does it."""
    n = width // 2
    step = F4(np.log(F4(base))) / F4(n - last)
    return np.exp(np.arange(n, dtype=F4) * -step).astype(F4)


def llama3(base: float, width: int, factor: float, trained: int) -> Any:
    return bank.llama3(width, factor, trained, base).astype(F4)


def yarn(base: float, width: int, factor: float, trained: int, whole: bool = True) -> Any:
    return bank.yarn(width, factor, trained, base, whole).astype(F4)


def longrope(base: float, width: int, most: float) -> Any:
    """Return frequencies divided by factors with two decimals, which grow from 1 to `most`."""
    factors = np.round(np.geomspace(1, most, width // 2) + 0.01 * (np.arange(width // 2) % 7), 2)
    return (1.0 / (factors.astype(F4) * F4(base) ** (np.arange(0, width, 2) / F4(width)))).astype(
        F4
    )


def ntk(base: float, width: int, factor: float) -> Any:
    return space(base * factor ** (width / (width - 2)), width)


def turn(positions: Any, w: Any) -> Any:
    """Return the angles of rows at `positions`, in the number format of w."""
    return np.multiply.outer(np.asarray(positions, w.dtype), w)


def on_axes(places: Any, axis: Any, w: Any) -> Any:
    """Return angles of rows (axes, T) in which pair i turns by the position on axis[i]."""
    return np.asarray(places, w.dtype)[np.asarray(axis)].T * w


# --- Tables and caches ---


def table(angles: Any, layout: str = "interleaved", form: str = "float32") -> Any:
    return bank.to(form, bank.join_waves(np.sin(angles), np.cos(angles), layout)).astype(F4)


def cache(
    angles: Any, layout: str | None = "halves", form: str = "float32", size: float = 1
) -> Any:
    if layout == "halves":
        angles = np.concatenate([angles, angles], axis=-1)
    elif layout == "pairs":
        angles = np.repeat(angles, 2, axis=-1)
    return tuple(bank.to(form, size * f(angles)).astype(F4) for f in (np.cos, np.sin))


def change(x: Any, where: Any, value: Any) -> Any:
    """Return a copy of x in which x[where] is `value`, or `value(x)`."""
    out = np.array(x, F4)
    out[where] = value(out) if callable(value) else value
    return out


def change_both(pair: Any, where: Any, value: Any) -> Any:
    return tuple(change(x, where, value) for x in pair)


def grid(rows: int, columns: int) -> Any:
    return np.stack(np.divmod(np.arange(rows * columns), columns))


def square_table(rows: int, columns: int, width: int, base: float = 1e4) -> Any:
    """Return the fixed table of a masked autoencoder, whose first half encodes the column."""
    down, across = grid(rows, columns)
    w = base ** (-np.arange(width // 4) / (width / 4))
    parts = [bank.join_waves(np.sin(a), np.cos(a), "sines_first")
             for a in (np.outer(across, w), np.outer(down, w))]  # fmt: skip
    return np.concatenate(parts, axis=1).astype(F4)


def image_in_text(before: int, rows: int, columns: int, after: int) -> Any:
    """Return the ids (3, T) of M-RoPE for a text with an image in it."""
    down, across = grid(rows, columns) + before
    text = np.arange(before) * np.ones((3, 1))
    image = np.stack([np.full(rows * columns, before), down, across])
    first = before + max(rows, columns)
    return np.concatenate([text, image, np.arange(first, first + after) * np.ones((3, 1))], axis=1)


def f16(x: Any) -> Any:
    """Round numbers to float16."""
    return bank.to("float16", x)


def bf16(x: Any) -> Any:
    """Round numbers to bfloat16."""
    return bank.to("bfloat16", x)


def noise(*shape: int, seed: int = 0, size: float = 0.02) -> Any:
    return np.random.default_rng(seed).normal(0, size, shape).astype(F4)


# --- Rows ---

WAVES, ROTARY, LEARNED = ("sinusoidal",), ("rotary",), ("learned",)
UNKNOWN = ("unknown", "learned", "geometric")


def sinusoidal() -> Iterator[Row]:
    """Yield tables of sines and cosines."""
    fair = partial(through_logs, 1e4, last=1)
    for name, make in {
        "Annotated Transformer, 80 wide": lambda: table(turn(np.arange(77), through_logs(1e4, 80))),
        "512 wide, 1500 long": lambda: table(turn(np.arange(1500), through_logs(1e4, 512))),
        "fairseq, 96 wide": lambda: table(turn(np.arange(300), fair(96)), "sines_first"),
        "Whisper, 384 wide": lambda: table(turn(np.arange(1500), fair(384)), "sines_first"),
        "a diffusion model's times": lambda: table(
            turn(np.arange(1000), through_logs(1e4, 320)), "cosines_first"),
        "times, one less": lambda: table(turn(np.arange(400), fair(160)), "cosines_first"),
        "float64": lambda: bank.join_waves(
            *(f(np.outer(np.arange(90), bank.frequencies({"d": 48, "base": 1e4})))
              for f in (np.sin, np.cos)), "interleaved"),
        "bfloat16": lambda: table(turn(np.arange(256), space(1e4, 112)), form="bfloat16"),
        "float16": lambda: table(turn(np.arange(256), space(1e4, 40)), form="float16"),
        "base 1000": lambda: table(turn(np.arange(64), space(1e3, 24)), "sines_first"),
        "a batch of one": lambda: table(turn(np.arange(33), space(1e4, 192)))[None],
        "MAE, 14 by 14": lambda: square_table(14, 14, 192),
        "MAE, 9 by 16": lambda: square_table(9, 16, 128),
        "MAE, 6 by 22, float16": lambda: bank.to("float16", square_table(6, 22, 64)),
        "a voice's frames": lambda: table(turn(np.arange(750), space(1e4, 144)), "sines_first"),
        "positions from 1": lambda: table(turn(np.arange(1, 121), space(1e4, 72))),
        "rows from position 2": lambda: table(turn(np.arange(2, 120), space(1e4, 72)),
                                              "sines_first"),
        "two rows before": lambda: table(turn(np.arange(-2, 118), space(1e4, 72))),
        "a class token's row": lambda: np.concatenate([np.zeros((1, 96)), square_table(12, 7, 96)]),
    }.items():  # fmt: skip
        yield Row(f"sinusoidal: {name}", make, WAVES, (), 1e3 if "1000" in name else 1e4)
    t, w = np.arange(120), space(1e4, 72)
    x = table(turn(t, w))
    halves = table(turn(t, w), "sines_first")
    wrong: dict[str, tuple[Callable[[], Any], str | tuple[str, ...]]] = {
        "exponent 4i/d": (lambda: table(turn(t, w * w)), "either_exponent"),
        "exponent i/d": (lambda: table(turn(t, np.sqrt(w)), "sines_first"), "either_exponent"),
        "a frequency for each dimension": (
            lambda: np.where(np.arange(72) % 2 == 0, np.sin(turn(t, space(1e4, 144))),
                             np.cos(turn(t, space(1e4, 144)))), "own_frequencies"),
        "pairs from 1": (lambda: table(turn(t, w * w[1])), "pairs_from_one"),
        "rows reversed": (lambda: x[::-1], "reversed"),
        "transposed": (lambda: x.T, "transposed"),
        "added twice": (lambda: 2 * halves, "added_twice"),
        "times 5": (lambda: x * F4(5), "amplitude"),
        "negated": (lambda: -x, "negated"),
        "the end not filled": (lambda: change(x, np.s_[100:], 0), "zero_rows"),
        "a number lost": (lambda: change(x, (60, 11), np.nan), "not_finite"),
        "wrapped": (lambda: np.concatenate([x[:80], x[:40]]), "rows_off"),
        "clamped": (lambda: np.concatenate([x[:80], np.tile(x[79], (40, 1))]), "rows_off"),
        "cosine before sine": (lambda: table(turn(t, w))[:, np.arange(72) ^ 1],
                               "cosine_before_sine"),
        "angles in bfloat16": (
            lambda: table(bank.to("bfloat16", turn(t, w).astype(F4))), "half_precision_angles"),
        "frequencies in float16": (lambda: table(turn(t, f16(space(1e4, 72)).astype(F4))),
                                   "half_precision_frequencies"),
        "pairs reversed": (lambda: table(turn(t, w[::-1])), "columns_reversed"),
        "a pair lost": (lambda: change(x, np.s_[:, 10:12], noise(120, 2, size=0.5)), "pairs_off"),
        "degrees": (lambda: table(turn(t, np.deg2rad(space(1e4, 72, np.float64)))), "degrees"),
        "printed": (lambda: np.round(x.astype(float), 4), "printed"),
        "padding": (lambda: change(halves, 1, 0), "padding_row"),
        "clockwise": (lambda: table(turn(-t, w)), ("reversed", "clockwise", "counted_down")),
        "offsets of Transformer-XL": (
            lambda: table(turn(np.arange(60, -61, -1), space(1e4, 64)), "sines_first"),
            "counted_down"),
        "two rows exchanged": (lambda: change(x, [30, 31], lambda y: y[[31, 30]]), "rows_off"),
        "positions in float16": (
            lambda: table(turn(f16(np.arange(5000)), space(1e4, 40))),
            ("half_precision_positions", "half_precision_angles")),
    }  # fmt: skip
    wrong["columns shuffled"] = (
        lambda: x[:, np.random.default_rng(3).permutation(72)], "columns_out_of_order"
    )  # fmt: skip
    wrong["rows shuffled"] = (lambda: x[np.random.default_rng(4).permutation(120)], "rows_permuted")
    for name, (make, problem) in wrong.items():
        yield Row(f"sinusoidal: {name}", make, WAVES, _list_problems(problem))
    unknown = {
        "two tables added": lambda: x + table(turn(t, space(500.0, 72))),
        "phases by chance": lambda: np.sin(turn(t, w) + noise(36, size=3)),
        "frequencies by chance": lambda: table(turn(t, np.abs(noise(36, size=1)))),
    }
    for name, make in unknown.items():
        yield Row(f"sinusoidal: {name}", make, (*UNKNOWN, "sinusoidal"), is_known=False)


def _list_problems(problem: str | tuple[str, ...]) -> tuple[str, ...]:
    return (problem,) if isinstance(problem, str) else problem


def caches() -> Iterator[Row]:
    """Yield cosines and sines of rotary embeddings."""
    t, w = np.arange(200), space(5e5, 96)
    a = turn(t, w)
    packed = np.concatenate([np.arange(70), np.arange(41), np.arange(25)])
    padded = np.concatenate([np.zeros(9), np.arange(120)])
    shard = np.concatenate([np.arange(32, 64), np.arange(192, 224)])
    down, across = grid(18, 11)
    sections = np.repeat([0, 1, 2], [16, 24, 24])
    in_turn = np.where(np.arange(64) < 60, np.arange(64) % 3, 0)
    image = image_in_text(12, 6, 9, 20)
    flux = np.concatenate([space(1e4, 16), space(1e4, 56), space(1e4, 56)])
    for name, base, make in (
        ("halves, 96 wide", 5e5, lambda: cache(a)),
        ("twos, 80 wide", 1e6, lambda: cache(turn(np.arange(333), space(1e6, 80)), "pairs")),
        ("half wide, 160", 1e4, lambda: cache(turn(t, space(1e4, 160)), None)),
        ("bfloat16", 1e7, lambda: cache(turn(np.arange(600), space(1e7, 128)), form="bfloat16")),
        ("float16", 1e4, lambda: cache(turn(t, space(1e4, 48)), form="float16")),
        ("float64, base 250,000", 2.5e5,
         lambda: cache(turn(t, space(2.5e5, 64, np.float64)), form="float64")),
        ("linear by 8", 1e6, lambda: cache(turn(t, space(1e6, 256) / F4(8)))),
        ("YaRN", 1e6, lambda: cache(turn(t, yarn(1e6, 128, 4, 32768)), size=1.1386294)),
        ("gpt-oss", 1.5e5,
         lambda: cache(turn(t, yarn(1.5e5, 64, 32, 4096, False)), None, size=1.3465736)),
        ("llama3", 5e5, lambda: cache(turn(np.arange(1200), llama3(5e5, 64, 32, 8192)))),
        ("with axes for batch and heads", 1e4,
         lambda: tuple(x[None, None] for x in cache(turn(t, space(1e4, 112))))),
        ("a pair in the last axis", 1e4,
         lambda: np.stack(cache(turn(t, space(1e4, 120)), None), axis=-1)),
        ("packed texts", 1e6, lambda: cache(turn(packed, space(1e6, 128)))),
        ("padding on the left", 5e5, lambda: cache(turn(padded, space(5e5, 64)))),
        ("two parts of a long text", 1e4, lambda: cache(turn(shard, space(1e4, 128)))),
        ("one row", 5e5, lambda: cache(turn([511], space(5e5, 128)))),
        ("rows and columns of an image", 1e4,
         lambda: cache(on_axes([down, across], np.repeat([0, 1], 20), np.tile(space(1e4, 40), 2)))),
        ("FLUX", 1e4, lambda: cache(on_axes([0 * down, down, across],
                                            np.repeat([0, 1, 2], [8, 28, 28]), flux), "pairs")),
        ("M-RoPE", 1e6, lambda: cache(on_axes(image, sections, space(1e6, 128)))),
        ("M-RoPE in turn", 5e6, lambda: cache(on_axes(image, in_turn, space(5e6, 128)))),
        ("cosines, then sines", 1e4, lambda: np.stack(cache(turn(t, space(1e4, 80)), None))),
        ("linear by 4, bfloat16", 1e4,
         lambda: cache(turn(t, space(1e4, 128) / F4(4)), form="bfloat16")),
        ("LongRoPE", 1e4, lambda: cache(turn(t, longrope(1e4, 96, 40.0)), size=1.1902380714)),
        ("NTK by 2", None, lambda: cache(turn(np.arange(512), ntk(1e4, 128, 2)))),
        ("proportional", 1e6,
         lambda: cache(turn(t, np.where(np.arange(128) < 32, space(1e6, 256), 0).astype(F4)))),
        ("Llama 3.1, float16", 5e5,
         lambda: cache(turn(t, llama3(5e5, 128, 8, 8192)), "pairs", "float16")),
        # With base 10,000 these exponents are a mistake, but another base gives the same numbers.
        ("exponent 4i/d", 1e4, lambda: cache(turn(t, space(1e4, 96) ** 2))),
        ("exponent i/d", 1e4, lambda: cache(turn(t, np.sqrt(space(1e4, 64))), "pairs")),
        ("from position 1", 1e4, lambda: cache(turn(t + 1, space(1e4, 96)))),
        ("from position 2", 1e4, lambda: cache(turn(t + 2, space(1e4, 64)), "pairs")),
    ):  # fmt: skip
        yield Row(f"cache: {name}", make, ROTARY, (), base)
    cos, sin = cache(a)
    thin = turn(t, space(1e4, 64))
    far = np.arange(3000)
    wrong: dict[str, tuple[Callable[[], Any], Any]] = {
        "swapped": (lambda: (sin, cos), "swapped"),
        "layouts mixed": (lambda: (cos, np.repeat(sin[:, :48], 2, axis=1)), "mixed_layouts"),
        "clockwise": (lambda: (cos, -sin), "clockwise"),
        "angles in bfloat16": (lambda: cache(bf16(turn(far, space(1e6, 64))).astype(F4)),
                               "half_precision_angles"),
        "angles in float16": (lambda: cache(f16(turn(t, space(1e4, 64))).astype(F4), None),
                              "half_precision_angles"),
        "positions in bfloat16": (lambda: cache(turn(bf16(far), space(1e6, 128))),
                                  ("half_precision_positions", "half_precision_angles")),
        "frequencies in bfloat16": (lambda: cache(turn(t, bf16(w).astype(F4))),
                                    "half_precision_frequencies"),
        "frequencies in float16": (lambda: cache(turn(t, f16(space(1e4, 128)).astype(F4)), None),
                                   "half_precision_frequencies"),
        "never rotated": (lambda: (np.ones_like(cos), np.zeros_like(sin)), "all_zero"),
        "zeros": (lambda: (0 * cos, 0 * sin), "all_zero"),
        "not a number": (lambda: (change(cos, (40, 3), np.nan), sin), "not_finite"),
        "the end not filled": (lambda: change_both(cache(a), np.s_[150:], 0), "zero_rows"),
        "clamped": (lambda: change_both(cache(a), np.s_[160:], lambda x: x[159]), "rows_off"),
        "times 1.25": (lambda: cache(thin, size=1.25), "amplitude"),
        "YaRN's factor alone": (lambda: cache(thin, size=1.2772589), "amplitude"),
        "twice": (lambda: cache(thin, None, size=2), "added_twice"),
        "axes in sections": (
            lambda: cache(on_axes([down, across], np.repeat([0, 1], 32), space(1e4, 128))),
            "axes_in_sections"),
        "pairs from 1": (lambda: cache(turn(t, space(1e4, 96) * space(1e4, 96)[1])),
                         "pairs_from_one"),
        "degrees": (lambda: cache(turn(t, np.deg2rad(space(1e4, 64, np.float64)))), "degrees"),
        "a pair lost": (lambda: change_both(cache(a, None), np.s_[:, 7], 0.3), "pairs_off"),
        "pairs reversed": (lambda: cache(turn(t, w[::-1])), "columns_reversed"),
        "frequencies 3 times": (lambda: cache(turn(t[:90], space(1e4, 64) * 3)),
                                "frequencies_multiplied"),
        "rows reversed": (lambda: tuple(x[::-1] for x in cache(a)),
                          ("reversed", "counted_down")),
        "negated": (lambda: (-cos, -sin), "negated"),
        "a row lost": (lambda: change_both(cache(a), 77, lambda x: x[78]), "rows_off"),
        "YaRN without its factor, clockwise": (
            lambda: cache(-turn(t, yarn(1e6, 128, 4, 32768))), "clockwise"),
        "entries lost": (lambda: change_both(cache(a), (9, [1, 5]), 0.7), "entries_off"),
        "printed": (lambda: tuple(np.round(x.astype(float), 5) for x in cache(thin)), "printed"),
        "sines not repeated alike": (lambda: (np.repeat(cos[:, :48], 2, axis=1), sin),
                                     "mixed_layouts"),
    }  # fmt: skip
    for name, (make, problem) in wrong.items():
        yield Row(f"cache: {name}", make, ("rotary", "none"), _list_problems(problem))
    chance = np.random.default_rng(8)
    for name, make in {
        "angles by chance": lambda: cache(chance.uniform(0, 6, (60, 32))),
        "unused memory": lambda: tuple(chance.normal(0, 1, (60, 32)) for _ in range(2)),
        "positions by chance": lambda: cache(turn(chance.uniform(0, 50, 60), space(1e4, 64))),
        "frequencies by chance": lambda: cache(turn(t[:60], np.sort(chance.random(32))[::-1])),
    }.items():
        yield Row(f"cache: {name}", make, ("unknown", "rotary"), is_known=False)


def lists() -> Iterator[Row]:
    """Yield frequencies, as a model keeps them in `inv_freq`."""
    for name, base, make in (
        ("Llama 2", 1e4, lambda: space(1e4, 128)),
        ("96 wide", 1e4, lambda: space(1e4, 96)),
        ("Qwen 3", 1e6, lambda: space(1e6, 128)),
        ("Llama 3", 5e5, lambda: space(5e5, 128)),
        ("Apertus' base", 1.2e7, lambda: space(1.2e7, 128)),
        ("MiniMax, a half", 5e6, lambda: space(5e6, 64)),
        ("ModernBERT", 1.6e5, lambda: space(1.6e5, 64)),
        ("a tower, 40 wide", 1e4, lambda: space(1e4, 40)),
        ("a tower, 32 wide", 100.0, lambda: space(100, 32)),
        ("base 640,000", 6.4e5, lambda: space(6.4e5, 192)),
        ("through logarithms", 1e4, lambda: through_logs(1e4, 72)),
        ("float64", 8e6, lambda: space(8e6, 128, np.float64)),
        ("Llama 3.1", 5e5, lambda: llama3(5e5, 128, 8, 8192)),
        ("Llama 3.2", 5e5, lambda: llama3(5e5, 64, 32, 8192)),
        ("YaRN, Qwen", 1e6, lambda: yarn(1e6, 128, 4, 32768)),
        ("YaRN, DeepSeek", 1e4, lambda: yarn(1e4, 64, 40, 4096)),
        ("gpt-oss", 1.5e5, lambda: yarn(1.5e5, 64, 32, 4096, False)),
        ("linear by 8", 1e6, lambda: space(1e6, 256) / F4(8)),
        ("linear by 2.5", 1e4, lambda: space(1e4, 128) / F4(2.5)),
        ("NTK by 4", None, lambda: ntk(1e4, 128, 4)),
        ("NTK by 8, 64 wide", None, lambda: ntk(5e5, 64, 8)),
        ("LongRoPE", 1e4, lambda: longrope(1e4, 96, 40.0)),
        ("LongRoPE, 64 wide", 1e4, lambda: longrope(1e4, 64, 12.0)),
        (
            "proportional",
            1e6,
            lambda: np.where(np.arange(256) < 64, space(1e6, 512), 0),
        ),
        ("base 50,000,000", 5e7, lambda: space(5e7, 128)),
        ("float64, linear by 16", 1e4, lambda: space(1e4, 80, np.float64) / 16),
        ("YaRN by 32, 96 wide", 5e5, lambda: yarn(5e5, 96, 32, 8192)),
        ("Falcon H1's base", 1e11, lambda: space(1e11, 64)),
        ("exponent 4i/d", 1e4, lambda: space(1e4, 96, np.float64) ** 2),
        ("exponent i/d", 1e4, lambda: space(1e4, 96, np.float64) ** 0.5),
    ):
        yield Row(f"list: {name}", make, ROTARY, (), base)
    w = space(1e6, 128)
    junk = np.random.default_rng(5).integers(0, 2**32, 64, np.uint32).view(F4)
    wrong: dict[str, tuple[Callable[[], Any], Any]] = {
        "bfloat16": (lambda: bank.to("bfloat16", w), "half_precision_frequencies"),
        "bfloat16, 64 wide": (lambda: bank.to("bfloat16", space(1e4, 64)),
                              "half_precision_frequencies"),
        "float16": (lambda: bank.to("float16", space(1e4, 128)), "half_precision_frequencies"),
        "bfloat16, llama3": (lambda: bank.to("bfloat16", llama3(5e5, 128, 8, 8192)),
                             "half_precision_frequencies"),
        "pairs from 1": (lambda: space(1e4, 80) * space(1e4, 80)[1], "pairs_from_one"),
        "times 2": (lambda: space(5e5, 128) * 2, "frequencies_multiplied"),
        "times 2 pi": (lambda: space(1e4, 64, np.float64) * 2 * np.pi, "frequencies_multiplied"),
        "degrees": (lambda: np.deg2rad(space(1e4, 64, np.float64)), "degrees"),
        "a pair lost": (lambda: change(w, 20, 0.9), "pairs_off"),
        "two pairs lost": (lambda: change(w, np.s_[40:42], 1e-2), "pairs_off"),
        "not a number": (lambda: change(w, 63, np.nan), "not_finite"),
        "infinite": (lambda: change(w, 0, np.inf), "not_finite"),
        "negative": (lambda: -w, "negative"),
        "in reverse": (lambda: w[::-1], ("not_falling", "columns_reversed")),
        "shuffled": (lambda: w[np.random.default_rng(2).permutation(64)], "not_falling"),
        "zeros": (lambda: 0 * w, "all_zero"),
        "printed with four decimals": (lambda: np.round(space(1e4, 64, np.float64), 4), "printed"),
        "printed with six digits": (
            lambda: np.array([float(f"{v:.5e}") for v in space(1e4, 64, np.float64)]), "printed"),
        "unused memory": (lambda: junk, ("not_finite", "negative", "not_falling")),
        "the base's powers": (lambda: 1 / w, "not_falling"),
        "cosines in its place": (lambda: np.cos(w), "not_falling"),
        "the last not filled": (lambda: change(w, 63, 0), "pairs_off"),
        "bfloat16, YaRN": (lambda: bank.to("bfloat16", yarn(1e6, 128, 4, 32768)),
                           "half_precision_frequencies"),
        "a unit of 1000": (lambda: space(1e4, 128) * F4(1000), "frequencies_multiplied"),
        "a block in its middle not filled": (
            lambda: change(space(1e4, 128), np.s_[24:32], 0),
            "pairs_off",
        ),
        "every number twice": (lambda: np.repeat(space(1e4, 64), 2), "frequencies_repeated"),
        "float16, base 500,000": (lambda: bank.to("float16", space(5e5, 64)),
                                  "half_precision_frequencies"),
        "Llama 3.1, one lost": (lambda: change(llama3(5e5, 128, 8, 8192), 3, 0.001), "pairs_off"),
    }  # fmt: skip
    for name, (make, problem) in wrong.items():
        yield Row(f"list: {name}", make, ("rotary", "none", "unknown", "geometric"),
                  _list_problems(problem))  # fmt: skip
    for name, make in {
        "falling by chance": lambda: np.sort(np.random.default_rng(6).random(48))[::-1],
        "harmonics": lambda: 1 / np.arange(1, 33),
        "a line": lambda: np.linspace(1, 0.01, 32),
        "by chance": lambda: np.exp(-np.cumsum(np.random.default_rng(7).random(40))),
        "roots": lambda: np.arange(1, 41) ** -0.5,
        "Gaussian": lambda: np.exp(-(np.arange(24) ** 2) / 50),
    }.items():
        yield Row(f"list: {name}", make, UNKNOWN, is_known=False)


def make_learned_rows() -> Iterator[Row]:
    """Yield tables that a model has learned."""
    rng = np.random.default_rng(11)
    smooth = bank.make_smooth_table(197, 48, rng)
    for name, make in {
        "BERT's size": lambda: noise(512, 96),
        "smooth": lambda: smooth,
        "float16": lambda: bank.to("float16", smooth),
        "bfloat16": lambda: bank.to("bfloat16", noise(77, 64)),
        "with a batch": lambda: noise(1, 197, 64),
        "of patches": lambda: noise(1, 14, 14, 32),
        "wide": lambda: noise(1025, 160, size=1),
        "for a decoder": lambda: noise(2050, 24),
        "of a tower, float16": lambda: bank.to("float16", noise(730, 72, size=0.3)),
        "few rows": lambda: noise(16, 128),
    }.items():
        yield Row(f"learned: {name}", make, LEARNED, is_known=False)
    x = noise(160, 64, seed=9)
    for name, (make, problem) in {
        "copies at its end": (lambda: np.concatenate([x, x[:96]]), "same_rows_of_table"),
        "the last row again": (lambda: np.concatenate([x, np.tile(x[-1], (40, 1))]),
                               "same_rows_of_table"),
        "not filled at its end": (lambda: change(x, np.s_[128:], 0), "zero_rows"),
        "not a number": (lambda: change(x, (5, 5), np.nan), "not_finite"),
        "infinite": (lambda: change(x, 150, np.inf), "not_finite"),
        "one row": (lambda: np.tile(x[:1], (64, 1)), "same_rows"),
        "zeros": (lambda: 0 * x, "all_zero"),
        "padding": (lambda: change(x, 1, 0), "padding_row"),
        "padding first": (lambda: change(x, 0, 0), "padding_row"),
        "wrapped after 60": (lambda: x[np.arange(160) % 60], "same_rows_of_table"),
        "two rows of zeros": (lambda: change(x, [8, 90], 0), "zero_rows"),
    }.items():  # fmt: skip
        yield Row(f"learned: {name}", make, ("learned", "none"), (problem,))


def lines(heads: int, queries: int, keys: int | None = None) -> Any:
    """Return the bias (heads, queries, keys) of ALiBi for the last queries, without a mask."""
    keys = keys or queries
    offset = np.arange(keys) - np.arange(keys - queries, keys)[:, None]
    return -np.array(bank.slopes(heads))[:, None, None] * np.abs(offset)


def mask_keys(x: Any, least: float = -np.inf) -> Any:
    ahead = np.triu(np.ones(x.shape[-2:], bool), 1)
    return np.where(ahead, least, x)


def buckets(length: int, heads: int, count: int, farthest: int, both: bool) -> Any:
    weights = np.random.default_rng(heads).normal(0, 1, (count, heads)).astype(F4)
    return weights[bank.buckets(length, count, farthest, both)].transpose(2, 0, 1)


def biases() -> Iterator[Row]:
    """Yield ALiBi's slopes and biases, T5's buckets and masks."""
    alibi, t5, mask = ("alibi",), ("t5",), ("mask",)
    for heads in (6, 14, 16, 24, 25, 32, 40, 71):
        yield Row(f"bias: slopes of {heads}", partial(np.array, bank.slopes(heads), F4), alibi)
    for name, schemes, make in (
        ("ALiBi, 12 heads, masked", alibi, lambda: mask_keys(lines(12, 30))),
        ("ALiBi, 20 heads, both sides", alibi, lambda: lines(20, 24)),
        ("ALiBi, 16 heads, float16", alibi,
         lambda: bank.to("float16", mask_keys(lines(16, 40), -65504))),
        ("ALiBi, 32 heads, bfloat16", alibi, lambda: bank.to("bfloat16", mask_keys(lines(32, 33)))),
        ("BLOOM, 16 heads", alibi,
         lambda: (np.array(bank.slopes(16))[:, None, None] * np.arange(50)).astype(F4)),
        ("ALiBi with a batch", alibi, lambda: mask_keys(lines(8, 21))[None]),
        ("T5, encoder", t5, lambda: buckets(140, 8, 32, 128, True)),
        ("T5, decoder", t5, lambda: buckets(140, 12, 32, 128, False)),
        ("MPNet", t5, lambda: buckets(200, 6, 32, 128, True)[None]),
        ("DeBERTa-like buckets", t5, lambda: buckets(300, 4, 64, 256, True)),
        ("buckets by number", t5, lambda: bank.buckets(100, 32, 128, False)),
        ("ALiBi, the last 6 queries", alibi, lambda: lines(12, 6, 40)),
        ("causal mask", mask, lambda: np.tril(np.ones((24, 24)))),
        ("mask of minus infinity", mask, lambda: mask_keys(np.zeros((40, 40)))),
        ("window of 8", mask,
         lambda: np.tril(np.ones((32, 32))) - np.tril(np.ones((32, 32)), -8)),
    ):  # fmt: skip
        yield Row(f"bias: {name}", make, schemes)
    h = np.arange(24)
    for name, (make, problem) in {
        "slopes from 0, 16 heads": (lambda: 2.0 ** (-8 * np.arange(16) / 16), "slopes_from_zero"),
        "slopes from 0, 6 heads": (lambda: np.array(bank.slopes(6)) * 4, "slopes_from_zero"),
        "the paper's slopes, 24 heads": (lambda: 2.0 ** (-8 * (h + 1) / 24), "slopes_of_the_paper"),
        "the paper's slopes, 20, masked": (
            lambda: mask_keys(-(2.0 ** (-8 * np.arange(1, 21) / 20))[:, None, None]
                           * np.abs(np.subtract.outer(np.arange(30), np.arange(30)))),
            "slopes_of_the_paper"),
        "slopes times 8": (lambda: mask_keys(lines(16, 20)) * 8, "slopes_scaled"),
        "slopes sorted": (lambda: np.sort(bank.slopes(12))[::-1], "slopes_order"),
        "heads in reverse": (lambda: mask_keys(lines(12, 22))[::-1], "slopes_order"),
        "grows with the distance": (lambda: -lines(12, 26), "bias_sign"),
        "transposed": (lambda: mask_keys(lines(8, 26)).swapaxes(1, 2), "bias_transposed"),
        "two heads lost": (lambda: change(lines(16, 24), np.s_[4:6], 0), "heads_off"),
        "not a number": (lambda: change(mask_keys(lines(8, 20), -1e9), (3, 4, 2), np.nan),
                         "not_finite"),
        "the mask transposed": (lambda: np.triu(np.ones((20, 20))), "bias_transposed"),
        "slopes from 0, 40 heads": (
            lambda: np.concatenate([2.0 ** (-8 * np.arange(32) / 32),
                                    2.0 ** (-8 * np.arange(8) / 32)]), "slopes_from_zero"),
        "divided by the root of 64": (lambda: mask_keys(lines(32, 24)) / 8, "slopes_scaled"),
    }.items():  # fmt: skip
        yield Row(f"bias: {name}", make, ("alibi", "mask"), (problem,))
    for name, make in {
        "noise": lambda: noise(4, 20, 20),
        "of Swin": lambda: noise(169, 12),
        "distances squared": lambda: -1.0 * np.subtract.outer(np.arange(20), np.arange(20)) ** 2,
        "falling slopes by chance": lambda: np.sort(np.random.default_rng(1).random(12))[::-1],
        "logarithms": lambda: -np.log1p(np.abs(np.subtract.outer(np.arange(24), np.arange(24)))),
    }.items():
        yield Row(f"bias: {name}", make, UNKNOWN, is_known=False)


def ids() -> Iterator[Row]:
    """Yield position ids of batches."""
    count = np.arange
    for name, make in {
        "a text": lambda: count(90)[None],
        "two texts": lambda: np.tile(count(40), (2, 1)),
        "padding on the left": lambda: np.stack([count(30), [1] * 7 + [*range(23)]]),
        "RoBERTa": lambda: np.stack([count(2, 42), [*range(2, 30)] + [1] * 12]),
        "packed": lambda: np.concatenate([count(30), count(17), count(9)])[None],
        "M-RoPE": lambda: image_in_text(8, 5, 7, 12).astype(int),
        "a later part": lambda: count(512, 540)[None],
        "padding with zeros": lambda: np.stack([[0] * 12 + [*range(36)], count(48)]),
        "a table's buffer": lambda: count(514)[None],
        "parts of a ring": lambda: np.concatenate([count(16, 32), count(96, 112)])[None],
        "images in turn": lambda: image_in_text(3, 4, 6, 9)[:, None].astype(int),
    }.items():
        yield Row(f"ids: {name}", make, ("ids",), is_known=False)


def rows() -> list[Row]:
    """Return all rows of the bank."""
    kinds = (sinusoidal, caches, lists, make_learned_rows, biases, ids)
    return [row for kind in kinds for row in kind()]


def judge(row: Row, d: Any) -> str:
    """Return why a diagnosis is not right, or an empty text for a right one."""
    if d.scheme not in row.schemes:
        return f"scheme {d.scheme}"
    if not row.is_known and d.sure:
        return "sure"
    if row.is_known and not row.problems and not (d.sure and not d.problems):
        return f"healthy, but sure is {d.sure} with {d.problems}"
    if row.problems and not {*row.problems} & {*d.problems}:
        return f"{row.problems} was not named, but {d.problems}"
    if row.base and not any(abs(base / row.base - 1) < 2e-3 for base, _ in d.readings):
        return f"base {d.base}"
    return ""
