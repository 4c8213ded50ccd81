"""Run the experiments that check the claims of the overview, with the numbers from its heatmap."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import product

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, max_difference, printed_tables, random_attention
from pe_lib.course.model import Transformer

# The numbers printed in the heatmap, as text: eight entries for each of ten positions.
TABLE = [row.split() for row in printed_tables("overview")["heatmap"]]
VALUES = np.array(TABLE, float)
TRACE = {
    "z": VALUES.tolist(),
    "x": [f"Dim {n}" for n in range(8)],
    "y": [f"Pos {n}" for n in range(10)],
}
# A shortened copy of the page's figure. Like the page, it has a comma after its only trace, which
# JSON does not allow.
FIGURE = f'{{"data":[{json.dumps(TRACE)},],"layout":{{"yaxis":{{"autorange":"reversed"}}}}}}'


def shuffling_effect(seed: int, *, causal: bool = False) -> float:
    """Return how much a word's output changes if an attention layer's input is shuffled."""
    words, matrices = random_attention(seed)
    order = np.random.default_rng(seed).permutation(len(words))
    before = attention(*(words @ matrix for matrix in matrices), causal=causal)
    after = attention(*(words[order] @ matrix for matrix in matrices), causal=causal)
    return max_difference(after, before[order])


def shuffling_effects_on_last(layers: int, *, causal: bool) -> list[float]:
    """Return how much the last word's output changes if all earlier words are shuffled.

    There is one number for each of five random models without positions.
    """
    changes = []
    for seed in range(5):
        model = Transformer(8, 8, "none", causal=causal, layers=layers, seed=seed, dtype="float64")
        tokens = np.random.default_rng(seed).permutation(8)
        shuffled = np.append(np.roll(tokens[:7], 3), tokens[7])
        changes.append(max_difference(model([tokens])[0, -1], model([shuffled])[0, -1]))
    return changes


@cache
def matching_readings() -> Array:
    """For each interpretation of the formula, return which of the printed numbers it explains.

    The result has shape (interpretations, 10 rows, 8 entries). The formula gives pair i the
    frequency r^i with a ratio r = base^(-2/d_model) below 1. So one number r covers all widths, all
    bases, and exponents that are doubled or halved. The ratio 10 stands for d_model 8 with an angle
    that is multiplied instead of divided. The interpretations also count positions from 0, 1 or -1,
    give a frequency to each pair or to each dimension, and put the sine or the cosine first.
    """
    ratios = np.append(np.linspace(0, 1, 4001)[1:], 10.0)[:, None, None]
    t, dim = np.arange(10)[:, None], np.arange(8)
    matches = []
    for start, power, sine in product((0, 1, -1), (dim // 2, dim / 2), (0, 1)):
        angle = (t + start) * ratios**power
        value = np.where(dim % 2 == sine, np.sin(angle), np.cos(angle))
        matches.append(np.abs(value - VALUES) < 0.01)
    return np.concatenate(matches)


def printed_angles(t: int) -> Array:
    """Return the angles of the printed pairs in row t, with the whole turns that fit t best."""
    angles: Array = np.arctan2(VALUES[t, 0::2], VALUES[t, 1::2])
    return angles + math.tau * np.round((t - angles) / math.tau)


def steadiest_speeds(values: Array) -> tuple[Array, Array]:
    """Find the speed that fits each printed pair best, and how steadily the pair then turns.

    If a pair turns steadily at speed w, then angle - w t is the same in every row, and the mean of
    e^(i(angle - w t)) has length 1. If no speed is right, this mean is shorter for every w. Its
    length is the second result.
    """
    speeds, t = np.linspace(0, math.tau, 6284), np.arange(1, 10)
    hands = np.exp(1j * np.arctan2(values[1:, 0::2], values[1:, 1::2]))
    steady = np.abs(np.exp(-1j * np.outer(speeds, t)) @ hands) / len(t)
    return speeds[steady.argmax(axis=0)], steady.max(axis=0)


def has_slowing_clocks(values: Array) -> bool:
    """Return whether every pair rotates steadily, and more slowly than the pair before it."""
    speeds, steady = steadiest_speeds(values)
    return bool((speeds[1:] < 0.99 * speeds[:-1]).all() and (steady > 0.999).all())
