"""Diagnose biases that are added to attention scores: ALiBi, T5's buckets, and lone slopes.

Entry [t, s] of such a matrix depends on the offset s - t alone, so one number for each offset
describes the whole matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, log2
from typing import Any

import numpy as np

from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.doctor import _fill, _formats, _masks, _numbers, _proof
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._proof import HALVES, FixedValues, Proof
from pe_lib.doctor._tables import COMPUTE_ROWS_AGAIN

BUCKET_KINDS: list[list[int]] = DATA["bucket_kinds"]
MASKED = -1e4  # entries at or below this value count as masked
# Two entries are equal up to bfloat16 rounding if their relative difference is below this.
NEAR = 6e-3
LEAST_VALUES = 3  # a bias with at most this many different values may be any code
CLIPPED = 3  # a bias is called clipped if at least this many offsets have its lowest value
MOST_LOST = 20  # a bias is not read if more than one entry in 20 is not a number
# In a list of slopes, at most one head in HEADS_PER_LOST may have a wrong slope. Such a list is
# certain only if it has SURE_HEADS heads or more.
HEADS_PER_LOST, SURE_HEADS = 8, 12
LEAST_OFFSETS = 24  # with fewer offsets than this, T5's buckets are never identified with certainty
# T5's buckets are certain only if more than this many buckets cover several offsets each.
LEAST_WIDE_BUCKETS = 3


@dataclass
class _Matrix:
    """A bias (heads, T, S) in a form that depends only on the offset between key and query."""

    offsets: Indices  # key position minus query position, for each diagonal
    place: Indices  # (T, S): for each entry, the index of its offset in `offsets`
    visible: Booleans  # (offsets,): true where the offset is not masked
    clean: Floats  # the bias minus `lift`, with 0 at masked entries
    # In a bias of one row, each head's bias for the key from which positions are counted.
    # Subtracting this constant does not change the softmax.
    lift: Floats

    def recipe(self, rule: Floats, source: Any = None) -> FixedValues:
        """Return the recipe that puts `rule` (heads, visible offsets) where keys are visible."""
        heads = len(self.clean)
        values = np.zeros((heads, self.offsets.size))
        values[:, self.visible] = rule
        return FixedValues(_side_by_side(values[:, self.place] + self.lift), source, heads)


def diagnose_bias(x: Floats) -> Diagnosis | None:
    """Diagnose a bias (heads, T, S) if each row equals the row before it, shifted by one key.

    A bias with one row for each head has BLOOM's form, the slope times the key's position. This
    form differs from ALiBi by a constant for each query, which does not change the softmax. With
    fewer queries than keys, the queries may be the first ones or the last. Returns None for other
    numbers.
    """
    _, rows, columns = x.shape
    if np.isnan(x).any():
        return _diagnose_damaged(x)
    if _masks.list_readings(x):
        return _masks.diagnose_masks(x)
    if rows == 1:
        return _diagnose_keys(x)
    d = _diagnose_queries(x, 0)
    if d is not None and d.scheme != "unknown":
        return d
    if rows < columns:
        last = _diagnose_queries(x, columns - rows)
        if last is not None and last.scheme != "unknown":
            last.first_position = float(columns - rows)
            last.note("last_queries", count=rows, all=columns)
            return last
    if d is not None:
        return d
    hidden = _find_hidden(x)
    return _diagnose_masked_keys(x, hidden) or _diagnose_padded(x, hidden)


def _diagnose_keys(x: Floats) -> Diagnosis | None:
    """Diagnose a bias with one row for each head: the slope times the key's position.

    BLOOM counts the positions from 0, and MPT counts them from the last key down.
    """
    columns = x.shape[2]
    sizes = np.abs(x).sum(axis=0)[0]
    is_last = columns > 1 and bool(sizes[columns - 1] < sizes[0])
    return _diagnose_queries(x, columns - 1 if is_last else 0)


def _diagnose_masked_keys(x: Floats, hidden: Booleans) -> Diagnosis | None:
    """Diagnose a causal mask to which each head adds one row for all queries, in BLOOM's form."""
    _, rows, columns = x.shape
    if rows != columns or rows < 2 or not (hidden == _masks.later_keys(rows, columns)).all():
        return None
    keys = x[:, -1:]  # the last query sees all keys
    if not (np.where(hidden, keys, x) == keys).all():
        return None
    d = _diagnose_keys(keys)
    if d is None or d.scheme == "unknown":
        return None
    d.details["mask"] = "causal"
    return d


