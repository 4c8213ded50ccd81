"""Compute what the explorer `machine` shows, with `pe_lib` and without the page's scripts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode, frequencies
from pe_lib.course.attention import attention
from tests.scrambled import scrambled

WORDS = ["the", "old", "dog", "bites", "the", "young", "man", "at", "noon"]
BASE = 100


def tips(position: float) -> NDArray[np.float64]:
    """Return the x and y coordinates of the eight hands at a position, on unit circles."""
    turns = position * frequencies(16, BASE)
    return np.column_stack([np.sin(turns), np.cos(turns)])


def word_vector(word: str) -> NDArray[np.float64]:
    """Return the fixed vector of a word, seeded by a polynomial hash of its letters."""
    seed = 7
    for letter in word.lower():
        seed = (31 * seed + ord(letter)) % 2**32
    return 1.6 * scrambled(16, seed)


def mixtures(words: list[str], order: list[int], clocks: bool) -> NDArray[np.float64]:
    """Return the output of attention for each word, whose position is its place in `order`."""
    x = np.array([word_vector(word) for word in words])
    x += clocks * encode(np.argsort(order), 16, base=BASE)
    return attention(x, x, x)


def changes(explorer: Any) -> NDArray[np.float64]:
    """Return the largest change of each word's output since the first order."""
    first = [*range(len(WORDS))]
    now, before = (mixtures(WORDS, order, explorer.clocks) for order in (explorer.order, first))
    largest: NDArray[np.float64] = np.abs(now - before).max(axis=1).round(12)
    return largest
