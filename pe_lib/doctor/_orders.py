"""List the orders in which columns can be arranged, as sines and cosines of pairs."""

from dataclasses import dataclass, field

import numpy as np

from pe_lib.doctor._formats import Booleans, Indices

# For each layout in which a cache repeats its columns, a phrase that describes it.
REPETITIONS = {None: "not at all", "halves": "in halves", "interleaved": "in twos"}


@dataclass(frozen=True)
class Order:
    """An order of columns: for each column, the index of its pair, and whether it is a cosine."""

    layout: str | None
    order: str | None
    pair: Indices  # (columns,)
    cosine: Booleans  # (columns,)
    problem: str = ""  # the name of the mistake that causes this order, if any
    # the words that fill in the sentence about this mistake
    words: dict[str, str] = field(default_factory=dict)
    alone: bool = False  # whether each pair has either only a sine or only a cosine
    cache: bool = False  # whether the array is a cache, with cosines and sines side by side

    def first_columns(self, which: Booleans) -> Indices:
        """For each pair, return the index of the pair's first column for which `which` is true."""
        columns = np.flatnonzero(which)[::-1]
        first = np.zeros(int(self.pair.max()) + 1, np.int64)
        first[self.pair[columns]] = columns
        return first


def table_orders(width: int) -> list[Order]:
    """Return the possible column orders of a table: both layouts, with sine or cosine first."""
    i, orders = np.arange(width), []
    pairs = {"interleaved": (i // 2, i % 2 == 1), "halves": (i % (width // 2), i >= width // 2)}
    for layout, (pair, second) in pairs.items() if width % 2 == 0 else ():
        problem = "cosine_before_sine" if layout == "interleaved" else ""
        orders.append(Order(layout, "sine first", pair, second))
        orders.append(Order(layout, "cosine first", pair, ~second, problem))
    return orders if width > 2 else orders[:2]


def section_orders(width: int, sections: list[list[int]]) -> list[Order]:
    """Return the orders in which each axis has a block of columns: its sines, and its cosines.

    Each of the `sections` lists how many pairs each axis has.
    """
    orders = []
    for sizes in sections:
        pairs, cosines, first = [], [], 0
        for size in sizes:
            i = np.arange(2 * size)
            pairs.append(first + i % size)
            cosines.append(i >= size)
            first += size
        pair, cosine = np.concatenate(pairs), np.concatenate(cosines)
        orders.append(Order("halves", "sine first", pair, cosine))
        orders.append(Order("halves", "cosine first", pair, ~cosine))
    return orders if width % 2 == 0 else []


def single_wave_orders(width: int) -> list[Order]:
    """Return the orders in which each column is a single wave, not one of a pair.

    Either each column has a frequency of its own, or all columns are cosines.
    """
    i = np.arange(width)
    own = {"interleaved": i % 2 == 1, "halves": i >= (width + 1) // 2} if width >= 4 else {}
    orders = [Order(layout, "sine first", i, cosine, "own_frequencies", alone=True)
              for layout, cosine in own.items()]  # fmt: skip
    for layout in _possible_repetitions(width):
        pair = repeated_pairs(width, layout)
        orders.append(Order(layout, layout and "repeated", pair, i >= 0, alone=True))
    return orders


def sines_order(width: int) -> Order:
    """Return the order in which each column is the sine of a frequency of its own."""
    i = np.arange(width)
    return Order(None, None, i, i < 0, alone=True)


def cache_orders(width: int) -> list[Order]:
    """Return the possible column orders of a cache: cosines or sines first, in each layout."""
    layouts, left, orders = _possible_repetitions(width), np.arange(2 * width) < width, []
    for one, two in ((one, two) for one in layouts for two in layouts):
        if one == two or (one and two):
            pair = np.concatenate([repeated_pairs(width, one), repeated_pairs(width, two)])
            layout, order = (one, one and "repeated") if one == two else (None, None)
            problem = "" if one == two else "mixed_layouts"
            words = {"one": REPETITIONS[one], "two": REPETITIONS[two]}
            orders.append(Order(layout, order, pair, left, problem, words, cache=True))
            orders.append(Order(layout, order, pair, ~left, "swapped", cache=True))
    return orders


def _possible_repetitions(width: int) -> list[str | None]:
    return [*REPETITIONS] if width % 2 == 0 and width > 2 else [None]


def repeated_pairs(width: int, layout: str | None) -> Indices:
    """Return each column's pair, if a layout repeats every column so that there are `width`."""
    i = np.arange(width)
    return {None: i, "halves": i % max(1, width // 2), "interleaved": i // 2}[layout]
