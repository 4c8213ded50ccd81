"""Define a small Transformer, with a forward pass and with gradients that are derived by hand.

Each layer first adds the output of attention to the residual stream x, and then that of an MLP:

    x = x + Attention(norm(x))        x = x + MLP(norm(x))

The norm is the root-mean-square norm without a gain. A gradient is written `d_x`. It has the shape
of x and holds the derivative of the loss by each number in x.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _checks
from pe_lib.course.model.schemes import SCHEMES, Array, Scheme

_TINY = 1e-6  # prevents a division by zero for zero vectors


class Transformer:
    """A small Transformer. Its position encoding is one of several schemes, chosen by name.

    `vocabulary` is the number of tokens and `classes` the number of answers. `scheme` is "none",
    "sinusoidal", "learned", "rotary", "alibi" or "relative". The module `schemes` defines these
    schemes. With `causal=True` a position sees itself and the positions before it. With
    `pooled=True` the model gives one answer per sequence, from the mean over its positions, instead
    of one answer per position. `max_length` is the number of rows of a learned table. `dtype` is
    float32 or float64. In float16 the squared gradients that Adam averages would become zero.

    The attribute `parameters` is a dictionary of all learned arrays. With the attribute
    `residual` set to False, attention and MLP replace x in the two lines above instead of adding to
    it. This is a control for an experiment. Two further attributes, empty at first, let layers
    differ. `turning` maps a layer's number to a scheme that rotates its
    queries and keys in place of `scheme`. `windows` maps it to the number of positions that a query
    of this layer sees at most, itself included. See chapter 12.

    Raises TypeError or ValueError, naming the argument, for a count that is not a positive integer,
    an unknown scheme, a d_model that is odd or not a multiple of heads, a negative seed, and any
    other dtype. Source: chapter 6 builds this model.

    >>> model = Transformer(vocabulary=8, classes=8, scheme="learned", max_length=16)
    >>> model([[3, 1, 4]]).shape
    (1, 3, 8)
    """

    def __init__(
        self,
        vocabulary: int,
        classes: int,
        scheme: str = "sinusoidal",
        *,
        d_model: int = 32,
        heads: int = 2,
        layers: int = 1,
        causal: bool = False,
        pooled: bool = False,
        mlp: bool = True,
        max_length: int = 64,
        seed: int = 0,
        dtype: DTypeLike = np.float32,
    ) -> None:
        counts = {"vocabulary": vocabulary, "classes": classes, "d_model": d_model,
                  "heads": heads, "layers": layers, "max_length": max_length}  # fmt: skip
        vocabulary, classes, d_model, heads, layers, max_length = (
            _checks.integer(name, count, 1) for name, count in counts.items()
        )
        if not isinstance(scheme, str) or scheme not in SCHEMES:
            raise ValueError(
                f"scheme must be one of {', '.join(SCHEMES)}, got {_checks.quote(scheme)}"
            )
        if d_model % heads or d_model % 2:
            raise ValueError(
                f"d_model must be even and a multiple of heads = {heads}, got {d_model}"
            )
        self.vocabulary, self.classes = vocabulary, classes
        self.heads, self.layers, self.mlp = heads, layers, mlp
        self.causal, self.pooled, self.dtype = causal, pooled, _precision(dtype)
        self.scheme = SCHEMES[scheme](d_model, heads, max_length)
        self.residual = True
        self.turning: dict[int, Scheme] = {}
        self.windows: dict[int, int] = {}

        rng = np.random.default_rng(_checks.integer("seed", seed, 0))

        def draw_weights(rows: int, columns: int) -> Array:
            matrix: Array = rng.standard_normal((rows, columns)) / np.sqrt(rows)
            return matrix

        start: dict[str, Array] = {"embedding": rng.standard_normal((vocabulary, d_model))}
        for layer in range(layers):
            for name in ("query", "key", "value", "output"):
                start[f"{name}{layer}"] = draw_weights(d_model, d_model)
            if mlp:
                start[f"up{layer}"] = draw_weights(d_model, 2 * d_model)
                start[f"threshold{layer}"] = np.zeros(2 * d_model)
                start[f"down{layer}"] = draw_weights(2 * d_model, d_model)
        start["unembedding"] = draw_weights(d_model, classes)
        # The scheme's parameters are drawn last, so that other weights do not depend on the scheme.
        start |= self.scheme.parameters(rng)
        self.parameters = {name: value.astype(self.dtype) for name, value in start.items()}

    def __call__(self, tokens: ArrayLike) -> Array:
        """Return the logits, of shape (batch, length, classes), or (batch, classes) if pooled.

        `tokens` has shape (batch, length) and holds integers from 0 to vocabulary - 1. Raises
        TypeError or ValueError if it does not, or if it is longer than a learned table.
        """
        return self.forward(tokens)[0]

    def attention(self, tokens: ArrayLike) -> list[Array]:
        """Return each layer's attention weights, of shape (batch, heads, queries, keys).

        Raises the errors of calling the model.
        """
        return [layer["weights"] for layer in self.forward(tokens)[1]["layers"]]

    def hidden(self, tokens: ArrayLike) -> list[Array]:
        """Return the residual stream before the first layer and after each layer.

        Each array has shape (batch, length, d_model). Raises the errors of calling the model.
        """
        return list(self.forward(tokens)[1]["stream"])

    def loss_and_gradients(
        self, tokens: ArrayLike, targets: ArrayLike
    ) -> tuple[float, dict[str, Array]]:
        """Return the mean cross-entropy in nats, and its gradient for each parameter.

        `targets` has the shape of the logits without their last axis. It holds the right class, or
        -1 where an answer does not count. Raises TypeError or ValueError for another shape, for a
        class that does not exist, and if no answer counts, in addition to the errors of calling the
        model.
        """
        logits, activations = self.forward(tokens)
        y = _checks.reals("targets", targets)
        if y.shape != logits.shape[:-1] or y.dtype.kind not in "iu":
            raise ValueError(
                f"targets must be integers of shape {logits.shape[:-1]}, "
                f"got {y.dtype} of shape {y.shape}"
            )
        if y.min() < -1 or y.max() >= self.classes:
            raise ValueError(
                f"targets must lie from -1 to {self.classes - 1}, got {y.min()} to {y.max()}"
            )
        counts = y >= 0
        if not counts.any():
            raise ValueError("targets must hold at least one class that counts, got only -1")
        probabilities = softmax(logits)
        of_target = np.take_along_axis(probabilities, np.maximum(y, 0)[..., None], -1)[..., 0]
        loss = -np.log(of_target[counts].astype(np.float64)).mean()
        # loss = -mean log softmax(z)_y, so d_z = (softmax(z) - onehot(y)) / count
        d_logits = probabilities - np.eye(self.classes, dtype=self.dtype)[y]
        d_logits *= (counts / counts.sum())[..., None].astype(self.dtype)
        return float(loss), self._backward(d_logits, activations)

    def forward(
        self, tokens: ArrayLike, weigh: Callable[[int, Array], Array] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Return the logits, and a dictionary of the intermediate results that led to them.

        In this dictionary `"stream"` is the list that `hidden` returns. `"layers"` holds for each
        layer `"q"`, `"k"` and `"v"`, of shape (batch, heads, length, width), and the attention
        `"weights"`. Queries and keys are those after the rotation of the scheme.

        An experiment can replace the attention weights: if `weigh` is given, the model uses
        `weigh(layer, weights)` in place of `weights`. Raises the errors of a call.

        >>> model = Transformer(vocabulary=8, classes=8, mlp=False)
        >>> logits, activations = model.forward([[3, 1, 4]], lambda layer, weights: 0 * weights)
        >>> before, after = activations["stream"]
        >>> bool((before == after).all())  # with weights of zero, attention adds nothing
        True
        """
        p, tok = self.parameters, self._check_tokens(tokens)
        length = tok.shape[1]
        extra = np.asarray(self.scheme.bias(p, length), self.dtype)
        if self.causal:
            extra = extra + np.where(np.tri(length, dtype=bool), 0, -np.inf).astype(self.dtype)

        x = p["embedding"][tok] + np.asarray(self.scheme.added(p, length), self.dtype)
        stream, layers = [x], []
        for n in range(self.layers):
            u, scale = norm(x)
            q, k, v = (self._split(u @ p[f"{name}{n}"]) for name in ("query", "key", "value"))
            rotate = self.turning.get(n, self.scheme).turned
            q, k = rotate(q), rotate(k)
            mask = self._window_mask(n, length)
            weights = softmax(q @ k.swapaxes(-1, -2) / root_of_width(q) + extra + mask)
            if weigh:
                weights = weigh(n, weights)
            o = self._join(weights @ v)
            x = self.residual * x + o @ p[f"output{n}"]
            layer = {"u": u, "scale": scale, "q": q, "k": k, "v": v, "weights": weights, "o": o}
            if self.mlp:
                m, scale = norm(x)
                g = np.maximum(m @ p[f"up{n}"] + p[f"threshold{n}"], 0)
                x = self.residual * x + g @ p[f"down{n}"]
                layer |= {"m": m, "mlp_scale": scale, "g": g}
            stream.append(x)
            layers.append(layer)
        f, scale = norm(x)
        z = f.mean(axis=1) if self.pooled else f
        end = {"tokens": tok, "stream": stream, "layers": layers, "f": f, "scale": scale, "z": z}
        return z @ p["unembedding"], end

    def _backward(self, d_logits: Array, activations: dict[str, Any]) -> dict[str, Array]:
        """Return the gradient of the loss for each parameter, given the gradient for the logits."""
        p, gradients = self.parameters, {}

        def pass_product(name: str, x: Array, d_y: Array) -> Array:
            """For a product y = x W, store the gradient d_W = xᵀ d_y, and return d_x = d_y Wᵀ."""
            gradients[name] = flatten_rows(x).T @ flatten_rows(d_y)
            d_x: Array = d_y @ p[name].T
            return d_x

        d_z = pass_product("unembedding", activations["z"], d_logits)
        f = activations["f"]
        # Pooling takes the mean over n positions, so each position's gradient is divided by n.
        d_f = np.broadcast_to(d_z[:, None] / f.shape[1], f.shape) if self.pooled else d_z
        d_x = norm_back(d_f, f, activations["scale"])
        d_scores: Array = np.zeros(1, self.dtype)
        for n in reversed(range(self.layers)):
            layer = activations["layers"][n]
            if self.mlp:
                # In x + g W, the gradient reaches x twice: directly, and through g.
                d_g = pass_product(f"down{n}", layer["g"], d_x) * (layer["g"] > 0)  # max(·, 0)
                gradients[f"threshold{n}"] = flatten_rows(d_g).sum(axis=0)
                d_m = pass_product(f"up{n}", layer["m"], d_g)
                d_x = self.residual * d_x + norm_back(d_m, layer["m"], layer["mlp_scale"])
            q, k, v, weights = (layer[name] for name in ("q", "k", "v", "weights"))
            d_o = self._split(pass_product(f"output{n}", layer["o"], d_x))
            d_v = weights.swapaxes(-1, -2) @ d_o  # o = weights v
            d_weights = d_o @ v.swapaxes(-1, -2)
            # gradient of softmax in each row: d_score = weight · (d_weight - Σ weight · d_weight)
            d_s = weights * (d_weights - np.vecdot(weights, d_weights)[..., None])
            d_q = d_s @ k / root_of_width(q)  # since scores = q kᵀ / √width + extra
            d_k = d_s.swapaxes(-1, -2) @ q / root_of_width(q)
            rotate = self.turning.get(n, self.scheme).turned
            d_q, d_k = rotate(d_q, back=True), rotate(d_k, back=True)
            d_u = np.zeros_like(d_x)
            for name, d in (("query", d_q), ("key", d_k), ("value", d_v)):
                d_u += pass_product(f"{name}{n}", layer["u"], self._join(d))
            d_x = self.residual * d_x + norm_back(d_u, layer["u"], layer["scale"])
            d_scores = d_scores + d_s
        # Looking up rows of W by token equals the product onehot(tokens) @ W.
        onehot = np.eye(self.vocabulary, dtype=self.dtype)[activations["tokens"]]
        pass_product("embedding", onehot, d_x)
        gradients |= self.scheme.gradients(d_x, d_scores)
        return {name: gradients[name].astype(self.dtype) for name in p}

    def _window_mask(self, layer: int, length: int) -> Array | float:
        """Return an array (queries, keys) with -inf where the key is outside the layer's window.

        Without a window the method returns zero.
        """
        if layer not in self.windows:
            return 0.0
        window = _checks.integer(f"windows[{layer}]", self.windows[layer], 1)
        offset = np.subtract.outer(np.arange(length), np.arange(length))
        inside = (offset >= 0) & (offset < window)
        return np.where(inside, 0, -np.inf).astype(self.dtype)

    def _split(self, x: Array) -> Array:
        """Reshape (batch, length, d_model) to separate heads: (batch, heads, length, width)."""
        batch, length, d_model = x.shape
        return x.reshape(batch, length, self.heads, d_model // self.heads).swapaxes(1, 2)

    def _join(self, x: Array) -> Array:
        """Join the heads by reshaping (batch, heads, length, width) to (batch, length, d_model)."""
        batch, heads, length, width = x.shape
        return x.swapaxes(1, 2).reshape(batch, length, heads * width)

    def _check_tokens(self, tokens: ArrayLike) -> NDArray[np.integer[Any]]:
        """Return `tokens` as an array, or raise an error if they do not form a valid batch."""
        tok = _checks.reals("tokens", tokens)
        if tok.ndim != 2 or 0 in tok.shape or tok.dtype.kind not in "iu":
            raise ValueError(
                f"tokens must be integers of shape (batch, length), got {tok.dtype} "
                f"of shape {tok.shape}"
            )
        if tok.min() < 0 or tok.max() >= self.vocabulary:
            raise ValueError(
                f"tokens must lie from 0 to {self.vocabulary - 1}, got {tok.min()} to {tok.max()}"
            )
        return tok


def _precision(dtype: DTypeLike) -> np.dtype[np.floating[Any]]:
    """Return `dtype` as a numpy dtype, or raise an error if it is not float64 or float32."""
    with suppress(ValueError):
        precision = _checks.precision(dtype)
        if precision != np.float16:
            return precision
    raise ValueError(f"dtype must be float64 or float32, got {_checks.quote(dtype)}")


def softmax(scores: Array) -> Array:
    """Return the softmax along the last axis: exp(score), divided by the sum of its row."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: Array = powers / powers.sum(axis=-1, keepdims=True)
    return result


def norm(x: Array) -> tuple[Array, Array]:
    """Return x / rms(x) for each row, and the factor 1 / rms(x)."""
    scale = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(_TINY))
    return x * scale, scale


def norm_back(d_y: Array, y: Array, scale: Array) -> Array:
    """Return the gradient of x, given the gradient d_y of y = x / rms(x).

    The second term arises because rms(x) also depends on x.
    """
    result: Array = scale * (d_y - y * (d_y * y).mean(axis=-1, keepdims=True))
    return result


def root_of_width(q: Array) -> Any:
    """Return √(head width) in the dtype of `q`."""
    return q.dtype.type(np.sqrt(q.shape[-1]))


def flatten_rows(x: Array) -> Array:
    """Reshape an array to a matrix with one row for each vector along the last axis."""
    return x.reshape(-1, x.shape[-1])
