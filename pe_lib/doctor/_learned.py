"""Find the traces of a learned table's history: copied rows, stretched rows, untrained rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pe_lib.doctor import _fill, _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._numbers import DATA, format_number, round_significant

# In a learned table, at most this many rows are searched for copies.
MAX_COMPARED_ROWS = 8192
LEAST_COPIED = 4  # rows with fewer entries may be equal by chance
# Tables are stretched to this many times their length. A larger factor is tried first, because
# a table that was stretched fourfold was also stretched twofold.
FACTORS = (16, 8, 4, 3, 2)
LEAST_NODES = 8  # a table with fewer rows is not tried as the original of a longer one
RESERVED = (0, 1, 2)  # so many rows before the positions may have been left as they were
TRIED_COLUMNS = 8  # a stretch is tried on this many columns before it is tried on all
# Rows that lie on a line are off by at most this many rounding errors of the largest entry.
ROUNDINGS = 16
# PyTorch rounds the weights of a mean to float32, with errors that grow with the position.
WEIGHT_ERROR = 2.0**-22
# A stretched table fits with the right nodes this many times as well as with nodes half a row away,
# while a table that is only smooth fits both about equally well.
BETTER = 8
# Neighbouring rows of trained tables have a cosine above ALIKE. In a table that was trained only at
# its beginning, at least MOST of the neighbours there do.
ALIKE, MOST = 0.5, 0.95
# The last neighbours before such a tail have at least this share of the mean cosine before it.
SUDDEN = 0.8
# A tail of fewer rows, or of rows with fewer entries, may be random by chance.
LEAST_TAIL, LEAST_WIDTH = 8, 16
# Cosines of n random rows with d entries are about 1/√d, and norms vary by 1/√(2d). Up to this
# many times as much is random.
SPREAD = 1.5


# A row of a trained table is at most this many times as long as most others. The first rows may be
# longer, because many models attend to them without looking for anything.
OUTLIER, LEAST_OUTLIER_ROW = 30.0, 4
# Larger numbers than this are no learned weights, but what memory held before it was filled.
LARGEST = 1e15
CODES = 128  # entries that are whole numbers up to this one may be codes of a quantisation
LEAST_CODES = 1000  # a table with fewer entries may hold whole numbers for another reason


def report_history(d: Diagnosis, y: Floats, norms: Floats, rows: Indices) -> None:
    """Report what happened to a learned table with the intact rows y (n, width) and their norms."""
    largest = float(np.abs(y).max())
    if largest > LARGEST:
        d.problem("never_filled", f"the largest entry is {format_number(largest)}")
        return
    _report_outliers(d, norms, rows)
    _fill.report_zero_columns(d, y)
    if y.min() < -1 and largest <= CODES and y.size >= LEAST_CODES and (y == np.floor(y)).all():
        low, high = (format_number(float(end)) for end in (y.min(), y.max()))
        d.problem("codes", low=low, high=high)
    if not _report_stretched(d, y):
        _report_copies(d, y, rows)
    _report_untrained(d, y, norms, rows)


def _report_outliers(d: Diagnosis, norms: Floats, rows: Indices) -> None:
    """Report rows that are many times as long as most rows."""
    middle = float(np.median(norms))
    far = np.flatnonzero((norms > OUTLIER * middle) & (rows >= LEAST_OUTLIER_ROW))
    if middle > 0 and 0 < far.size <= norms.size // 100 + 1:
        times = round_significant(float(norms[far[0]]) / middle, 2)
        d.problem("row_too_long", count=far.size, row=int(rows[far[0]]), times=times)


# Copied rows


def _report_copies(d: Diagnosis, y: Floats, rows: Indices) -> None:
    """Report rows of a learned table that are exact copies of other rows."""
    places: dict[bytes, int] = {}
    first = [places.setdefault(row.tobytes(), k) for k, row in enumerate(y[:MAX_COMPARED_ROWS])]
    copies = [k for k in range(len(first)) if first[k] != k]
    if copies and y.shape[1] >= LEAST_COPIED:
        row, original = (int(rows[k]) for k in (copies[0], first[copies[0]]))
        how = _describe_copies(first, copies)
        d.details["copies"] = len(copies)
        d.problem("same_rows_of_table", count=len(copies), row=row, other=original, how=how)


def _describe_copies(first: list[int], copies: list[int]) -> str:
    """Return a sentence, or "", that says how rows were copied.

    `first[k]` is the first row that equals row k, and `copies` are the rows with an earlier one.
    """
    begin, count = copies[0], len(copies)
    back = begin - first[begin]
    if back == 1 and count == 1:
        return " It stands there twice, so all rows after it may be one place too late."
    is_tail = 1 < count == len(first) - begin
    if is_tail and all(first[k] == first[begin] for k in copies):
        return " All rows after it are this row, too."
    if back == 1 and 4 * count >= len(first):
        return " Rows stand there several times in a row, as if each new row took its nearest one."
    if is_tail and all(first[k] == first[k - back] for k in copies):
        return f" From there on, the table repeats the {format_number(back)} rows before."
    return ""


# Rows that were put between others


@dataclass(frozen=True)
class Stretch:
    """A rule that puts row k of a longer table at place `first + k * step` among its `nodes`.

    The nodes are the rows of the original table. The first `reserved` rows were not stretched.
    """

    nodes: int
    first: float
    step: float
    reserved: int = 0

    def differences(self, y: Floats, offset: float = 0.0) -> tuple[Floats, Floats]:
        """Return how far rows are off the lines between nodes, and how far rounding moves them.

        The second array has one column. With an `offset`, all nodes are at other places. The rows
        before the second node and after the last but one are left out, because the table may end
        between nodes.
        """
        y = y[self.reserved :]
        places = self.first + offset + self.step * np.arange(len(y))
        ends = np.flatnonzero(np.diff(np.floor(places))) + 1
        inner = np.arange(len(y))[ends[0] : ends[-1]]
        y, places = y[inner], places[inner]
        left = np.floor(places)
        line, weight = (left - left[0]).astype(np.int64), (places - left)[:, None]
        # Each line between two nodes goes through its first and its last row.
        begin, end = ends[:-1] - ends[0], ends[1:] - ends[0] - 1
        across = weight[end] - weight[begin]
        if (across == 0).any():
            return np.full(y.shape, np.inf), np.zeros((len(y), 1))
        slopes = (y[end] - y[begin]) / across
        starts = y[begin] - weight[begin] * slopes
        nodes = np.concatenate([starts[:1], starts + slopes])
        # Neighbouring lines meet in a node, so the line of a row follows from two nodes.
        expected = (1 - weight) * nodes[line] + weight * nodes[line + 1]
        unit = _formats.UNIT[_formats.narrowest_format(y)]
        rounding = ROUNDINGS * unit * float(np.abs(y).max())
        of_weights = WEIGHT_ERROR * float(np.abs(slopes).max())
        slack = np.asarray(rounding + of_weights * (1 + places[:, None]), np.float64)
        return y - expected, slack

    def explains(self, y: Floats) -> bool:
        """Return whether the table y (n, width) was stretched by this rule."""
        off, slack = self.differences(y)
        if not (np.abs(off) <= slack).all():
            return False
        other, _ = self.differences(y, 0.5)
        ours, theirs = (float((x * x).mean()) for x in (off, other))
        return np.inf > theirs > BETTER**2 * ours


def _list_stretches(length: int) -> Iterator[Stretch]:
    """Yield the usual rules that stretch a table to a length."""
    for reserved in RESERVED:
        rows = length - reserved
        lengths = [*(-(-rows // factor) for factor in FACTORS), *DATA["trained_lengths"]]
        for nodes in dict.fromkeys(n for n in lengths if n >= LEAST_NODES and 2 * n <= rows + 1):
            step = nodes / rows
            # These are the places in PyTorch without and with `align_corners`. In the third rule,
            # each row is kept and means are put between.
            yield Stretch(nodes, (step - 1) / 2, step, reserved)
            yield Stretch(nodes, 0.0, (nodes - 1) / (rows - 1), reserved)
            yield Stretch(nodes, 0.0, 1 / int(rows / nodes + 0.5), reserved)


def _report_stretched(d: Diagnosis, y: Floats) -> bool:
    """Report whether a learned table was stretched by linear interpolation."""
    some = y[:, :: max(1, y.shape[1] // TRIED_COLUMNS)]
    for stretch in _list_stretches(len(y)):
        if stretch.explains(some) and stretch.explains(y):
            actual, original = (format_number(n + stretch.reserved) for n in
                                (len(y) - stretch.reserved, stretch.nodes))  # fmt: skip
            d.problem("stretched", rows=original, length=actual)
            return True
    return False


# Rows that were never trained


def _report_untrained(d: Diagnosis, y: Floats, norms: Floats, rows: Indices) -> None:
    """Report rows at the end that are random, in a table whose other rows are smooth."""
    width = y.shape[1]
    norms = np.where(norms > 0, norms, 1.0)
    unit = y / norms[:, None]
    alike = (unit[1:] * unit[:-1]).sum(axis=1)
    smooth = np.flatnonzero(alike >= ALIKE)
    if smooth.size < LEAST_TAIL or width < LEAST_WIDTH:
        return
    begin = int(smooth[-1]) + 2  # the first row that is unlike the row before
    head, tail = alike[: begin - 1], alike[begin:]
    if len(y) - begin < LEAST_TAIL or smooth.size < MOST * head.size:
        return
    # In a table that was trained less and less, neighbours become unlike little by little.
    is_sudden = float(head[-LEAST_TAIL:].min()) >= SUDDEN * float(head.mean())
    spread = float(np.sqrt(((norms[begin:] / norms[begin:].mean() - 1) ** 2).mean()))
    is_random = float((tail * tail).mean()) <= SPREAD**2 / width
    if is_sudden and is_random and spread <= SPREAD / (2 * width) ** 0.5:
        size = float(norms[begin:].mean() / norms[:begin].mean())
        d.problem("untrained", row=int(rows[begin]), count=len(y) - begin,
                  share=round_significant(size, 2))  # fmt: skip
