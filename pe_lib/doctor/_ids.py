"""Diagnose position ids: the whole numbers that tell a model where each token of a batch stands."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pe_lib.doctor import _axes, _fill, _formats, _image_ids
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._proof import HALVES, FixedValues

# If rows of position ids differ, at most this many rows are described one by one.
MAX_ROWS = 4
# In position ids, at least this share of all steps from token to token is a rise by 1.
RISING = 0.5
# Among more steps than this, one may repeat or skip a position by mistake. In ids with more such
# steps they are meant, as in images and in trees of drafts.
STEPS_PER_MISTAKE = 40
# Ids that jump ahead by more than this may be those of another part of a text.
LONGEST_GAP = 16
# How many numbers each type of integers has.
SIGNED = {"int8": 2**8, "int16": 2**16, "int32": 2**32}
UNSIGNED = {"uint8": 2**8, "uint16": 2**16}
LEAST_LATER = 2  # a single later text may be the rest of a text that was cut
AXES = 3  # M-RoPE has an id for time, height and width
# Fewer numbers that count down, are all the same, or repeat as after rounding may be anything.
LEAST_FAULTY = 8
TRIED = 64  # a rounding is tried on this many ids before it is tried on all


def are_ids(x: Any) -> bool:
    """Return whether an array (…, T) of any type can hold position ids."""
    y = np.asarray(x)
    if y.ndim == 0 or y.size < 2 or y.shape[-1] < 2 or not np.isfinite(y).all():
        return False
    rows = np.asarray(y.reshape(-1, y.shape[-1]), np.float64)
    rises = bool((np.diff(rows, axis=1) == 1).mean() >= RISING)
    if not (y == np.floor(y)).all() or (y.min() < -1 and not (rises and _find_overflow(rows))):
        return False
    return rises or _has_axes(y) or _are_faulty(rows)


def _are_faulty(rows: Floats) -> bool:
    """Return whether rows (rows, T) may be ids that count down, or were rounded as they rose."""
    if rows.shape[1] < LEAST_FAULTY:
        return False
    if (np.diff(rows, axis=1) == -1).all():
        return bool(rows.min() >= 0 and (rows == rows[0]).all())
    return all(find_rounding(row) != "" for row in rows)


def may_be_constant(x: Any) -> bool:
    """Return whether an array (1, T) or (T,) of integers may hold ids that never count."""
    y = np.asarray(x).reshape(-1)
    return bool(y.size >= LEAST_FAULTY and y[0] >= 0 and (y == y[0]).all())


def find_rounding(row: Floats) -> str:
    """Return the format to which consecutive ids (T,) were rounded, or "" if none changed them."""
    steps = np.diff(row)
    if (steps == 1).all() or (steps < 0).any() or not steps.any() or row[0] < 0:
        return ""
    for form in HALVES:
        if not (_formats.round_to(row, form) == row).all():
            continue
        # The first id may have been rounded as well.
        reach = int(row[0] * _formats.UNIT[form])
        for first in range(int(row[0]) - reach, int(row[0]) + reach + 1):
            ids = np.arange(row.size, dtype=np.float64) + first
            if all((_formats.round_to(ids[:n], form) == row[:n]).all() for n in (TRIED, row.size)):
                return form
    return ""


def are_named_ids(x: Any) -> bool:
    """Return whether an array (…, T) with the name of position ids holds whole numbers."""
    y = np.asarray(x)
    # Rows of two or three numbers may be the places of patches on a grid. A single number for each
    # text is the id of the token that is generated next.
    has_length = y.ndim > 0 and y.size > 0 and (y.shape[-1] > AXES or y.shape[-1] == 1)
    return are_ids(x) or bool(has_length and np.isfinite(y).all() and (y == np.floor(y)).all())


def _has_axes(x: Any) -> bool:
    """Return whether an array (3, …, T) may hold M-RoPE's ids on three axes, as for images."""
    if x.ndim < 2 or x.shape[0] != AXES or x.max() <= 1:
        return False
    return bool(np.abs(np.diff(x.reshape(AXES, -1, x.shape[-1]), axis=2)).mean() < x.shape[-1])


def diagnose_batch(x: Any) -> Diagnosis:
    """Describe the position ids of a batch (…, T), and report mistakes in them."""
    d = diagnose_ids(x)
    ids = np.asarray(x, np.float64)
    rows, form = ids.reshape(-1, ids.shape[-1]), str(getattr(x, "dtype", ""))
    if rows.shape[1] > 1 and (rows == rows[:, :1]).all():
        d.problem("ids_constant", id=float(rows[0, 0]), count=rows.shape[1])
        return d
    for k in range(len(rows)):
        _report_mistakes(d, k, rows[k], form, "axes" in d.details)
    if "axes" in d.details and not d.problems:
        _image_ids.report_mistakes(d, ids.reshape(AXES, -1, ids.shape[-1]))
    return d


def diagnose_step(x: Any) -> Diagnosis:
    """Describe integers (texts, 1), which may be the ids of one decoding step of a batch."""
    d = diagnose_ids(x)
    d.sure, d.first_position = False, None  # without a name, they may be anything
    d.note("one_step", count=len(x))
    return d


