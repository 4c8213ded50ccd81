"""Compute the network in the explorer `leak` with pe_lib, using the explorer's random weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.model import Transformer
from tests.scrambled import scramble_numbers

WIDTH, WORDS, DEEPEST = 8, 12, 3
Array = NDArray[np.float64]
SENTENCE = np.floor((scramble_numbers(16, start=1) + 1) / 2 * WORDS).astype(np.int64)


def shuffle_positions(number: int, count: int) -> NDArray[np.int64]:
    """Return permutation `number` of all positions except the last. Number 0 changes nothing."""
    if number == 0:
        return np.arange(count)
    order = np.argsort(scramble_numbers(count - 1, start=100 + number), kind="stable")
    return np.append(order, count - 1)


def find_order(e: Any) -> NDArray[np.int64]:
    """Return the index of the word at each position of the sentence: shape (letters,)."""
    return shuffle_positions(e.shuffle, len(e.order))[e.order]


def network(e: Any) -> Transformer:
    """Return the untrained network in the explorer `leak`."""
    model = Transformer(
        WORDS, 1, "sinusoidal" if e.encoded else "none", d_model=WIDTH, heads=1, layers=e.layers,
        causal=e.causal, mlp=False, dtype=np.float64,
    )  # fmt: skip
    numbers = np.sqrt(3) * scramble_numbers(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH)
    embedding, rest = np.split(numbers, [WORDS * WIDTH])
    matrices = rest.reshape(DEEPEST, 4, WIDTH, WIDTH) / np.sqrt(WIDTH)
    model.parameters["embedding"] = embedding.reshape(WORDS, WIDTH)
    for n in range(e.layers):
        for name, matrix in zip(("query", "key", "value", "output"), matrices[n], strict=True):
            model.parameters[f"{name}{n}"] = matrix
    return model


def outputs(e: Any, order: Any) -> Array:
    """Return the last layer's output at each position, for the sentence in this order."""
    return np.asarray(network(e).hidden([SENTENCE[order]])[-1][0])


def changes(e: Any) -> Array:
    """Return how much the shuffle changes the output at each position: shape (letters,)."""
    order = find_order(e)
    changed = outputs(e, order) - outputs(e, np.sort(order))[order]
    return np.asarray(np.abs(changed).max(axis=1))
