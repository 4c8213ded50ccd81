"""Compare the position ids of a batch with its attention mask, or with the texts packed into it."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib.doctor import _masks
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats
from pe_lib.doctor._tensors import ATTENTION, IDS, TEXTS

LEAST_TEXT = 3  # ids that start again and rise over fewer tokens than this may be no text
LATE = 2  # ids that begin this many positions late, or fewer, begin there by mistake
# LENGTHS matches the summed lengths of packed texts, as FlashAttention takes them.
LENGTHS = re.compile(r"cu_seq")


@dataclass
class Batch:
    """The arrays of one batch, as far as they say where its tokens stand."""

    ids: list[tuple[Floats, Diagnosis]] = field(default_factory=list)
    masks: list[Floats] = field(default_factory=list)
    texts: list[Floats] = field(default_factory=list)

    def add(self, name: str, x: Any, d: Diagnosis) -> None:
        """Add a tensor and its diagnosis, if its name is that of ids, a mask or packed texts."""
        if IDS.search(name) and d.scheme == "ids" and not d.problems and np.ndim(x) < 3:
            self.ids.append((np.asarray(x, np.float64).reshape(-1, x.shape[-1]), d))
        elif ATTENTION.search(name) and np.ndim(x) > 0:
            self.masks.append(np.asarray(x, np.float64))
        elif TEXTS.search(name) and np.ndim(x) > 0:
            y = np.asarray(x, np.float64)
            self.texts.append(_number_texts(y) if LENGTHS.search(name) else y)

    def report_conflicts(self) -> None:
        """Report ids that contradict a mask, or the texts that were packed."""
        for ids, d in self.ids:
            for mask in self.masks:
                _compare_with_mask(d, ids, mask)
            for texts in self.texts:
                if texts.size == ids.size and texts.shape[-1] == ids.shape[1]:
                    _compare_with_texts(d, ids, texts.reshape(ids.shape), "list of documents")


def _number_texts(bounds: Floats) -> Floats:
    """Return the number of the text (T,) to which each token belongs, from 0 on.

    Text k begins at token `bounds[k]`. Bounds that do not rise from 0 give no tokens.
    """
    ends = bounds.reshape(-1)
    if ends.size < 2 or ends[0] != 0 or (np.diff(ends) < 0).any():
        return np.zeros(0)
    tokens = np.arange(float(ends[-1]))
    return np.asarray((tokens[:, None] >= ends[1:-1]).sum(axis=1), np.float64)


def _compare_with_mask(d: Diagnosis, ids: Floats, mask: Floats) -> None:
    """Report ids (texts, T) that contradict a mask (texts, T), or (…, T, T) for each query."""
    length = ids.shape[1]
    if mask.shape[-1] != length or length < LEAST_TEXT:
        return
    if mask.ndim > 1 and mask.shape[-2] == length and mask.size in (length**2, length * ids.size):
        visible = _read_causal(mask.reshape(-1, length, length))
        for k in range(len(ids)) if visible.size else ():
            _compare_with_queries(d, k, ids[k], visible[k % len(visible)])
    elif mask.size == ids.size and mask.max() > 1:
        _compare_with_texts(d, ids, mask.reshape(ids.shape), "mask")
    elif mask.size == ids.size and ((mask == 0) | (mask == 1)).all():
        _report_padding(d, ids, mask.reshape(ids.shape))


def _report_padding(d: Diagnosis, ids: Floats, mask: Floats) -> None:
    """Report ids that count the padding in a mask (texts, T), or begin late without padding."""
    for k in range(len(ids)):
        first = int(np.argmax(mask[k]))
        late = 0.0 if d.first_id is None else float(ids[k][0]) - d.first_id
        # The mask also covers the keys of earlier tokens, so without them the text begins here.
        if d.first_id is not None and mask[k].all() and 0 < late <= LATE:
            d.problem("ids_begin_late", row=k, first=float(ids[k][0]), expected=d.first_id)
            return
        if first and (np.diff(ids[k][: first + 1]) == 1).all():
            d.problem("ids_count_padding", row=k, count=first, first=float(ids[k][first]),
                      expected=float(ids[k][0]))  # fmt: skip
            return


def _read_causal(mask: Floats) -> Booleans:
    """Return which keys the queries of causal masks (masks, T, T) see. Other masks give no rows."""
    later = _masks.later_keys(*mask.shape[1:])
    for reading in _masks.list_readings(mask):
        if not (reading.seen & later).any() and reading.seen.any():
            return reading.seen
    return np.asarray(mask[:0] > 0)


def _compare_with_queries(d: Diagnosis, k: int, ids: Floats, visible: Booleans) -> None:
    """Compare the ids (T,) of row k with the keys (T, T) that its queries see."""
    t = np.arange(ids.size)
    again = [c for c in _find_starts(ids) if visible[c, c - 1]]
    if again:
        d.problem("ids_start_again", row=k, column=again[0])
        return
    # A text begins at a query that sees itself, but no earlier key.
    alone = np.flatnonzero(visible[t, t] & (visible.sum(axis=1) == 1)).tolist()
    if len(alone) <= ids.size // LEAST_TEXT:
        _report_run_on(d, k, ids, alone[1:], "mask")


def _find_starts(ids: Floats) -> list[int]:
    """Return the columns in which ids (T,) fall back to the first one and rise again."""
    columns = (np.flatnonzero(np.diff(ids) < 0) + 1).tolist()
    ends = [c + LEAST_TEXT for c in columns]
    return [
        c
        for c, end in zip(columns, ends, strict=True)
        if ids[c] == ids[0] and end <= ids.size and (np.diff(ids[c:end]) == 1).all()
    ]


def _compare_with_texts(d: Diagnosis, ids: Floats, texts: Floats, what: str) -> None:
    """Compare ids (rows, T) with the number of the text (rows, T) to which each token belongs."""
    for k in range(len(ids)):
        row = texts[k]
        # Padding has the number -1. It has 0 in a mask, or if the texts count from another number.
        is_padding = (row < 0) | ((row == 0) & (what == "mask" or row[0] > 0))
        columns = (np.flatnonzero(np.diff(row) != 0) + 1).tolist()
        starts = [c for c in columns if not is_padding[c] and not is_padding[c - 1]]
        if len(starts) <= ids.shape[1] // LEAST_TEXT:
            _report_run_on(d, k, ids[k], starts, what)
        inside = [c for c in _find_starts(ids[k]) if row[c] == row[c - 1] and not is_padding[c]]
        if inside:
            d.problem("ids_start_inside", row=k, what=what, column=inside[0])


def _report_run_on(d: Diagnosis, k: int, ids: Floats, starts: list[int], what: str) -> None:
    """Report ids (T,) of row k that count on where a packed text starts."""
    late = [c for c in starts if ids[c] == ids[c - 1] + 1]
    if late:
        d.problem("ids_run_on", row=k, what=what, count=len(starts) + 1, column=late[0],
                  first=float(ids[late[0]]))  # fmt: skip
