"""Diagnose position ids: the whole numbers that tell a model where each token of a batch stands."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pe_lib.doctor import _axes, _fill
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._proof import FixedValues

# If rows of position ids differ, at most this many rows are described one by one.
MAX_ROWS = 4
# In position ids, at least this share of all steps from token to token is a rise by 1.
RISING = 0.5
AXES = 3  # M-RoPE has an id for time, height and width


def are_ids(x: Any) -> bool:
    """Return whether an array (…, T) of any type can hold position ids."""
    y = np.asarray(x)
    if y.ndim == 0 or y.size < 2 or y.shape[-1] < 2 or not np.isfinite(y).all():
        return False
    steps = np.diff(y.reshape(-1, y.shape[-1]), axis=1)
    is_whole = bool((y == np.floor(y)).all() and y.min() >= -1)
    return is_whole and bool((steps == 1).mean() >= RISING or _has_axes(y))


def _has_axes(x: Any) -> bool:
    """Return whether an array (3, …, T) may hold M-RoPE's ids on three axes, as for images."""
    if x.ndim < 2 or x.shape[0] != AXES:
        return False
    return bool(np.abs(np.diff(x.reshape(AXES, -1, x.shape[-1]), axis=2)).mean() < x.shape[-1])


def diagnose_ids(x: Any) -> Diagnosis:
    """Describe the rows of position ids (…, T).

    The first tokens of a row may be padding, which all have the same id.
    """
    ids = np.asarray(x, np.float64)
    rows = ids.reshape(-1, ids.shape[-1])
    d = Diagnosis("ids")
    _fill.fill_literal(d, "ids", FixedValues(rows), rows)
    d.residual = None
    has_axes = ids.ndim > 1 and ids.shape[0] == AXES and not (ids[0] == ids[1:]).all()
    starts, pads = _split_padding(rows)
    d.first_position = float(starts.min())
    _describe_rows(d, rows, ids.shape, has_axes)
    if pads.any():
        d.note("padded_ids", count=int((pads > 0).sum()), most=int(pads.max()))
    return d


def _split_padding(rows: Floats) -> tuple[Floats, Indices]:
    """Return the id of each row's first token, and how many tokens before it are padding: (rows,).

    All padding in a row has the same id. The text after it begins at a smaller id, or continues the
    count.
    """
    starts, pads = rows[:, 0].copy(), np.zeros(len(rows), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        same = row == row[0]
        count = row.size if same.all() else int(np.argmin(same))
        if 1 < count < row.size:
            # If a row is 0, 0, 0, 1, 2 …, the last zero is the text's position 0, and not padding.
            # In RoBERTa's row 1, 1, 1, 2, 3 …, all ones are padding.
            is_zero = row[0] == 0 and row[count] == 1
            pads[k] = count - 1 if is_zero else count
            starts[k] = row[pads[k]]
        # A row such as 1, 0, 1, 2 … has a single token of padding.
        elif count == 1 and row[1] < row[0] and row.size > 2 and row[2] == row[1] + 1:
            pads[k], starts[k] = 1, row[1]
    return starts, pads


def _describe_rows(d: Diagnosis, rows: Floats, shape: Sequence[int], has_axes: bool) -> None:
    """Add notes on the ids: one note if all rows are alike, or else a note for each row."""
    if has_axes:
        d.note("ids_axes", count=AXES)
    if (rows == rows[0]).all():
        d.note("ids_alike", positions=_axes.describe_positions(rows[0]), count=len(rows))
        return
    for k in range(min(len(rows), MAX_ROWS)):
        d.note("ids_row", row=k, positions=_axes.describe_positions(rows[k]))
    if len(rows) > MAX_ROWS:
        d.note("ids_more", count=len(rows) - MAX_ROWS)