def _diagnose_padded(x: Floats, hidden: Booleans) -> Diagnosis | None:
    """Diagnose a bias (heads, T, S) that masks the first or the last keys for all queries."""
    masked = hidden.all(axis=1).all(axis=0)
    unmasked = np.flatnonzero(~masked)
    if not unmasked.size or unmasked.size < 2 or not masked.any() or (np.diff(unmasked) > 1).any():
        return None
    first, last = int(unmasked[0]), int(unmasked[-1])
    d = _diagnose_queries(x[:, :, first : last + 1], -first)
    # Masked keys at the end may also be later than all queries, so only padding is noted.
    if d is not None and d.details["mask"] != "transposed":
        d.note("padded_keys", count=int(masked.sum()), first=int(np.argmax(masked)))
        return d
    return None


def _diagnose_damaged(x: Floats) -> Diagnosis | None:
    """Diagnose a bias in which a few entries are NaN, after copying neighbours into them."""
    lost = np.argwhere(np.isnan(x))
    if x.shape[1] < 2 or len(lost) > x.size // MOST_LOST:
        return None
    y = x.copy()
    for head, row, column in lost.tolist():
        step = -1 if row > 0 and column > 0 else 1
        row_beside, column_beside = row + step, column + step
        if row_beside < x.shape[1] and column_beside < x.shape[2]:
            y[head, row, column] = y[head, row_beside, column_beside]
    if np.isnan(y).any():
        return None
    d = diagnose_bias(y)
    if d is not None:
        where = [format_number(int(k)) for k in lost[0]]
        place = f"head {where[0]}, row {where[1]}, column {where[2]}"
        d.problem("not_finite", count=len(lost), place=place)
        d.sure = False
    return d


def _diagnose_queries(x: Floats, first: int) -> Diagnosis | None:
    """Diagnose a bias (heads, T, S) whose first row belongs to the query at position `first`."""
    _, rows, columns = x.shape
    hidden = _find_hidden(x)
    if columns < 2 + (rows == 1) or (rows == 1 and hidden.any()):
        return None
    offset = np.arange(columns) - np.arange(rows)[:, None] - first
    if rows > 1 and not hidden.any():
        # A bias may be 0 on one side of the query, where a mask is still to be added.
        for side, empty in (("later", offset > 0), ("earlier", offset < 0)):
            if empty.any() and (np.where(empty, x, 0.0) == 0).all():
                d = _diagnose_visible(x, first, hidden | empty, side)
                if d is not None and d.scheme == "alibi" and d.sure:
                    return d
    return _diagnose_visible(x, first, hidden, "")


def _diagnose_visible(x: Floats, first: int, hidden: Booleans, empty: str) -> Diagnosis | None:
    """Diagnose the entries of a bias (heads, T, S) that are not hidden.

    `empty` says whether the hidden entries are not masked but 0: "later", "earlier", or "".
    """
    heads, rows, columns = x.shape
    are_keys = rows == 1
    offsets = np.arange(1 - rows, columns) - first
    place = np.arange(columns) - np.arange(rows)[:, None] + rows - 1
    mask = _masks.read_band(hidden, offsets, place)
    if mask is None:
        return None
    name, visible = mask
    d = Diagnosis(details={"mask": "none" if empty else name, "heads": heads})
    if empty == "later":
        d.note("unmasked")
    elif empty == "earlier":
        d.problem("bias_ahead")
    elif name == "transposed":
        d.problem("bias_transposed")
    elif name == "strict":
        d.problem("mask_strict")
    elif name == "ahead":
        d.problem("mask_ahead", ahead=int(offsets[visible].max()))
    lift = x[:, :, first : first + 1] if are_keys else np.zeros((heads, 1, 1))
    matrix = _Matrix(offsets, place, visible, np.where(hidden, 0.0, x) - lift, lift)
    if not matrix.clean.any() or (not are_keys and not _depends_on_offsets(matrix.clean)):
        return None
    return _diagnose_matrix(d, matrix, are_keys)


