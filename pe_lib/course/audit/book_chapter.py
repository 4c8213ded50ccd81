"""The book chapter: experiments on what it says of positions, frequencies and models.

Its example has d_model = 8, so that pair i turns by 10^-i radians a position.
"""

from __future__ import annotations

import math

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, off, written_out
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.tasks import Task
from pe_lib.sinusoidal import encode, frequencies

SHUFFLED = [6, 3, 2, 0, 5, 1, 4]
DEGREES = {a: math.radians(a) for a in range(360)}
# What the page itself calls almost the same: pair 1 at 5 and 6, whose tips are 0.09996 apart
ALMOST = 0.1

# ------------------------------------------------------------------ the position problem


def weights(x: Array, w: Array) -> Array:
    """The weights of attention: what it makes of the rows of the identity."""
    return attention(x @ w[0], x @ w[1], np.eye(len(x)))


def fitted_to_100(target: Array, powers: int) -> tuple[float, float]:
    """How far off a polynomial of the index, fitted on 1 to 100, is there and on 101 to 200."""
    columns = np.vander(np.arange(1, 201) / 100, 8)[:, -powers:]
    v = np.linalg.lstsq(columns[:100], target[:100], rcond=None)[0]
    errors = np.abs(columns @ v - target)
    return float(errors[:100].max()), float(errors[100:].max())


# ------------------------------------------------------------------ frequencies and the picture


def chords(s: int, t: int) -> Array:
    """How far the tip of each hand moves from position s to t: 0 to 2, d_model = 8."""
    result: Array = 2 * np.abs(np.sin((t - s) * frequencies(8) / 2))
    return result


def degrees(s: int, t: int, pair: int) -> float:
    """How far apart the hand stands at s and at t."""
    turn = math.degrees(abs(t - s) * 10.0**-pair) % 360
    return min(turn, 360 - turn)


def longest_band(column: Array) -> int:
    """How many of the 64 rows of one sign stand below one another."""
    ends = np.flatnonzero(np.diff(np.sign(column[1:])))
    return int(np.diff(np.r_[-1, ends, 62]).max())


def striped(picture: Array) -> float:
    """The share of the variance that is between columns: 1 for vertical stripes, 0 for none.

    A vertical stripe is a column that keeps its colour all the way down.
    """
    return float(picture.mean(axis=0).var() / picture.var())


def reading_error(length: int, base: float, noise: float = 0.1) -> float:
    """How far off the best linear reading of the position is under noise, in positions (chapter 3).

    Over 512 positions, evenly spaced in the length, d_model = 64.
    """
    t = np.linspace(0, length - 1, 512)
    x = encode(t, 64, base)
    x, t = x - x.mean(axis=0), t - t.mean()
    gram = x.T @ x / len(t) + noise**2 * np.eye(64)
    v = np.linalg.solve(gram, x.T @ t / len(t))
    return math.sqrt(float(np.mean((x @ v - t) ** 2) + noise**2 * v @ v))


# ------------------------------------------------------------------ why the encoding works


def first_step(encoding: Array) -> tuple[float, float, float]:
    """An attention layer: largest weight of the last row, gradient norms of values and queries.

    The loss is half the mean square of the outputs.
    """
    rng = np.random.default_rng(61)
    n, d = encoding.shape
    x = rng.standard_normal((n, d)) + encoding
    w_q, w_k, w_v = rng.standard_normal((3, d, d)) / math.sqrt(d)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / math.sqrt(d)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    d_out = weights @ v / v.size  # of mean(out²) / 2
    d_values = x.T @ (weights.T @ d_out)
    d_weights = d_out @ v.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    d_queries = x.T @ (d_scores @ k) / math.sqrt(d)
    values, queries = (float(np.linalg.norm(gradient)) for gradient in (d_values, d_queries))
    return float(weights[-1].max()), values, queries


def turned(k: int) -> float:
    """How far off one matrix of 2 by 2 rotations for offset k is, at three positions."""
    matrix = np.zeros((8, 8))
    for i in range(4):
        s, c = math.sin(k * 10.0**-i), math.cos(k * 10.0**-i)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    gaps = [off(matrix @ written_out(t, 8), written_out(t + k, 8)) for t in (0, 7, 5000)]
    return max(off(matrix.T @ matrix, np.eye(8)), *gaps)


# ------------------------------------------------------------------ learned and without positions


def rows_with_gradient(rows: int, length: int) -> list[int]:
    """Which rows of a learned table a sequence trains."""
    model = Transformer(8, 8, "learned", d_model=8, max_length=rows)
    drawn = tasks.previous()(np.random.default_rng(98), 1, length)
    found: list[int] = np.flatnonzero(
        model.loss_and_gradients(*drawn)[1]["positions"].any(axis=1)
    ).tolist()
    return found


def linear_accuracy(task: Task, *, ordered: bool) -> float:
    """A least-squares classifier fitted on 200 sequences, of words by position or only counted."""
    rng = np.random.default_rng(111)

    def draw(count: int) -> tuple[Array, Array]:
        tokens, answers = task(rng, count, 16)
        hot = np.eye(task.vocabulary)[tokens]
        seen = hot.reshape(count, -1) if ordered else hot.sum(axis=1)
        return np.column_stack([seen, np.ones(count)]), np.where(answers == 1, 1.0, -1.0)

    (x, y), (fresh, truth) = draw(200), draw(2000)
    weights = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ y)
    return float((np.sign(fresh @ weights) == truth).mean())
