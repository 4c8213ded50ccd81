"""Matrices added to scores: ALiBi's lines, T5's buckets, and the buckets themselves.

Entry [t, s] of either knows s - t alone, so that one row of offsets stands for the matrix.
"""

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import t5_buckets
from pe_lib.doctor import _formats, _slopes
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import told

Floats = NDArray[np.float64]

KINDS = [(32, 128), (32, 256), (64, 128), (16, 128), (32, 64), (64, 256), (128, 128), (8, 32),
         (16, 64), (32, 512), (32, 1024), (320, 800), (16, 32), (8, 128), (64, 512)]  # fmt: skip


def bias(x: Floats) -> Diagnosis | None:
    """The diagnosis of (heads, T, S) numbers if each row is the one before, moved on by one."""
    heads, rows, columns = x.shape
    d = Diagnosis(scheme="unknown")
    if rows == 1 and columns > 2 and np.isfinite(x).all():
        return _keys_only(d, x[:, 0])
    if rows < 2 or columns < 2:
        return None
    masked = ~np.isfinite(x) | (x <= -1e4)
    offsets = np.arange(columns) - np.arange(rows)[:, None]
    per, seen = np.zeros((heads, rows + columns - 1)), np.zeros(rows + columns - 1, bool)
    upper, lower = masked[:, offsets > 0], masked[:, offsets <= 0]
    mask = ""
    if upper.size and upper.all() and not lower.any():
        mask = "causal"
    elif masked[:, offsets < 0].all() and not masked[:, offsets >= 0].any():
        mask = "transposed"
    elif masked.any():
        return None
    if (np.isnan(x)).any():
        return None
    scale = float(np.abs(np.where(masked, 0.0, x)).max())
    for k in range(rows + columns - 1):
        line = np.diagonal(x, k - rows + 1, 1, 2)
        if mask and (k - rows + 1 > 0) == (mask == "causal") and k != rows - 1:
            continue
        if np.abs(line - line[:, :1]).max() > max(1e-6, 1e-5 * scale):
            return None
        per[:, k], seen[k] = line[:, 0], True
    at = np.arange(1 - rows, columns)[seen]
    values = per[:, seen]
    if scale == 0:
        d.scheme, d.sure, d.residual = "none", True, 0.0
        d.problem("all_zero")
        return d
    d.details["mask"] = mask or "none"
    d.details["heads"] = heads
    found = _alibi(d, at, values, mask)
    if found:
        return d
    return d if _buckets(d, at, values) else None


def _keys_only(d: Diagnosis, x: Floats) -> Diagnosis | None:
    """BLOOM's form, (heads, 1, T): slope times the key's position, for softmax the same."""
    t = np.arange(x.shape[1])
    m = x[:, -1] - x[:, 0]
    m = m / (x.shape[1] - 1)
    if not m.all() or np.abs(x - x[:, :1] - m[:, None] * t).max() > 6e-3 * np.abs(x).max() + 1e-9:
        return None
    sign = 1 if (m > 0).all() else -1
    if not _slopes.slopes(d, _cleaned(sign * m, x), known=True):
        return None
    d.direction = 1
    d.details["form"] = "keys"
    if sign < 0:
        d.problem("bias_sign")
    d.alternatives.append("Slope times the key's position differs from slope times the distance by "
                          "a number for each query, which softmax does not see.")  # fmt: skip
    return d


def _cleaned(m: Floats, x: Floats) -> Floats:
    """Slopes as they were before products rounded them: no finer than the values' format."""
    form = _formats.held(np.where(np.isfinite(x), x, 0.0))
    if form in ("bfloat16", "float16"):
        return _formats.rounded(m, form)
    return _formats.rounded(m, "float32")


def _alibi(d: Diagnosis, at: NDArray[np.int64], values: Floats, mask: str) -> bool:
    """Lines over the distance, one for each head."""
    distance = np.abs(at)
    far = int(np.argmax(distance))
    m = -values[:, far] / distance[far]
    off = np.abs(values + m[:, None] * distance)
    largest = np.abs(values).max(axis=1, keepdims=True)
    if not m.all() or (off > 6e-3 * largest + 1e-9).any():
        return False
    sign = 1 if (m > 0).all() else -1
    if not ((sign * m) > 0).all() or not _slopes.slopes(d, _cleaned(sign * m, values), known=True):
        return False
    if m.size == 1 and "slopes" in d.problems:  # one head of many: its slope tells no number
        d.problems.remove("slopes")
        d.findings = [f for f in d.findings if f.name != "slopes"]
    d.direction = 1
    d.details["slopes"] = [float(s) for s in sign * m[:64]]
    if sign < 0:
        d.problem("bias_sign")
    if mask == "transposed":
        d.problem("bias_transposed")
    return True


def _buckets(d: Diagnosis, at: NDArray[np.int64], values: Floats) -> bool:
    """Offsets that share a number: T5's, for some number of buckets and farthest distance."""
    if at.size < 8:
        return False
    whole = bool((values == np.floor(values)).all() and values.min() >= 0 and len(values) == 1)
    changes = (np.abs(np.diff(values, axis=1)).max(axis=0) > 0).astype(np.int64)
    if not changes.sum() > 2:
        return False
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
        return False
    fits.sort(key=lambda fit: fit[0])
    _, buckets, farthest, both, flip = fits[0]
    d.scheme, d.residual, d.sure = "t5", 0.0, at.size >= 24
    d.precision, d.where = ("float64" if whole else _formats.held(values)), "values"
    d.direction = flip
    d.details.update(buckets=buckets, max_distance=farthest, bidirectional=both)
    if flip < 0:
        d.problem("bias_transposed")
    for _, other, far, two, _ in fits[1:]:
        if (other, far, two) != (buckets, farthest, both):
            sides = "both sides" if two else "one side"
            text = f"{told(other)} buckets up to {told(far)}, {sides}: here they look the same."
            if text not in d.alternatives:
                d.alternatives.append(text)
    return True