def _find_hidden(x: Floats) -> Booleans:
    """Return which entries are masked."""
    return np.asarray(~np.isfinite(x) | (x <= MASKED))


def _depends_on_offsets(x: Floats, share: float = 0.5) -> bool:
    """Return whether most entries are equal to the previous entry on their diagonal.

    At least the given share of all entries has to be equal.
    """
    moved = np.abs(x[:, 1:, 1:] - x[:, :-1, :-1]) <= NEAR * np.abs(x[:, 1:, 1:])
    return bool(moved.mean() >= share)


def _describe_offsets(
    d: Diagnosis, offsets: Indices, values: Floats, x: Floats
) -> Diagnosis | None:
    """Describe a bias with one number (heads, offsets) for each offset, if it follows no rule."""
    if len(set(values[0].tolist())) <= LEAST_VALUES:
        return None
    d.scheme, d.sure, d.seen = "unknown", False, x
    d.note("relative")
    shares = values[:, offsets != 0] / offsets[offsets != 0] ** 2
    sizes = np.abs(shares).max(axis=1)
    if (sizes > 0).all() and (np.abs(shares - shares[:, :1]).max(axis=1) <= NEAR * sizes).all():
        d.note("square")
    # Beyond the farthest offset, each side has the same value everywhere.
    changes = np.flatnonzero((np.diff(values, axis=1) != 0).any(axis=0))
    first, last = int(offsets[changes[0] + 1]), int(offsets[changes[-1]])
    if first > offsets.min() + 1 or last < offsets.max() - 1:
        d.note("constant_beyond", first=first, last=last)
    return d


def _diagnose_matrix(d: Diagnosis, matrix: _Matrix, are_keys: bool) -> Diagnosis | None:
    """Diagnose a bias as ALiBi's lines or T5's buckets. Return None if the bias is neither."""
    clean, visible = matrix.clean, matrix.visible
    diagonals = np.arange(1 - clean.shape[1], clean.shape[2])
    middles = [np.median(np.diagonal(clean, int(k), 1, 2), axis=1) for k in diagonals]
    values, offsets = np.stack(middles, axis=1)[:, visible], matrix.offsets[visible]
    flat, rounding = _side_by_side(clean + matrix.lift), _proof.read_rounding(clean)
    rows = np.arange(clean.shape[1])

    def prove_lines(distances: Any) -> Proof | None:
        lines = [matrix.recipe(*line) for line in _propose_lines(distances, values)]
        # Some proposals accept lines of any slope, so the stricter proposals are tried first.
        loose = [line for line in lines if line.source.slopes.problem == "slopes"]
        strict = [line for line in lines if line.source.slopes.problem != "slopes"]
        return _proof.best_proof(strict, flat, rounding, rows) or _proof.best_proof(
            loose, flat, rounding, rows
        )

    proof = prove_lines(offsets)
    for form in HALVES if proof is None else ():
        rounded = _formats.round_to(np.asarray(offsets, np.float64), form)
        proof = prove_lines(rounded) if proof is None and (rounded != offsets).any() else proof
        if proof is not None and "half_precision_distances" not in d.problems:
            lost = int(np.abs(offsets[rounded != offsets]).min())
            d.problem("half_precision_distances", form=form, distance=lost)
    if proof and not _is_distance(proof, clean):
        # The bias of keys grows with their position if the first key has position 0.
        _report_lines(d, proof, are_keys, bool(offsets.max() > 0 and are_keys))
    elif not are_keys and _match_buckets(d, offsets, values):
        proof = _proof.best_proof([matrix.recipe(values)], flat, rounding, rows)
    elif not are_keys and _depends_on_offsets(clean, 1.0):
        return _describe_offsets(d, offsets, values, flat)
    if proof is None or d.scheme == "unknown" or (are_keys and proof.kind):
        return None
    precision, evidence = d.precision, _fill.fill_proof(d, proof, flat)
    d.precision, d.where = precision or proof.rounding.form, "values"
    _fill.report_exceptions(d, evidence, COMPUTE_ROWS_AGAIN, (), "heads")
    if d.scheme == "alibi" and d.precision in HALVES:
        _note_equal_steps(d, offsets, values)
    return d


