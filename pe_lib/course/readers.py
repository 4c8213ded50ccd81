"""Measure how well two simple readers decode a position from a row of a table with noise.

Chapter 3 builds the first reader in front of the reader of the course, and its Deeper page builds
the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import frequencies, wavelengths

Floats = NDArray[np.float64]


def rows(speeds: ArrayLike, length: int) -> Floats:
    """Return the rows of the positions 0 to `length` - 1 for any speeds, all sines first.

    The speeds are in radians per position. The result has shape (length, 2 · number of speeds).

    >>> rows([0.0], 2)
    array([[0., 1.],
           [0., 1.]])
    """
    angle = np.outer(np.arange(length), np.asarray(speeds))
    return np.hstack([np.sin(angle), np.cos(angle)])


def measure_misses(table: Floats, noise: float, seed: int) -> NDArray[np.int64]:
    """Return how many positions the guess for each row is off, if the nearest row is the guess.

    All rows of `table` must be equally long, since the nearest row is then the one with the
    largest dot product. `noise` is the standard deviation of what is added to each entry.
    """
    rng = np.random.default_rng(seed)
    noisy = table + rng.normal(0, noise, table.shape)
    guess = (noisy @ table.T).argmax(axis=1)
    offsets: NDArray[np.int64] = np.abs(guess - np.arange(len(table)))
    return offsets


def measure_accuracy(table: Floats, noise: float, seeds: Iterable[int] = range(5)) -> float:
    """Return the percentage of positions that are decoded correctly by choosing the nearest row."""
    return float(100 * np.mean([measure_misses(table, noise, seed) == 0 for seed in seeds]))


def centre_columns(table: Floats) -> tuple[Floats, Floats]:
    """Subtract the mean row from all rows, and the mean position from all positions."""
    t = np.arange(len(table), dtype=np.float64)
    return table - table.mean(axis=0), t - t.mean()


def best_weights(table: Floats, noise: float) -> Floats:
    """Return the weights of the best linear reader, which ridge regression finds."""
    x, t = centre_columns(table)
    gram = x.T @ x / len(x)
    gram += noise**2 * np.eye(len(gram))
    return np.linalg.solve(gram, x.T @ t / len(x)).astype(np.float64)


def reading_error(table: Floats, noise: float) -> float:
    """Return the root-mean-square error of the best linear reader, in positions."""
    x, t = centre_columns(table)
    v = best_weights(table, noise)
    misfit = np.mean((x @ v - t) ** 2)
    return math.sqrt(misfit + noise**2 * v @ v)


def list_spacings(n: int, seeds: Iterable[int] = range(20)) -> dict[str, list[Floats]]:
    """Return sets of `n` speeds for each of five rules that say how to space speeds.

    All have the range of base 10,000: from the fastest to the slowest speed of an encoding with n
    pairs. The two random ways have a set for each seed, and the others have one.
    """
    w, waves = frequencies(2 * n), wavelengths(2 * n)
    low = w[-1]
    draws = [np.random.default_rng(seed).uniform(size=n) for seed in seeds]
    return {
        "same factor": [w],
        "even speeds": [np.linspace(1, low, n)],
        "even wavelengths": [2 * np.pi / np.linspace(waves[0], waves[-1], n)],
        "random speeds": [u + (1 - u) * low for u in draws],
        "random factors": [low**u for u in draws],
    }
