"""Diagnose what windowed attention counts with: the index and the coordinates of offsets.

A window of patches has a bias for each offset between two patches. An index (N, N) says which, and
in Swin V2 a small network computes the biases from the coordinates of all offsets.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pe_lib.doctor import _fill, _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._proof import FixedValues
from pe_lib.doctor._tables import COMPUTE_ROWS_AGAIN

ROWS_PER_LOST = 12  # in an index of a window, one row in so many may be wrong
LEAST_COORDINATES = 5  # on an axis of fewer coordinates, any spacing looks like any other


def diagnose_index(x: Any) -> Diagnosis | None:
    """Diagnose an index (N, N) of relative positions in a window of N patches.

    Entry [t, s] is the row of a table of biases for the offset between patches t and s. The first
    row and column may belong to a class token. Returns None for a matrix that is no such index.
    """
    y = np.asarray(x, np.float64)
    if y.ndim == 1:  # torchvision stores the index as one list
        side = int(np.sqrt(y.size))
        y = y.reshape(side, side) if side**2 == y.size else y
    if y.ndim != 2 or y.shape[0] != y.shape[1] or y.shape[0] < 4 or not (y == np.floor(y)).all():
        return None
    windows = [(y, *window) for window in _list_windows(len(y))]
    windows += [(y[1:, 1:], *window) for window in _list_windows(len(y) - 1)]
    for part, rows, columns in windows:
        if np.array_equal(part, _index_window([rows, columns])):
            return _describe_index(y, rows, columns, [])
    for part, rows, columns in windows:
        for name, expected in _list_wrong_indices(part, rows, columns):
            lost = np.flatnonzero((part != expected).any(axis=1)).tolist()
            if len(lost) <= (len(part) // ROWS_PER_LOST if name == "rows_off" else 0):
                d = _describe_index(y, rows, columns, lost, expected)
                row, mend = (lost[0] if lost else 0), COMPUTE_ROWS_AGAIN
                d.problem(name, low=float(part.min()), count=len(lost), row=row, mend=mend)
                return d
    others = [(part, [rows, columns]) for part, rows, columns in windows]
    others += [(y, sizes) for sizes in _list_volumes(len(y))]
    diagnoses = (_diagnose_offsets(part, sizes) for part, sizes in others)
    return next((d for d in diagnoses if d is not None), None)


def _diagnose_offsets(x: Floats, sizes: Sequence[int]) -> Diagnosis | None:
    """Diagnose numbers (N, N) that depend on offsets in a window of these sizes, or return None.

    The numbers of a window on three axes, such as a video's, may be right.
    """
    right, window = _index_window(sizes), " × ".join(format_number(size) for size in sizes)
    count, actual = int(right.max()) + 1, np.unique(x.reshape(-1)).size
    d = Diagnosis("index")
    if np.array_equal(x, right):
        _fill.fill_literal(d, "index", FixedValues(right), x)
        d.details["window"] = [*sizes]
        d.note("window_index", count=count, window=window)
        return d
    if not _follows_offsets(x, right):
        return None
    # If opposite offsets share a number, as in LeViT, the index is one of distances.
    if actual < count and not (x == x.T).all():
        d.problem("index_shared", window=window, needed=count, actual=actual)
    if x.min() < 0:
        d.problem("index_moved", low=float(x.min()))
    return d if d.problems else None


def has_own_numbers(x: Floats) -> bool:
    """Return whether integers (N, N) are more than a distance, or an offset in a row of tokens."""
    is_diagonal = bool((x[1:, 1:] == x[:-1, :-1]).all())
    is_distance = bool((x == x.T).all() or (x == -x.T).all())
    return not is_diagonal and not is_distance and np.unique(x.reshape(-1)).size >= len(x)


def _describe_index(
    y: Floats, rows: int, columns: int, lost: list[int], part: Floats | None = None
) -> Diagnosis:
    """Describe an index y (N, N) whose patches have the indices of `part`, by default the right.

    The rows of patches that are `lost` have other indices.
    """
    d, count = Diagnosis("index"), (2 * rows - 1) * (2 * columns - 1)
    expected, before = y.copy(), len(y) - rows * columns
    expected[before:, before:] = _index_window([rows, columns]) if part is None else part
    _fill.fill_literal(d, "index", FixedValues(expected), y)
    d.exceptions["rows"] = [row + before for row in lost]
    d.details["window"] = [rows, columns]
    window = f"{format_number(rows)} × {format_number(columns)}"
    d.note("window_index", count=count, window=window)
    if before:
        d.details["class_token"] = True
        d.note("class_index")
        own = [y[0, 1:], y[1:, 0], y[:1, 0]]  # from the class token, to it, and to itself
        firsts = {float(part[0]) for part in own}
        is_own = all((part == part[0]).all() for part in own) and len(firsts) == len(own)
        if not is_own or min(firsts) < count:
            d.problem("index_of_class", count=count)
    return d


def _list_wrong_indices(part: Floats, rows: int, columns: int) -> Iterator[tuple[str, Floats]]:
    """Yield usual mistakes in the index (N, N) of a window, each with the index that it gives."""
    right = _index_window([rows, columns])
    yield "index_transposed", right.T
    # The offset in columns is multiplied instead of the offset in rows.
    middle = (2 * rows - 1) * (2 * columns - 1) // 2
    offset = right - middle
    down = np.floor((offset + columns - 1) / (2 * columns - 1))
    across = offset - down * (2 * columns - 1)
    yield "index_by_columns", across * (2 * rows - 1) + down + middle
    yield "index_moved", right + (part[0, 0] - right[0, 0])
    yield "rows_off", right


def _list_windows(count: int) -> list[tuple[int, int]]:
    """List the windows (rows, columns) of at least two rows and columns, the squarest first."""
    windows = [(k, count // k) for k in range(2, count // 2 + 1) if count % k == 0]
    return sorted(windows, key=lambda window: abs(window[0] - window[1]))


def _list_volumes(count: int) -> list[list[int]]:
    """List the windows (frames, rows, columns) of at least two patches on each axis."""
    return [[k, *window] for k in range(2, count // 4 + 1) if count % k == 0
            for window in _list_windows(count // k)]  # fmt: skip


def _index_window(sizes: Sequence[int]) -> Floats:
    """Return Swin's index (N, N) for a window with these numbers of patches on its axes."""
    step = 1
    for size in sizes:
        step *= size
    t = np.arange(step)
    index = 0 * t[:, None] * t
    for size in sizes:
        step = step // size
        place = t // step % size
        index = index * (2 * size - 1) + place[:, None] - place + size - 1
    return np.asarray(index, np.float64)