def _note_equal_steps(d: Diagnosis, offsets: Indices, values: Floats) -> None:
    """Note from which distance on some neighbours have the same value (heads, offsets)."""
    equal = (np.diff(values, axis=1) == 0).any(axis=0)
    if equal.any():
        near = np.minimum(np.abs(offsets[1:]), np.abs(offsets[:-1]))[equal]
        d.note("steps_lost", distance=int(near.min()), form=d.precision)


def _is_distance(proof: Proof, x: Floats) -> bool:
    """Return whether a bias of one head holds the offsets themselves, or the distances.

    Such a matrix of whole numbers is an index or a step on the way to a bias, and not ALiBi.
    """
    slopes: _Slopes = proof.recipe.source.slopes
    return bool(slopes.values.size == 1 and slopes.values[0] == 1 and (x == np.floor(x)).all())


def _report_lines(d: Diagnosis, proof: Proof, are_keys: bool, grows: bool) -> None:
    """Fill in the slopes from a proof, and report a bias of the wrong sign.

    `grows` says whether a bias of the right sign grows with the distance.
    """
    line: _Line = proof.recipe.source
    _report_slopes(d, line.slopes)
    d.direction = 1
    if (line.sign < 0) != grows:
        d.problem("bias_sign")
    if line.kind == "signed":
        d.note("signed")
    elif line.kind == "clipped":
        d.problem("bias_clipped", distance=line.limit)
    if line.is_lifted:
        d.note("lifted")
    if are_keys:
        # Any numbers that are counted row by row have lines of one slope.
        d.sure = d.sure and "slopes_same" not in d.problems
        d.details["form"] = "keys"
        d.other("keys")


def _side_by_side(x: Floats) -> Floats:
    """Put the heads of a bias (heads, T, S) side by side as a matrix (T, heads · S) for a proof."""
    return np.concatenate([*x], axis=1)


# --- Lines ---


@dataclass
class _Slopes:
    """A list of ALiBi slopes, one for each head, that may explain a bias."""

    problem: str  # the name of the mistake that leads to these slopes, or ""
    values: Floats
    believed: bool  # whether a diagnosis with `values` as slopes can be certain


@dataclass
class _Line:
    """What is known of a bias that is linear in the distance between key and query."""

    slopes: _Slopes
    sign: int  # 1 if far keys get less, and -1 if they get more
    # "" if only the distance counts, "signed" if keys after the query get a bonus instead of a
    # penalty, or "clipped" if the bias stops falling at some distance
    kind: str
    is_lifted: bool  # whether each head adds the same number everywhere
    limit: int = 0  # the distance at which the steepest head of a clipped bias stops falling


def _propose_lines(offsets: Indices, values: Floats) -> Iterator[tuple[Floats, _Line]]:
    """Propose biases that are linear in the distance.

    The candidates that fit lines of any slope come last.
    """
    own = values[:, offsets == 0]
    is_lifted = own.shape[1] == 1 and bool(own.any())
    lift = own if is_lifted else np.zeros((len(values), 1))
    distance = np.abs(offsets)
    kinds = {"": distance}
    if offsets.min() < 0 < offsets.max():
        kinds["signed"] = -offsets
    for kind, length in kinds.items():
        for slopes, sign in _measure_slopes(length, values - lift):
            yield (
                lift - sign * slopes.values[:, None] * length,
                _Line(slopes, sign, kind, is_lifted),
            )
    yield from _propose_clipped(distance, values - lift, lift, is_lifted)


