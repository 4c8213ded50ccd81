"""Compute what the explorer `machine` shows, using `pe_lib` and none of the page's scripts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode, frequencies
from pe_lib.course.attention import attention
from pe_lib.rotary import rotate
from tests.scrambled import scramble_numbers

WORDS = ["the", "old", "dog", "bites", "the", "young", "man", "at", "noon"]
BASE = 100


def tips(position: float) -> NDArray[np.float64]:
    """Return the x and y coordinates of the tips of eight hands at a position, on unit circles."""
    turns = position * frequencies(16, BASE)
    return np.column_stack([np.sin(turns), np.cos(turns)])


def word_vector(word: str) -> NDArray[np.float64]:
    """Return the fixed vector of a word, computed from a polynomial hash of its letters."""
    seed = 7
    for letter in word.lower():
        seed = (31 * seed + ord(letter)) % 2**32
    return 1.6 * scramble_numbers(16, seed)


def mixtures(words: list[str], order: list[int], clocks: bool) -> NDArray[np.float64]:
    """Return the output of attention for each word, after arranging the words as in `order`."""
    x = np.array([word_vector(word) for word in words])
    x += clocks * encode(np.argsort(order), 16, base=BASE)
    return attention(x, x, x)


def changes(explorer: Any) -> NDArray[np.float64]:
    """Return how much each word's output has changed at most since the first order."""
    first = [*range(len(WORDS))]
    now, before = (mixtures(WORDS, order, explorer.clocks) for order in (explorer.order, first))
    largest: NDArray[np.float64] = np.abs(now - before).max(axis=1).round(12)
    return largest


def softmax(scores: Any) -> NDArray[np.float64]:
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def rotated_score(position: float, key: float, pairs: int) -> float:
    """Return the score of the machine's query and key after `pe_lib.rotary` rotates them."""
    sides = [(1.2 * scramble_numbers(8, 5), position), (1.2 * scramble_numbers(8, 9), key)]
    # A hand is given as (up, right), and its rotation is clockwise.
    q, k = (
        rotate(np.ravel(np.column_stack([np.cos(hand), np.sin(hand)])), at, base=BASE)
        for hand, at in sides
    )
    return float(q[: 2 * pairs] @ k[: 2 * pairs])


def apply_bias(position: int, slope: float) -> dict[str, Any]:
    """Return the scores, the biases and the attention weights for the word at a position."""
    vectors = np.array([word_vector(word) for word in WORDS[: position + 1]])
    scores = vectors[:, ::-1] @ vectors[-1] / 4
    biases = slope * np.arange(-position, 1)
    return {"scores": scores, "biases": biases, "shares": softmax(scores + biases)}


def layer_shares(position: int, layer: int) -> NDArray[np.float64]:
    """Return a layer's attention weights. Three layers compare offsets, and the last one words."""
    if layer == 3:
        vectors = np.array([word_vector(word) for word in WORDS[: position + 1]])
        return softmax(vectors @ vectors[-1] / 4)
    rows = encode(np.arange(position + 1) + layer + 1, 16, base=BASE)
    return softmax(rows @ encode(position, 16, base=BASE))


def train_table(step: int) -> dict[str, Any]:
    """Return the table after steps of gradient descent, and how clearly each row is recognised."""
    rows = np.array([scramble_numbers(16, k + 1) for k in range(9)]) / 2
    readout = np.array([scramble_numbers(16, k + 101) for k in range(9)]) / 2
    for _ in range(step):
        error = (softmax(rows[:6] @ readout.T) - np.eye(6, 9)) / 6
        change = error @ readout
        readout = readout - 2 * error.T @ rows[:6]
        rows[:6] -= 2 * change
    return {"rows": rows, "right": np.diag(softmax(rows @ readout.T))}
