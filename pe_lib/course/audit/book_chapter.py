"""The book chapter: experiments on what it says of positions, frequencies and models.

Its example has d_model = 8, so that pair i turns by 10^-i radians a position.
"""

from __future__ import annotations

import math

import numpy as np

from pe_lib.course.attention import attention
from pe_lib.course.audit.oracles import Array, off, recurrent, written_out
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Learned, Relative
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


def weights_in_loops(x: Array, w: Array) -> list[list[float]]:
    """The printed formula of the weights, number by number."""
    queries, keys = (x @ w[0]).tolist(), (x @ w[1]).tolist()
    rows = []
    for q in queries:
        dots = [sum(a * b for a, b in zip(q, k, strict=True)) for k in keys]
        powers = [math.exp(dot / math.sqrt(len(q))) for dot in dots]
        rows.append([power / sum(powers) for power in powers])
    return rows


def fitted_to_100(target: Array, powers: int) -> tuple[float, float]:
    """How far off a polynomial of the index, fitted on 1 to 100, is there and on 101 to 200."""
    columns = np.vander(np.arange(1, 201) / 100, 8)[:, -powers:]
    v = np.linalg.lstsq(columns[:100], target[:100], rcond=None)[0]
    errors = np.abs(columns @ v - target)
    return float(errors[:100].max()), float(errors[100:].max())


def late_scores() -> tuple[Array, Array]:
    """The scores of word 10,000 and the four before it, with the index appended to 512 random
    numbers: what the words give to them, and what the index gives."""
    words, last = np.random.default_rng(0).standard_normal((5, 512)), np.arange(9_996.0, 10_001)
    return words @ words[-1] / math.sqrt(513), last * last[-1] / math.sqrt(513)


def softmax_as_printed(scores: Array) -> Array:
    """Without the maximum taken off before, which a softmax computed with care does."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights: Array = np.exp(scores) / np.exp(scores).sum()
    return weights


def similar_words_nearby() -> tuple[int, float]:
    """Of 1000 pairs of words that differ by a fifth, one place apart: how many sums are no further
    apart than words and positions together, and the least cosine of two sums."""
    rng = np.random.default_rng(3)
    e, t = rng.standard_normal((1000, 512)), rng.integers(0, 500, 1000)
    other = e + 0.2 * rng.standard_normal((1000, 512))
    p, q = encode(t, 512), encode(t + 1, 512)
    a, b = e + p, other + q
    within = np.linalg.norm(e - other, axis=1) + np.linalg.norm(p - q, axis=1)
    cosine = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return int((np.linalg.norm(a - b, axis=1) <= within).sum()), float(cosine.min())


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


def neighbours() -> tuple[float, float]:
    """How many times as far from 5 as 60 is 6: in 400 random tables, and with the encoding."""
    tables = np.random.default_rng(65).standard_normal((400, 64, 64))
    near, far = (np.linalg.norm(tables[:, 5] - tables[:, t], axis=1) for t in (6, 60))
    wave = encode([5, 6, 60], 64)
    ordered = np.linalg.norm(wave[0] - wave[1]) / np.linalg.norm(wave[0] - wave[2])
    return float(near.mean() / far.mean()), float(ordered)


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


def shares_at_6_and_18() -> tuple[float, float]:
    """How often a small model that learned at length 6 to name the word before is right."""
    task = tasks.previous(4)
    model = Transformer(4, 4, "sinusoidal", d_model=16)
    train(model, task, steps=300, batch=16, length=6, rate=5e-3, progress=False)
    return accuracy(model, task, 6), accuracy(model, task, 18)


def moved_by_one() -> tuple[float, float]:
    """By how much learned biases, and dot products of a learned table, change if both words move
    by one."""
    rng = np.random.default_rng(102)
    bias = np.asarray(Relative(8, 2, 10).bias({"offsets": rng.standard_normal((2, 19))}, 10))
    table = np.asarray(Learned(8, 2, 10).parameters(rng)["positions"])
    scores = table @ table.T
    return off(bias[:, 1:, 1:], bias[:, :-1, :-1]), off(scores[1:, 1:], scores[:-1, :-1])


def rows_trained() -> tuple[list[Array], Array]:
    """Two tables as they start, and which rows of the first five steps of training move."""
    models = [Transformer(8, 8, "learned", max_length=8, seed=seed) for seed in (0, 1)]
    start = [model.parameters["positions"].copy() for model in models]
    train(models[0], tasks.previous(), steps=5, batch=8, length=8, progress=False)
    return start, (models[0].parameters["positions"] != start[0]).any(axis=1)


def as_tokens(text: str) -> list[int]:
    words = ["who", "did", "alice", "meet", "met", "le", "chat", "noir"]
    return [words.index(word) for word in text.split()]


def twins() -> float:
    """By how much the answers of a model without mask and positions to who bites whom differ when
    dog and man change places."""
    task = tasks.order()
    tokens = task(np.random.default_rng(110), 64, 8)[0]
    swapped = np.select([tokens == 0, tokens == 1], [1, 0], tokens)
    blind = Transformer(task.vocabulary, 2, "none", pooled=True, layers=2, dtype=np.float64)
    return off(blind(tokens), blind(swapped))


def learned_behind_a_mask() -> float:
    """The share right of a small causal model without positions that learned who bites whom."""
    task = tasks.order()
    model = Transformer(task.vocabulary, 2, "none", d_model=16, pooled=True, causal=True)
    train(model, task, steps=100, batch=16, length=6, rate=5e-3, progress=False)
    return accuracy(model, task, 6)


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


def noticed() -> list[float]:
    """By how much the output of a word changes when the words are shuffled: in a recurrent network,
    in a convolution of width 3, and in attention."""
    rng = np.random.default_rng(112)
    x, (w, u, v) = rng.standard_normal((7, 8)), rng.standard_normal((3, 8, 8)) / 3

    def convolution(rows: Array) -> Array:
        framed = np.vstack([np.zeros(8), rows, np.zeros(8)])
        result: Array = framed[:-2] @ w + rows @ u + framed[2:] @ v
        return result

    networks = (
        lambda rows: recurrent(rows, w, u),
        convolution,
        lambda rows: attention(rows @ w, rows @ u, rows @ v),
    )
    return [off(f(x[SHUFFLED]), f(x)[SHUFFLED]) for f in networks]