def _measure_slopes(length: Indices, values: Floats) -> Iterator[tuple[_Slopes, int]]:
    """Propose slopes for lines over a distance that may be negative, each with its sign."""
    far = int(np.argmax(np.abs(length)))
    slope = -values[:, far] / length[far]
    sign = 1 if (slope > 0).sum() >= (slope < 0).sum() else -1
    near = NEAR * np.abs(values).max(axis=1, keepdims=True) + 1e-9
    is_bent = (np.abs(values + slope[:, None] * length) > near).mean(axis=1) > 0.25
    is_wrong = is_bent | (sign * slope < 0)
    if is_wrong.sum() <= slope.size // 4 and (is_wrong | (slope == 0)).sum() <= slope.size // 2:
        # Each value is a slope times a distance, so the slopes are at least as exact as the values.
        form = _formats.narrowest_format(values)
        measured = _formats.round_to(sign * slope, form if form in HALVES else "float32")
        for slopes in _propose_slopes(measured, True):
            yield slopes, sign


def _propose_clipped(
    distance: Indices, values: Floats, lift: Floats, is_lifted: bool
) -> Iterator[tuple[Floats, _Line]]:
    """Propose lines that stop falling, either at a lowest value or at a farthest distance."""
    near = np.flatnonzero(distance == 1)
    low = float(values.min())
    # The steepest head reaches a lowest value first, and all heads reach a farthest distance there.
    steep = int(np.argmin(values[:, near[0]])) if near.size else 0
    ends = distance[values[steep] == values[steep].min()]
    if not near.size or ends.size < CLIPPED or low >= 0:
        return
    slope = -values[:, near[0]]
    if (slope <= 0).any():
        return
    for slopes in _propose_slopes(slope, True):
        if slopes.problem != "slopes":
            lines = slopes.values[:, None] * distance
            limit = slopes.values[:, None] * np.minimum(distance, ends.min())
            for clipped in (np.minimum(lines, -low), limit):
                yield lift - clipped, _Line(slopes, 1, "clipped", is_lifted, int(ends.min()))


def _propose_slopes(m: Floats, are_lines: bool) -> Iterator[_Slopes]:
    """Propose the rules for ALiBi slopes that may have produced the numbers m (heads,).

    If a whole bias shows lines (`are_lines`), more candidates are believed than for a mere list of
    numbers.
    """
    heads = m.size
    program = alibi_slopes(heads)
    paper = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    yield _Slopes("", program, heads > 2 or are_lines)
    yield _Slopes("", _compute_in_float32(heads), heads > 2 or are_lines)
    yield _Slopes("slopes_of_the_paper", paper, heads > 3 or are_lines)
    # For 4 or 8 heads, slopes counted from 0 are also powers of 1/4 or 1/2, which prove nothing.
    for values in _count_from_zero(heads) if heads > 3 else ():
        yield _Slopes("slopes_from_zero", values, are_lines or heads not in (4, 8))
    for values in _repeat_slopes(heads):
        yield _Slopes("slopes_repeated", values, heads > 3)
    if are_lines and heads > 1:
        yield _Slopes("slopes_same", np.full(heads, float(np.median(m))), True)
    order = np.argsort(np.argsort(-m))
    yield _Slopes("slopes_order", np.sort(program)[::-1][order], heads > 3)
    factor = _numbers.round_to_chosen(float(np.median(m / program)), 1e-6)[0]
    # A list that begins with 1 holds frequencies of base 256, not scaled ALiBi slopes.
    may_be_scaled = are_lines or (heads >= 8 and abs(m[0] - 1) > 1e-6)
    if factor > 0 and may_be_scaled:
        times = round(max(factor, 1 / factor) ** 2, 6)
        # A common factor is √(head width), or a factor that an attention kernel removes again.
        is_usual = times % 8 == 0 or times in (2, 4)
        yield _Slopes("slopes_scaled", factor * program, are_lines and is_usual)
    if are_lines:
        yield _Slopes("slopes", m, False)


def _compute_in_float32(heads: int) -> Floats:
    """Return ALiBi's slopes (heads,) as BLOOM's program does, as powers of a base in float32.

    The error of the base grows with the power, to 3e-7 for 16 heads.
    """
    power_of_two = 2 ** floor(log2(heads))
    bases = np.asarray([2 ** (-8 / power_of_two), 2 ** (-4 / power_of_two)])
    base, root = _formats.round_to(bases, "float32").tolist()
    first = base ** np.arange(1, power_of_two + 1)
    rest = root ** np.arange(1, 2 * (heads - power_of_two), 2)
    return _formats.round_to(np.concatenate([first, rest]), "float32")


