"""Which column is which: orders of columns of tables and of caches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._proof import Floats, Rows


@dataclass(frozen=True)
class Order:
    """The pair of each column, and whether it is a cosine."""

    layout: str | None
    order: str | None
    pair: Rows  # (columns,)
    cosine: NDArray[np.bool_]  # (columns,)
    problem: str = ""
    alone: bool = False  # each pair is one wave, its sine or its cosine
    cache: bool = False

    def places(self, which: NDArray[np.bool_]) -> Rows:
        """The first column of each pair among `which`."""
        columns = np.flatnonzero(which)[::-1]
        first = np.zeros(int(self.pair.max()) + 1, np.int64)
        first[self.pair[columns]] = columns
        return first


def of_table(width: int) -> list[Order]:
    """Pairs side by side or in halves, either entry first."""
    i, out = np.arange(width), []
    pairs = {"interleaved": (i // 2, i % 2 == 1), "halves": (i % (width // 2), i >= width // 2)}
    for layout, (pair, second) in pairs.items() if width % 2 == 0 else ():
        problem = "cosine_before_sine" if layout == "interleaved" else ""
        out.append(Order(layout, "sine first", pair, second))
        out.append(Order(layout, "cosine first", pair, ~second, problem))
    return out if width > 2 else out[:2]


def of_one_wave_each(x: Floats) -> list[Order]:
    """Columns that are each a wave alone: a frequency for each, or cosines without their sines."""
    width = x.shape[1]
    i, none = np.arange(width), np.zeros(width, bool)
    own = {"interleaved": i % 2 == 1, "halves": i >= (width + 1) // 2} if width >= 4 else {}
    out = [Order(layout, "sine first", i, cosine, "own_frequencies", True)
           for layout, cosine in own.items()]  # fmt: skip
    twice = repeats(x)
    pair, said = repeated(width, twice), "repeated" if twice else None
    return [*out, Order(twice, said, pair, ~none, "Cosines", True)]


def of_cache(cos: Floats, sin: Floats) -> list[Order]:
    """Cosines and sines side by side, or exchanged; each repeated in its own way."""
    width = cos.shape[1]
    one, two = repeats(cos), repeats(sin)
    if (np.nan_to_num(cos) == np.nan_to_num(cos[:, :1])).all():
        one = two  # nothing to see
    if (one is None) != (two is None):
        return []
    pair = np.concatenate([repeated(width, one), repeated(width, two)])
    layout = one if one == two else None
    order, mixed = "repeated" if layout else None, "" if one == two else "mixed_layouts"
    left = np.arange(2 * width) < width
    return [Order(layout, order, pair, left, mixed, cache=True),
            Order(layout, order, pair, ~left, "swapped", cache=True)]  # fmt: skip


def repeats(x: Floats) -> str | None:
    """How the columns of a cache (T, width) are repeated, "interleaved" or in "halves", or not."""
    width = x.shape[1]
    if width < 4 or width % 2:
        return None
    x = np.nan_to_num(x)
    near = 1e-3 * max(1e-300, float(np.median(np.abs(x).max(axis=0))))
    halves = np.split(x, 2, axis=1)
    for layout, (a, b) in {"halves": halves, "interleaved": (x[:, 0::2], x[:, 1::2])}.items():
        if (np.abs(a - b) <= near).mean() > 0.9 and not (a[:, :1] == a).all():
            return layout
    return None


def repeated(width: int, layout: str | None) -> Rows:
    """The pair of each column."""
    i = np.arange(width)
    return {None: i, "halves": i % max(1, width // 2), "interleaved": i // 2}[layout]
