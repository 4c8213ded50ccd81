"""Generate fifty types of arrays that do not encode positions, and damaged arrays that do.

Nothing from the doctor or the library is used.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import doctor_bank as bank
import numpy as np
from numpy.typing import NDArray

Draw = Callable[[np.random.Generator, int, int], Any]


def cosines(rng: np.random.Generator, kind: int) -> NDArray[np.float64]:
    """Return the matrix of a discrete cosine transform or sine transform of type 1 to 4."""
    n = rng.choice([4, 8, 12, 16, 32, 64]).item()
    k = np.arange(n)
    wave = np.cos if kind < 5 else np.sin
    half = [(0, 0, max(1, n - 1)), (0, 0.5, n), (0.5, 0, n), (0.5, 0.5, n)]
    sine = [(1, 1, n + 1), (1, 0.5, n), (0.5, 1, n), (0.5, 0.5, n)]
    a, b, length = (half if kind < 5 else sine)[(kind - 1) % 4]
    size = rng.choice([1, math.sqrt(2 / n)])
    return size * wave(np.pi / length * np.outer(k + a, k + b))


def hadamard(n: int) -> NDArray[np.float64]:
    x = np.ones((1, 1))
    while len(x) < n:
        x = np.block([[x, x], [x, -x]])
    return x


def haar(n: int) -> NDArray[np.float64]:
    x = np.ones((1, 1))
    while len(x) < n:
        x = np.concatenate([np.kron(x, [1, 1]), np.kron(np.eye(len(x)), [1, -1])]) / math.sqrt(2)
    return x


def spectrogram(rng: np.random.Generator, rows: int, width: int) -> NDArray[np.float64]:
    sound = np.sin(np.cumsum(rng.uniform(0.1, 1, rows * width))) + 0.1 * rng.normal(
        size=rows * width
    )
    return np.abs(np.fft.rfft(sound.reshape(rows, width), axis=1))


def pairs_of(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(angles), -1)


def both_of(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.sin(angles), np.cos(angles)], 1)


def positions(rows: int, width: int) -> NDArray[np.float64]:
    return pairs_of(np.outer(np.arange(rows), 1e4 ** (-np.arange(width // 2) / (width // 2))))


KINDS: list[tuple[str, Draw]] = [
    ("transform", lambda r, t, d: cosines(r, r.integers(1, 9).item())),
    ("hadamard", lambda r, t, d: hadamard(r.choice([4, 8, 16, 32]).item())),
    ("haar", lambda r, t, d: haar(r.choice([4, 8, 16, 32]).item())),
    ("fourier features", lambda r, t, d: both_of(r.normal(size=(t, 2)) @ r.normal(size=(2, d)))),
    ("random waves", lambda r, t, d: both_of(np.outer(np.arange(t), r.normal(size=d)))),
    ("fast waves", lambda r, t, d: pairs_of(np.outer(np.arange(t), r.uniform(1, 3.14, d)))),
    ("sorted waves", lambda r, t, d: pairs_of(np.outer(np.arange(t), -np.sort(-r.random(d))))),
    ("octaves", lambda r, t, d: both_of(np.outer(np.linspace(0, 3, t), 2.0 ** np.arange(6)))),
    ("dft", lambda r, t, d: both_of(2 * np.pi * np.outer(np.arange(t), np.arange(1, d + 1)) / t)),
    ("calendar", lambda r, t, d: pairs_of(2 * np.pi * np.arange(t)[:, None] / [24, 168, 8766])),
    ("polynomials", lambda r, t, d: np.polynomial.legendre.legvander(np.linspace(-1, 1, t), d)),
    ("powers", lambda r, t, d: np.vander(np.linspace(0, 1, t), d)),
    ("spectrogram", spectrogram),
    ("logs", lambda r, t, d: np.log(np.outer(np.arange(1, t + 1), np.arange(1, d + 1)) + 1)),
    ("counter", lambda r, t, d: np.arange(float(t * d)).reshape(t, d)),
    ("steps", lambda r, t, d: np.outer(np.arange(t), r.normal(size=d)) + r.normal(size=d)),
    ("bits", lambda r, t, d: (np.arange(t)[:, None] >> np.arange(min(d, 12))) & 1),
    ("one hot", lambda r, t, d: np.eye(t)[:, :d]),
    ("distances", lambda r, t, d: np.abs(np.subtract.outer(np.arange(t), np.arange(t))) * 1.0),
    ("gaussian", lambda r, t, d: np.exp(-0.1 * np.subtract.outer(np.arange(t), np.arange(t)) ** 2)),
    ("toeplitz", lambda r, t, d: r.normal(size=2 * t)[np.arange(t) - np.arange(t)[:, None]]),
    ("orthogonal", lambda r, t, d: np.linalg.qr(r.normal(size=(t, t)))[0][:, :d]),
    ("triangles", lambda r, t, d: np.abs((np.arange(t)[:, None] / 8 + r.random(d)) % 2 - 1)),
    ("embedding", lambda r, t, d: r.normal(0, 0.02, (t, d))),
    ("smooth", lambda r, t, d: bank.make_smooth_table(t, d, r)),
    ("walk", lambda r, t, d: np.cumsum(r.normal(size=(t, d)), 0)),
    ("decay", lambda r, t, d: r.uniform(0.5, 0.99) ** np.arange(r.integers(3, 100))),
    ("scaled decay", lambda r, t, d: r.random() * r.uniform(0.5, 0.99) ** np.arange(t)),
    ("list", lambda r, t, d: np.sort(r.random(r.integers(3, 65)))[::-1]),
    ("noise list", lambda r, t, d: r.normal(size=r.integers(3, 65))),
    ("falling list", lambda r, t, d: np.exp(-np.cumsum(r.random(r.integers(3, 65)) * 0.2))),
    ("harmonics", lambda r, t, d: r.choice([1, 2, 0.5]) / np.arange(1, t)),
    ("line", lambda r, t, d: np.linspace(1, r.choice([0, 0.1]), t)),
    ("log list", lambda r, t, d: np.log(np.arange(2, t + 2))[::-1]),
    ("cache of waves", lambda r, t, d: tuple(np.split(both_of(np.outer(np.arange(t), r.random(d))),
                                                    2, axis=1))),
    ("cache of angles", lambda r, t, d: tuple(np.split(both_of(r.uniform(0, 6, (t, d))), 2, 1))),
    ("uniform", lambda r, t, d: r.uniform(0, 1, (t, d))),
    ("integers", lambda r, t, d: r.integers(-5, 6, (t, d)) * 1.0),
    ("sparse", lambda r, t, d: r.normal(size=(t, d)) * (r.random((t, d)) < 0.2)),
    ("sorted", lambda r, t, d: np.sort(r.normal(size=(t, d)), axis=r.integers(2).item())),
    ("low rank", lambda r, t, d: r.normal(size=(t, 2)) @ r.normal(size=(2, d))),
    ("shuffled entries", lambda r, t, d: r.permuted(positions(t, 4 * d), axis=1)),
    ("shuffled columns' entries", lambda r, t, d: r.permuted(positions(t, 4 * d), axis=0)),
    ("columns counted", lambda r, t, d: np.meshgrid(np.arange(d), np.arange(t))[0]),
    ("keys' penalties", lambda r, t, d: np.tile(-r.random() * np.arange(t), (t, 1))),
    ("bias of noise", lambda r, t, d: r.normal(size=(4, t, t))),
    ("lines of no slopes", lambda r, t, d: np.outer(r.random(4), np.arange(t))[:, None]),
]  # fmt: skip


def draw_strangers(rng: np.random.Generator, count: int) -> Iterator[tuple[str, Any]]:
    """Yield `count` random arrays that do not encode positions, each with its name."""
    for k in range(count):
        name, make = KINDS[k % len(KINDS)]
        x = make(
            rng, rng.choice([16, 17, 32, 64, 100]).item(), rng.choice([3, 4, 8, 16, 32]).item()
        )
        form = rng.choice(["float64", "float64", "float32", "float16", "bfloat16", "4 decimals"])

        def round_values(y: NDArray[Any], form: str = form) -> NDArray[np.float64]:
            return np.round(y, 4) if form == "4 decimals" else bank.to(form, y)

        yield (
            f"{name}, {form}",
            tuple(map(round_values, x)) if isinstance(x, tuple) else round_values(x),
        )


def damage_rows(rng: np.random.Generator) -> tuple[dict[str, Any], Any, set[int]]:
    """Return a specification, its table or cache with some damaged rows, and their indices."""
    rotary = bool(rng.integers(2))
    kinds = bank.CACHE_KINDS if rotary else bank.TABLE_KINDS
    case = bank.make_case([rng.choice(kinds).item()], rng, rotary)
    parts = [np.array(x) for x in (case.arrays if rotary else (case.arrays,))]
    length = len(parts[0])
    rows = rng.choice(np.arange(1, length), rng.integers(1, max(2, length // 20)), replace=False)
    how = rng.integers(4)
    for x in parts:
        size = np.abs(x).max()
        if how == 0:
            x[rows] *= -1
        elif how == 1:
            x[rows] = size * rng.uniform(-1, 1, (len(rows), x.shape[1]))
        elif how == 2:
            x[rows, rng.integers(x.shape[1])] = 5 * size
        else:
            x[rows] = x[rows - 1]
    return case.spec, tuple(parts) if rotary else parts[0], {int(r) for r in rows}