def _follows_offsets(x: Floats, index: Floats) -> bool:
    """Return whether x has the same number wherever the right index has the same number."""
    numbers = np.zeros(int(index.max()) + 1)
    numbers[index.reshape(-1).astype(np.int64)] = x.reshape(-1)
    return bool((numbers[index.reshape(-1).astype(np.int64)] == x.reshape(-1)).all())


# --- Coordinates ---


def diagnose_coordinates(x: Any) -> Diagnosis | None:
    """Diagnose the coordinates (rows, columns, 2) of the offsets in a window, as in Swin V2.

    Returns None unless each offset is spaced evenly, or as sign(k) · log2(1 + 8 |k| / n) / 3.
    """
    if x.shape[-1] != 2 or x.ndim < 3:
        return None
    y = np.asarray(x, np.float64).reshape(-1, x.shape[-2], 2)
    down, across = y[:, 0, 0], y[0, :, 1]
    if min(down.size, across.size) < LEAST_COORDINATES or not np.isfinite(y).all():
        return None
    if (y[:, :, 0] != down[:, None]).any() or (y[:, :, 1] != across).any():
        return None
    kinds = [_name_spacing(part) for part in (down, across)]
    if not kinds[0] or kinds[0] != kinds[1]:
        return None
    d, flat = Diagnosis(), y.reshape(len(y), -1)
    _fill.fill_literal(d, "coordinates", FixedValues(flat), flat)
    ends = [format_number(float(k // 2)) for k in (down.size, across.size)]
    d.note("coordinates", row=f"-{ends[0]}", last_row=ends[0], column=f"-{ends[1]}",
           last_column=ends[1], how=kinds[0])  # fmt: skip
    return d


def _name_spacing(x: Floats) -> str:
    """Return how coordinates (n,) of the offsets -n // 2 to n // 2 are spaced, or ""."""
    end = x.size // 2
    k, top = np.arange(x.size) - end, float(x[-1])
    if x.size % 2 == 0 or top <= 0:
        return ""
    slack = 8 * top * max(_formats.UNIT[_formats.narrowest_format(x)], _formats.UNIT["float32"])
    logs = np.sign(k) * np.log2(1 + (2.0 ** (3 * top) - 1) * np.abs(k) / end) / 3
    rules = {"evenly spaced": top * k / end, "spaced by their logarithms, as in Swin V2": logs}
    return next((how for how, y in rules.items() if (np.abs(x - y) <= slack).all()), "")
