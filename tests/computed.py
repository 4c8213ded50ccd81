"""Compute with pe_lib the expected values of the explorers biases, spectrum and context."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import context, frequencies, wavelengths
from pe_lib.biases import alibi_slopes, t5_buckets

Array = NDArray[np.float64]
TRAINED, TURN = 2048, 2 * np.pi


def bias(e: Any, offsets: ArrayLike) -> Array:
    """Return the bias that the explorer `biases` adds at each offset (key minus query)."""
    offsets = np.asarray(offsets)
    if e.scheme == "alibi":
        return np.asarray(-alibi_slopes(8)[e.head - 1] * np.abs(offsets), float)
    found = t5_buckets(offsets, e.buckets, 128, not e.causal)
    return np.asarray(-0.1 * (found % (e.buckets if e.causal else e.buckets // 2)), float)


def stairs(e: Any) -> Array:
    """Return the corners of the steps that the bias forms over all drawn offsets: shape (2, n)."""
    offsets = np.arange(-150, 1 if e.causal else 151)
    found = bias(e, offsets)
    at = [k for k in range(1, len(found)) if found[k] != found[k - 1]]
    corners = [(offsets[k] - 0.5, found[side]) for k in at for side in (k - 1, k)]
    return np.array([(-150, found[0]), *corners, (offsets[-1], found[-1])]).T


def weights(e: Any) -> Array:
    """Return the attention weights of the query in the explorer `biases` for each word."""
    offsets = np.arange(len(e.words)) - e.query
    power = np.exp(bias(e, offsets))
    if e.causal:
        power[offsets > 0] = 0
    return np.asarray(power / power.sum())


def count_longer_wavelengths(e: Any) -> int:
    """Return how many wavelengths in the explorer `spectrum` are longer than the context."""
    return int((wavelengths(e.d_model, e.base) > e.length).sum())


def scale_frequencies(e: Any, factor: float | None = None) -> Array:
    """Return the frequencies in the explorer `context` for a text `factor` times as long."""
    s = e.factor if factor is None else factor
    match e.method:
        case "interpolation":
            return context.interpolated(128, s)
        case "ntk" | "dynamic":
            return context.ntk_aware(128, s)
        case "yarn":
            return context.by_parts(128, s, TRAINED)
    return frequencies(128)


def scores(e: Any) -> tuple[Array, Array]:
    """Return 257 offsets from 0 to the new length, and the fitted score at each of them."""
    offsets = np.linspace(0, e.factor * TRAINED, 257)
    longest = [max(1.0, k / TRAINED) if e.method == "dynamic" else e.factor for k in offsets]
    angles = offsets[:, None] * np.stack([scale_frequencies(e, s) for s in longest])
    sharper = context.temperature(e.factor) ** 2 if e.method == "yarn" else 1.0
    return offsets, sharper * np.hstack([np.cos(angles), np.sin(angles)]) @ np.array(e.score)


def find_largest_scores(e: Any) -> list[float]:
    """Return the largest absolute score below offset 2,048, and the largest from there on."""
    offsets, found = scores(e)
    sides = (offsets < TRAINED), (offsets >= TRAINED)
    return [float(np.abs(found[side]).max()) for side in sides if side.any()]


def count_new_pairs(e: Any, length: float) -> int:
    """Return how many pairs reach angles at this length that never occurred in training."""
    now = max(1.0, length / TRAINED) if e.method == "dynamic" else e.factor
    seen = TRAINED * frequencies(128)
    return int(((seen < TURN) & (length * scale_frequencies(e, now) > seen * (1 + 1e-9))).sum())
