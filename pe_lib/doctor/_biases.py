"""Matrices added to scores: masks, ALiBi's lines, T5's buckets, and the buckets themselves.

Entry [t, s] of each knows s - t alone, so that one row of offsets stands for the matrix.
"""

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import t5_buckets
from pe_lib.doctor import _fill, _formats, _lists, _proof
from pe_lib.doctor._data import DATA
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told
from pe_lib.doctor._proof import HALVES, Floats, Rows
from pe_lib.doctor._recipes import Numbers, Offsets
from pe_lib.doctor._sentences import note, other

KINDS: list[list[int]] = DATA["bucket_kinds"]
MASKED = -1e4  # what a score is that nobody may see, or below


def bias(x: Floats) -> Diagnosis | None:
    """The diagnosis of (heads, T, S) numbers if each row is the one before, moved on by one."""
    heads, rows, columns = x.shape
    if rows == 1 and columns > 2 and np.isfinite(x).all():
        return _of_keys(x[:, 0])
    if rows < 2 or columns < 2 or np.isnan(x).any():
        return None
    offset = np.arange(columns) - np.arange(rows)[:, None]
    if (found := _mask(x, offset)) is not None:
        return found
    at = np.arange(1 - rows, columns)
    masked = ~np.isfinite(x) | (x <= MASKED)
    kinds = {"none": offset > columns, "causal": offset > 0, "transposed": offset < 0}
    mask = next((name for name, hidden in kinds.items() if (masked == hidden).all()), "")
    clean = np.where(masked, 0.0, x)
    moved = np.abs(clean[:, 1:, 1:] - clean[:, :-1, :-1]) <= 6e-3 * np.abs(clean[:, 1:, 1:])
    if not mask or not clean.any() or moved.mean() < 0.5:
        return None
    seen = {"none": at < columns, "causal": at <= 0, "transposed": at >= 0}[mask]
    values = np.stack([np.median(np.diagonal(clean, int(k), 1, 2), axis=1) for k in at], axis=1)
    flat = clean.reshape(heads * rows, columns)
    for fits in (_alibi, _buckets):
        d = Diagnosis(details={"mask": mask, "heads": heads})
        rule = fits(d, at[seen], values[:, seen])
        if rule is not None:
            wanted = np.zeros(values.shape)
            wanted[:, seen] = rule
            recipe = Offsets(wanted, (heads, rows, columns))
            proof = _proof.prove(recipe, flat, _proof.held(clean), np.arange(len(flat)))
            if proof.kind < 2:
                _shown(d, recipe, proof, flat)
                if mask == "transposed":
                    d.problem("bias_transposed")
                return d
    return None


