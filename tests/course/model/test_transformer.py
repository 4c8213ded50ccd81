"""The Transformer against plain loops and finite differences."""

from itertools import product
from math import cos, exp, sin, sqrt
from typing import Any

import numpy as np
import pytest

from pe_lib import frequencies
from pe_lib.course.model import Transformer
from pe_lib.course.model.schemes import SCHEMES, Rotary, Scheme

TOKENS = np.array([[3, 1, 4, 1, 5], [2, 0, 2, 0, 3]])
SETTINGS = [
    {"scheme": scheme, "causal": causal, "pooled": pooled, "layers": layers}
    for scheme, causal, pooled, layers in product(SCHEMES, (False, True), (False, True), (1, 2))
]


def small(**settings: Any) -> Transformer:
    model = Transformer(6, 3, d_model=8, heads=2, max_length=7, dtype=np.float64, **settings)
    rng = np.random.default_rng(5)
    for name, value in model.parameters.items():
        if not value.any():  # what starts at zero would hide mistakes
            model.parameters[name] = rng.standard_normal(value.shape) / 3
    return model


def layered() -> Transformer:
    """Two rotary layers of which the first sees 2 and has a frequency of its own, the second
    turns nothing."""
    model = small(scheme="rotary", causal=True, layers=2)
    model.turning = {0: Rotary(8, 2, 7), 1: Scheme(8, 2, 7)}
    model.turning[0].frequencies = np.array([0.7, 0.0])  # type: ignore[attr-defined]
    model.windows = {0: 2}
    return model


def made(settings: dict[str, Any]) -> Transformer:
    return small(**settings) if settings else layered()


def by_loops(model: Transformer, sequence: list[int], scheme: str) -> list[list[float]]:
    """The logits of one sequence, a number at a time."""
    p, n, width = model.parameters, len(sequence), 4

    def times(row: Any, matrix: Any) -> list[float]:
        return [sum(row[a] * matrix[a][b] for a in range(len(row))) for b in range(len(matrix[0]))]

    def normed(row: Any) -> list[float]:
        rms = sqrt(sum(v * v for v in row) / len(row) + 1e-6)
        return [v / rms for v in row]

    def turned(row: list[float], t: int, layer: int) -> list[float]:
        out = []
        for i in range(0, width, 2):
            a = t * 10_000 ** (-i / width)
            if model.turning:
                a = t * (0.7 if layer == i == 0 else 0.0)
            out += [cos(a) * row[i] - sin(a) * row[i + 1], sin(a) * row[i] + cos(a) * row[i + 1]]
        return out

    def extra(head: int, t: int, s: int) -> float:
        if scheme == "alibi":
            return -(2.0 ** (-8 * (head + 1) / 2)) * abs(t - s)
        return float(p["offsets"][head][s - t + 6]) if scheme == "relative" else 0.0

    x = [list(p["embedding"][token]) for token in sequence]
    for t, row in enumerate(x):
        for c in range(8):
            if scheme == "sinusoidal":
                angle = t / 10_000 ** ((c - c % 2) / 8)
                row[c] += cos(angle) if c % 2 else sin(angle)
            if scheme == "learned":
                row[c] += p["positions"][t][c]
    for layer in range(model.layers):
        u = [normed(row) for row in x]
        joined: list[list[float]] = [[] for _ in x]
        for head in range(2):
            part = slice(4 * head, 4 * head + 4)
            q, k, v = ([times(row, p[f"{name}{layer}"])[part] for row in u]
                       for name in ("query", "key", "value"))  # fmt: skip
            if scheme == "rotary":
                q, k = ([turned(row, t, layer) for t, row in enumerate(rows)] for rows in (q, k))
            for t in range(n):
                seen = range(t + 1) if model.causal else range(n)
                if layer in model.windows:
                    seen = range(max(0, t + 1 - model.windows[layer]), t + 1)
                powers = [exp(sum(a * b for a, b in zip(q[t], k[s], strict=True)) / 2
                              + extra(head, t, s)) for s in seen]  # fmt: skip
                joined[t] += [sum(w * v[s][c] for w, s in zip(powers, seen, strict=True))
                              / sum(powers) for c in range(4)]  # fmt: skip
        x = [[a + b for a, b in zip(row, times(o, p[f"output{layer}"]), strict=True)]
             for row, o in zip(x, joined, strict=True)]  # fmt: skip
        if model.mlp:
            for t, row in enumerate(x):
                g = times(normed(row), p[f"up{layer}"])
                g = [max(a + b, 0) for a, b in zip(g, p[f"threshold{layer}"], strict=True)]
                x[t] = [a + b for a, b in zip(row, times(g, p[f"down{layer}"]), strict=True)]
    f = [normed(row) for row in x]
    if model.pooled:
        f = [[sum(row[c] for row in f) / n for c in range(8)]]
    return [times(row, p["unembedding"]) for row in f]


