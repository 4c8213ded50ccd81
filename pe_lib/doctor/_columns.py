"""Find the wave in each column of a sinusoidal table whose columns stand in no usual order.

A table of odd width has a last sine without its cosine. In other tables the columns were permuted,
or some are missing. This module assumes that row 0 is position 0. There all sines are 0 and all
cosines are 1, which tells a sine from a cosine. A few more rows tell the frequency of each column.
"""

from collections.abc import Iterator

import numpy as np

from pe_lib.doctor import _formats, _numbers, _proof, _spacing
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._orders import Order
from pe_lib.doctor._proof import Proof, Waves
from pe_lib.doctor._spacing import Spacing

LEAST_WIDTH, LEAST_ROWS = 6, 8
# In row 0, an entry this close to 0 belongs to a sine, and one this close to 1 to a cosine.
NEAR_START = 1e-3
# A rule is tried only if this share of the sampled columns is near one of its waves.
NEAR_WAVE, MOST_COLUMNS, SAMPLED_COLUMNS = 2e-2, 0.9, 12
# The names in sentences for the columns that `describe_columns` lists, at most this many.
LISTED = 4


def search_columns(x: Floats, rows: Indices) -> Proof | None:
    """Return a proof that each column of x (T, width) is one of a rule's waves, in any order."""
    width = x.shape[1]
    if width < LEAST_WIDTH or rows.size < LEAST_ROWS or rows[0] != 0 or rows[-1] != rows.size - 1:
        return None
    is_cosine = np.abs(x[0] - 1) < NEAR_START
    if (is_cosine | (np.abs(x[0]) < NEAR_START)).mean() < 1 or is_cosine.all():
        return None
    if float(np.abs(x).max()) > 1 + NEAR_WAVE or not is_cosine.any():
        return None
    read = _proof.read_rounding(x)
    # Rows 1, 2, 4 … tell apart both fast and slow waves.
    places = [2**k for k in range(24) if 2**k < len(x)] + [len(x) - 1]
    keys, t = x[places], np.asarray(places, np.float64)
    recipes = []
    for spacing in _list_spacings(width):
        order = _match_columns(keys, t, is_cosine, spacing, read.form)
        if order is not None:
            recipes.append(Waves(order, spacing))
    return _proof.best_proof(recipes, x, read, rows)


def _list_spacings(width: int) -> Iterator[Spacing]:
    """Yield usual frequencies for a table with `width` columns, of which one may be missing."""
    n = (width + 1) // 2
    i = np.arange(n)
    for base in _numbers.BASES:
        for divisor in (width,) if width % 2 == 0 else (width, width + 1):
            w = np.asarray(base ** (-2.0 * i / divisor), np.float64)
            yield Spacing(w, base, "2i/d", [(base, "2i/d")], evidence=float(n), explained=w)
        w = _spacing.plain_frequencies(n - 1, base)
        w = np.concatenate([w, np.asarray([1 / base])])
        name = "i/(d/2-1)"
        yield Spacing(w, base, name, [(base, name)], evidence=float(n), explained=w)


def _match_columns(
    keys: Floats, t: Floats, is_cosine: Booleans, spacing: Spacing, form: str
) -> Order | None:
    """Return the wave of each column, given the rows of a table at positions t, or None."""
    w, width = spacing.w, keys.shape[1]
    waves = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
    step = max(1, width // SAMPLED_COLUMNS)
    near = [
        _measure_distances(keys, column, waves[int(is_cosine[column])]).min() < NEAR_WAVE
        for column in range(0, width, step)
    ]
    if sum(near) < MOST_COLUMNS * len(near):
        return None
    # Slow waves may be equal after rounding. Then each of them is given to one column.
    equal = 8 * _formats.UNIT[form] + 1e-12
    used: tuple[set[int], set[int]] = (set(), set())
    pair = np.zeros(width, np.int64)
    for column in range(width):
        kind = int(is_cosine[column])
        off = _measure_distances(keys, column, waves[kind])
        candidates = np.flatnonzero(off <= off.min() + equal).tolist()
        free = [k for k in candidates if k not in used[kind]]
        if not free:
            return None  # two columns hold one wave, which is not a matter of their order
        pair[column] = min(free, key=lambda k: float(off[k]))
        used[kind].add(int(pair[column]))
    return _name_order(pair, is_cosine)


def _measure_distances(keys: Floats, column: int, waves: Floats) -> Floats:
    """Return how far a column is from each of some waves (rows, n), at its worst row: (n,)."""
    return np.asarray(np.abs(waves - keys[:, column : column + 1]).max(axis=0), np.float64)


def _name_order(pair: Indices, is_cosine: Booleans) -> Order:
    """Return the order of some columns, with the name of its layout if it is a usual one."""
    i, n = np.arange(pair.size), (pair.size + 1) // 2
    usual = {"interleaved": (i // 2, i % 2 == 1), "halves": (np.where(i < n, i, i - n), i >= n)}
    for layout, (usual_pair, usual_cosine) in usual.items():
        if (pair == usual_pair).all() and (is_cosine == usual_cosine).all():
            return Order(layout, "sine first", pair, is_cosine)
    columns = {"columns": describe_columns(pair, is_cosine)}
    return Order(None, None, pair, is_cosine, "columns_out_of_order", columns)


def describe_columns(pair: Indices, is_cosine: Booleans) -> str:
    """Describe the first columns in words, such as "the cosine of pair 0, the sine of pair 1"."""
    return ", ".join(
        f"the {'cosine' if is_cosine[k] else 'sine'} of pair {int(pair[k])}"
        for k in range(min(LISTED, pair.size))
    )


def report_missing(d: Diagnosis, order: Order) -> None:
    """Report waves that no column holds, except the cosine that an odd width has no place for."""
    pair, is_cosine = order.pair, order.cosine
    n = int(pair.max()) + 1
    missing = []
    for kind in (False, True):
        pairs = set(pair[is_cosine == kind].tolist())
        missing += [(k, kind) for k in range(n) if k not in pairs]
    if pair.size % 2 and missing == [(n - 1, True)]:
        d.note("odd_width", width=pair.size)
    elif missing:
        k, kind = missing[0]
        what = f"the {'cosine' if kind else 'sine'} of pair {k}"
        d.problem("columns_missing", count=len(missing), what=what)


def search_rows(x: Floats, orders: list[Order]) -> Iterator[tuple[Order, Floats, Floats]]:
    """Yield the orders in which columns are turns, with their cosines and sines.

    They are turns if cos² + sin² is the same everywhere, whatever the positions of the rows.
    """
    for order in orders:
        sines = x[:, order.first_columns(~order.cosine)]
        cosines = x[:, order.first_columns(order.cosine)]
        radius = sines[:8] ** 2 + cosines[:8] ** 2
        if radius.max() > 0 and (radius.max() - radius.min()) < 0.05 * radius.max():
            yield order, cosines, sines
