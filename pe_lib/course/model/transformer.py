"""A Transformer of a few layers: the forward pass, and the gradients derived beside their lines.

Each layer adds to the stream x what attention makes of it, and then what the MLP makes of it:

    x = x + Attention(norm(x))        x = x + MLP(norm(x))

with the root-mean-square norm without a gain. A gradient is written `d_x`: the derivative of the
loss by each number of x, in the shape of x.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _checks
from pe_lib.course.model.schemes import SCHEMES, Array, Scheme

_TINY = 1e-6  # keeps the norm of a zero vector finite


class Transformer:
    """Attention and MLPs over tokens, with positions by a `scheme` that is chosen by its name.

    `vocabulary` is the number of tokens, `classes` of answers; `scheme` is "none", "sinusoidal",
    "learned", "rotary", "alibi" or "relative", each in `schemes`. `causal` lets a position see
    itself and those before it; `pooled` gives one answer a sequence, from the mean over its
    positions, instead of one a position. `max_length` is the size of learned tables. `parameters`
    holds what is learned, by name, as arrays of `dtype`, float32 or float64 (in float16 Adam's
    squares vanish). Built in chapter 6.

    Layers may differ: `turning` names, by the layer's number, a scheme that turns its queries and
    keys in place of `scheme`, and `windows` how many positions a query of that layer sees at most,
    itself and those just before it. Both are empty at first; see chapter 12.

    Raises TypeError or ValueError, which names the argument, for counts that are no positive
    integers, an unknown scheme, a d_model that is odd or no multiple of heads, a seed that is no
    integer of at least 0, and another dtype.

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
                f"scheme must be one of {', '.join(SCHEMES)}, got {_checks.short_repr(scheme)}"
            )
        if d_model % heads or d_model % 2:
            raise ValueError(
                f"d_model must be even and a multiple of heads = {heads}, got {d_model}"
            )
        self.vocabulary, self.classes = vocabulary, classes
        self.heads, self.layers, self.mlp = heads, layers, mlp
        self.causal, self.pooled, self.dtype = causal, pooled, _precision(dtype)
        self.scheme = SCHEMES[scheme](d_model, heads, max_length)
        self.turning: dict[int, Scheme] = {}
        self.windows: dict[int, int] = {}

        rng = np.random.default_rng(_checks.integer("seed", seed, 0))

        def weights(rows: int, columns: int) -> Array:
            drawn: Array = rng.standard_normal((rows, columns)) / np.sqrt(rows)
            return drawn

        start: dict[str, Array] = {"embedding": rng.standard_normal((vocabulary, d_model))}
        for layer in range(layers):
            for name in ("query", "key", "value", "output"):
                start[f"{name}{layer}"] = weights(d_model, d_model)
            if mlp:
                start[f"up{layer}"] = weights(d_model, 2 * d_model)
                start[f"threshold{layer}"] = np.zeros(2 * d_model)
                start[f"down{layer}"] = weights(2 * d_model, d_model)
        start["unembedding"] = weights(d_model, classes)
        start |= self.scheme.parameters(rng)  # last: all schemes start from the same weights
        self.parameters = {name: value.astype(self.dtype) for name, value in start.items()}

    def __call__(self, tokens: ArrayLike) -> Array:
        """The logits: (batch, length, classes), or (batch, classes) if pooled.

        `tokens` is (batch, length), integers from 0 to vocabulary - 1. Raises TypeError or
        ValueError if it is not, and if it is longer than a learned table.
        """
        return self.forward(tokens)[0]

    def attention(self, tokens: ArrayLike) -> list[Array]:
        """The weights of each layer, (batch, heads, queries, keys); raises as a call does."""
        return [kept["weights"] for kept in self.forward(tokens)[1]["layers"]]

    def hidden(self, tokens: ArrayLike) -> list[Array]:
        """The stream, (batch, length, d_model): as it enters, and after each layer."""
        return list(self.forward(tokens)[1]["stream"])

    def loss_and_gradients(
        self, tokens: ArrayLike, targets: ArrayLike
    ) -> tuple[float, dict[str, Array]]:
        """The mean cross-entropy in nats, and its gradient by each parameter.

        `targets` has the shape of the logits without their last axis: the right class, or -1 where
        the answer does not count. Raises TypeError or ValueError for another shape, for classes
        that do not exist, if nothing counts, and as a call does.
        """
        logits, kept = self.forward(tokens)
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
        chance = softmax(logits)
        right = np.take_along_axis(chance, np.maximum(y, 0)[..., None], -1)[..., 0]
        loss = -np.log(right[counts].astype(np.float64)).mean()
        # loss = -mean log softmax(z)_y, so d_z = (softmax(z) - onehot(y)) / count
        d_logits = chance - np.eye(self.classes, dtype=self.dtype)[y]
        d_logits *= (counts / counts.sum())[..., None].astype(self.dtype)
        return float(loss), self._backward(d_logits, kept)

    def forward(
        self, tokens: ArrayLike, weigh: Callable[[int, Array], Array] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """The logits, as a call gives them, and what was computed on the way.

        Of that, `"stream"` is what `hidden` returns, and `"layers"` has for each layer `"q"`, `"k"`
        (both turned) and `"v"`, (batch, heads, length, width), and the `"weights"` of `attention`.

        An experiment takes hold of the weights: `weigh(layer, weights)` returns those that are used
        in place of `weights`. It may return them as they are. Raises as a call does.

        >>> model = Transformer(vocabulary=8, classes=8, mlp=False)
        >>> logits, kept = model.forward([[3, 1, 4]], lambda layer, weights: 0 * weights)
        >>> before, after = kept["stream"]
        >>> bool((before == after).all())  # it looked nowhere
        True
        """
        p, tok = self.parameters, self._checked(tokens)
        length = tok.shape[1]
        extra = np.asarray(self.scheme.bias(p, length), self.dtype)
        if self.causal:
            extra = extra + np.where(np.tri(length, dtype=bool), 0, -np.inf).astype(self.dtype)

        x = p["embedding"][tok] + np.asarray(self.scheme.added(p, length), self.dtype)
        stream, layers = [x], []
        for n in range(self.layers):
            u, scale = norm(x)
            q, k, v = (self._split(u @ p[f"{name}{n}"]) for name in ("query", "key", "value"))
            turned = self.turning.get(n, self.scheme).turned
            q, k = turned(q), turned(k)
            weights = softmax(q @ k.swapaxes(-1, -2) / root(q) + extra + self._unseen(n, length))
            if weigh:
                weights = weigh(n, weights)
            o = self._join(weights @ v)
            x = x + o @ p[f"output{n}"]
            kept = {"u": u, "scale": scale, "q": q, "k": k, "v": v, "weights": weights, "o": o}
            if self.mlp:
                m, scale = norm(x)
                g = np.maximum(m @ p[f"up{n}"] + p[f"threshold{n}"], 0)
                x = x + g @ p[f"down{n}"]
                kept |= {"m": m, "mlp_scale": scale, "g": g}
            stream.append(x)
            layers.append(kept)
        f, scale = norm(x)
        z = f.mean(axis=1) if self.pooled else f
        end = {"tokens": tok, "stream": stream, "layers": layers, "f": f, "scale": scale, "z": z}
        return z @ p["unembedding"], end

    def _backward(self, d_logits: Array, kept: dict[str, Any]) -> dict[str, Array]:
        p, found = self.parameters, {}

        def through(name: str, entered: Array, d_left: Array) -> Array:
            """For left = entered @ W: d_W = enteredᵀ d_left; returns d_entered = d_left Wᵀ."""
            found[name] = flat(entered).T @ flat(d_left)
            d_entered: Array = d_left @ p[name].T
            return d_entered

        d_z = through("unembedding", kept["z"], d_logits)
        f = kept["f"]
        # the mean hands each position its share
        d_f = np.broadcast_to(d_z[:, None] / f.shape[1], f.shape) if self.pooled else d_z
        d_x = norm_back(d_f, f, kept["scale"])
        d_scores: Array = np.zeros(1, self.dtype)
        for n in reversed(range(self.layers)):
            layer = kept["layers"][n]
            if self.mlp:
                # x = x + g W: the first x passes d_x on, the product sends its own
                d_g = through(f"down{n}", layer["g"], d_x) * (layer["g"] > 0)  # max(·, 0)
                found[f"threshold{n}"] = flat(d_g).sum(axis=0)
                d_m = through(f"up{n}", layer["m"], d_g)
                d_x = d_x + norm_back(d_m, layer["m"], layer["mlp_scale"])
            q, k, v, weights = (layer[name] for name in ("q", "k", "v", "weights"))
            d_o = self._split(through(f"output{n}", layer["o"], d_x))
            d_v = weights.swapaxes(-1, -2) @ d_o  # o = weights v
            d_weights = d_o @ v.swapaxes(-1, -2)
            # softmax, row by row: d_score = weight · (d_weight - Σ weight · d_weight)
            d_s = weights * (d_weights - np.vecdot(weights, d_weights)[..., None])
            d_q = d_s @ k / root(q)  # scores = q kᵀ / √width + extra
            d_k = d_s.swapaxes(-1, -2) @ q / root(q)
            turned = self.turning.get(n, self.scheme).turned
            d_q, d_k = turned(d_q, back=True), turned(d_k, back=True)
            d_u = np.zeros_like(d_x)
            for name, d in (("query", d_q), ("key", d_k), ("value", d_v)):
                d_u += through(f"{name}{n}", layer["u"], self._join(d))
            d_x = d_x + norm_back(d_u, layer["u"], layer["scale"])
            d_scores = d_scores + d_s
        # taking a token's row is the product onehot(tokens) @ W
        through("embedding", np.eye(self.vocabulary, dtype=self.dtype)[kept["tokens"]], d_x)
        found |= self.scheme.gradients(d_x, d_scores)
        return {name: found[name].astype(self.dtype) for name in p}

    def _unseen(self, layer: int, length: int) -> Array | float:
        """-inf where a key lies outside the layer's window: (queries, keys), or nothing."""
        if layer not in self.windows:
            return 0.0
        window = _checks.integer(f"windows[{layer}]", self.windows[layer], 1)
        offset = np.subtract.outer(np.arange(length), np.arange(length))
        inside = (offset >= 0) & (offset < window)
        return np.where(inside, 0, -np.inf).astype(self.dtype)

    def _split(self, x: Array) -> Array:
        """(batch, length, d_model) → (batch, heads, length, width)."""
        batch, length, d_model = x.shape
        return x.reshape(batch, length, self.heads, d_model // self.heads).swapaxes(1, 2)

    def _join(self, x: Array) -> Array:
        """(batch, heads, length, width) → (batch, length, d_model)."""
        batch, heads, length, width = x.shape
        return x.swapaxes(1, 2).reshape(batch, length, heads * width)

    def _checked(self, tokens: ArrayLike) -> NDArray[np.integer[Any]]:
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
    """float64 or float32."""
    with suppress(ValueError):
        known = _checks.precision(dtype)
        if known != np.float16:
            return known
    raise ValueError(f"dtype must be float64 or float32, got {_checks.short_repr(dtype)}")


def softmax(scores: Array) -> Array:
    """Along the last axis: powers of e that sum to 1."""
    power = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: Array = power / power.sum(axis=-1, keepdims=True)
    return result


def norm(x: Array) -> tuple[Array, Array]:
    """y = x / rms(x), row by row, and 1 / rms(x)."""
    scale = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(_TINY))
    return x * scale, scale


def norm_back(d_y: Array, y: Array, scale: Array) -> Array:
    """d_x of y = x / rms(x): d_x = (d_y - y · mean(y d_y)) / rms(x).

    The second part is what the change of the rms takes away.
    """
    result: Array = scale * (d_y - y * (d_y * y).mean(axis=-1, keepdims=True))
    return result


def root(q: Array) -> Any:
    """√width of the heads, in their precision."""
    return q.dtype.type(np.sqrt(q.shape[-1]))


def flat(x: Array) -> Array:
    """All rows below one another: (rows, columns)."""
    return x.reshape(-1, x.shape[-1])
