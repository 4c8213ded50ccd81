"""Where the hands of clocks point, sin(w t) + i cos(w t): few sines, many products.

A hand starts straight up and goes clockwise; two turns after each other are a product:

    sin(w t) + i cos(w t) = i e^(-i w t)        e^(-i w (a + b)) = e^(-i w a) e^(-i w b)

So the whole part of a position is read digit by digit in base 64, and each digit looked up in a
table of 64 turns. Sines are computed for turns by 1, 2, 4, 64, 64², … positions alone, and by what
is left of a position; every other turn is a product of these. Which ones depends on the position
and the frequencies alone: on one machine, a position has the same hands, to the last bit, alone or
among others.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

_CLOCKS = 256  # at a time: 64 turns of them are 256 kB, which a second-level cache can hold
_HANDS = 1 << 15  # at a time, 512 kB

Complex = NDArray[np.complex128]
Floats = NDArray[np.float64]


def sines_and_cosines(
    t: range | NDArray[Any], w: Floats, halves: bool, out: NDArray[np.floating[Any]]
) -> None:
    """Write sin(w t) and cos(w t) of every position into `out`: the shape of t + (2 clocks,).

    `t` is below 2^64 in size, `w` in radians per position. `halves`: all sines stand first.
    """
    if isinstance(t, np.ndarray) and np.may_share_memory(t, out):
        t = t.copy()  # positions are read again after rows were written
    whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    if out.size:
        flat = t if isinstance(t, range) else t.reshape(-1)
        _write(flat, w, halves, whole.reshape(-1, out.shape[-1]))
    if whole is not out:
        out[...] = whole


def _write(
    t: range | NDArray[Any], w: Floats, halves: bool, rows: NDArray[np.floating[Any]]
) -> None:
    """Fill `rows`, (n, 2 clocks), in one of three ways that agree to the last bit."""
    n, run = w.size, _run(t)
    # a sine beside its cosine is a complex number, of which numpy has none of two float16
    if run and n > 1 and not halves and rows.dtype != np.float16:
        for clocks, v in _strips(w):
            _fill(rows.view(np.result_type(rows.dtype, np.complex64))[:, clocks], run, v)
        return
    if isinstance(t, range):
        t = _checks.spread(t)
    elif not run and _is_close(t):
        least, most = int(t.min()), int(t.max())
        table = np.empty((most - least + 1, rows.shape[1]), rows.dtype)
        _write(range(least, most + 1), w, halves, table)
        wide = t.astype(np.float64 if t.dtype.kind == "f" else np.int64)  # narrow types overflow
        # "clip" lets it write into rows at once; no index is out of range
        np.take(table, (wide - least).astype(np.intp), axis=0, out=rows, mode="clip")
        return
    for some, clocks, hands in blocks(t, w):
        if halves:
            rows[some, clocks] = hands.real
            rows[some, n + clocks.start : n + clocks.stop] = hands.imag
        else:
            rows[some, 2 * clocks.start : 2 * clocks.stop] = hands.view(np.float64)


def _run(t: range | NDArray[Any]) -> range | None:
    """The range that these positions are, from one whole number to the next and none negative."""
    if isinstance(t, range):
        return t if t.step == 1 and t.start >= 0 else None
    first, last = int(t[0]), int(t[-1])
    if first < 0 or last - first != t.size - 1 or not _is_whole(t) or not (t[1:] > t[:-1]).all():
        return None
    return range(first, last + 1)


def _is_close(t: NDArray[Any]) -> bool:
    """Whether positions are whole and a table from the least to the most has no more rows."""
    least, most = float(t.min()), float(t.max())
    return t.size >= 64 and most - least < t.size and abs(least) < 2**53 and _is_whole(t)


def _is_whole(t: NDArray[Any]) -> bool:
    return t.dtype.kind != "f" or not (t % 1).any()


def turns(t: NDArray[Any], w: Floats) -> Complex:
    """e^(i w t) = cos(w t) + i sin(w t) for positions of any shape: t.shape + (clocks,)."""
    result = np.empty((t.size, w.size), complex)
    for some, clocks, hands in blocks(t.reshape(-1), w):
        result.real[some, clocks], result.imag[some, clocks] = hands.imag, hands.real
    return result.reshape(*t.shape, w.size)


def blocks(t: NDArray[Any], w: Floats) -> Iterator[tuple[slice, slice, Complex]]:
    """The hands of positions (n,), a block at a time: which positions, which clocks, the hands."""
    if t.size == 0:
        return
    top = max(abs(int(t.max())), abs(int(t.min())))
    for clocks, v in _strips(w):
        tables = _tables(v.tobytes(), _digits(top))
        step = max(1, _HANDS // v.size)
        for begin in range(0, t.size, step):
            some = slice(begin, begin + step)
            hands = _looked_up(t[some], v, tables)
            yield some, clocks, hands[:, : clocks.stop - clocks.start]


def _strips(w: Floats) -> Iterator[tuple[slice, Floats]]:
    """At most _CLOCKS at a time, and never one, of which numpy rounds some products differently."""
    count = -(-w.size // _CLOCKS)
    for strip in range(count):
        clocks = slice(strip * w.size // count, (strip + 1) * w.size // count)
        yield clocks, w[clocks] if w.size > 1 else w.repeat(2)


def _fill(out: NDArray[np.complexfloating[Any]], t: range, w: Floats) -> None:
    """Fill `out`, (n, clocks), with the hands of two clocks or more at t, one after the other."""
    first, *others = _tables(w.tobytes(), _digits(t[-1]))
    if not others:
        out[...] = first[t.start : t.stop]
        return
    last = t[-1] // 64
    for begin in range(t.start // 64, last + 1, 64):
        large = _product(others, np.arange(begin, min(begin + 64, last + 1)))
        for q, turn in enumerate(large, begin):
            a, b = max(64 * q, t.start), min(64 * q + 64, t.stop)
            some = out[a - t.start : b - t.start]
            np.multiply(first[a - 64 * q : b - 64 * q], turn, out=some, casting="same_kind")


def _looked_up(t: NDArray[Any], w: Floats, tables: list[Complex]) -> Complex:
    """The hands at positions of any kind, digit by digit."""
    part = np.zeros(0)
    if t.dtype.kind == "f":
        part, floor = np.modf(np.abs(t.astype(np.float64)))
        whole = floor.astype(np.uint64)
    else:
        whole = t.astype(np.uint64)
        np.negative(whole, out=whole, where=t < 0)  # modulo 2^64: even -2^63 has a size
    first, *others = tables
    hands: Complex = first.take((whole & np.uint64(63)).astype(np.intp), axis=0)
    if others:
        hands *= _product(others, (whole >> np.uint64(6)).astype(np.int64))
    if part.any():
        hands *= _exact(part, w)
    hands.real[t < 0] *= -1
    if not w.all():
        hands.real += 0.0  # a hand that stands still is not at minus zero
    return hands


def _product(tables: list[Complex], q: NDArray[np.int64]) -> Complex:
    """The turn by 64 q positions, from the tables of the second digit and those after it."""
    turn = tables[0].take(q & 63, axis=0)
    for table in tables[1:]:
        q = q >> 6
        turn *= table.take(q & 63, axis=0)
    return turn


def _exact(t: Floats, w: Floats) -> Complex:
    """e^(-i w t) from its sine and cosine."""
    angles = np.multiply.outer(t, -w)
    turns = np.empty(angles.shape, complex)
    np.cos(angles, out=turns.real)
    np.sin(angles, out=turns.imag)
    return turns


def _digits(top: int) -> int:
    """How many digits in base 64 positions up to this one have."""
    return max(1, -(-top.bit_length() // 6))


@lru_cache(maxsize=4)  # the clocks that were used last, 256 kB a digit
def _tables(frequencies: bytes, digits: int) -> list[Complex]:
    """For each digit its 64 turns, (64, clocks), of frequencies as they lie in memory.

    The turns of the first digit begin at i, straight up.
    """
    w = np.frombuffer(frequencies)
    by = _exact(np.array([2.0, 4.0, *(64.0**digit for digit in range(digits))]), w)
    tables = []
    for digit, one in enumerate(by[2:]):
        two = by[0] if digit == 0 else one * one
        four = by[1] if digit == 0 else two * two
        small = _eight(1, one, two, four)
        eight = four * four
        sixteen = eight * eight
        large = _eight(1 if digit else 1j, eight, sixteen, sixteen * sixteen)
        tables.append((small * large[:, None]).reshape(64, -1))
    return tables


def _eight(first: complex, one: Complex, two: Complex, four: Complex) -> Complex:
    """The turns by 0 to 7 times one, from those by 1, 2 and 4, and before all of them a first."""
    found = np.full((8, one.size), first, complex)
    for size, turn in ((1, one), (2, two), (4, four)):
        found[size : 2 * size] = found[:size] * turn
    return found
