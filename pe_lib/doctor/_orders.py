"""Which column is which: orders of columns of tables and of caches."""

from dataclasses import dataclass, field

import numpy as np

from pe_lib.doctor._formats import Booleans, Indices

# how the columns of a cache may be repeated
REPETITIONS = {None: "not at all", "halves": "in halves", "interleaved": "in twos"}


@dataclass(frozen=True)
class Order:
    """The pair of each column, and whether it is a cosine."""

    layout: str | None
    order: str | None
    pair: Indices  # (columns,)
    cosine: Booleans  # (columns,)
    problem: str = ""
    words: dict[str, str] = field(default_factory=dict)  # of the problem
    alone: bool = False  # each pair is one wave, its sine or its cosine
    cache: bool = False

    def places(self, which: Booleans) -> Indices:
        """The first column of each pair among `which`."""
        columns = np.flatnonzero(which)[::-1]
        first = np.zeros(int(self.pair.max()) + 1, np.int64)
        first[self.pair[columns]] = columns
        return first


def table_orders(width: int) -> list[Order]:
    """Pairs side by side or in halves, either entry first."""
    i, out = np.arange(width), []
    pairs = {"interleaved": (i // 2, i % 2 == 1), "halves": (i % (width // 2), i >= width // 2)}
    for layout, (pair, second) in pairs.items() if width % 2 == 0 else ():
        problem = "cosine_before_sine" if layout == "interleaved" else ""
        out.append(Order(layout, "sine first", pair, second))
        out.append(Order(layout, "cosine first", pair, ~second, problem))
    return out if width > 2 else out[:2]


def single_wave_orders(width: int) -> list[Order]:
    """Columns that are each a wave alone: a frequency for each, or cosines without their sines."""
    i = np.arange(width)
    own = {"interleaved": i % 2 == 1, "halves": i >= (width + 1) // 2} if width >= 4 else {}
    out = [Order(layout, "sine first", i, cosine, "own_frequencies", alone=True)
           for layout, cosine in own.items()]  # fmt: skip
    for way in _possible_repetitions(width):
        out.append(Order(way, way and "repeated", repeated_pairs(width, way), i >= 0, alone=True))
    return out


def cache_orders(width: int) -> list[Order]:
    """Cosines and sines side by side, or exchanged; each repeated in its own way."""
    ways, left, out = _possible_repetitions(width), np.arange(2 * width) < width, []
    for one, two in ((one, two) for one in ways for two in ways):
        if one == two or (one and two):
            pair = np.concatenate([repeated_pairs(width, one), repeated_pairs(width, two)])
            layout, order = (one, one and "repeated") if one == two else (None, None)
            problem = "" if one == two else "mixed_layouts"
            words = {"one": REPETITIONS[one], "two": REPETITIONS[two]}
            out.append(Order(layout, order, pair, left, problem, words, cache=True))
            out.append(Order(layout, order, pair, ~left, "swapped", cache=True))
    return out


def _possible_repetitions(width: int) -> list[str | None]:
    return [*REPETITIONS] if width % 2 == 0 and width > 2 else [None]


def repeated_pairs(width: int, layout: str | None) -> Indices:
    """The pair of each column."""
    i = np.arange(width)
    return {None: i, "halves": i % max(1, width // 2), "interleaved": i // 2}[layout]
