"""What pe_lib computes of the explorer `leak`: its network, with the same random weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.explorers.offset import scrambled
from pe_lib.course.model import Transformer

LENGTH, WIDTH, WORDS, SEQUENCES, DEEPEST = 16, 8, 12, 32, 3
Array = NDArray[np.float64]


def sequences() -> NDArray[np.int64]:
    """Fixed random sentences: (SEQUENCES, LENGTH), words 0 to WORDS - 1."""
    numbers = scrambled(SEQUENCES * LENGTH, start=1)
    return np.floor((numbers + 1) / 2 * WORDS).astype(np.int64).reshape(SEQUENCES, LENGTH)


def shuffled(number: int, count: int = LENGTH) -> NDArray[np.int64]:
    """Shuffle `number` of all of `count` places but the last; shuffle 0 moves nothing."""
    if number == 0:
        return np.arange(count)
    order = np.argsort(scrambled(count - 1, start=100 + number), kind="stable")
    return np.append(order, count - 1)


def standing(e: Any) -> NDArray[np.int64]:
    """Which word of the first sentence stands at each place: (letters,)."""
    return shuffled(e.shuffle, len(e.order))[e.order]


def network(e: Any) -> Transformer:
    """The network of these choices."""
    model = Transformer(
        WORDS, 1, "sinusoidal" if e.encoded else "none", d_model=WIDTH, heads=1, layers=e.layers,
        causal=e.causal, mlp=False, dtype=np.float64,
    )  # fmt: skip
    numbers = np.sqrt(3) * scrambled(WORDS * WIDTH + DEEPEST * 4 * WIDTH * WIDTH)
    embedding, rest = np.split(numbers, [WORDS * WIDTH])
    matrices = rest.reshape(DEEPEST, 4, WIDTH, WIDTH) / np.sqrt(WIDTH)
    model.parameters["embedding"] = embedding.reshape(WORDS, WIDTH)
    for n in range(e.layers):
        for name, matrix in zip(("query", "key", "value", "output"), matrices[n], strict=True):
            model.parameters[f"{name}{n}"] = matrix
    return model


def outputs(e: Any, order: Any) -> Array:
    """What the last layer leaves at each place of the first sentence in an order."""
    return np.asarray(network(e).hidden([sequences()[0, order]])[-1][0])


def changes(e: Any) -> Array:
    """By how much the output of the word at each place changes with the shuffle: (letters,)."""
    order = standing(e)
    changed = outputs(e, order) - outputs(e, np.sort(order))[order]
    return np.asarray(np.abs(changed).max(axis=1))


def added(e: Any) -> Array:
    """What the last layer adds at each position, less the mean: (SEQUENCES, LENGTH, WIDTH)."""
    *_, before, after = network(e).hidden(sequences())
    return np.asarray(after - before - (after - before).mean(axis=0))


def variances(e: Any) -> Array:
    """The variance of that at each position: (LENGTH,)."""
    return np.asarray(added(e).var(axis=0).mean(axis=1))


def probe(e: Any) -> float:
    """The share of the variation of log(position + 1) that log(variance) explains: R²."""
    x, y = np.log(variances(e)), np.log(np.arange(LENGTH) + 1)
    return float(np.corrcoef(x, y)[0, 1] ** 2)
