"""Matrices added to scores: masks, ALiBi's lines, T5's buckets, and the buckets themselves.

Entry [t, s] of each knows s - t alone, so that one row of offsets stands for the matrix.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import t5_buckets
from pe_lib.doctor import _fill, _formats, _lists, _proof
from pe_lib.doctor._data import DATA
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import HALVES, Floats, Rows
from pe_lib.doctor._recipes import Given
from pe_lib.doctor._sentences import note, other

KINDS: list[list[int]] = DATA["bucket_kinds"]
MASKED = -1e4  # what a score is that nobody may see, or below


def bias(x: Floats) -> Diagnosis | None:
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
    found = _seen(hidden, at, place)
    if found is None:
        return None
    name, seen, last = found
    d = Diagnosis(details={"mask": name, "heads": heads})
    if name == "transposed":
        d.problem("bias_transposed")
    if words or (two and name != "none" and highest == 0):
        wanted = np.broadcast_to(np.where(seen[place], 1.0, 0.0), x.shape)
        return _mask(d, np.where(hidden, 0.0, 1.0), wanted, last)
    lift = x[:, :, :1] if keys else np.zeros((heads, 1, 1))
    clean = np.where(hidden, 0.0, x) - lift
    moved = np.abs(clean[:, 1:, 1:] - clean[:, :-1, :-1]) <= 6e-3 * np.abs(clean[:, 1:, 1:])
    if not clean.any() or (not keys and moved.mean() < 0.5):
        return None
    middles = [np.median(np.diagonal(clean, int(k), 1, 2), axis=1) for k in at]
    values, offsets = np.stack(middles, axis=1)[:, seen], at[seen]
    flat, held = (clean + lift).reshape(-1, columns), _proof.held(clean)

    def best(rules: Iterable[tuple[Floats, Any]]) -> tuple[_proof.Proof, Any, Any]:
        guesses = []
        for rule, more in rules:
            wanted = np.zeros((heads, at.size))
            wanted[:, seen] = rule
            guesses.append((Given((wanted[:, place] + lift).reshape(-1, columns), heads), more))
        return _proof.best_of(guesses, flat, held, np.arange(len(flat)))

    lines = [*_lines(offsets, values)]
    proof, recipe, found = best(lines[:-1])
    if proof.kind == 2:  # lines of any slopes
        proof, recipe, found = best(lines[-1:])
    if found:
        slopes, sign, m = found
        _lists.named(d, slopes, m)
        d.direction = 1
        if (sign < 0) != keys:
            d.problem("bias_sign")
        if keys:
            d.details["form"] = "keys"
            d.alternatives.append(other("keys"))
    elif not keys and _buckets(d, offsets, values):
        proof, recipe, _ = best([(values, None)])
    return _shown(d, recipe, proof, flat, heads) if proof.kind < 2 - keys else None


def _seen(
    hidden: NDArray[np.bool_], at: Rows, place: Rows
) -> tuple[str, NDArray[np.bool_], int] | None:
    """The mask by its name, which offsets `at` it shows, and how many keys from the query on."""
    for name, sign in {"none": 0, "causal": 1, "transposed": -1}.items():
        back = -sign * at
        last = int(np.where(hidden, -1, back[place]).max()) + 1
        seen = (back >= 0) & (back < last)
        if not (hidden == seen[place]).any():
            return name, seen, last
    return None


def _mask(d: Diagnosis, x: Floats, wanted: Floats, last: int) -> Diagnosis | None:
    """Ones for what may be seen: all keys up to the query, or the last few of them."""
    heads, rows, columns = x.shape
    if rows < 3 or last < 2 or (last == 2 and rows < 4):
        return None  # a diagonal
    name = d.details["mask"]
    d.scheme, d.residual, d.precision, d.where, d.sure = "mask", 0.0, "float64", "values", True
    d.details["notes"] = [note(name)]
    if last < min(rows, columns):
        d.details["window"] = last
        if name == "causal":
            d.details["notes"] = [note("window", window=told(last))]
    d.recipe, d.rounding = Given(wanted.reshape(-1, columns), heads), _proof.Rounding("float64")
    d.seen = x.reshape(-1, columns)
    return d


def _shown(
    d: Diagnosis, recipe: Given, proof: _proof.Proof, x: Floats, heads: int
) -> Diagnosis | None:
    """What a proven matrix says beside its rule: heads, rows and entries that are not its."""
    precision, evidence = d.precision, _fill.proven(d, recipe, proof, x)
    d.precision, d.where = precision or proof.rounding.form, "values"
    length, known = len(x) // heads, set[int]()
    per_head = [len([row for row in proof.rows if row // length == h]) for h in range(heads)]
    lost = [head for head in range(heads) if per_head[head] > length // 2]
    if len(lost) > heads // 4:
        return None
    if lost:
        d.problem("heads_off", evidence, count=told(len(lost)), head=told(lost[0]))
        known = {row for head in lost for row in range(head * length, (head + 1) * length)}
        d.exceptions["rows"] = sorted({*proof.rows} | known)
        d.exceptions["entries"] = [x for x in proof.entries if x[0] not in known]
    _fill.exceptions(d, evidence, "Compute these rows anew.", known)
    return d


def _lines(at: Rows, values: Floats) -> Iterator[tuple[Floats, tuple[_lists.Slopes, int, Floats]]]:
    """Lines over the distance; with each its slopes, their sign, and slopes as they were seen."""
    distance = np.abs(at)
    far = int(np.argmax(distance))
    m = -values[:, far] / distance[far]
    sign = 1 if (m > 0).sum() > m.size / 2 else -1
    near = 6e-3 * np.abs(values).max(axis=1, keepdims=True) + 1e-9
    bent = (np.abs(values + m[:, None] * distance) > near).mean(axis=1) > 0.25
    if (bent | (sign * m <= 0)).sum() <= m.size // 4:
        # as they were before products rounded them: no finer than the values' format
        form = _formats.held(values)
        m = _formats.rounded(sign * m, form if form in HALVES else "float32")
        for slopes in (*_lists.slopes(m, True), ("slopes", m, False)):
            yield -sign * slopes[1][:, None] * distance, (slopes, sign, m)


def _buckets(d: Diagnosis, at: Rows, values: Floats) -> bool:
    """Offsets that share a number: T5's, for some number of buckets and farthest distance."""
    changes = (np.abs(np.diff(values, axis=1)).max(axis=0) > 0).astype(np.int64)
    if at.size < 8 or changes.sum() <= 2:
        return False
    whole = bool((values == np.floor(values)).all() and values.min() >= 0 and len(values) == 1)
    fits = []
    for both in (True, False):
        for buckets, farthest in KINDS:
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
    d.precision = "float64" if whole else _formats.held(values)
    # with other numbers they are buckets all the same
    d.sure = at.size >= 24 and int((long > 1).sum()) > 3 and not (whole and unlike)
    d.details.update(buckets=buckets, max_distance=farthest, bidirectional=both)
    sides = {True: "both sides", False: "one side"}
    others = [fit[1:] for fit in fits if fit[1:] != (buckets, farthest, both)]
    d.alternatives += [
        other("buckets", buckets=told(count), farthest=told(far), sides=sides[two])
        for count, far, two in dict.fromkeys(others)
    ]
    return True
