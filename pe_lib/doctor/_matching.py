"""Compute the numbers that a layer needs, and tell whether arrays hold just these numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._orders import repeated_pairs
from pe_lib.doctor._proof import Rounding

Arrays = Sequence[Any]  # a single array, or cosines and sines
# Computing powers of a base up to 1e8 in float32 causes an error of ln(base)/2^24 = 1e-6.
# The smallest mistake, rounding to float16, causes an error of 2^-11, so EXACT is in between.
EXACT = 1e-5


def _is_bucket_matrix(x: Floats, layer: Layer) -> bool:
    """Return whether x (T, T) holds the number of a layer's bucket for each query and key."""
    if x.shape[0] != x.shape[1] or not layer.buckets or not layer.max_distance:
        return False
    offsets = np.arange(x.shape[1]) - np.arange(x.shape[0])[:, None]
    kind = t5_buckets(offsets, layer.buckets, layer.max_distance, layer.two_sided)
    return bool((np.asarray(kind) == x).all())


def matching_format(arrays: Arrays, layer: Layer, d: Diagnosis) -> str | None:
    """Return the number format in which `layer` gives the arrays, or None if no format fits.

    Only the length of a learned table can be checked. If the length is right, the result is "rows".
    """
    # Uninitialised memory may hold a signalling NaN, which would cause a numpy warning.
    with np.errstate(invalid="ignore"):
        x, *rest = (np.asarray(array, np.float64) for array in arrays)
    if rest:
        rows = np.arange(x.shape[-2] if x.ndim > 1 else 0)
        return _match_cache(x, rest[0], layer, rows)
    if x.ndim == 1:
        return _match_list(x, layer)
    alone = d.details.get("alone")
    kinds = [alone] if alone else ["cosines", "sines"] if layer.scheme == "rotary" else []
    for kind in kinds:
        if form := _match_alone(x.reshape(-1, *x.shape[-2:]), layer, kind):
            return form
    if alone:
        return None
    return _match_table(x.reshape(-1, x.shape[-1]), layer, d)


def _match_list(x: Floats, layer: Layer) -> str | None:
    """Return the number format in which x (n,) equals a layer's frequencies or slopes, or None."""
    w = layer.frequencies
    # Some programs store each axis's frequencies separately, so single axes are tried, too.
    axes = [] if layer.axes is None else [w[layer.axes == axis] for axis in set(layer.axes)]
    rules = [w, *axes] if layer.slopes is None else [layer.slopes]
    # Models with several axes may store the frequencies of one axis after those of another, so both
    # lists are sorted.
    if layer.axes is not None and x.shape == w.shape and (np.diff(x) > 0).any():
        x, rules = np.sort(x), [np.sort(w)]
    candidates = [
        (rule, form) for rule in rules for form in ("float64", _formats.narrowest_format(x))
    ]
    return next((form for rule, form in candidates if x.shape == rule.shape and x.size
                 and Rounding(form).explains(x, rule, EXACT * rule).all()), None)  # fmt: skip


def _match_table(x: Floats, layer: Layer, d: Diagnosis) -> str | None:
    """Return "rows" for a learned table of the right length, a sinusoid's format, or None."""
    n = layer.frequencies.size
    if layer.scheme == "t5" and _is_bucket_matrix(x, layer):
        return "float64"
    if layer.scheme == "t5":
        is_table = d.scheme in ("t5", "learned", "unknown")
        return "rows" if is_table and x.shape == table_shape(layer, x) else None
    # A configuration gives only the shape of a learned table, so only the shape is compared.
    if layer.rows and layer.scheme in ("learned", "offsets", "rotary_axes"):
        is_table = d.scheme in ("learned", "unknown", "sinusoidal")
        shape = count_rows(d, x), x.shape[1]
        if not is_table or shape != table_shape(layer, x):
            return None
        # A table that began as sinusoids may have been trained, but it has no other sinusoids.
        is_exact = layer.scheme == "learned" and n > 0 and d.sure and d.scheme == "sinusoidal"
        return match_sinusoid(x, layer, np.arange(len(x))) if is_exact else "rows"
    if layer.scheme != "sinusoidal" or layer.rows is None or x.shape[1] != 2 * n:
        return None
    if layer.axes is not None:
        return _match_grid(x, layer)
    if count_rows(d, x) != layer.rows + layer.first_position:
        return None
    t = np.flatnonzero(x.any(axis=1))  # every row except the row for the padding token
    return match_sinusoid(x[t], layer, t) if len(x) - t.size <= 1 else None


