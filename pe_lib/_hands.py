"""Compute sin(w t) + i cos(w t) for many positions with few sines and many multiplications.

We draw each number as the hand of a clock, which starts straight up and moves clockwise. To rotate
a hand twice is to multiply it by two complex numbers, or by their product:

    sin(w t) + i cos(w t) = i e^(-i w t)        e^(-i w (a + b)) = e^(-i w a) e^(-i w b)

So the whole part of a position is read digit by digit in base 64, and each digit is looked up in a
table of 64 rotations. Sines are computed only for rotations by 1, 2, 4, 64, 64², … positions, and
for the fraction of a position. Every other rotation is a product of these rotations. Only the
position and the frequencies decide which rotations are multiplied. Therefore, on one machine, a
position has the same hands to the last bit, whether it is encoded alone or among other positions.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

# How many pairs are processed at a time. A table of 64 rotations for them takes 256 kB of cache.
_PAIRS = 256
# How many hands are computed at a time. As complex numbers they take 512 kB of memory.
_HANDS = 1 << 15

Complex = NDArray[np.complex128]
Floats = NDArray[np.float64]


def sines_and_cosines(
    t: range | NDArray[Any], w: Floats, halves: bool, out: NDArray[np.floating[Any]]
) -> None:
    """Write sin(w t) and cos(w t) for every position into `out`: shape t.shape + (2 · pairs,).

    Positions are below 2^64 in size, and frequencies `w` are in radians per position. With
    `halves`, all sines come first.
    """
    if isinstance(t, np.ndarray) and np.may_share_memory(t, out):
        t = t.copy()  # Writing the first rows would overwrite positions that are still to be read.
    whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    if out.size:
        flat = t if isinstance(t, range) else t.reshape(-1)
        _fill_rows(flat, w, halves, whole.reshape(-1, out.shape[-1]))
    if whole is not out:
        out[...] = whole


def _fill_rows(
    t: range | NDArray[Any], w: Floats, halves: bool, rows: NDArray[np.floating[Any]]
) -> None:
    """Fill `rows` (n, 2 · pairs) by the fastest of three methods, which agree to the last bit."""
    n, consecutive = w.size, _as_consecutive(t)
    # This method writes a sine and its cosine as one complex number. Numpy has no complex numbers
    # with float16 parts.
    if consecutive and n > 1 and not halves and rows.dtype != np.float16:
        for pairs, v in _split_pairs(w):
            _fill_consecutive(
                rows.view(np.result_type(rows.dtype, np.complex64))[:, pairs], consecutive, v
            )
        return
    if isinstance(t, range):
        t = _checks.array_of_range(t)
    elif not consecutive and _is_dense(t):
        least, largest = int(t.min()), int(t.max())
        table = np.empty((largest - least + 1, rows.shape[1]), rows.dtype)
        _fill_rows(range(least, largest + 1), w, halves, table)
        wide = t.astype(np.float64 if t.dtype.kind == "f" else np.int64)  # Narrow types overflow.
        # With mode "clip", numpy writes directly into the rows, and no index needs clipping.
        np.take(table, (wide - least).astype(np.intp), axis=0, out=rows, mode="clip")
        return
    for block, pairs, hands in iterate_blocks(t, w):
        if halves:
            rows[block, pairs] = hands.real
            rows[block, n + pairs.start : n + pairs.stop] = hands.imag
        else:
            rows[block, 2 * pairs.start : 2 * pairs.stop] = hands.view(np.float64)


def _as_consecutive(t: range | NDArray[Any]) -> range | None:
    """Return the positions as a range if they are consecutive and not negative, otherwise None."""
    if isinstance(t, range):
        return t if t.step == 1 and t.start >= 0 else None
    first, last = int(t[0]), int(t[-1])
    if first < 0 or last - first != t.size - 1 or not _is_whole(t) or not (t[1:] > t[:-1]).all():
        return None
    return range(first, last + 1)


def _is_dense(t: NDArray[Any]) -> bool:
    """Return whether all positions are whole and close enough together for a table of their range.

    The table holds every position from the least to the largest, and its rows are then copied.
    """
    least, largest = float(t.min()), float(t.max())
    return t.size >= 64 and largest - least < t.size and abs(least) < 2**53 and _is_whole(t)


def _is_whole(t: NDArray[Any]) -> bool:
    """Return whether all positions are whole numbers. They may be stored as floats."""
    return t.dtype.kind != "f" or not (t % 1).any()


def rotations(t: NDArray[Any], w: Floats) -> Complex:
    """Return e^(i w t) = cos(w t) + i sin(w t) for all positions: shape t.shape + (pairs,)."""
    result = np.empty((t.size, w.size), complex)
    for block, pairs, hands in iterate_blocks(t.reshape(-1), w):
        result.real[block, pairs], result.imag[block, pairs] = hands.imag, hands.real
    return result.reshape(*t.shape, w.size)


def iterate_blocks(t: NDArray[Any], w: Floats) -> Iterator[tuple[slice, slice, Complex]]:
    """Yield sin(w t) + i cos(w t) in blocks, each with its slice of positions and of pairs."""
    if t.size == 0:
        return
    largest = max(abs(int(t.max())), abs(int(t.min())))
    for pairs, v in _split_pairs(w):
        tables = _tables(v.tobytes(), _count_digits(largest))
        step = max(1, _HANDS // v.size)
        for start in range(0, t.size, step):
            block = slice(start, start + step)
            hands = _look_up(t[block], v, tables)
            yield block, pairs, hands[:, : pairs.stop - pairs.start]


def _split_pairs(w: Floats) -> Iterator[tuple[slice, Floats]]:
    """Split the pairs into slices of at most _PAIRS, and yield each slice with its frequencies.

    A single frequency is repeated, because numpy rounds products of one number differently.
    """
    count = -(-w.size // _PAIRS)
    for k in range(count):
        pairs = slice(k * w.size // count, (k + 1) * w.size // count)
        yield pairs, w[pairs] if w.size > 1 else w.repeat(2)


def _fill_consecutive(out: NDArray[np.complexfloating[Any]], t: range, w: Floats) -> None:
    """Fill `out` (n, pairs) with sin(w t) + i cos(w t) for at least two consecutive positions."""
    first, *others = _tables(w.tobytes(), _count_digits(t[-1]))
    if not others:
        out[...] = first[t.start : t.stop]
        return
    last = t[-1] // 64
    for start in range(t.start // 64, last + 1, 64):
        large = _multiply_digits(others, np.arange(start, min(start + 64, last + 1)))
        for q, rotation in enumerate(large, start):
            a, b = max(64 * q, t.start), min(64 * q + 64, t.stop)
            rows = out[a - t.start : b - t.start]
            np.multiply(first[a - 64 * q : b - 64 * q], rotation, out=rows, casting="same_kind")


def _look_up(t: NDArray[Any], w: Floats, tables: list[Complex]) -> Complex:
    """Return sin(w t) + i cos(w t) for any positions, using a table for each base-64 digit."""
    fraction = np.zeros(0)
    if t.dtype.kind == "f":
        fraction, floor = np.modf(np.abs(t.astype(np.float64)))
        whole = floor.astype(np.uint64)
    else:
        whole = t.astype(np.uint64)
        np.negative(whole, out=whole, where=t < 0)  # As a uint64, even -2^63 can be negated.
    first, *others = tables
    hands: Complex = first.take((whole & np.uint64(63)).astype(np.intp), axis=0)
    if others:
        hands *= _multiply_digits(others, (whole >> np.uint64(6)).astype(np.int64))
    if fraction.any():
        hands *= _compute_rotations(fraction, w)
    hands.real[t < 0] *= -1
    if not w.all():
        hands.real += 0.0  # If the frequency is 0, the sine must be 0 and not -0.
    return hands


def _multiply_digits(tables: list[Complex], q: NDArray[np.int64]) -> Complex:
    """Return the rotations by 64 q positions, using the tables of all digits except the lowest."""
    product = tables[0].take(q & 63, axis=0)
    for table in tables[1:]:
        q = q >> 6
        product *= table.take(q & 63, axis=0)
    return product


def _compute_rotations(t: Floats, w: Floats) -> Complex:
    """Return e^(-i w t), computed from sines and cosines: shape (positions, pairs)."""
    angles = np.multiply.outer(t, -w)
    result = np.empty(angles.shape, complex)
    np.cos(angles, out=result.real)
    np.sin(angles, out=result.imag)
    return result


def _count_digits(largest: int) -> int:
    """Return the number of base-64 digits that the largest position needs."""
    return max(1, -(-largest.bit_length() // 6))


# The cache keeps the last four results, each of which takes 256 kB per digit.
@lru_cache(maxsize=4)
def _tables(frequencies: bytes, digits: int) -> list[Complex]:
    """For each base-64 digit of a position, return a table of 64 rotations: (64, pairs).

    The rotations of the first digit are multiplied by i, so that the hands begin straight up. The
    frequencies come as bytes, because the cache must hash them.
    """
    w = np.frombuffer(frequencies)
    powers = _compute_rotations(np.array([2.0, 4.0, *(64.0**digit for digit in range(digits))]), w)
    tables = []
    for digit, one in enumerate(powers[2:]):
        two = powers[0] if digit == 0 else one * one
        four = powers[1] if digit == 0 else two * two
        small = _multiples_to_seven(1, one, two, four)
        eight = four * four
        sixteen = eight * eight
        large = _multiples_to_seven(1 if digit else 1j, eight, sixteen, sixteen * sixteen)
        tables.append((small * large[:, None]).reshape(64, -1))
    return tables


def _multiples_to_seven(start: complex, one: Complex, two: Complex, four: Complex) -> Complex:
    """Return `start` rotated by 0 to 7 steps, given the rotations by 1, 2 and 4 steps."""
    result = np.full((8, one.size), start, complex)
    for size, rotation in ((1, one), (2, two), (4, four)):
        result[size : 2 * size] = result[:size] * rotation
    return result
