"""Run the experiments that check the claims in the article.

The article works through two sentences, shows code for the encoding, and says what adding it does
to a cosine similarity. It uses d_model = 512 and base 10,000 and counts positions from 0.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from pe_lib.course.audit.oracles import Array, cosine_similarity, max_difference
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Sinusoidal
from pe_lib.sinusoidal import encode, frequencies

D = 512
DOLPHINS = ["Dolphins", "leap", "grace", "##fully", "over", "waves", "."]
EAGLES = ["Eagles", "soar", "above", "the", "clouds", "during", "migration"]
# The article prints entries 0, 1, 2 and 511 of the embedding of "soar" and of the sum.
SOAR = np.array([0.12, -0.48, 0.85, -0.03])
SUM = np.array([0.95, -0.87, 1.82, 0.45])
SHOWN = [0, 1, 2, -1]


def multiplications(scheme: str, width: int) -> int:
    """Count the weights in a layer, which is the number of multiplications for each token.

    The rows of a learned table are looked up and added, just as encodings are, so they cost none.
    """
    weights = Transformer(2, 2, scheme, d_model=width, max_length=512).parameters
    return sum(w.size for name, w in weights.items() if name.endswith("0") and w.ndim == 2)


def distance_from_sinusoids() -> float:
    """Return how far the values of the 512 dimensions at all positions are from sinusoids.

    A sequence x is a sinusoid of frequency w if, and only if, x(t - 1) + x(t + 1) = 2 cos(w) x(t)
    for all t. The result is the largest error of this equation.
    """
    table, w = encode(range(200), D), np.repeat(frequencies(D), 2)
    return max_difference(table[:-2] + table[2:], 2 * np.cos(w) * table[1:-1])


def encode_as_coded(
    position: int, d_model: int = D, base: float = 10_000.0, step: int = 2
) -> Array:
    """Compute an encoding with the page's own loop, which doubles the exponent by mistake.

    In this loop i goes in steps of two, and the exponent is nevertheless (2 * i)/d_model.
    """
    pe = np.zeros(d_model + 1)
    for i in range(0, d_model if step == 2 else d_model // 2, step):
        pe[i] = math.sin(position / base ** ((2 * i) / d_model))
        pe[i + 1] = math.cos(position / base ** ((2 * i) / d_model))
    return pe[:d_model]


def errors_of_other_sums() -> Array:
    """Return how far each formula that might explain the printed sum is from that sum.

    The interpretations combine the positions up to 100 with several widths, bases and exponents.
    They also swap sine and cosine, put all sines first, subtract instead of adding, and scale the
    embeddings up or down by √d_model.
    """
    positions, gaps = np.arange(101)[:, None], []
    widths, bases = (4, 8, 16, 32, 64, 128, 256, 512, 1024), (100.0, 1_000.0, 10_000.0)
    # the factor 2 gives the correct exponent, and the others give half or twice the exponent
    for d, base, factor in product(widths, bases, (1, 2, 4)):
        angle = positions * base ** (-factor * np.arange(d // 2) / d)
        waves = np.sin(angle), np.cos(angle)
        for a, b in (waves, waves[::-1]):
            tables = np.stack([a, b], -1).reshape(101, d), np.hstack([a, b])
            scales = (1.0, math.sqrt(d), 1 / math.sqrt(d))
            for table, sign, scale in product(tables, (1, -1), scales):
                gaps.append(np.abs(scale * SOAR + sign * table[:, SHOWN] - SUM).max(axis=1))
    return np.ravel(gaps)


def cosines(raw: float, offset: int, d: int = D, scale: float = 1.0, pairs: int = 100) -> Array:
    """Return the cosine similarities of random pairs of words after adding position encodings.

    The embeddings of each pair have cosine `raw`, and their entries have the root mean square
    `scale`. The words stand at positions 1 and 1 + offset.
    """
    rng = np.random.default_rng([d, offset, round(100 * raw)])
    first, other = rng.standard_normal((2, pairs, d))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    other -= (other * first).sum(axis=1, keepdims=True) * first
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    second = raw * first + math.sqrt(1 - raw**2) * other
    length = scale * math.sqrt(d)
    result: Array = cosine_similarity(
        length * first + encode(1, d), length * second + encode(1 + offset, d)
    )
    return result


class Squeezed(Sinusoidal):
    """Add encodings of positions that are squeezed into the range 0 to 15, as used in training."""

    def added(self, parameters: dict[str, Array], length: int) -> Array:
        return encode(np.arange(length) * 15 / (length - 1), self.d_model)


@cache
def accuracies_by_length() -> dict[Any, tuple[float, ...]]:
    """Train three models on texts of 16 words, and return their accuracies on longer texts, too.

    The keys are the lengths at which the models were tested: 16, 24 and 48. The key "squeezed"
    stands for texts of 48 words whose positions were interpolated into the range 0 to 15.
    """
    task, shares = tasks.previous(), []
    for seed in range(3):
        model = Transformer(8, 8, "sinusoidal", d_model=16, heads=1, mlp=False, seed=seed)
        train(model, task, steps=300, batch=16, rate=1e-2, seed=seed, progress=False)
        row = [accuracy(model, task, n, batch=128) for n in (16, 24, 48)]
        model.scheme = Squeezed(16, 1, 64)
        shares.append([*row, accuracy(model, task, 48, batch=128)])
    return dict(zip((16, 24, 48, "squeezed"), zip(*shares, strict=True), strict=True))


def describe_range(shares: tuple[float, ...]) -> str:
    """Describe a range of accuracies so coarsely that the text is the same on all processors."""
    for low, high in ((0.95, 1.0), (0.7, 0.95), (0.2, 0.6)):
        if low <= min(shares) and max(shares) <= high:
            return f"{low} to {high}"
    return f"{min(shares):.2f} to {max(shares):.2f}"
