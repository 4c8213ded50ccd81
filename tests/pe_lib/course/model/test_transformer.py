"""The Transformer against plain loops, finite differences and PyTorch."""

from importlib.util import find_spec
from itertools import product
from math import cos, exp, sin, sqrt
from typing import Any

import numpy as np
import pytest

from pe_lib import frequencies
from pe_lib.course.attention import attention
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


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_logits_are_those_of_plain_loops(settings: dict[str, Any]) -> None:
    model = small(**settings)
    for row, found in zip(TOKENS.tolist(), model(TOKENS), strict=True):
        expected = np.squeeze(by_loops(model, row, settings["scheme"]))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_layers_that_differ_are_those_of_plain_loops() -> None:
    model = layered()
    for row, found in zip(TOKENS.tolist(), model(TOKENS), strict=True):
        np.testing.assert_allclose(found, by_loops(model, row, "rotary"), rtol=0, atol=1e-12)
    weights = model.attention(TOKENS)
    assert not np.triu(weights[0], 1).any() and not np.tril(weights[0], -2).any()
    assert np.tril(weights[1]).min(axis=(0, 1))[-1].min() > 0
    model.windows[0] = 0
    with pytest.raises(ValueError, match=r"windows\[0\] must be at least 1, got 0"):
        model(TOKENS)


@pytest.mark.parametrize("settings", [*SETTINGS, {}], ids=str)
def test_gradients_are_differences_of_the_loss(settings: dict[str, Any]) -> None:
    model, rng = small(**settings) if settings else layered(), np.random.default_rng(1)
    targets = np.array([2, 0]) if model.pooled else np.array([[0, -1, 2, 1, 1], [1, 1, -1, 0, 2]])
    _, gradients = model.loss_and_gradients(TOKENS, targets)
    assert gradients.keys() == model.parameters.keys()
    for name, value in model.parameters.items():
        flat = value.reshape(-1)
        for k in rng.choice(flat.size, min(6, flat.size), replace=False):
            kept, losses = flat[k], []
            for step in (1e-5, -1e-5):
                flat[k] = kept + step
                losses.append(model.loss_and_gradients(TOKENS, targets)[0])
            flat[k] = kept
            difference = (losses[0] - losses[1]) / 2e-5
            assert gradients[name].flat[k] == pytest.approx(difference, rel=1e-5, abs=1e-9), name


def test_one_layer_is_the_attention_of_chapter_1() -> None:
    model = Transformer(6, 6, "none", d_model=8, heads=1, mlp=False, dtype=np.float64)
    p = model.parameters
    x = p["embedding"][TOKENS[0]]
    u = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6)
    x = x + attention(u @ p["query0"], u @ p["key0"], u @ p["value0"]) @ p["output0"]
    np.testing.assert_allclose(model.hidden(TOKENS)[1][0], x, atol=1e-12)


def test_without_positions_and_mask_outputs_move_with_their_tokens() -> None:
    order = [3, 0, 4, 1, 2]
    for scheme in SCHEMES:
        model = small(scheme=scheme, layers=2)
        gap = np.abs(model(TOKENS[:, order]) - model(TOKENS)[:, order]).max()
        assert (gap < 1e-12) == (scheme == "none"), scheme
    assert np.abs(small(scheme="none", causal=True)(TOKENS[:, order])
                  - small(scheme="none", causal=True)(TOKENS)[:, order]).max() > 1e-3  # fmt: skip


def test_a_rotary_model_takes_other_frequencies_and_a_scale_after_training() -> None:
    model = small(scheme="rotary", layers=2)
    assert isinstance(model.scheme, Rotary) and model.scheme.scale == 1
    np.testing.assert_array_equal(model.scheme.frequencies, frequencies(4))
    before = model(TOKENS)
    model.scheme.frequencies = frequencies(4) / 3
    model.scheme.scale = 1.2
    q, positions = np.random.default_rng(2).standard_normal((2, 2, 5, 4)), np.arange(5)
    pairs = (q[..., 0::2] + 1j * q[..., 1::2]) * np.exp(1j * np.outer(positions, [1 / 3, 1 / 300]))
    expected = 1.2 * np.stack([pairs.real, pairs.imag], axis=-1).reshape(q.shape)
    np.testing.assert_allclose(model.scheme.turned(q), expected, atol=1e-12)
    assert np.abs(model(TOKENS) - before).max() > 1e-3
    # `back` is the transposed map, with the scale: <turned(q), k> = <q, turned(k, back)>
    k = np.random.default_rng(3).standard_normal(q.shape)
    left, right = model.scheme.turned(q) * k, q * model.scheme.turned(k, back=True)
    assert left.sum() == pytest.approx(right.sum())
    targets = TOKENS % 3
    _, gradients = model.loss_and_gradients(TOKENS, targets)
    value, losses = model.parameters["query0"], []
    for step in (1e-5, -1e-5):
        value[1, 2] += step
        losses.append(model.loss_and_gradients(TOKENS, targets)[0])
        value[1, 2] -= step
    assert gradients["query0"][1, 2] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5)
    model.scheme.frequencies, model.scheme.scale = frequencies(4), 1.0
    np.testing.assert_array_equal(model(TOKENS), before)


