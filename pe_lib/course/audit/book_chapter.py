"""Run the experiments that check the book chapter's claims.

The chapter's example has d_model = 8, so pair i rotates by 10^-i radians per position.
"""

from __future__ import annotations

import math

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, encode_by_formula, max_difference
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.tasks import Task
from pe_lib.sinusoidal import encode, frequencies

SHUFFLED = [6, 3, 2, 0, 5, 1, 4]
DEGREES = {a: math.radians(a) for a in range(360)}
# The audited page says that pair 1's hands at positions 5 and 6 almost agree.
# The tips of these two hands are 0.09996 apart, so distances below 0.1 count as "almost agree".
ALMOST = 0.1

# ------------------------------------------------------------------ the position problem


def attention_weights(x: Array, w: Array) -> Array:
    """Return the attention weights between the rows of x.

    With the identity matrix as values, the output of attention is its weights.
    """
    return attention(x @ w[0], x @ w[1], np.eye(len(x)))


def polynomial_errors(target: Array, powers: int) -> tuple[float, float]:
    """Fit a polynomial to positions 1 to 100, and return its largest errors there and beyond."""
    columns = np.vander(np.arange(1, 201) / 100, 8)[:, -powers:]
    v = np.linalg.lstsq(columns[:100], target[:100], rcond=None)[0]
    errors = np.abs(columns @ v - target)
    return float(errors[:100].max()), float(errors[100:].max())


# ------------------------------------------------------------------ frequencies and the picture


def chords(s: int, t: int) -> Array:
    """For d_model 8, return how far the tip of each hand moves between positions s and t."""
    result: Array = 2 * np.abs(np.sin((t - s) * frequencies(8) / 2))
    return result


def degrees_between(s: int, t: int, pair: int) -> float:
    """Return the angle between a hand's directions at positions s and t, from 0 to 180 degrees."""
    turn = math.degrees(abs(t - s) * 10.0**-pair) % 360
    return min(turn, 360 - turn)


def longest_band(column: Array) -> int:
    """Return the length of the longest run of equal signs in the first 64 rows of a column."""
    ends = np.flatnonzero(np.diff(np.sign(column[1:])))
    return int(np.diff(np.r_[-1, ends, 62]).max())


def stripe_share(picture: Array) -> float:
    """Return the share of a picture's variance that is due to differences between columns.

    It is 1 if each column has one colour from top to bottom, as vertical stripes have, and 0 if all
    columns have the same mean.
    """
    return float(picture.mean(axis=0).var() / picture.var())


def reading_error(length: int, base: float, noise: float = 0.1) -> float:
    """Return the error, in positions, of the best linear decoder when encodings are noisy.

    It is the root mean square over 512 positions that are evenly spaced over the length, with
    d_model = 64. See chapter 3.
    """
    t = np.linspace(0, length - 1, 512)
    x = encode(t, 64, base)
    x, t = x - x.mean(axis=0), t - t.mean()
    gram = x.T @ x / len(t) + noise**2 * np.eye(64)
    v = np.linalg.solve(gram, x.T @ t / len(t))
    return math.sqrt(float(np.mean((x @ v - t) ** 2) + noise**2 * v @ v))


# ------------------------------------------------------------------ why the encoding works


def first_step_gradients(encoding: Array) -> tuple[float, float, float]:
    """Compute the gradients of a random attention layer at the first training step.

    The loss is half the mean square of the outputs. The function returns the largest weight in the
    last row, and the norms of the gradients of the value and the query matrix.
    """
    rng = np.random.default_rng(61)
    n, d = encoding.shape
    x = rng.standard_normal((n, d)) + encoding
    w_q, w_k, w_v = rng.standard_normal((3, d, d)) / math.sqrt(d)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / math.sqrt(d)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    d_out = weights @ v / v.size  # loss = mean(out²) / 2
    d_values = x.T @ (weights.T @ d_out)
    d_weights = d_out @ v.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    d_queries = x.T @ (d_scores @ k) / math.sqrt(d)
    values, queries = (float(np.linalg.norm(gradient)) for gradient in (d_values, d_queries))
    return float(weights[-1].max()), values, queries


def rotation_error(k: int) -> float:
    """Return the error of a single matrix of 2 × 2 rotations that shifts three positions by k."""
    matrix = np.zeros((8, 8))
    for i in range(4):
        s, c = math.sin(k * 10.0**-i), math.cos(k * 10.0**-i)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    errors = [
        max_difference(matrix @ encode_by_formula(t, 8), encode_by_formula(t + k, 8))
        for t in (0, 7, 5000)
    ]
    return max(max_difference(matrix.T @ matrix, np.eye(8)), *errors)


# ------------------------------------------------------------------ learned and without positions


def rows_with_gradient(rows: int, length: int) -> list[int]:
    """Return the indices of the rows in a learned table that get a gradient from one batch."""
    model = Transformer(8, 8, "learned", d_model=8, max_length=rows)
    tokens, targets = tasks.previous()(np.random.default_rng(98), 1, length)
    gradient = model.loss_and_gradients(tokens, targets)[1]["positions"]
    trained_rows: list[int] = np.flatnonzero(gradient.any(axis=1)).tolist()
    return trained_rows


def linear_accuracy(task: Task, *, ordered: bool) -> float:
    """Return the accuracy of a least-squares classifier that is fitted to 200 sequences.

    If `ordered` is true, the classifier sees which word stands at each position. Otherwise it sees
    only how often each word occurs.
    """
    rng = np.random.default_rng(111)

    def draw(count: int) -> tuple[Array, Array]:
        tokens, answers = task(rng, count, 16)
        hot = np.eye(task.vocabulary)[tokens]
        features = hot.reshape(count, -1) if ordered else hot.sum(axis=1)
        return np.column_stack([features, np.ones(count)]), np.where(answers == 1, 1.0, -1.0)

    (x, y), (fresh, truth) = draw(200), draw(2000)
    weights = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ y)
    return float((np.sign(fresh @ weights) == truth).mean())
