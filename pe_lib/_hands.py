"""Where the hands of clocks point, sin(w t) + i cos(w t): few sines, many products.

A hand starts straight up and goes clockwise; two turns after each other are a product:

    sin(w t) + i cos(w t) = i e^(-i w t)        e^(-i w (a + b)) = e^(-i w a) e^(-i w b)

So the whole part of a position is read digit by digit in base 64, and each digit looked up in a
table of 64 turns. Sines are computed for turns by 1, 2, 4, 64, 64², … positions alone (and by
fractions of a position); every other turn is a product of these. Which ones depends on the position
and the frequencies alone: on one machine, a position has the same hands, to the last bit, alone or
among others.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CLOCKS = 256  # at a time: 64 turns of them are 256 kB, which a second-level cache can hold
_HANDS = 1 << 15  # at a time, 512 kB

Complex = NDArray[np.complex128]
Floats = NDArray[np.float64]


def is_even(t: range) -> bool:
    """Whether `fill` takes these positions: any that follow each other, and others up to 2^53."""
    least, most = sorted((t[0], t[-1])) if t else (0, 2**64)
    if abs(t.step) == 1:
        return least >= -(2**63) and most < min(2**64, least + 2**48)
    return least > -(2**53) and most < 2**53 and len(t) < 2**48


def as_even(t: NDArray[Any]) -> tuple[range, int] | None:
    """The range that these positions are, or that their fourfold is, and 1 or 4; or None."""
    unit = 1
    if t.dtype.kind == "f":
        t = t.astype(np.float64, copy=False)
        with np.errstate(invalid="ignore"):  # what no int64 holds is not equal to its cast
            whole = t.astype(np.int64)
            if (whole != t).any():
                unit, t = 4, 4 * t
                whole = t.astype(np.int64)
                if (whole != t).any():
                    return None
        t = whole
    first, last = int(t[0]), int(t[-1])
    step = int(t[1]) - first if t.size > 1 else 1
    if step == 0 or last - first != step * (t.size - 1) or (t[1:] - t[:-1] != step).any():
        return None
    run = range(first, last + step, step)
    return (run, unit) if is_even(run) else None


def turns(t: NDArray[Any], w: Floats) -> Complex:
    """e^(i w t) = cos(w t) + i sin(w t) for positions of any shape: t.shape + (clocks,)."""
    result = np.empty((t.size, w.size), complex)
    for some, clocks, hands in blocks(t.reshape(-1), w):
        result.real[some, clocks], result.imag[some, clocks] = hands.imag, hands.real
    return result.reshape(*t.shape, w.size)


def blocks(t: NDArray[Any], w: Floats) -> Iterator[tuple[slice, slice, Complex]]:
    """The hands of any n positions, a block at a time: which positions, which clocks, the hands.

    `t`, (n,), is real and below 2^64 in size; `w`, (clocks,), is in radians per position.
    """
    if t.size == 0:
        return
    top = max(abs(int(t.max())), abs(int(t.min())))
    used = _used(t) if t.dtype.kind == "f" else np.array([], np.intp)
    for clocks, v in _strips(w):
        eights = _eights(v, top)
        tables = _tables(eights, top) if t.size >= 64 else list(np.moveaxis(eights, 2, 0))
        parts = _sixtyfourths(used, v)
        step = max(1, _HANDS // v.size)
        for begin in range(0, t.size, step):
            some = slice(begin, begin + step)
            hands = _looked_up(t[some], v, tables, parts)
            yield some, clocks, hands[:, : clocks.stop - clocks.start]


def _strips(w: Floats) -> Iterator[tuple[slice, Floats]]:
    """At most _CLOCKS clocks at a time, and never one.

    Beside another, numbers lie in memory as numpy's fast loop wants them; its slow loop rounds some
    products differently.
    """
    count = -(-w.size // _CLOCKS)
    for strip in range(count):
        clocks = slice(strip * w.size // count, (strip + 1) * w.size // count)
        yield clocks, w[clocks] if w.size > 1 else w.repeat(2)


def fill(out: NDArray[np.complexfloating[Any]], t: range, unit: int, w: Floats) -> None:
    """Fill `out`, (n, clocks), with the hands of two clocks or more at every t[k] / unit."""
    if t.step < 0:
        out, t = out[::-1], t[::-1]
    negative = len(range(t.start, min(t.stop, 0), t.step))  # so many clocks run backwards
    before, after = t[:negative], t[negative:]
    for clocks, v in _strips(w):
        if before:
            sizes = range(-before[-1], -before[0] + 1, t.step)
            _fill(out[:negative, clocks][::-1], sizes, unit, -v)
        if after:
            _fill(out[negative:, clocks], after, unit, v)


def _fill(out: NDArray[np.complexfloating[Any]], t: range, unit: int, w: Floats) -> None:
    """`fill` of rising positions that are not negative."""
    top, block = t[-1] // unit, 64 * unit
    eights = _eights(w, top)
    if t.step == unit == 1 and top < 64:
        _rounds(out, t.start % 8, eights[:, 0, 0], eights[t.start // 8 :, 1, 0])
        return
    first, *others = _tables(eights, top)
    if not others:
        out[...] = _small(first, np.array(t), unit, w)
    elif block % t.step == 0:  # the small turns of a block are those of each
        small = _small(first, np.arange(t.start % t.step, block, t.step), unit, w)
        last = t[-1] // block
        for q in range(t.start // block, last + 1, 64):
            large = _product(others, np.arange(q, min(q + 64, last + 1)))
            begin, end = (
                len(range(t.start, stop, t.step)) for stop in (block * q, block * (q + 64))
            )
            skipped = 0 if begin else t.start % block // t.step
            _rounds(out[begin:end], skipped, small, large)
    else:  # they come again after some blocks
        period = min(block // gcd(t.step, block), len(t))
        small = _small(first, np.array(t[:period]), unit, w)
        step = max(1, _HANDS // small.size) * period
        for begin in range(0, len(t), step):
            here, some = t[begin : begin + step], out[begin : begin + step]
            large = _large(others, np.arange(here.start, here.stop, here.step) // block)
            whole = len(some) // period * period
            rounds = some[:whole].reshape(-1, period, w.size)
            np.multiply(small, large[:whole].reshape(rounds.shape), out=rounds, casting="same_kind")
            left = small[: len(some) - whole]
            np.multiply(left, large[whole:], out=some[whole:], casting="same_kind")


def _small(first: Complex, t: NDArray[np.int64], unit: int, w: Floats) -> Complex:
    """The turns by the last digit, and the part, of t / unit."""
    if unit == 1 and t.size == 64 and t[-1] == 63:
        return first
    small = first.take(t // unit % 64, axis=0)
    if unit > 1:
        used = np.arange(0, 64, 64 // unit)
        small *= _parted(t % unit / unit, w, _sixtyfourths(used, w))
    return small


def _rounds(
    out: NDArray[np.complexfloating[Any]], skipped: int, small: Complex, large: Complex
) -> None:
    """Fill `out` with each turn of `large` times all turns of `small`, but for the first few."""
    size, stop = len(small), skipped + len(out)
    a = min(-(-skipped // size) * size, stop)  # whole rounds stand from a to b
    b = max(stop // size * size, a)
    for begin, end in ((skipped, a), (b, stop)):
        if begin < end:
            some, left = out[begin - skipped : end - skipped], small[begin % size :][: end - begin]
            np.multiply(left, large[begin // size], out=some, casting="same_kind")
    if a < b:
        rounds = out[a - skipped : b - skipped].reshape(-1, size, out.shape[1])
        left, right = small, large[a // size : b // size, None]
        np.multiply(left, right, out=rounds, casting="same_kind")


def _looked_up(t: NDArray[Any], w: Floats, tables: list[Complex], parts: Complex) -> Complex:
    """The hands at positions of any kind, digit by digit."""
    if t.dtype.kind == "f":
        part, floor = np.modf(np.abs(t.astype(np.float64)))
        whole = floor.astype(np.uint64)
    else:
        whole = t.astype(np.uint64)
        np.negative(whole, out=whole, where=t < 0)  # modulo 2^64: even -2^63 has a size
    q = (whole >> np.uint64(6)).astype(np.int64)
    first, *others = tables
    hands = _turned(first, (whole & np.uint64(63)).astype(np.int64))
    if len(parts):
        hands *= _parted(part, w, parts)
    if others:
        hands *= _large(others, q)
    hands.real[t < 0] *= -1
    if not w.all():
        hands.real += 0.0  # a hand that stands still is not at minus zero
    return hands


def _used(t: NDArray[Any]) -> NDArray[np.intp]:
    """Which 64ths the parts of positions are nearest to, if any has a part at all."""
    used = np.zeros(65, bool)
    whole = True
    for begin in range(0, t.size, _HANDS):
        part = np.modf(np.abs(t[begin : begin + _HANDS].astype(np.float64)))[0]
        used[np.rint(64 * part).astype(np.intp)] = True
        whole = whole and not part.any()
    return np.flatnonzero(used) if not whole else np.array([], np.intp)


def _parted(part: Floats, w: Floats, table: Complex) -> Complex:
    """The turn by a part of a position: by 64ths from a table, and by what is left."""
    nearest = np.rint(64 * part)
    turn = table.take(nearest.astype(np.intp), axis=0)
    left = part - nearest / 64
    if left.any():
        turn *= _series(np.multiply.outer(left, -w)) if np.abs(w).max() <= 1 else _exact(left, w)
    return turn


def _series(x: Floats) -> Complex:
    """e^(i x): what these terms leave out is nothing to float64 where |x| is at most 1/128."""
    squares = x * x
    turns = np.empty(x.shape, complex)
    turns.real = 1 - squares * (1 / 2 - squares * (1 / 24 - squares / 720))
    turns.imag = x * (1 - squares * (1 / 6 - squares / 120))
    return turns


def _sixtyfourths(used: NDArray[np.intp], w: Floats) -> Complex:
    """The turns by those 64ths of a position that are used, at their places: (65, clocks)."""
    if used.size == 0:
        return np.empty((0, w.size), complex)
    table = np.empty((65, w.size), complex)
    table[used] = _exact(used / 64, w)
    return table


def _exact(t: Floats, w: Floats) -> Complex:
    """e^(-i w t) from its sine and cosine."""
    angles = np.multiply.outer(t, -w)
    turns = np.empty(angles.shape, complex)
    np.cos(angles, out=turns.real)
    np.sin(angles, out=turns.imag)
    return turns


def _large(tables: list[Complex], q: NDArray[np.int64]) -> Complex:
    """`_product` for any q, computed once for all that are alike if they lie close together."""
    least, most = int(q.min()), int(q.max())
    if 4 * (most - least) >= q.size:
        return _product(tables, q)
    return _product(tables, np.arange(least, most + 1)).take(q - least, axis=0)


def _product(tables: list[Complex], q: NDArray[np.int64]) -> Complex:
    """The turn by 64 q positions, from the tables of the second digit and those after it."""
    turn = _turned(tables[0], q & 63)
    for table in tables[1:]:
        q = q >> 6
        turn *= _turned(table, q & 63)
    return turn


def _turned(table: Complex, digits: NDArray[np.int64]) -> Complex:
    """The turn of each digit, from a table or from the two times eight turns that it is made of."""
    if table.ndim == 2:
        return table.take(digits, axis=0)
    return table[:, 0].take(digits & 7, axis=0) * table[:, 1].take(digits >> 3, axis=0)


def _tables(eights: Complex, top: int) -> list[Complex]:
    """For each digit all its turns: shape (64, clocks), or fewer if digits up to `top` are less."""
    tables = []
    for level in range(eights.shape[2]):
        small, large = eights[:, 0, level], eights[: (top >> 6 * level + 3) + 1, 1, level]
        tables.append((small * large[:, None]).reshape(-1, small.shape[1]))
    return tables


def _eights(w: Floats, top: int) -> Complex:
    """Turns by 0, 1, … 7 and by 0, 8, … 56, for each digit up to that of `top`.

    Shape (8, 2, digits, clocks). The large turns of the first digit begin at i, straight up.
    """
    return _sines(w.tobytes(), max(1, -(-top.bit_length() // 6)))


@lru_cache(maxsize=16)  # the sines of the clocks that were used last, at most 64 kB a digit
def _sines(frequencies: bytes, digits: int) -> Complex:
    """`_eights` of frequencies as they lie in memory, which can be looked up."""
    w = np.frombuffer(frequencies)
    turns = _exact(np.array([2.0, 4.0, *(64.0**digit for digit in range(digits))]), w)
    one, two, four = np.empty((3, 2, digits, w.size), complex)
    one[0] = turns[2:]
    np.multiply(one[0], one[0], out=two[0])
    two[0, 0] = turns[0]
    np.multiply(two[0], two[0], out=four[0])
    four[0, 0] = turns[1]
    np.multiply(four[0], four[0], out=one[1])
    np.multiply(one[1], one[1], out=two[1])
    np.multiply(two[1], two[1], out=four[1])

    eights = np.empty((8, 2, digits, w.size), complex)
    eights[0] = 1
    eights[0, 1, 0] = 1j
    np.multiply(eights[0], one, out=eights[1])
    np.multiply(eights[:2], two, out=eights[2:4])
    np.multiply(eights[:4], four, out=eights[4:])
    eights.flags.writeable = False
    return eights
