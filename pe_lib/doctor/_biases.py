"""Matrices added to scores: masks, ALiBi's lines, T5's buckets, and the buckets themselves.

Entry [t, s] of each knows s - t alone, so that one row of offsets stands for the matrix. Slopes of
ALiBi may also come alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.doctor import _fill, _formats, _numbers, _proof
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._proof import HALVES, FixedValues, Proof

BUCKET_KINDS: list[list[int]] = DATA["bucket_kinds"]
MASKED = -1e4  # what a score is that nobody may see, or below


def diagnose_bias(x: Floats) -> Diagnosis | None:
    """The diagnosis of (heads, T, S) numbers if each row is the one before, moved on by one.

    One row for each head is BLOOM's form: slope times the key's position, for softmax the same.
    """
    heads, rows, columns = x.shape
    keys = rows == 1
    if columns < 2 + keys or np.isnan(x).any() or (keys and not np.isfinite(x).all()):
        return None
    lowest, highest = float(x.min()), float(x.max())
    two = bool(((x == lowest) | (x == highest)).all())
    words = two and (lowest, highest) in ((0.0, 1.0), (-1.0, 0.0))
    hidden = x == lowest if words else ~np.isfinite(x) | (x <= MASKED)
    at = np.arange(1 - rows, columns)  # offsets, and which of them each entry has
    place = np.arange(columns) - np.arange(rows)[:, None] + rows - 1
    found = _find_mask(hidden, at, place)
    if found is None:
        return None
    name, seen, last = found
    d = Diagnosis(details={"mask": name, "heads": heads})
    if name == "transposed":
        d.problem("bias_transposed")
    if words or (two and name != "none" and highest == 0):
        return _diagnose_mask(d, np.where(hidden, 0.0, 1.0), np.where(seen[place], 1.0, 0.0), last)
    lift = x[:, :, :1] if keys else np.zeros((heads, 1, 1))
    clean = np.where(hidden, 0.0, x) - lift
    moved = np.abs(clean[:, 1:, 1:] - clean[:, :-1, :-1]) <= 6e-3 * np.abs(clean[:, 1:, 1:])
    if not clean.any() or (not keys and moved.mean() < 0.5):
        return None
    middles = [np.median(np.diagonal(clean, int(k), 1, 2), axis=1) for k in at]
    values, offsets = np.stack(middles, axis=1)[:, seen], at[seen]
    flat, held = _side_by_side(clean + lift), _proof.read_rounding(clean)

    def given(rule: Floats, source: Any) -> FixedValues:
        wanted = np.zeros((heads, at.size))
        wanted[:, seen] = rule
        return FixedValues(_side_by_side(wanted[:, place] + lift), source, heads)

    def best(rules: list[FixedValues]) -> Proof | None:
        return _proof.best_proof(rules, flat, held, np.arange(rows))

    lines = [given(*line) for line in _propose_lines(offsets, values)]
    proof = best(lines[:-1]) or best(lines[-1:])  # the last: lines of any slopes
    if proof:
        slopes, sign = proof.recipe.source
        _report_slopes(d, slopes)
        d.direction = 1
        if (sign < 0) != keys:
            d.problem("bias_sign")
        if keys:
            d.details["form"] = "keys"
            d.other("keys")
    elif not keys and _match_buckets(d, offsets, values):
        proof = best([given(values, None)])
    if proof is None or (keys and proof.kind):
        return None
    precision, evidence = d.precision, _fill.fill_proof(d, proof, flat)
    d.precision, d.where = precision or proof.rounding.form, "values"
    _fill.report_exceptions(d, evidence, "Compute these rows anew.", (), "heads")
    return d


def _side_by_side(x: Floats) -> Floats:
    """Heads (heads, T, S) side by side, (T, heads · S): to the proof each is a pair."""
    return np.concatenate([*x], axis=1)


def _find_mask(hidden: Booleans, at: Indices, place: Indices) -> tuple[str, Booleans, int] | None:
    """The mask by its name, which offsets `at` it shows, and how many keys from the query on."""
    for name, sign in {"none": 0, "causal": 1, "transposed": -1}.items():
        back = -sign * at
        last = int(np.where(hidden, -1, back[place]).max()) + 1
        seen = (back >= 0) & (back < last)
        if not (hidden == seen[place]).any():
            return name, seen, last
    return None


def _diagnose_mask(d: Diagnosis, x: Floats, wanted: Floats, last: int) -> Diagnosis | None:
    """Ones for what may be seen: all keys up to the query, or the last few of them."""
    _, rows, columns = x.shape
    if rows < 3 or last < 2 or (last == 2 and rows < 4):
        return None  # a diagonal
    name, window = d.details["mask"], last < min(rows, columns)
    rule = FixedValues(_side_by_side(np.broadcast_to(wanted, x.shape)), heads=len(x))
    _fill.fill_literal(d, "mask", rule, _side_by_side(x))
    d.note("window" if window and name == "causal" else name, window=last)
    if window:
        d.details["window"] = last
    return d


# lines

Slopes = tuple[str, Floats, bool]  # what is wrong with them, (heads,), and whether it is believed


def _propose_lines(at: Indices, values: Floats) -> Iterator[tuple[Floats, tuple[Slopes, int]]]:
    """Rules for lines of the distance, with each its slopes and their sign."""
    distance = np.abs(at)
    far = int(np.argmax(distance))
    m = -values[:, far] / distance[far]
    sign = 1 if (m > 0).sum() > m.size / 2 else -1
    near = 6e-3 * np.abs(values).max(axis=1, keepdims=True) + 1e-9
    bent = (np.abs(values + m[:, None] * distance) > near).mean(axis=1) > 0.25
    if (bent | (sign * m <= 0)).sum() <= m.size // 4:
        # as they were before products rounded them: no finer than the values' format
        form = _formats.narrowest_format(values)
        m = _formats.round_to(sign * m, form if form in HALVES else "float32")
        for slopes in _propose_slopes(m, True):
            yield -sign * slopes[1][:, None] * distance, (slopes, sign)


def _propose_slopes(m: Floats, bias: bool) -> Iterator[Slopes]:
    """What numbers m (heads,) may be as slopes; of a `bias` of lines more is believed."""
    heads = m.size
    program = alibi_slopes(heads)
    yield "", program, heads > 2 or bias
    yield "slopes_of_the_paper", 2.0 ** (-8 * np.arange(1, heads + 1) / heads), heads > 3 or bias
    order = np.argsort(np.argsort(-m))
    yield "slopes_order", np.sort(program)[::-1][order], heads > 3
    factor = _numbers.round_to_chosen(float(np.median(m / program)), 1e-6)[0]
    if factor > 0 and (bias or (heads >= 8 and abs(m[0] - 1) > 1e-6)):  # else base 256, from 1
        times = round(max(factor, 1 / factor) ** 2, 6)
        usual = times % 8 == 0 or times in (2, 4)  # a head's width, or what a kernel takes out
        yield "slopes_scaled", factor * program, bias and usual
    if bias:
        yield "slopes", m, False


def _report_slopes(d: Diagnosis, slopes: Slopes) -> None:
    """Fill d for slopes that were found."""
    problem, m, believed = slopes
    heads = m.size
    d.scheme, d.details["heads"] = "alibi", heads
    if problem == "slopes":
        d.other("lines", slopes=", ".join(format_number(float(v)) for v in m[:4]))
    if heads == 1 and problem:  # one head of many: its slope is one of some number of heads
        whole = np.log2(m[0]) * 2
        believed, problem = bool(m[0] < 1 and whole == np.floor(whole)), ""
    if problem == "slopes_scaled":
        d.factor = float(m[0] / alibi_slopes(heads)[0])
    if problem:
        d.problem(problem, heads=heads, factor=d.factor)
    d.sure = believed


def diagnose_slopes(m: Floats) -> Diagnosis | None:
    """The diagnosis of numbers m (heads,) that are slopes."""
    if not 2 <= m.size < 2**16 or not np.isfinite(m).all() or (m <= 0).any():
        return None
    guesses = (
        FixedValues(slopes[1][None], slopes, listed=True) for slopes in _propose_slopes(m, False)
    )
    proof, d = (
        _proof.best_proof(guesses, m[None], _proof.read_rounding(m), np.zeros(1, np.int64)),
        Diagnosis(),
    )
    if proof is None or proof.kind:
        return None
    _fill.fill_proof(d, proof, m[None])
    d.where = "values"
    _report_slopes(d, proof.recipe.source)
    return d


# buckets


def _match_buckets(d: Diagnosis, at: Indices, values: Floats) -> bool:
    """Offsets that share a number: T5's, for some number of buckets and farthest distance."""
    changes = (np.abs(np.diff(values, axis=1)).max(axis=0) > 0).astype(np.int64)
    if at.size < 8 or changes.sum() <= 2:
        return False
    whole = bool((values == np.floor(values)).all() and values.min() >= 0 and len(values) == 1)
    fits = []
    for both in (True, False):
        for buckets, farthest in BUCKET_KINDS:
            kind = np.asarray(t5_buckets(at, buckets, farthest, both))
            edges = (np.diff(kind) != 0).astype(np.int64)
            same = whole and np.array_equal(values[0], kind)
            if same or (np.array_equal(edges, changes) and not edges.all()):
                fits.append((0 if same else 1, buckets, farthest, both))
    if not fits:
        return False
    unlike, buckets, farthest, both = min(fits, key=lambda fit: fit[0])
    long = np.diff(np.flatnonzero(np.concatenate([[1], changes, [1]])))
    d.scheme, d.direction = "t5", 1
    d.precision = "float64" if whole else _formats.narrowest_format(values)
    # with other numbers they are buckets all the same
    d.sure = at.size >= 24 and int((long > 1).sum()) > 3 and not (whole and unlike)
    d.details.update(buckets=buckets, max_distance=farthest, bidirectional=both)
    sides = {True: "both sides", False: "one side"}
    others = [fit[1:] for fit in fits if fit[1:] != (buckets, farthest, both)]
    for count, far, two in dict.fromkeys(others):
        d.other("buckets", buckets=count, farthest=far, sides=sides[two])
    return True