def _count_from_zero(heads: int) -> list[Floats]:
    """List the slopes (heads,) that usual programs compute if they count heads from 0 by mistake.

    If the number of heads is not a power of two, a program joins two lists. It may count either
    list or both from 0, or take every other slope of the next power of two.
    """
    program, h = alibi_slopes(heads), np.arange(heads)
    power = 2 ** floor(log2(heads))
    both = np.where(h < power, h, h - power)
    every = 2.0 ** (-8 * np.arange(2 * power) / (2 * power))
    return [program * 2.0 ** (8 / power), 2.0 ** (-8 * both / power), 2.0 ** (-8 * h / heads),
            np.concatenate([every[1::2], every[0::2]])[:heads]]  # fmt: skip


def _repeat_slopes(heads: int) -> list[Floats]:
    """List the slopes (heads,) that repeat the slopes of fewer heads, as a list or one by one."""
    power, h = 2 ** floor(log2(heads)), np.arange(heads)
    counts = [power] if power < heads else []
    count = power // 2
    while count > 1 and heads % count == 0:
        counts.append(count)
        count = count // 2
    lists = [alibi_slopes(count)[h % count] for count in counts]
    runs = [alibi_slopes(count)[h * count // heads] for count in counts if heads % count == 0]
    return [*lists, *runs]


def _report_slopes(d: Diagnosis, slopes: _Slopes) -> None:
    """Fill in the ALiBi slopes, and report any mistake in them."""
    problem, m, believed = slopes.problem, slopes.values, slopes.believed
    heads = m.size
    d.scheme, d.details["heads"], d.details["slopes"] = "alibi", heads, m.tolist()
    if problem == "slopes":
        d.other("lines", slopes=", ".join(format_number(float(v)) for v in m[:4]))
    # A single slope that is a power of √2 probably comes from one head of a model with more heads.
    if heads == 1 and problem:
        power = np.log2(m[0]) * 2
        believed, problem = bool(m[0] < 1 and power == np.floor(power)), ""
    if problem == "slopes_scaled":
        d.factor = float(m[0] / alibi_slopes(heads)[0])
    if problem:
        d.problem(problem, heads=heads, factor=d.factor, slope=float(m[0]))
    d.sure = believed


def diagnose_slopes(m: Floats) -> Diagnosis | None:
    """Return the diagnosis of ALiBi slopes m (heads,), or None if m does not hold such slopes."""
    if not 2 <= m.size < 2**16:
        return None
    is_right = np.isfinite(m) & (m > 0)
    if (~is_right).sum() > m.size // HEADS_PER_LOST:
        return None
    whole = np.where(is_right, m, alibi_slopes(m.size))
    recipes = (FixedValues(x.values[None], x, listed=True) for x in _propose_slopes(whole, False))
    rounding, rows = _proof.read_rounding(m), np.zeros(1, np.int64)
    proof, d = _proof.best_proof(recipes, m[None], rounding, rows), Diagnosis()
    if proof is None or len(proof.pairs) > m.size // HEADS_PER_LOST:
        return None
    slopes: _Slopes = proof.recipe.source
    if proof.kind and (slopes.problem or proof.rows or proof.entries):
        return None
    if not np.isfinite(m).all():
        place = f"head {format_number(int(np.argmin(np.isfinite(m))))}"
        d.problem("not_finite", count=int((~np.isfinite(m)).sum()), place=place)
    evidence = _fill.fill_proof(d, proof, m[None])
    d.where = "values"
    _report_slopes(d, slopes)
    _fill.report_exceptions(d, evidence, COMPUTE_ROWS_AGAIN, (), "heads")
    if (m == 0).any():
        d.note("slope_zero", head=int(np.argmin(m != 0)))
    d.sure = d.sure and not (proof.pairs and m.size < SURE_HEADS)
    return d


# --- Buckets ---


@dataclass(frozen=True)
class _Buckets:
    """The parameters of T5's buckets: their number, their largest distance, and their sides."""

    count: int
    farthest: int
    both: bool
    exact: bool  # whether the bias contains the bucket numbers instead of learned values
    reversed: bool = False  # whether the offset is query minus key
    first: int = 0  # the number of the first bucket


def _match_buckets(d: Diagnosis, offsets: Indices, values: Floats) -> bool:
    """Fill in T5's buckets if the values (heads, offsets) change exactly where buckets begin."""
    changes = (np.abs(np.diff(values, axis=1)).max(axis=0) > 0).astype(np.int64)
    if offsets.size < 8 or changes.sum() <= 2:
        return False
    are_whole = bool((values == np.floor(values)).all() and values.min() >= 0 and len(values) == 1)
    if are_whole and _match_linear(d, offsets, values[0]):
        return True
    fits = _fit_buckets(offsets, values, changes, are_whole)
    if not fits:
        return False
    best = next((fit for fit in fits if fit.exact), fits[0])
    lengths = np.diff(np.flatnonzero(np.concatenate([[1], changes, [1]])))
    wide = int((lengths > 1).sum())
    d.scheme, d.direction = "t5", 1
    d.precision = "float64" if are_whole else _formats.narrowest_format(values)
    # Whole numbers other than the bucket numbers are no clear evidence of T5's buckets.
    enough = offsets.size >= LEAST_OFFSETS and wide > LEAST_WIDE_BUCKETS
    d.sure = enough and not (are_whole and not best.exact)
    d.details.update(buckets=best.count, max_distance=best.farthest, bidirectional=best.both)
    best_kind = (best.count, best.farthest, best.both)
    if best.reversed:
        d.problem("buckets_reversed")
    if best.first:
        last = int(values.max())
        d.problem("buckets_shifted", first=best.first, last=last, count=best.count)
    fits = [fit for fit in fits if fit.exact == best.exact and fit.reversed == best.reversed]
    kinds = {f"{x.count} {x.farthest} {x.both}": (x.count, x.farthest, x.both) for x in fits}
    d.details["kinds"] = [[*kind] for kind in kinds.values()]
    for count, farthest, both in (kind for kind in kinds.values() if kind != best_kind):
        sides = "both sides" if both else "one side"
        d.other("buckets", buckets=count, farthest=farthest, sides=sides)
    return True


def _match_linear(d: Diagnosis, offsets: Indices, values: Floats) -> bool:
    """Fill in buckets (offsets,) with one for each distance up to a limit, on one or both sides."""
    distance, later = np.abs(offsets), offsets > 0
    before = np.where(later, 0, distance)
    farthest = int(np.where(later, 0.0, values).max())
    if farthest < 2 or farthest >= before.max():
        return False
    near = np.minimum(distance, farthest)
    for both in (True, False):
        expected = near + (farthest + 1) * later if both else np.where(later, 0, near)
        if (values == expected).all():
            d.scheme, d.direction, d.precision = "t5", 1, "float64"
            count = (farthest + 1) * (2 if both else 1)
            d.details.update(buckets=count, max_distance=farthest, bidirectional=both)
            d.problem("buckets_linear", farthest=farthest)
            d.sure = False
            return True
    return False


def _fit_buckets(
    offsets: Indices, values: Floats, changes: Indices, are_whole: bool
) -> list[_Buckets]:
    """List common settings of T5's buckets in which buckets begin where the values change."""
    fits = []
    # Without keys after the query, one side is the usual setting.
    for both in (True, False) if offsets.max() > 0 else (False, True):
        for count, farthest in BUCKET_KINDS:
            for turn in (1, -1):
                kind = np.asarray(t5_buckets(turn * offsets, count, farthest, both))
                edges = (np.diff(kind) != 0).astype(np.int64)
                first = int((values[0] - kind)[0]) if are_whole else 0
                exact = are_whole and first in (0, 1) and np.array_equal(values[0] - first, kind)
                # The edges of both sides are the same in both directions.
                has_edges = np.array_equal(edges, changes) and not edges.all()
                if exact or (has_edges and (turn == 1 or not both)):
                    is_turned = turn == -1
                    fits.append(_Buckets(count, farthest, both, exact, is_turned, first * exact))
    return fits
