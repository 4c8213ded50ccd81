"""Define six ways to give a Transformer its positions, as classes with the same methods.

A scheme may add a vector to each input, rotate queries and keys, or add a number to each score. A
scheme's learned parameters are trained like those of the model, and the scheme computes their
gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import alibi_bias, clipped_offsets
from pe_lib.rotary import rotate
from pe_lib.sinusoidal import encode, frequencies

Array = NDArray[Any]  # float32 in training, and float64 when gradients are checked


class Scheme:
    """The scheme "none", in which a model gets no positions. Other schemes override its methods.

    `d_model` is the width of the model and `heads` its number of heads, so each head is
    d_model/heads wide. A scheme with learned parameters has them for `max_length` positions.
    """

    def __init__(self, d_model: int, heads: int, max_length: int) -> None:
        self.d_model, self.heads, self.max_length = d_model, heads, max_length

    def parameters(self, rng: np.random.Generator) -> dict[str, Array]:
        """Return a dictionary of the initial values of the parameters that this scheme learns."""
        return {}

    def added(self, parameters: dict[str, Array], length: int) -> Array | float:
        """Return the array (length, d_model) that is added to the embeddings, by default 0."""
        return 0.0

    def turned(self, heads: Array, back: bool = False) -> Array:
        """Return queries or keys with their positions encoded. By default, return them unchanged.

        `heads` has shape (batch, heads, length, width). With `back=True` the transposed map is
        applied. It takes the gradient with respect to the result to the gradient with respect to
        `heads`.
        """
        return heads

    def bias(self, parameters: dict[str, Array], length: int) -> Array | float:
        """Return the array (heads, queries, keys) that is added to the scores, by default 0."""
        return 0.0

    def gradients(self, inputs: Array, scores: Array) -> dict[str, Array]:
        """Return the gradients of the parameters that this scheme learns.

        `inputs` is the gradient of the model's input, of shape (batch, length, d_model). `scores`
        is the gradient of the scores, of shape (batch, heads, queries, keys), summed over the
        layers.
        """
        return {}


class Sinusoidal(Scheme):
    """Add the sinusoidal encoding of Vaswani et al. (2017), section 3.5. See chapter 2."""

    def added(self, parameters: dict[str, Array], length: int) -> Array:
        return encode(range(length), self.d_model)


class Learned(Scheme):
    """Add row t of a learned table at position t (learned position embeddings). See chapter 6.

    The table has `max_length` rows. It starts with random rows, which are on average as long as
    sinusoidal encodings.
    """

    def parameters(self, rng: np.random.Generator) -> dict[str, Array]:
        return {"positions": rng.standard_normal((self.max_length, self.d_model)) / np.sqrt(2)}

    def added(self, parameters: dict[str, Array], length: int) -> Array:
        rows = len(parameters["positions"])
        if length > rows:
            raise ValueError(
                f"tokens must not be longer than the learned table of {rows} positions, "
                f"got length {length}"
            )
        return parameters["positions"][:length]

    def gradients(self, inputs: Array, scores: Array) -> dict[str, Array]:
        # Row t is added to each sequence in the batch, so its gradient is a sum over the batch.
        # Rows beyond the length of the sequences are not used, so their gradients are zero.
        table = np.zeros((self.max_length, self.d_model), inputs.dtype)
        table[: inputs.shape[1]] = inputs.sum(axis=0)
        return {"positions": table}


class Rotary(Scheme):
    """Rotate pair i of each query and key at position t by ω_i t, as `rotary.rotate` does.

    The layout is interleaved and the rotation counter-clockwise. Source: Su et al. (2021), section
    3.2.2. See chapter 8.

    `frequencies` has shape (width/2,), in radians per position. `scale` is a factor of all queries
    and keys. Both are read at each call, so they can be replaced when a trained model has to read
    longer texts.
    """

    def __init__(self, d_model: int, heads: int, max_length: int) -> None:
        super().__init__(d_model, heads, max_length)
        if (d_model // heads) % 2:
            raise ValueError(
                f"d_model / heads must be even for rotary, got {d_model} / {heads} = "
                f"{d_model // heads}"
            )
        self.frequencies: Array = frequencies(d_model // heads)
        self.scale = 1.0

    def turned(self, heads: Array, back: bool = False) -> Array:
        t = np.arange(heads.shape[-2])
        return self.scale * rotate(heads, -t if back else t, frequencies=self.frequencies)


class Alibi(Scheme):
    """Subtract slope · |t - s| from the score between a query at t and a key at s.

    The numbers come from `biases.alibi_bias`, and the mask from the model. Source: Press, Smith and
    Lewis (2022), section 3. See chapter 9.
    """

    def bias(self, parameters: dict[str, Array], length: int) -> Array:
        return alibi_bias(length=length, heads=self.heads, causal=False)


class Relative(Scheme):
    """Add to each score a learned number for its head and offset, which all layers share.

    This is the scheme of Raffel et al. (2020), section 2.1, but without their buckets. Offsets
    beyond ±(max_length - 1) share the number of the last offset.
    """

    def parameters(self, rng: np.random.Generator) -> dict[str, Array]:
        return {"offsets": np.zeros((self.heads, 2 * self.max_length - 1))}

    def bias(self, parameters: dict[str, Array], length: int) -> Array:
        result: Array = parameters["offsets"][:, clipped_offsets(length, self.max_length - 1)]
        return result

    def gradients(self, inputs: Array, scores: Array) -> dict[str, Array]:
        # Scores with equal offsets share a bias, so its gradient is the sum of their gradients.
        columns = clipped_offsets(scores.shape[-1], self.max_length - 1).ravel()
        sums = scores.sum(axis=0).reshape(self.heads, -1)
        size = 2 * self.max_length - 1
        return {"offsets": np.stack([np.bincount(columns, row, size) for row in sums])}


SCHEMES: dict[str, type[Scheme]] = {
    "none": Scheme,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "rotary": Rotary,
    "alibi": Alibi,
    "relative": Relative,
}
