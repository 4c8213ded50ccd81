"""Test the Transformer's outputs against plain loops, and its gradients by finite differences."""

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
SETTINGS += [{"scheme": "sinusoidal", "layers": 2, "residual": False}]


def make_small_model(*, residual: bool = True, **settings: Any) -> Transformer:
    model = Transformer(6, 3, d_model=8, heads=2, max_length=7, dtype=np.float64, **settings)
    model.residual = residual
    rng = np.random.default_rng(5)
    for name, value in model.parameters.items():
        if not value.any():  # zeros would hide mistakes
            model.parameters[name] = rng.standard_normal(value.shape) / 3
    return model


def make_layered_model() -> Transformer:
    """Return a model whose two layers have different rotary frequencies.

    The first layer sees two positions and has a frequency of its own. The second layer does not
    rotate anything.
    """
    model = make_small_model(scheme="rotary", causal=True, layers=2)
    model.turning = {0: Rotary(8, 2, 7), 1: Scheme(8, 2, 7)}
    model.turning[0].frequencies = np.array([0.7, 0.0])  # type: ignore[attr-defined]
    model.windows = {0: 2}
    return model


def build_model(settings: dict[str, Any]) -> Transformer:
    return make_small_model(**settings) if settings else make_layered_model()


class PlainLoops:
    """A model that computes the logits of one sequence by plain loops over numbers."""

    def __init__(self, model: Transformer, scheme: str) -> None:
        self.model, self.scheme, self.p = model, scheme, model.parameters

    def logits(self, sequence: list[int]) -> list[list[float]]:
        x = self.embed(sequence)
        for layer in range(self.model.layers):
            x = self.add_attention(layer, x)
            if self.model.mlp:
                x = [self.add_mlp(layer, row) for row in x]
        f = [normalise(row) for row in x]
        if self.model.pooled:
            f = [[sum(row[c] for row in f) / len(f) for c in range(8)]]
        return [multiply(row, self.p["unembedding"]) for row in f]

    def embed(self, sequence: list[int]) -> list[list[float]]:
        """Return the embedding of each token plus the vector that the scheme adds."""
        x = [list(self.p["embedding"][token]) for token in sequence]
        for t, row in enumerate(x):
            for c in range(8):
                if self.scheme == "sinusoidal":
                    angle = t / 10_000 ** ((c - c % 2) / 8)
                    row[c] += cos(angle) if c % 2 else sin(angle)
                if self.scheme == "learned":
                    row[c] += self.p["positions"][t][c]
        return x

    def add_attention(self, layer: int, x: list[list[float]]) -> list[list[float]]:
        u = [normalise(row) for row in x]
        heads = [self.head_output(layer, head, u) for head in range(2)]
        joined = [first + second for first, second in zip(*heads, strict=True)]
        outputs = [multiply(row, self.p[f"output{layer}"]) for row in joined]
        return [self.add(*rows) for rows in zip(x, outputs, strict=True)]

    def head_output(self, layer: int, head: int, u: list[list[float]]) -> list[list[float]]:
        part = slice(4 * head, 4 * head + 4)
        q, k, v = (
            [multiply(row, self.p[f"{name}{layer}"])[part] for row in u]
            for name in ("query", "key", "value")
        )
        if self.scheme == "rotary":
            q = [self.rotate(row, t, layer) for t, row in enumerate(q)]
            k = [self.rotate(row, t, layer) for t, row in enumerate(k)]
        rows = []
        for t in range(len(u)):
            keys = self.visible_keys(layer, t, len(u))
            powers = [exp(dot(q[t], k[s]) / 2 + self.bias(head, t, s)) for s in keys]
            total = sum(powers)
            rows.append(
                [
                    sum(w * v[s][c] for w, s in zip(powers, keys, strict=True)) / total
                    for c in range(4)
                ]
            )
        return rows

    def visible_keys(self, layer: int, t: int, length: int) -> range:
        if layer in self.model.windows:
            return range(max(0, t + 1 - self.model.windows[layer]), t + 1)
        return range(t + 1) if self.model.causal else range(length)

    def rotate(self, row: list[float], t: int, layer: int) -> list[float]:
        out = []
        for i in range(0, 4, 2):
            a = t * 10_000 ** (-i / 4)
            if self.model.turning:
                a = t * (0.7 if layer == i == 0 else 0.0)
            out += [cos(a) * row[i] - sin(a) * row[i + 1], sin(a) * row[i] + cos(a) * row[i + 1]]
        return out

    def bias(self, head: int, t: int, s: int) -> float:
        if self.scheme == "alibi":
            return -(2.0 ** (-8 * (head + 1) / 2)) * abs(t - s)
        return float(self.p["offsets"][head][s - t + 6]) if self.scheme == "relative" else 0.0

    def add_mlp(self, layer: int, row: list[float]) -> list[float]:
        sums = multiply(normalise(row), self.p[f"up{layer}"])
        g = [max(a + b, 0) for a, b in zip(sums, self.p[f"threshold{layer}"], strict=True)]
        return self.add(row, multiply(g, self.p[f"down{layer}"]))

    def add(self, row: list[float], output: list[float]) -> list[float]:
        if not self.model.residual:
            return output
        return [a + b for a, b in zip(row, output, strict=True)]


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def multiply(row: Any, matrix: Any) -> list[float]:
    return [sum(row[a] * matrix[a][b] for a in range(len(row))) for b in range(len(matrix[0]))]