def _match_grid(x: Floats, layer: Layer) -> str | None:
    """Return "float32" if x holds a layer's sinusoids of a square grid below rows of zeros."""
    first, count = layer.first_position, layer.rows or 0
    side = round(count**0.5)
    if len(x) != first + count or side**2 != count or x[:first].any() or layer.axes is None:
        return None
    k = np.arange(count)
    places = [k // side if name == "row" else k % side for name in layer.axis_names]
    angles = np.stack(places, axis=1)[:, layer.axes] * layer.frequencies
    half, y = angles.shape[1] // 2, x[first:]
    parts = [angles[:, :half], angles[:, :half], angles[:, half:], angles[:, half:]]
    waves = [np.cos(part) if k % 2 else np.sin(part) for k, part in enumerate(parts)]
    expected, slack = np.concatenate(waves, axis=1), EXACT * (1 + np.concatenate(parts, axis=1))
    rounding = Rounding(_formats.narrowest_format(y))
    return "float32" if rounding.explains(y, expected, slack).all() else None


def count_rows(d: Diagnosis, x: Floats) -> int:
    """Return how many rows a table has, of which x may hold only the first ones."""
    return len(x) if d.all_rows is None else d.all_rows


def table_shape(layer: Layer, x: Floats) -> tuple[int, int]:
    """Return the shape that the table x must have for a layer, as far as the layer says so.

    The rows before the first position belong to the table, too. In an image tower that rotates,
    `first_position` belongs to the rotation and not to the table.
    """
    before = layer.first_position if layer.scheme in ("learned", "sinusoidal") else 0
    rows = layer.buckets or (len(x) if layer.rows is None else layer.rows + before)
    return rows, layer.row_width or x.shape[1]


def match_sinusoid(x: Floats, layer: Layer, t: Indices) -> str | None:
    """Return "float32" if x (T, width) holds a layer's sinusoids at positions t, or else None."""
    n = layer.frequencies.size
    both = (x[:, :n], x[:, n:]) if layer.layout == "halves" else (x[:, 0::2], x[:, 1::2])
    sin, cos = (both[1], both[0]) if layer.cosine_first else both
    return _match_cache(cos, sin, layer, t)


def _match_cache(cos: Floats, sin: Floats, layer: Layer, t: Indices) -> str | None:
    """Return "float32" if cos and sin equal those of a layer at positions t, and otherwise None."""
    if cos.shape != sin.shape or cos.ndim < 2:
        return None
    both = np.stack([cos, sin]).reshape(2, -1, *cos.shape[-2:])
    angles = t[:, None] * layer.frequencies
    expected = layer.amplitude * np.stack([np.cos(angles), np.sin(angles)])[:, None]
    return _match_waves(both, expected, angles, layer)


def _match_alone(x: Floats, layer: Layer, kind: str) -> str | None:
    """Return "float32" if x (batch, T, columns) holds a layer's sines, or its cosines, or None."""
    angles = np.arange(x.shape[-2])[:, None] * layer.frequencies
    expected = layer.amplitude * (np.sin(angles) if kind == "sines" else np.cos(angles))
    return _match_waves(x, expected, angles, layer)


def _match_waves(x: Floats, expected: Floats, angles: Floats, layer: Layer) -> str | None:
    """Return "float32" if x (…, T, columns) holds the expected waves (…, T, n), or None.

    Each column of `expected` may be there once or twice. The angles (T, n) say how far it can be
    off.
    """
    n, columns = angles.shape[1], x.shape[-1]
    if n == 0 or columns not in (n, 2 * n):
        return None
    slack = layer.amplitude * EXACT * (1 + angles)
    rounding = Rounding(_formats.narrowest_format(x))
    for layout in (None,) if columns == n else ("halves", "interleaved"):
        pair = repeated_pairs(columns, layout)
        if rounding.explains(x, expected[..., pair], slack[:, pair]).all():
            return "float32"
    return None