def _shown(d: Diagnosis, recipe: Offsets, proof: _proof.Proof, x: Floats) -> None:
    """What a proven matrix says beside its rule: heads, rows and entries that are not its."""
    precision, known = d.precision, set[int]()
    evidence = _fill.proven(d, recipe, proof, x)
    d.precision, d.where = precision or proof.rounding.form, "values"
    heads, length, _ = recipe.shape
    per_head = [len([row for row in proof.rows if row // length == h]) for h in range(heads)]
    lost = [head for head in range(heads) if length > 1 and per_head[head] > length // 2]
    if lost:
        d.problem("heads_off", evidence, count=told(len(lost)), head=told(lost[0]))
        known = {row for head in lost for row in range(head * length, (head + 1) * length)}
        d.exceptions["rows"] = sorted({*proof.rows} | known)
        d.exceptions["entries"] = [x for x in proof.entries if x[0] not in known]
    _fill.exceptions(d, evidence, "Compute these rows anew.", known)


def _mask(x: Floats, offset: NDArray[np.int64]) -> Diagnosis | None:
    """Two numbers, one for what may be seen: all keys up to the query, or the last few of them."""
    heads, rows, columns = x.shape
    lowest, highest = float(x.min()), float(x.max())
    words = (lowest <= MASKED and highest == 0) or (lowest, highest) in ((0.0, 1.0), (-1.0, 0.0))
    if not words or rows < 3 or not ((x == lowest) | (x == highest)).all():
        return None
    open_ = x == highest
    for name, sign in (("causal", 1), ("transposed", -1)):
        back = -sign * offset
        last = int(np.where(open_, back, -1).max()) + 1
        if (open_ != ((back >= 0) & (back < last))).any():
            continue
        if last < 2 or (last == 2 and rows < 4):
            return None  # a diagonal
        d = Diagnosis("mask", residual=0.0, precision="float64", where="values", sure=True)
        d.details.update(mask=name, heads=heads, notes=[note(name)])
        if last < min(rows, columns):
            d.details["window"] = last
            if name == "causal":
                d.details["notes"] = [note("window", window=told(last))]
        if name == "transposed":
            d.problem("bias_transposed")
        at = -sign * np.arange(1 - rows, columns)
        row = np.where((at >= 0) & (at < last), 1.0, 0.0)
        d.recipe = Offsets(row + np.zeros((heads, 1)), (heads, rows, columns))
        d.rounding = _proof.Rounding("float64")
        d.seen = np.where(open_, 1.0, 0.0).reshape(-1, columns)
        return d
    return None


def _of_keys(x: Floats) -> Diagnosis | None:
    """BLOOM's form, (heads, 1, T): slope times the key's position, for softmax the same."""
    t = np.arange(x.shape[1])
    m = (x[:, -1] - x[:, 0]) / t[-1]
    sign = 1 if (m > 0).all() else -1
    d = Diagnosis()
    m = _cleaned(sign * m, x)
    if len(x) < 2 or not (m > 0).all() or not _lists.slopes(d, m, known=True):
        return None
    recipe = Offsets(x[:, :1] + sign * m[:, None] * t, (len(x), 1, x.shape[1]))
    proof = _proof.prove(recipe, x, _proof.held(x), np.arange(len(x)))
    if proof.kind > 0 or d.exceptions["pairs"]:
        return None
    _shown(d, recipe, proof, x)
    d.direction, d.details["form"] = 1, "keys"
    if sign < 0:
        d.problem("bias_sign")
    d.alternatives.append(other("keys"))
    return d


def _cleaned(m: Floats, x: Floats) -> Floats:
    """Slopes as they were before products rounded them: no finer than the values' format."""
    form = _formats.held(x)
    return _formats.rounded(m, form if form in HALVES else "float32")


def _alibi(d: Diagnosis, at: Rows, values: Floats) -> Floats | None:
    """Lines over the distance, one for each head; at most a quarter of the heads may be others."""
    distance = np.abs(at)
    far = int(np.argmax(distance))
    m = -values[:, far] / distance[far]
    sign = 1 if (m > 0).sum() > m.size / 2 else -1
    near = 6e-3 * np.abs(values).max(axis=1, keepdims=True) + 1e-9
    bent = (np.abs(values + m[:, None] * distance) > near).mean(axis=1) > 0.25
    if (bent | (sign * m <= 0)).sum() > m.size // 4:
        return None
    m = _cleaned(sign * m, values)
    if not _lists.slopes(d, m, known=True):
        return None
    wanted = d.recipe.row if isinstance(d.recipe, Numbers) else m
    d.direction = 1
    d.details["slopes"] = [float(s) for s in m[:64]]
    if sign < 0:
        d.problem("bias_sign")
    return -sign * wanted[:, None] * distance


def _buckets(d: Diagnosis, at: Rows, values: Floats) -> Floats | None:
    """Offsets that share a number: T5's, for some number of buckets and farthest distance."""
    if at.size < 8:
        return None
    changes = (np.abs(np.diff(values, axis=1)).max(axis=0) > 0).astype(np.int64)
    if changes.sum() <= 2:
        return None
    whole = bool((values == np.floor(values)).all() and values.min() >= 0 and len(values) == 1)
    fits = []
    for both in (True, False):
        for buckets, farthest in KINDS:
            for flip in (1, -1):
                kind = np.asarray(t5_buckets(flip * at, buckets, farthest, both))
                edges = (np.diff(kind) != 0).astype(np.int64)
                if whole and np.array_equal(values[0], kind):
                    fits.append((0, buckets, farthest, both, flip))
                elif np.array_equal(edges, changes) and not edges.all() and flip == 1:
                    fits.append((1, buckets, farthest, both, flip))
    if not fits:
        return None
    unlike, buckets, farthest, both, flip = min(fits, key=lambda fit: fit[0])
    long = np.diff(np.flatnonzero(np.concatenate([[1], changes, [1]])))
    d.scheme, d.sure = "t5", at.size >= 24 and int((long > 1).sum()) > 3
    d.sure = d.sure and not (whole and unlike)  # buckets, but with other numbers
    d.precision, d.direction = ("float64" if whole else _formats.held(values)), flip
    d.details.update(buckets=buckets, max_distance=farthest, bidirectional=both)
    if flip < 0:
        d.problem("bias_transposed")
    sides = {True: "both sides", False: "one side"}
    others = [fit[1:4] for fit in fits if fit[1:4] != (buckets, farthest, both)]
    d.alternatives += [
        other("buckets", buckets=told(count), farthest=told(far), sides=sides[two])
        for count, far, two in dict.fromkeys(others)
    ]
    return values