def diagnose_ids(x: Any) -> Diagnosis:
    """Describe the rows of position ids (…, T).

    The first tokens of a row may be padding, which all have the same id.
    """
    ids = np.asarray(x, np.float64)
    rows = ids.reshape(-1, ids.shape[-1])
    d = Diagnosis("ids")
    _fill.fill_literal(d, "ids", FixedValues(rows), rows)
    d.residual = None
    starts, pads = _split_padding(rows)
    has_axes = ids.ndim > 1 and ids.shape[0] == AXES and not (ids[0] == ids[1:]).all()
    # Rows that differ only in their padding are a batch. On the axes of an image, ids repeat.
    has_axes = has_axes and any(_repeats(rows[k][int(pads[k]) :]) for k in range(len(rows)))
    if has_axes:
        d.details["axes"] = AXES
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
        if row.size < 2 or find_rounding(row):
            continue
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
        name = "ids_alike" if len(rows) > 1 else "ids_alone"
        d.note(name, positions=_axes.describe_positions(rows[0]), count=len(rows))
        return
    for k in range(min(len(rows), MAX_ROWS)):
        d.note("ids_row", row=k, positions=_axes.describe_positions(rows[k]))
    if len(rows) > MAX_ROWS:
        d.note("ids_more", count=len(rows) - MAX_ROWS)


def _repeats(ids: Floats) -> bool:
    """Return whether several neighbouring ids (T,) are equal before the padding at their end."""
    text = ids[: _text_length(ids)]
    return int((np.diff(text) == 0).sum()) > 1


def _text_length(ids: Floats) -> int:
    """Return how many of the ids (T,) come before the padding at their end.

    All padding has the same id, which is the text's last one or any other.
    """
    changes = np.flatnonzero(np.diff(ids) != 0)
    if not changes.size:
        return 1
    last = int(changes[-1])
    return last + 2 if ids[last + 1] == ids[last] + 1 else last + 1


# --- Mistakes ---


def _report_mistakes(d: Diagnosis, k: int, row: Floats, form: str, has_axes: bool) -> None:
    """Report mistakes in row k of the position ids, whose numbers have the type called `form`."""
    wrap = _find_overflow(row[None])
    if wrap or (form in UNSIGNED and (np.diff(row) == 1 - UNSIGNED[form]).any()):
        at = int(np.argmin(np.diff(row)))
        bits = wrap or form
        d.problem("ids_overflow", row=k, last=float(row[at]), next=float(row[at + 1]), bits=bits)
        return
    if row.min() < 0:
        d.problem("ids_negative", row=k, lowest=float(row.min()))
        return
    if has_axes:
        return
    if row.size > 1 and (np.diff(row) == -1).all():
        d.problem("ids_descending", row=k, first=float(row[0]), last=float(row[-1]))
    else:
        text = row[int(_split_padding(row[None])[1][0]) :]
        text = text[: _text_length(text)]
        if form := find_rounding(row) or find_rounding(text):
            d.problem("half_precision_positions", form=form)
        else:
            _report_steps(d, k, text)
            _note_gap(d, k, text)
            _report_later_texts(d, k, text)


def _find_overflow(rows: Floats) -> str:
    """Return the type of integers in which ids (rows, T) overflowed to negative numbers, or ""."""
    steps = np.diff(rows, axis=1)
    for name, count in SIGNED.items():
        if ((steps == 1 - count) & (rows[:, 1:] == -count / 2)).any():
            return name
    return ""


def _report_steps(d: Diagnosis, k: int, text: Floats) -> None:
    """Report a few ids (T,) of a text that are repeated or skipped."""
    steps = np.diff(text)
    repeated = np.flatnonzero(steps == 0)
    skipped = np.flatnonzero((steps >= 2) & (steps <= LONGEST_GAP))
    if not repeated.size and not skipped.size:
        return
    if repeated.size + skipped.size > max(1, text.size // STEPS_PER_MISTAKE):
        return
    if repeated.size:
        at = float(text[repeated[0]])
        d.problem("ids_repeated", row=k, id=at, count=repeated.size, column=int(repeated[0]))
    if skipped.size:
        at = float(text[skipped[0]]) + 1
        column = int(skipped[0])
        more = float(text[column + 1])
        d.problem("ids_skipped", row=k, id=at, count=skipped.size, column=column, next=more)


def _note_gap(d: Diagnosis, k: int, text: Floats) -> None:
    """Note a single long gap in the ids (T,) of a text, which may be meant or a mistake."""
    jumps = np.flatnonzero(np.diff(text) != 1)
    if jumps.size != 1:
        return
    before, after = float(text[jumps[0]]), float(text[jumps[0] + 1])
    if after - before > LONGEST_GAP:
        d.note("ids_gap", row=k, first=before + 1, last=after - 1)


def _report_later_texts(d: Diagnosis, k: int, ids: Floats) -> None:
    """Report packed texts in ids (T,) if the first begins one position off from all later texts."""
    begins = np.flatnonzero(np.diff(ids) < 0) + 1
    if begins.size < LEAST_LATER or (np.diff(ids)[np.diff(ids) >= 0] != 1).any():
        return
    first, later = float(ids[0]), float(ids[begins[0]])
    if abs(later - first) == 1 and (ids[begins] == later).all():
        d.problem("ids_later_texts", row=k, first=first, later=later, count=begins.size)
