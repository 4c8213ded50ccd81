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

from pe_lib import _checks

_CLOCKS = 256  # at a time: 64 turns of them are 256 kB, which a second-level cache can hold
_HANDS = 1 << 15  # at a time, 512 kB

Complex = NDArray[np.complex128]
Pairs = NDArray[np.complexfloating[Any]]  # a sine beside its cosine, in the precision of the result
Floats = NDArray[np.float64]


def sines_and_cosines(
    t: range | NDArray[Any], w: Floats, halves: bool, out: NDArray[np.floating[Any]]
) -> None:
    """Write sin(w t) and cos(w t) of every position into `out`: the shape of t + (2 clocks,).

    `t` is real and below 2^64 in size, `w` in radians per position. A sine stands before its
    cosine, or, in `halves`, all sines before all cosines.
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
    # a sine beside its cosine is a complex number, of which numpy has none of two float16
    if w.size > 1 and not halves and rows.dtype != np.float16:
        run, unit = _as_run(t)
        if run is not None:
            _fill(rows.view(np.result_type(rows.dtype, np.complex64)), run, unit, w)
            return
    if isinstance(t, range):
        t = _checks.spread(t)
    elif _repeats(t):
        _write_repeated(t, w, halves, rows)
        return
    n = w.size
    for some, clocks, hands in blocks(t, w):
        if halves:
            rows[some, clocks] = hands.real
            rows[some, n + clocks.start : n + clocks.stop] = hands.imag
        else:
            rows[some, 2 * clocks.start : 2 * clocks.stop] = hands.view(np.float64)


def _as_run(t: range | NDArray[Any]) -> tuple[range | None, int]:
    """The range that these positions are, or that their fourfold is, and 1 or 4; or None."""
    if isinstance(t, range):
        return _countable(t), 1
    numbers = t.astype(np.float64, copy=False) if t.dtype.kind == "f" else t
    for unit in (1, 4):
        whole = _whole(unit * numbers)
        if whole is not None:
            return _run(whole), unit
    return None, 1


def _whole(t: NDArray[Any]) -> NDArray[np.integer[Any]] | None:
    """Numbers as integers, if all are whole."""
    if t.dtype.kind != "f":
        return t
    with np.errstate(invalid="ignore"):  # what no int64 holds is not equal to its cast
        whole = t.astype(np.int64)
    return None if (whole != t).any() else whole


def _run(t: NDArray[np.integer[Any]]) -> range | None:
    """The range that these integers are."""
    first, last = int(t[0]), int(t[-1])
    step = int(t[1]) - first if t.size > 1 else 1
    if step == 0 or last - first != step * (t.size - 1) or (t[1:] - t[:-1] != step).any():
        return None
    return _countable(range(first, last + step, step))


def _countable(t: range) -> range | None:
    """A range without gaps, or one whose numbers float64 holds."""
    return t if abs(t.step) == 1 or max(abs(t[0]), abs(t[-1])) < 2**53 else None


def _repeats(t: NDArray[Any]) -> bool:
    """Whether whole positions come back so often that a table of all between them is small."""
    if t.size < 64 or 4.0 * (float(t.max()) - float(t.min())) >= t.size:
        return False
    return t.dtype.kind != "f" or (abs(float(t.min())) < 2**53 and not (t % 1).any())


def _write_repeated(
    t: NDArray[Any], w: Floats, halves: bool, rows: NDArray[np.floating[Any]]
) -> None:
    """Fill `rows` from a table of all positions between the least and the most."""
    least, most = int(t.min()), int(t.max())
    table = np.empty((most - least + 1, rows.shape[1]), rows.dtype)
    _write(range(least, most + 1), w, halves, table)
    wide = t.astype(np.float64 if t.dtype.kind == "f" else np.int64)  # narrow types overflow
    # "clip" lets it write into rows at once; no index is out of range
    np.take(table, (wide - least).astype(np.intp), axis=0, out=rows, mode="clip")


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


def _fill(out: Pairs, t: range, unit: int, w: Floats) -> None:
    """Fill `out`, (n, clocks), with the hands of two clocks or more at every t[k] / unit."""
    if t.step < 0:
        _fill(out[::-1], t[::-1], unit, w)
        return
    negative = len(range(t.start, min(t.stop, 0), t.step))  # so many clocks run backwards
    for clocks, v in _strips(w):
        if negative:
            sizes = range(-t[negative - 1], -t[0] + 1, t.step)
            _fill_rising(out[:negative, clocks][::-1], sizes, unit, -v)
        if negative < len(t):
            _fill_rising(out[negative:, clocks], t[negative:], unit, v)


def _fill_rising(out: Pairs, t: range, unit: int, w: Floats) -> None:
    """`_fill` of rising positions that are not negative."""
    top = t[-1] // unit
    eights = _eights(w, top)
    if t.step == unit == 1 and top < 64:
        _rounds(out, t.start % 8, eights[:, 0, 0], eights[t.start // 8 :, 1, 0])
        return
    first, *others = _tables(eights, top)
    if not others:
        out[...] = _small(first, np.array(t), unit, w)
    elif 64 * unit % t.step == 0:
        _fill_alike(out, t, unit, w, first, others)
    else:
        _fill_in_periods(out, t, unit, w, first, others)


def _fill_alike(
    out: Pairs, t: range, unit: int, w: Floats, first: Complex, others: list[Complex]
) -> None:
    """`_fill_rising` where every block of 64 positions has the same small turns."""
    block = 64 * unit
    small = _small(first, np.arange(t.start % t.step, block, t.step), unit, w)
    last = t[-1] // block
    for q in range(t.start // block, last + 1, 64):
        large = _product(others, np.arange(q, min(q + 64, last + 1)))
        begin = len(range(t.start, block * q, t.step))
        end = len(range(t.start, block * (q + 64), t.step))
        skipped = 0 if begin else t.start % block // t.step
        _rounds(out[begin:end], skipped, small, large)


def _fill_in_periods(
    out: Pairs, t: range, unit: int, w: Floats, first: Complex, others: list[Complex]
) -> None:
    """`_fill_rising` where the small turns come again after some blocks of 64 positions."""
    block = 64 * unit
    period = min(block // gcd(t.step, block), len(t))
    small = _small(first, np.array(t[:period]), unit, w)
    step = max(1, _HANDS // small.size) * period
    for begin in range(0, len(t), step):
        here = t[begin : begin + step]
        some = out[begin : begin + step]
        large = _large(others, np.arange(here.start, here.stop, here.step) // block)
        whole = len(some) // period * period
        rounds = some[:whole].reshape(-1, period, w.size)
        _multiply(small, large[:whole].reshape(rounds.shape), rounds)
        _multiply(small[: len(some) - whole], large[whole:], some[whole:])


def _multiply(a: Complex, b: Complex, out: Pairs) -> None:
    """`out` = a b, rounded once to its precision."""
    np.multiply(a, b, out=out, casting="same_kind")


def _small(first: Complex, t: NDArray[np.int64], unit: int, w: Floats) -> Complex:
    """The turns by the last digit, and the part, of t / unit."""
    if unit == 1 and t.size == 64 and t[-1] == 63:
        return first
    small = first.take(t // unit % 64, axis=0)
    if unit > 1:
        used = np.arange(0, 64, 64 // unit)
        small *= _parted(t % unit / unit, w, _sixtyfourths(used, w))
    return small


def _rounds(out: Pairs, skipped: int, small: Complex, large: Complex) -> None:
    """Fill `out` with each turn of `large` times all turns of `small`, but for the first few."""
    size = len(small)
    stop = skipped + len(out)
    a = min(-(-skipped // size) * size, stop)  # whole rounds stand from a to b
    b = max(stop // size * size, a)
    for begin, end in ((skipped, a), (b, stop)):
        if begin < end:
            part = small[begin % size :][: end - begin]
            _multiply(part, large[begin // size], out[begin - skipped : end - skipped])
    if a < b:
        rounds = out[a - skipped : b - skipped].reshape(-1, size, out.shape[1])
        _multiply(small, large[a // size : b // size, None], rounds)


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
        small = eights[:, 0, level]
        large = eights[: (top >> 6 * level + 3) + 1, 1, level]
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
    shape = (2, digits, w.size)  # for each digit the turns by 1, 2 and 4, and by 8, 16 and 32
    one = np.empty(shape, complex)
    two = np.empty(shape, complex)
    four = np.empty(shape, complex)
    one[0] = turns[2:]
    np.multiply(one[0], one[0], out=two[0])
    two[0, 0] = turns[0]
    np.multiply(two[0], two[0], out=four[0])
    four[0, 0] = turns[1]
    np.multiply(four[0], four[0], out=one[1])
    np.multiply(one[1], one[1], out=two[1])
    np.multiply(two[1], two[1], out=four[1])

    eights = np.empty((8, *shape), complex)
    eights[0] = 1
    eights[0, 1, 0] = 1j
    np.multiply(eights[0], one, out=eights[1])
    np.multiply(eights[:2], two, out=eights[2:4])
    np.multiply(eights[:4], four, out=eights[4:])
    eights.flags.writeable = False
    return eights