def test_a_mask_hides_what_comes_later() -> None:
    for scheme in SCHEMES:
        model, other = small(scheme=scheme, causal=True, layers=2), TOKENS.copy()
        other[:, 3:] = 5 - other[:, 3:]
        np.testing.assert_array_equal(model(TOKENS)[:, :3], model(other)[:, :3])
        assert all(np.triu(w[0, 0], 1).max() == 0 for w in model.attention(TOKENS))


def test_rows_of_a_table_that_were_not_seen_get_no_gradient() -> None:
    _, gradients = small(scheme="learned").loss_and_gradients(TOKENS, TOKENS % 3)
    assert np.abs(gradients["positions"][:5]).min(axis=1).max() > 0
    assert not gradients["positions"][5:].any()


def test_attention_weights_sum_to_one_and_the_stream_has_its_stages() -> None:
    model = small(scheme="rotary", layers=2)
    assert [w.shape for w in model.attention(TOKENS)] == [(2, 2, 5, 5)] * 2
    np.testing.assert_allclose(model.attention(TOKENS)[1].sum(axis=-1), 1)
    assert [x.shape for x in model.hidden(TOKENS)] == [(2, 5, 8)] * 3


def test_the_same_seed_gives_the_same_weights_whatever_the_scheme() -> None:
    models = {scheme: Transformer(8, 8, scheme, seed=3) for scheme in SCHEMES}
    for model in models.values():
        for name, value in models["none"].parameters.items():
            np.testing.assert_array_equal(model.parameters[name], value)
    assert (
        Transformer(8, 8, seed=4).parameters["query0"] != models["none"].parameters["query0"]
    ).any()


def test_gradients_equal_pytorchs() -> None:
    if find_spec("torch") is None:
        pytest.skip("PyTorch is not installed (it is large and only checks the gradients)")
    for settings in SETTINGS:
        compare_with_pytorch(small(**settings), settings["scheme"])


