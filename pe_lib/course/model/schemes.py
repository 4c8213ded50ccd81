"""Where positions come into a Transformer: six schemes, each a small object with the same methods.

A scheme may add a vector to the input, turn queries and keys, or add a number to each score; what
it learns are parameters like any others, with their gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import alibi_bias, clipped_offsets
from pe_lib.rotary import rotate
from pe_lib.sinusoidal import encode, frequencies

Array = NDArray[Any]  # floats: float32, or float64 to check gradients


class Scheme:
    """No positions at all ("none"); every other scheme changes one or two of these methods.

    `d_model` and `heads` are the model's, so that a head is d_model/heads wide; `max_length` is the
    number of positions for which a scheme with parameters has some.
    """

    def __init__(self, d_model: int, heads: int, max_length: int) -> None:
        self.d_model, self.heads, self.max_length = d_model, heads, max_length

    def parameters(self, rng: np.random.Generator) -> dict[str, Array]:
        """What is learned, as it is at the start."""
        return {}

    def added(self, parameters: dict[str, Array], length: int) -> Array | float:
        """What is added to the embeddings: (length, d_model), or nothing."""
        return 0.0

    def turned(self, heads: Array, back: bool = False) -> Array:
        """Queries or keys, (batch, heads, length, width), with positions in them; `back` takes the
        gradient by them to that by what came in (the transposed map)."""
        return heads

    def bias(self, parameters: dict[str, Array], length: int) -> Array | float:
        """What is added to the scores: (heads, queries, keys), or nothing."""
        return 0.0

    def gradients(self, inputs: Array, scores: Array) -> dict[str, Array]:
        """Of the parameters, from those of the inputs, (batch, length, d_model), and the scores,
        (batch, heads, queries, keys), summed over layers."""
        return {}


class Sinusoidal(Scheme):
    """Adds the encoding of Vaswani et al. (2017), section 3.5; see chapter 2."""

    def added(self, parameters: dict[str, Array], length: int) -> Array:
        return encode(range(length), self.d_model)


class Learned(Scheme):
    """Adds the row of a learned table: absolute position embeddings, chapter 6.

    The table starts random, its rows as long as sinusoidal encodings are on average, and ends at
    `max_length`.
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
        # the row of position t is added in every sequence: its gradient is the sum over the batch;
        # rows beyond the length were not used, and get zero
        table = np.zeros((self.max_length, self.d_model), inputs.dtype)
        table[: inputs.shape[1]] = inputs.sum(axis=0)
        return {"positions": table}


class Rotary(Scheme):
    """Turns pair i of every query and key at t by w_i t, as `rotary.rotate` does (interleaved,
    counter-clockwise): Su et al. (2021), section 3.2.2; see chapter 8.

    `frequencies`, (width/2,) radians per position, and `scale`, a factor of all queries and keys,
    are read at each call: put others in their place when a trained model is to read longer texts.
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
    """Subtracts slope · |t - s| from the scores: `biases.alibi_bias`, the mask being the model's.

    Press, Smith and Lewis (2022), section 3; see chapter 9.
    """

    def bias(self, parameters: dict[str, Array], length: int) -> Array:
        return alibi_bias(length=length, heads=self.heads, causal=False)


class Relative(Scheme):
    """Adds a learned number for each head and offset to the scores, shared by all layers.

    Like Raffel et al. (2020), section 2.1, without their buckets: offsets beyond
    ±(max_length - 1) share the last number.
    """

    def parameters(self, rng: np.random.Generator) -> dict[str, Array]:
        return {"offsets": np.zeros((self.heads, 2 * self.max_length - 1))}

    def bias(self, parameters: dict[str, Array], length: int) -> Array:
        result: Array = parameters["offsets"][:, clipped_offsets(length, self.max_length - 1)]
        return result

    def gradients(self, inputs: Array, scores: Array) -> dict[str, Array]:
        # a number occurs in every score with its offset: its gradient is the sum of theirs
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