@pytest.mark.parametrize("settings", [*SETTINGS, {}, {"scheme": "none", "mlp": False}], ids=str)
def test_logits_are_those_of_plain_loops(settings: dict[str, Any]) -> None:
    model = made(settings)
    for row, found in zip(TOKENS.tolist(), model(TOKENS), strict=True):
        expected = np.squeeze(by_loops(model, row, settings.get("scheme", "rotary")))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def slope(model: Transformer, targets: np.ndarray, name: str, direction: np.ndarray) -> float:
    """How fast the loss grows if a parameter moves that way."""
    kept, losses = model.parameters[name], []
    for step in (1e-5, -1e-5):
        model.parameters[name] = kept + step * direction
        losses.append(model.loss_and_gradients(TOKENS, targets)[0])
    model.parameters[name] = kept
    return (losses[0] - losses[1]) / 2e-5


@pytest.mark.parametrize("settings", [*SETTINGS, {}], ids=str)
def test_gradients_are_differences_of_the_loss(settings: dict[str, Any]) -> None:
    model, rng = made(settings), np.random.default_rng(1)
    if isinstance(model.scheme, Rotary):
        model.scheme.scale = 1.2
    targets = np.array([2, 0]) if model.pooled else np.array([[0, -1, 2, 1, 1], [1, 1, -1, 0, 2]])
    _, gradients = model.loss_and_gradients(TOKENS, targets)
    assert gradients.keys() == model.parameters.keys()
    for name, found in gradients.items():
        direction = rng.standard_normal(found.shape)
        expected = slope(model, targets, name, direction)
        assert (found * direction).sum() == pytest.approx(expected, rel=1e-5, abs=1e-8), name


def test_a_rotary_model_takes_other_frequencies_and_a_scale_after_training() -> None:
    model = small(scheme="rotary", layers=2)
    assert isinstance(model.scheme, Rotary) and model.scheme.scale == 1
    before = model(TOKENS)
    model.scheme.frequencies, model.scheme.scale = frequencies(4) / 3, 1.2
    q, positions = np.random.default_rng(2).standard_normal((2, 2, 5, 4)), np.arange(5)
    pairs = (q[..., 0::2] + 1j * q[..., 1::2]) * np.exp(1j * np.outer(positions, [1 / 3, 1 / 300]))
    expected = 1.2 * np.stack([pairs.real, pairs.imag], axis=-1).reshape(q.shape)
    np.testing.assert_allclose(model.scheme.turned(q), expected, atol=1e-12)
    assert np.abs(model(TOKENS) - before).max() > 1e-3
    model.scheme.frequencies, model.scheme.scale = frequencies(4), 1.0
    np.testing.assert_array_equal(model(TOKENS), before)


def test_what_a_chapter_looks_at_within() -> None:
    model = layered()
    first, second = model.attention(TOKENS)
    assert first.shape == second.shape == (2, 2, 5, 5)
    np.testing.assert_allclose(second.sum(axis=-1), 1)
    assert not np.triu(first, 1).any() and not np.tril(first, -2).any()
    assert [x.shape for x in model.hidden(TOKENS)] == [(2, 5, 8)] * 3


def test_an_experiment_puts_other_weights_in_a_layer() -> None:
    """Even ones are those of queries that are all zero; the layer before keeps its own."""
    model = small(scheme="none", layers=2)
    ways = [lambda weights: weights, lambda weights: np.full_like(weights, 1 / 5)]
    found, kept = model.forward(TOKENS, lambda layer, weights: ways[layer](weights))
    np.testing.assert_array_equal(kept["layers"][0]["weights"], model.attention(TOKENS)[0])
    assert np.abs(found - model(TOKENS)).max() > 1e-3
    model.parameters["query1"][:] = 0
    np.testing.assert_allclose(found, model(TOKENS), atol=1e-12)


def test_the_same_seed_gives_the_same_weights_whatever_the_scheme() -> None:
    models = {scheme: Transformer(8, 8, scheme, seed=3) for scheme in SCHEMES}
    for model in models.values():
        for name, value in models["none"].parameters.items():
            np.testing.assert_array_equal(model.parameters[name], value)
    other = Transformer(8, 8, seed=4).parameters["query0"]
    assert (other != models["none"].parameters["query0"]).any()


def asked(tokens: Any, targets: Any = ((1, 2),)) -> Any:
    return small(scheme="learned").loss_and_gradients(tokens, targets)


REFUSED: list[tuple[str, Any]] = [
    ("d_model must be even and a multiple of heads", lambda: Transformer(6, 3, d_model=7, heads=1)),
    ("d_model / heads must be even", lambda: Transformer(6, 3, "rotary", d_model=6, heads=2)),
    ("dtype must be float64 or float32, got ", lambda: Transformer(6, 3, dtype=np.float16)),
    ("tokens must lie from 0 to 5, got -1 to 0", lambda: asked([[-1, 0]])),
    ("tokens must lie from 0 to 5, got 1 to 6", lambda: asked([[1, 6]])),
    ("targets must lie from -1 to 2, got 1 to 3", lambda: asked([[1, 2]], [[1, 3]])),
    ("at least one class that counts", lambda: asked([[1, 2]], [[-1, -1]])),
    ("longer than the learned table of 7 positions", lambda: asked([[1] * 8], [[1] * 8])),
]


@pytest.mark.parametrize(("message", "call"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_fit_is_refused_by_name(message: str, call: Any) -> None:
    with pytest.raises(ValueError, match=message):
        call()
