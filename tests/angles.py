"""Compute expected values of explorers with clock hands, by pe_lib or by trying all positions."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode, rotation
from tests.scrambled import scramble_numbers

Numbers = NDArray[np.float64]


def between(name: str, d: int) -> Numbers:
    """Return the matrix that the explorer `offset` puts between its two vectors."""
    match name:
        case "rotation":
            return rotation(20, d)
        case "random":
            return scramble_numbers(d * d).reshape(d, d)
    return np.eye(d)


def scores(e: Any, position: float, offsets: ArrayLike) -> Numbers:
    """Return the scores that the explorer `offset` shows at these offsets from a position."""
    query = encode(position, e.d_model) @ between(e.between, e.d_model)
    found: Numbers = encode(position - np.asarray(offsets), e.d_model) @ query
    return found / (e.d_model / 2)


@cache
def make_vectors(vectors: str) -> tuple[Numbers, Numbers]:
    """Return the query and the key of the explorer `rotary` before rotation, as complex pairs.

    Angles are measured from the first entry of a pair towards the second.
    """
    if vectors == "ones":
        return np.full(32, 1 + 1j), np.full(32, 1 + 1j)
    both = scramble_numbers(128, start=8).reshape(2, 64)
    query, key = (8 * both / np.linalg.norm(both, axis=1, keepdims=True)).view(complex)
    return query, query * turns(40) if vectors == "peak" else key


def turns(positions: ArrayLike) -> Any:
    """Return the complex numbers by which `rotary` multiplies the pairs at these positions."""
    return np.exp(1j * np.multiply.outer(positions, 10_000.0 ** (-np.arange(32) / 32)))


def rotary(e: Any, offsets: ArrayLike | None = None) -> Any:
    """Return the scores of the explorer `rotary` at these offsets, by default at its own offset."""
    query, key = make_vectors(e.vectors)
    return (query * key.conj() * turns(e.query - e.key if offsets is None else offsets)).real.sum(
        -1
    )


def find_same_digits(e: Any, pair: int, cosine: bool) -> list[int]:
    """Return the positions at which this pair prints the same digits as at the given position."""
    parts = slice(2 * pair, 2 * pair + 1 + cosine)
    table = encode(range(e.positions), 8)[:, parts].round(e.digits) + 0.0
    prints = [[f"{value:.{e.digits}f}" for value in row] for row in table]
    return [k for k in range(e.positions) if prints[k] == prints[round_half_up(e.position)]]


def candidates(e: Any) -> list[int]:
    """Return the positions that look like the explorer's position in each pair that it reads.

    The story `nearest` reads all pairs, with both of their numbers.
    """
    every = e.story == "nearest"
    read = e.read if every else [*e.read, 0][:1]
    found = [set(find_same_digits(e, pair, e.cosines or every)) for pair in read]
    return sorted(set(range(e.positions)).intersection(*found))


def same_hours(e: Any) -> list[int]:
    """Return the positions at which each hand in `read` shows the same hour as at `position`."""
    pairs = encode(range(e.positions), 8).reshape(e.positions, 4, 2)[:, e.read]
    marks = np.arange(12) * math.tau / 12
    # the score is largest at the nearest mark
    towards = pairs @ np.array([np.sin(marks), np.cos(marks)])
    hours = towards.argmax(axis=-1)
    return np.flatnonzero((hours == hours[round_half_up(e.position)]).all(axis=1)).tolist()


def guesses(e: Any) -> list[tuple[int, float]]:
    """For each pair, slowest first, return the possible position nearest to the last guess."""
    row = encode(round_half_up(e.position), 8).round(e.digits)
    found: list[tuple[int, float]] = []
    for i in reversed(e.read):
        w = 10_000 ** (-i / 4)
        off = e.off if i % 2 else -e.off
        angle = math.atan2(row[2 * i], row[2 * i + 1]) + off
        turns = (angle % math.tau + math.tau * np.arange(-1, 5_000)) / w
        last = found[-1][1] if found else 0.0  # the slowest hand is in the half turn around 0
        nearest = turns[np.abs(turns - last).argmin()]
        found.append((i, float(nearest)))
    return found


def round_half_up(x: float) -> int:
    """Return the nearest whole number. Halves are rounded up."""
    return math.floor(x + 0.5)