def compare_with_pytorch(model: Transformer, scheme: str) -> None:
    import torch

    targets = np.array([2, 0]) if model.pooled else TOKENS % 3
    loss, gradients = model.loss_and_gradients(TOKENS, targets)
    p = {name: torch.tensor(value, requires_grad=True) for name, value in model.parameters.items()}
    n, x = 5, p["embedding"][torch.tensor(TOKENS)]

    def normed(x: Any) -> Any:
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)

    def turned(z: Any) -> Any:
        angle = torch.outer(
            torch.arange(n).double(), 10_000.0 ** (-torch.arange(0, 4, 2).double() / 4)
        )
        a, b = z[..., 0::2], z[..., 1::2]
        return torch.stack(
            [a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], -1
        ).flatten(-2)

    if scheme == "learned":
        x = x + p["positions"][:n]
    if scheme == "sinusoidal":
        angle = torch.outer(
            torch.arange(n).double(), 10_000.0 ** (-torch.arange(0, 8, 2).double() / 8)
        )
        x = x + torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    t = torch.arange(n)
    extra = torch.zeros(2, n, n).double()
    if scheme == "alibi":
        extra = -torch.tensor([1 / 16, 1 / 256])[:, None, None] * (t[:, None] - t).abs()
    if scheme == "relative":
        extra = p["offsets"][:, t - t[:, None] + 6]
    if model.causal:
        extra = extra.masked_fill(t > t[:, None], -torch.inf)
    for layer in range(model.layers):
        u = normed(x)
        q, k, v = ((u @ p[f"{name}{layer}"]).view(2, n, 2, 4).transpose(1, 2)
                   for name in ("query", "key", "value"))  # fmt: skip
        if scheme == "rotary":
            q, k = turned(q), turned(k)
        o = torch.softmax(q @ k.transpose(-1, -2) / 2 + extra, -1) @ v
        x = x + o.transpose(1, 2).reshape(2, n, 8) @ p[f"output{layer}"]
        x = x + torch.relu(normed(x) @ p[f"up{layer}"] + p[f"threshold{layer}"]) @ p[f"down{layer}"]
    z = normed(x).mean(1) if model.pooled else normed(x)
    expected = torch.nn.functional.cross_entropy(
        (z @ p["unembedding"]).flatten(0, -2), torch.tensor(targets).flatten()
    )
    expected.backward()
    assert loss == pytest.approx(float(expected), rel=1e-9)
    for name, value in gradients.items():
        np.testing.assert_allclose(value, p[name].grad.numpy(), rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scheme": "magic"}, "scheme must be one of none, sinusoidal, .* got 'magic'"),
        ({"d_model": 7, "heads": 1}, "d_model must be even and a multiple of heads = 1, got 7"),
        ({"d_model": 8, "heads": 3}, "multiple of heads = 3, got 8"),
        ({"d_model": 6, "heads": 2, "scheme": "rotary"}, "d_model / heads must be even"),
        ({"layers": 0}, "layers must be at least 1, got 0"),
        ({"max_length": -1}, "max_length must be at least 1"),
        ({"vocabulary": 2.5}, r"vocabulary must be an integer, got 2\.5"),
        ({"classes": True}, "classes must be an integer, got True"),
        ({"d_model": "8"}, "d_model must be an integer, got '8'"),
        ({"scheme": ["none"]}, r"scheme must be one of none, .* got \['none'\]"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"seed": None}, "seed must be an integer, got None"),
        ({"dtype": int}, "dtype must be float64 or float32, got <class 'int'>"),
        ({"dtype": np.float16}, "dtype must be float64 or float32, got <class 'numpy.float16'>"),
        ({"dtype": None}, "dtype must be float64 or float32, got None"),
        ({"dtype": "double trouble"}, "dtype must be float64 or float32, got 'double trouble'"),
    ],
)
def test_models_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Transformer(**{"vocabulary": 6, "classes": 3, **settings})


def test_narrow_integers_are_counts_like_any_others() -> None:
    small, wide = np.uint8(200), Transformer(8, 8, "relative", d_model=200, max_length=200)
    model = Transformer(8, 8, "relative", d_model=small, max_length=small)
    assert model.parameters["offsets"].shape == (2, 399)
    np.testing.assert_array_equal(model(TOKENS), wide(TOKENS))


@pytest.mark.parametrize(
    ("tokens", "targets", "message"),
    [
        ([1, 2, 3], [1, 2, 0], r"tokens must be integers of shape \(batch, length\), .* \(3,\)"),
        ([[1.0, 2.0]], [[1, 2]], "tokens must be integers"),
        ([[]], [[]], "tokens must be integers"),
        (None, [[1, 2]], "tokens must be integers"),
        ([[True]], [[1]], "tokens must be integers"),
        ([[1, 2], [3]], [[1, 2]], r"tokens must form a rectangular array, got \[\[1, 2\], \[3\]\]"),
        ([[1, 2]], [[1, 2], [0]], "targets must form a rectangular array"),
        ([[1, 2]], [["1", "2"]], "targets must be integers"),
        ([[1, 6]], [[1, 2]], "tokens must lie from 0 to 5, got 1 to 6"),
        ([[-1, 0]], [[1, 2]], "tokens must lie from 0 to 5, got -1 to 0"),
        ([[1, 2]], [1, 2], r"targets must be integers of shape \(1, 2\), got .* \(2,\)"),
        ([[1, 2]], [[1, 3]], "targets must lie from -1 to 2, got 1 to 3"),
        ([[1, 2]], [[-1, -1]], "at least one class that counts"),
        ([[1] * 8], [[1] * 8], "longer than the learned table of 7 positions, got length 8"),
    ],
)
def test_input_that_does_not_fit_is_refused_by_name(
    tokens: Any, targets: Any, message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        small(scheme="learned").loss_and_gradients(tokens, targets)