def normalise(row: Any) -> list[float]:
    rms = sqrt(sum(v * v for v in row) / len(row) + 1e-6)
    return [v / rms for v in row]


@pytest.mark.parametrize("settings", [*SETTINGS, {}, {"scheme": "none", "mlp": False}], ids=str)
def test_logits_are_those_of_plain_loops(settings: dict[str, Any]) -> None:
    model = build_model(settings)
    loops = PlainLoops(model, settings.get("scheme", "rotary"))
    for sequence, logits in zip(TOKENS.tolist(), model(TOKENS), strict=True):
        expected = np.squeeze(loops.logits(sequence))
        np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-12)


def slope(model: Transformer, targets: np.ndarray, name: str, direction: np.ndarray) -> float:
    """Return the derivative of the loss when a parameter moves in the given direction."""
    kept, losses = model.parameters[name], []
    for step in (1e-5, -1e-5):
        model.parameters[name] = kept + step * direction
        losses.append(model.loss_and_gradients(TOKENS, targets)[0])
    model.parameters[name] = kept
    return (losses[0] - losses[1]) / 2e-5


@pytest.mark.parametrize("settings", [*SETTINGS, {}], ids=str)
def test_gradients_are_differences_of_the_loss(settings: dict[str, Any]) -> None:
    model, rng = build_model(settings), np.random.default_rng(1)
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
    model = make_small_model(scheme="rotary", layers=2)
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
    model = make_layered_model()
    first, second = model.attention(TOKENS)
    assert first.shape == second.shape == (2, 2, 5, 5)
    np.testing.assert_allclose(second.sum(axis=-1), 1)
    assert not np.triu(first, 1).any() and not np.tril(first, -2).any()
    assert [x.shape for x in model.hidden(TOKENS)] == [(2, 5, 8)] * 3


def test_an_experiment_puts_other_weights_in_a_layer() -> None:
    """Test that uniform attention weights in layer 2 have the same effect as zero queries there."""
    model = make_small_model(scheme="none", layers=2)
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


def compute_loss(tokens: Any, targets: Any = ((1, 2),)) -> Any:
    return make_small_model(scheme="learned").loss_and_gradients(tokens, targets)


REFUSED: list[tuple[str, Any]] = [
    ("d_model must be even and a multiple of heads", lambda: Transformer(6, 3, d_model=7, heads=1)),
    ("d_model / heads must be even", lambda: Transformer(6, 3, "rotary", d_model=6, heads=2)),
    ("dtype must be float64 or float32, got ", lambda: Transformer(6, 3, dtype=np.float16)),
    ("tokens must lie from 0 to 5, got -1 to 0", lambda: compute_loss([[-1, 0]])),
    ("tokens must lie from 0 to 5, got 1 to 6", lambda: compute_loss([[1, 6]])),
    ("targets must lie from -1 to 2, got 1 to 3", lambda: compute_loss([[1, 2]], [[1, 3]])),
    ("at least one class that counts", lambda: compute_loss([[1, 2]], [[-1, -1]])),
    ("longer than the learned table of 7 positions", lambda: compute_loss([[1] * 8], [[1] * 8])),
]


@pytest.mark.parametrize(("message", "call"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_does_not_fit_is_refused_by_name(message: str, call: Any) -> None:
    with pytest.raises(ValueError, match=message):
        call()
