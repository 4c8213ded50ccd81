"""Define functions for several checks: independent formulas, small experiments, and formatting.

The digits of a rounding error differ between processors. `format_tiny` and `format_within`
therefore write a bound in place of the digits.
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


def printed_tables(page: str) -> dict[str, Any]:
    """Return the data that an audited page prints, which its TOML file stores as [printed]."""
    file = Path(__file__).with_name(f"{page}.toml")
    tables: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))["printed"]
    return tables


def max_difference(a: ArrayLike, b: ArrayLike) -> float:
    """Return the largest absolute difference between matching entries of two arrays."""
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def cosine_similarity(a: Array, b: Array) -> Any:
    """Return the cosine similarities between the vectors of two arrays of shape (…, d)."""
    return np.vecdot(a, b) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def smallest_distance(rows: Array) -> float:
    """Return the smallest distance between any two of n vectors, given as an array (n, d)."""
    squares = (rows**2).sum(axis=1)
    apart = squares[:, None] + squares - 2 * rows @ rows.T
    return math.sqrt(max(apart[np.triu_indices(len(rows), 1)].min(), 0))


def format_tiny(value: float, below: str = "1e-12") -> str:
    """Format a difference as a number, or as an upper bound if it is only a rounding error."""
    return f"less than {below}" if value < float(below) else f"{value:.2f}"


def format_within(value: float) -> str:
    """Format an equation's error as "within 1e-9" if it is that small, and else as a number."""
    return "within 1e-9" if value < 1e-9 else f"but for {value:.2g}"


def join_values(values: Iterable[Any], spec: str = "") -> str:
    """Format each value by the format string `spec`, and join the results with commas."""
    return ", ".join(format(value, spec) for value in values)


def encode_by_formula(position: float, d_model: int, base: float = 10_000.0) -> list[float]:
    """Compute an encoding from the printed formula, with angles position / base^(2i/d)."""
    angles = [position / base ** (2 * i / d_model) for i in range(d_model // 2)]
    return [wave(angle) for angle in angles for wave in (math.sin, math.cos)]


def turn_hands(length: int, d_model: int) -> Array:
    """Compute encodings by turning the hands of d_model/2 clocks from one position to the next.

    A hand is the complex number cos + i sin, and the result has shape (length, d_model/2). The
    ratio of neighbouring frequencies is 10000^(2/d), so d/2 such ratios multiply to 10,000.
    """
    pairs = d_model // 2
    ratio = math.exp(-math.log(10_000) / pairs)
    speeds = np.cumprod(np.append(1.0, np.full(pairs - 1, ratio)))
    turn = np.cos(speeds) + 1j * np.sin(speeds)
    hands: Array = np.cumprod(np.vstack([turn**0, np.tile(turn, (length - 1, 1))]), axis=0)
    return hands


def nearest_offset(d_model: int, longest: int) -> tuple[int, float]:
    """Return the offset from 1 to `longest` at which encodings are nearest, and their distance.

    The result does not depend on the position t, because |PE(t) - PE(t + k)|² = d - 2 κ(k).
    """
    offsets = np.arange(1, longest + 1)
    gap = np.sqrt(np.maximum(d_model - 2 * kernel(offsets, d_model), 0))
    return int(offsets[gap.argmin()]), float(gap.min())


def count_wrong_rows(
    d_model: int, fitted: Array, offset: int, rows: int = 20_000
) -> tuple[int, float]:
    """Count the positions at which a fitted shift by `offset` leads to a wrong row of the table.

    The shift is the best matrix for the positions `fitted`. It is applied to every tenth of `rows`
    encodings, and the row with the largest dot product is picked. The second result is the largest
    error of an entry.
    """
    table = encode(range(rows), d_model)
    shifted = encode(fitted + offset, d_model)
    matrix = np.linalg.lstsq(encode(fitted, d_model), shifted, rcond=None)[0]
    t = np.arange(max(0, -offset), rows - max(0, offset), 10)
    queries = table[t] @ matrix
    wrong = (queries @ table.T).argmax(axis=1) != t + offset
    return int(wrong.sum()), max_difference(queries, table[t + offset])


def is_refused(act: Callable[[], Any]) -> bool:
    """Return whether calling `act` raises TypeError or ValueError."""
    try:
        act()
    except (TypeError, ValueError):
        return True
    return False


def sign_changes(rows: Array) -> Any:
    """Count the sign changes along the last axis, so that a single vector gives one number."""
    return (np.diff(np.sign(rows), axis=-1) != 0).sum(axis=-1)


def random_attention(seed: int, words: int = 7, width: int = 8) -> tuple[Array, Array]:
    """Draw random word embeddings, and random matrices for queries, keys and values.

    Their shapes are (words, width) and (3, width, width).
    """
    rng = np.random.default_rng(seed)
    return rng.standard_normal((words, width)), rng.standard_normal((3, width, width)) / 3


def recurrent_states(words: Array, inward: Array, onward: Array) -> Array:
    """Return the state of a recurrent network after each word: shape (words, width)."""
    state, states = np.zeros(words.shape[1]), []
    for word in words:
        state = np.tanh(word @ inward + state @ onward)
        states.append(state)
    return np.array(states)


def reversal_effect(words: Array, inward: Array, onward: Array) -> float:
    """Return how much a recurrent network's final state changes if the words are reversed."""
    forwards, backwards = (
        recurrent_states(text, inward, onward)[-1] for text in (words, words[::-1])
    )
    return max_difference(forwards, backwards)


def pooled_reversal_effect(words: Array) -> float:
    """Return how much the mean output of attention changes if the words are reversed."""
    forwards, backwards = (
        attention(text, text, text).mean(axis=0) for text in (words, words[::-1])
    )
    return max_difference(forwards, backwards)


def read_sums(seed: int, count: int) -> tuple[Array, Array]:
    """Decode sums of a word's vector and a position's encoding by choosing the best dot products.

    Each sum is one of 200 random words plus the encoding of a position below 100, in 512
    dimensions. Nothing is learned. For each sum, the function returns whether the word was decoded
    correctly, and by how many positions the decoded position is off.
    """
    rng = np.random.default_rng(seed)
    words, encodings = rng.standard_normal((200, 512)), encode(range(100), 512)
    word, position = rng.integers(200, size=count), rng.integers(100, size=count)
    sums = words[word] + encodings[position]
    is_word_right = (sums @ words.T).argmax(axis=1) == word
    return is_word_right, np.abs((sums @ encodings.T).argmax(axis=1) - position)


def added_vectors(tokens: Sequence[int], d_model: int) -> Array:
    """Return the vectors that a Transformer adds to its token embeddings before layer 1."""
    model = Transformer(9, 9, "sinusoidal", d_model=d_model, dtype="float64")
    result: Array = model.hidden([tokens])[0][0] - model.parameters["embedding"][list(tokens)]
    return result


def reordering_effect(
    one: Sequence[int],
    other: Sequence[int],
    scheme: str = "none",
    size: tuple[int, int] = (8, 8),
    **options: Any,
) -> float:
    """Return the largest difference between a random Transformer's outputs for two texts.

    `size` is the size of the vocabulary and of the answer.
    """
    model = Transformer(*size, scheme, dtype="float64", **options)
    return max_difference(model([one]), model([other]))
