"""Check which of the seven wishes in chapter 1 an encoding of positions fulfils."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
# maps n to an array with a row for each of the positions 0 to n - 1
Encoding = Callable[[int], Rows]

LONGER = 30  # a longer text has this many more positions
CLOSE = 1e-9  # distances that differ by less than this count as equal


def check_wishes(encoding: Encoding, length: int = 1000) -> dict[str, bool]:
    """Return for each wish whether `encoding` fulfils it in texts of `length` words.

    `encoding(n)` must return an array with a row of real numbers for each of n positions. Two
    wishes also look at a text that is longer by 30 words.

    >>> list(check_wishes(lambda n: np.ones((n, 1))).values())
    [False, True, True, False, False, True, True]
    """
    rows, longer = encoding(length), encoding(length + LONGER)
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    return {
        "unique": _is_unique(rows),
        "deterministic": np.array_equal(encoding(length), rows),
        "bounded": bool(np.abs(rows).max() <= 1),
        "any length": np.allclose(longer[:length], rows) and _is_unique(longer),
        "near is near": _has_near_neighbours(rows),
        "equal steps": np.allclose(steps, steps[0]),
        "linear offset": measure_shift_error(encoding, length=length) < 1e-6,
    }


def measure_shift_error(encoding: Encoding, offset: int = 3, length: int = 1000) -> float:
    """Return the error of the best matrix that moves the row of each position on by `offset`.

    The matrix is fitted by least squares in a text of `length` words, and tried in one that is
    longer by 30 words. The result is a share of the length of all rows, so 0 is exact and 1 is
    what a matrix of zeros misses.
    """
    rows, longer = encoding(length), encoding(length + LONGER)
    matrix = np.linalg.lstsq(rows[:-offset], rows[offset:])[0]
    misses = longer[:-offset] @ matrix - longer[offset:]
    return float(np.linalg.norm(misses) / np.linalg.norm(longer))


def _is_unique(rows: Rows) -> bool:
    """Return whether all rows are different."""
    return len(np.unique(rows.round(9), axis=0)) == len(rows)


def _has_near_neighbours(rows: Rows) -> bool:
    """Return whether each row is nearer to its neighbours than to any other row."""
    squares = (rows**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * rows @ rows.T  # these are squares of distances
    positions = np.arange(len(rows))
    offsets = np.abs(positions[:, None] - positions)
    to_neighbours = np.where(offsets == 1, distances, 0).max(axis=1)
    to_others = np.where(offsets > 1, distances, np.inf).min(axis=1)
    return bool((to_others > to_neighbours + CLOSE).all())
