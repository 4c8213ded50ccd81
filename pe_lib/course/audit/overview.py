"""The overview: its heatmap, which it gives as data, and experiments on its sentences."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import product

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, heads, off, printed_on
from pe_lib.course.model import Transformer

TABLE = [row.split() for row in printed_on("overview")["heatmap"]]  # ten positions of eight entries
VALUES = np.array(TABLE, float)
TRACE = {
    "z": VALUES.tolist(),
    "x": [f"Dim {n}" for n in range(8)],
    "y": [f"Pos {n}" for n in range(10)],
}
# abridged; the comma after the only trace is the page's
FIGURE = f'{{"data":[{json.dumps(TRACE)},],"layout":{{"yaxis":{{"autorange":"reversed"}}}}}}'


def moved(seed: int, *, causal: bool = False) -> float:
    """By how much the output of some word changes when one layer of attention reads a shuffle."""
    words, matrices = heads(seed)
    order = np.random.default_rng(seed).permutation(len(words))
    before = attention(*(words @ matrix for matrix in matrices), causal=causal)
    after = attention(*(words[order] @ matrix for matrix in matrices), causal=causal)
    return off(after, before[order])


def noticed(layers: int, *, causal: bool) -> list[float]:
    """By how much the last output of five random models without positions changes when all words
    before the last are shuffled."""
    changes = []
    for seed in range(5):
        model = Transformer(8, 8, "none", causal=causal, layers=layers, seed=seed, dtype="float64")
        tokens = np.random.default_rng(seed).permutation(8)
        shuffled = np.append(np.roll(tokens[:7], 3), tokens[7])
        changes.append(off(model([tokens])[0, -1], model([shuffled])[0, -1]))
    return changes


@cache
def hits() -> Array:
    """Which printed numbers a reading comes within 0.01 of: (readings, 10 rows, 8 entries).

    The formula gives pair i the frequency r^i for *some* ratio r = base^(-2/d_model) below 1. So
    all widths, all bases, and exponents that are doubled or halved are one number r; r = 10 is
    d_model 8 with the angle multiplied instead of divided. The others: positions from 0, from 1 and
    from -1, a frequency for each pair or for each dimension, the sine or the cosine first.
    """
    ratios = np.append(np.linspace(0, 1, 4001)[1:], 10.0)[:, None, None]
    t, dim = np.arange(10)[:, None], np.arange(8)
    found = []
    for start, power, sine in product((0, 1, -1), (dim // 2, dim / 2), (0, 1)):
        angle = (t + start) * ratios**power
        value = np.where(dim % 2 == sine, np.sin(angle), np.cos(angle))
        found.append(np.abs(value - VALUES) < 0.01)
    return np.concatenate(found)


def hands(t: int) -> Array:
    """The angles at which the printed pairs of a row stand, as near to t as whole turns allow."""
    angles: Array = np.arctan2(VALUES[t, 0::2], VALUES[t, 1::2])
    return angles + math.tau * np.round((t - angles) / math.tau)


def steadiest(values: Array) -> tuple[Array, Array]:
    """The speed at which each pair turns most steadily from row 1 on, and how steadily, 1 a clock.

    A pair that turns steadily has angle - w t the same in every row: the mean of e^(i(angle - w t))
    has length 1 for the right w, and is shorter if no w is right.
    """
    speeds, t = np.linspace(0, math.tau, 6284), np.arange(1, 10)
    turned = np.exp(1j * np.arctan2(values[1:, 0::2], values[1:, 1::2]))
    steady = np.abs(np.exp(-1j * np.outer(speeds, t)) @ turned) / len(t)
    return speeds[steady.argmax(axis=0)], steady.max(axis=0)


def slows_down(values: Array) -> bool:
    """Whether each pair is a clock, slower than the one before."""
    speeds, steady = steadiest(values)
    return bool((speeds[1:] < 0.99 * speeds[:-1]).all() and (steady > 0.999).all())
