"""What explorers with two hands on a clock must find, computed by pe_lib or by brute force."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode, rotation
from pe_lib.course.explorers.offset import scrambled

Numbers = NDArray[np.float64]


def chord(e: Any, offset: float | None = None) -> float:
    """The distance of the two positions' rows in the pair of a chord explorer."""
    here, there = encode([e.position, e.position + (e.offset if offset is None else offset)], 16)
    return float(np.linalg.norm((there - here)[2 * e.pair : 2 * e.pair + 2]))


def between(name: str, d: int, base: float) -> Numbers:
    """What an offset explorer puts between the two vectors."""
    match name:
        case "rotation":
            return rotation(20, d, base)
        case "random":
            return scrambled(d * d).reshape(d, d)
    return np.eye(d)


def scores(e: Any, position: float, offsets: ArrayLike) -> Numbers:
    """The scores of an offset explorer at these offsets from a position."""
    query = encode(position, e.d_model, e.base) @ between(e.between, e.d_model, e.base)
    found: Numbers = encode(position + np.asarray(offsets), e.d_model, e.base) @ query
    return found / (e.d_model / 2)


@cache
def unturned(vectors: str) -> tuple[Numbers, Numbers]:
    """The query and the key of a rotary explorer before they are turned, pairs as complex numbers.

    An angle grows from the first entry to the second.
    """
    if vectors == "ones":
        return np.full(32, 1 + 1j), np.full(32, 1 + 1j)
    both = scrambled(128, start=8).reshape(2, 64)
    query, key = (8 * both / np.linalg.norm(both, axis=1, keepdims=True)).view(complex)
    return query, query * turns(40) if vectors == "peak" else key


def turns(positions: ArrayLike) -> Any:
    """By what the pairs of a rotary explorer are multiplied at these positions."""
    return np.exp(1j * np.multiply.outer(positions, 10_000.0 ** (-np.arange(32) / 32)))


def rotary(e: Any, offsets: ArrayLike | None = None) -> Any:
    """The scores of a rotary explorer at these offsets, query minus key, or at its own."""
    query, key = unturned(e.vectors)
    return (query * key.conj() * turns(e.query - e.key if offsets is None else offsets)).real.sum(
        -1
    )
