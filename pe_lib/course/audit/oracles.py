"""What several checks compute: the formula without the library, small experiments, and words.

A rounding error differs between processors: `tiny` and `within` say that it is one, and no digits.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib.course.attention import attention
from pe_lib.course.model import Transformer
from pe_lib.relative import kernel
from pe_lib.sinusoidal import encode

Array = NDArray[Any]


def printed_on(page: str) -> dict[str, Any]:
    """The tables that a page prints, as its file has them."""
    file = Path(__file__).with_name(f"{page}.toml")
    found: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))["printed"]
    return found


def off(a: ArrayLike, b: ArrayLike) -> float:
    """The largest difference of two arrays, entry by entry."""
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def alike(a: Array, b: Array) -> Any:
    """The cosine of each two vectors, (…, d)."""
    return np.vecdot(a, b) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def closest(rows: Array) -> float:
    """How far apart the nearest two of some vectors are, (n, d)."""
    squares = (rows**2).sum(axis=1)
    apart = squares[:, None] + squares - 2 * rows @ rows.T
    return math.sqrt(max(apart[np.triu_indices(len(rows), 1)].min(), 0))


def tiny(value: float, below: str = "1e-12") -> str:
    """A difference in words, which names a bound where it is a rounding error."""
    return f"less than {below}" if value < float(below) else f"{value:.2f}"


def within(value: float) -> str:
    """How nearly something holds, in words."""
    return "within 1e-9" if value < 1e-9 else f"but for {value:.2g}"


def listed(values: Iterable[Any], spec: str = "") -> str:
    """The values in a format, with commas between them."""
    return ", ".join(format(value, spec) for value in values)


def written_out(position: float, d_model: int, base: float = 10_000.0) -> list[float]:
    """The formula as it is printed: for each pair i a sine and a cosine of pos / base^(2i/d)."""
    angles = [position / base ** (2 * i / d_model) for i in range(d_model // 2)]
    return [wave(angle) for angle in angles for wave in (math.sin, math.cos)]


def clocks(length: int, d_model: int) -> Array:
    """The formula without an angle: (length, d_model/2) hands cos + i sin, turned step by step.

    The ratio of neighbouring speeds is 10000^(2/d), so that d/2 of them make up 10,000.
    """
    pairs = d_model // 2
    ratio = math.exp(-math.log(10_000) / pairs)
    speeds = np.cumprod(np.append(1.0, np.full(pairs - 1, ratio)))
    turn = np.cos(speeds) + 1j * np.sin(speeds)
    hands: Array = np.cumprod(np.vstack([turn**0, np.tile(turn, (length - 1, 1))]), axis=0)
    return hands


def nearest(d_model: int, longest: int) -> tuple[int, float]:
    """The offset, 1 to `longest`, at which two encodings are nearest, and how far apart they are.

    |PE(t) - PE(t + k)|² = d - 2 κ(k), whatever t is.
    """
    offsets = np.arange(1, longest + 1)
    gap = np.sqrt(np.maximum(d_model - 2 * kernel(offsets, d_model), 0))
    return int(offsets[gap.argmin()]), float(gap.min())


def picked_wrong(d_model: int, seen: Array, offset: int, rows: int = 20_000) -> tuple[int, float]:
    """Of every tenth query over `rows` encodings, moved by the best matrix for what was seen, how
    many are nearest to another row than the one at the offset, and how far off their entries are.
    """
    table = encode(range(rows), d_model)
    moved = encode(seen + offset, d_model)
    matrix = np.linalg.lstsq(encode(seen, d_model), moved, rcond=None)[0]
    t = np.arange(max(0, -offset), rows - max(0, offset), 10)
    queries = table[t] @ matrix
    wrong = (queries @ table.T).argmax(axis=1) != t + offset
    return int(wrong.sum()), off(queries, table[t + offset])


def fails(act: Callable[[], Any]) -> bool:
    """Whether it is refused."""
    try:
        act()
    except (TypeError, ValueError):
        return True
    return False


def crossings(rows: Array) -> Any:
    """How often each row, or one, changes its sign."""
    return (np.diff(np.sign(rows), axis=-1) != 0).sum(axis=-1)


def heads(seed: int, words: int = 7, width: int = 8) -> tuple[Array, Array]:
    """Random words, (words, width), and matrices of queries, keys and values, (3, width, width)."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((words, width)), rng.standard_normal((3, width, width)) / 3


def recurrent(words: Array, inward: Array, onward: Array) -> Array:
    """The states of a recurrent network as it reads words, (words, width) each."""
    state, states = np.zeros(words.shape[1]), []
    for word in words:
        state = np.tanh(word @ inward + state @ onward)
        states.append(state)
    return np.array(states)


def backwards(words: Array, inward: Array, onward: Array) -> float:
    """By how much the last state of a recurrent network changes when it reads words backwards."""
    return off(*(recurrent(text, inward, onward)[-1] for text in (words, words[::-1])))


def pooled_backwards(words: Array) -> float:
    """By how much the mean output of attention changes when the words stand backwards."""
    return off(*(attention(text, text, text).mean(axis=0) for text in (words, words[::-1])))


def told_from_sums(seed: int, count: int) -> tuple[Array, Array]:
    """Which words dot products name in sums of a random word, one of 200, and a position below 100,
    in 512 dimensions; and by how much they miss the position. Nothing is learned."""
    rng = np.random.default_rng(seed)
    words, places = rng.standard_normal((200, 512)), encode(range(100), 512)
    word, place = rng.integers(200, size=count), rng.integers(100, size=count)
    sums = words[word] + places[place]
    named = (sums @ words.T).argmax(axis=1) == word
    return named, np.abs((sums @ places.T).argmax(axis=1) - place)


def added(tokens: Sequence[int], d_model: int) -> Array:
    """What a Transformer adds to the embeddings of tokens before its first layer."""
    model = Transformer(9, 9, "sinusoidal", d_model=d_model, dtype="float64")
    result: Array = model.hidden([tokens])[0][0] - model.parameters["embedding"][list(tokens)]
    return result


def reordered(
    one: Sequence[int],
    other: Sequence[int],
    scheme: str = "none",
    size: tuple[int, int] = (8, 8),
    **options: Any,
) -> float:
    """By how much the answers of a random Transformer to two texts differ; `size` is that of its
    vocabulary and of its answer."""
    model = Transformer(*size, scheme, dtype="float64", **options)
    return off(model([one]), model([other]))
