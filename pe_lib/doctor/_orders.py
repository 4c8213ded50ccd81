"""Which column is which: orders of columns of tables and of caches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._proof import Floats, Rows


@dataclass(frozen=True)
class Order:
    """The pair of each column, whether it is a cosine, and where to measure."""

    layout: str | None
    order: str | None
    pair: Rows  # (columns,)
    cosine: NDArray[np.bool_]  # (columns,)
    sines: Rows  # (n,) a column of each pair's sine
    cosines: Rows | None  # (n,) of its cosine; None if each is one wave alone, in `sines`
    problem: str = ""
    cache: bool = False


def of_table(width: int) -> list[Order]:
    """Pairs side by side or in halves, either entry first; the last of an odd width is a sine."""
    i, n = np.arange(width), width // 2
    out = []
    for layout, first, second in (
        ("interleaved", i[0::2], i[1::2]),
        ("halves", i[: width - n], i[width - n :]),
    ):
        pair = np.zeros(width, np.int64)
        pair[first], pair[second] = np.arange(first.size), np.arange(n)
        out.append(Order(layout, "sine first", pair, np.isin(i, second), first[:n], second))
        problem = "cosine_before_sine" if layout == "interleaved" else ""
        out.append(Order(layout, "cosine first", pair, np.isin(i, first), second, first[:n],
                         problem))  # fmt: skip
    return out if width > 2 else out[:2]


def of_one_wave_each(x: Floats) -> list[Order]:
    """Columns that are each a wave alone: a frequency for each, or cosines without their sines."""
    width = x.shape[1]
    i, none = np.arange(width), np.zeros(width, bool)
    out = [
        Order(layout, order, i, cosine, i, None, "own_frequencies")
        for layout, order, cosine in (
            ("interleaved", "sine first", i % 2 == 1),
            ("halves", "sine first", i >= (width + 1) // 2),
            ("halves", "cosine first", i < width // 2),
        )
        if width >= 4
    ]
    twice = repeats(x)
    pair, where = repeated(width, twice)
    for cosine, problem in ((~none, "Cosines"), (none, "Sines")):
        said = "repeated" if twice else None
        out.append(Order(twice, said, pair, cosine, where, None, problem))
    return out


def of_cache(cos: Floats, sin: Floats) -> list[Order]:
    """Cosines and sines side by side, or exchanged; each repeated in its own way."""
    width = cos.shape[1]
    one, two = repeats(cos), repeats(sin)
    if (np.nan_to_num(cos) == np.nan_to_num(cos[:, :1])).all():
        one = two  # nothing to see
    if (one is None) != (two is None):
        return []
    (pair, first), (pair_of_sines, second) = repeated(width, one), repeated(width, two)
    pair, second = np.concatenate([pair, pair_of_sines]), second + width
    layout = one if one == two else None
    order, mixed = "repeated" if layout else None, "" if one == two else "mixed_layouts"
    left = np.arange(2 * width) < width
    return [Order(layout, order, pair, left, second, first, mixed, True),
            Order(layout, order, pair, ~left, first, second, "swapped", True)]  # fmt: skip


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


def repeated(width: int, layout: str | None) -> tuple[Rows, Rows]:
    """The pair of each column, and one column of each pair."""
    i = np.arange(width)
    if layout is None:
        return i, i
    return (i % (width // 2), i[: width // 2]) if layout == "halves" else (i // 2, i[0::2])
