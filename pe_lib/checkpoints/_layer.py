"""Define `Layer`, which describes what one layer of a model does with positions."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_lib import _checks, context

Scheme: TypeAlias = Literal[
    "rotary",
    "rotary_axes",
    "none",
    "alibi",
    "t5",
    "offsets",
    "learned",
    "sinusoidal",
    "convolution",
]


@dataclass(frozen=True, eq=False)
class Layer:
    """A description, in numbers, of what one layer of a model does with positions.

    A rotary layer rotates pairs of entries of each query and key. `cos_sin(positions)` returns the
    cosines and sines of these rotations, as an inference engine stores them, and `rotate` applies
    them, given the layer's `frequencies` and `layout`:

    >>> from pe_lib.rotary import rotate
    >>> from pe_lib.checkpoints import layers
    >>> layer = layers({"model_type": "llama", "head_dim": 4, "num_hidden_layers": 1})[0]
    >>> cos, sin = layer.cos_sin(range(8192))
    >>> cos.shape  # 8,192 positions, two pairs
    (8192, 2)
    >>> query = [1.0, 0.0, 0.0, 0.0]
    >>> rotate(query, 1, frequencies=layer.frequencies, layout=layer.layout).round(4)
    array([0.5403, 0.    , 0.8415, 0.    ])
    >>> cos[1].round(4), sin[1].round(4)
    (array([0.5403, 1.    ], dtype=float32), array([0.8415, 0.01  ], dtype=float32))

    A query or key head has `width` entries. Its pairs lie in the `turned` entries from entry
    `start` on, in the `layout` of the weights. Pair i rotates by `frequencies[i]` radians per
    position; a pair of frequency 0 stands still. The cosines and sines are multiplied by
    `amplitude`, and the scores by `softmax_scale`/√width. A layer with a `window` sees that many
    keys: the query's own position and the window - 1 before it.

    A token of a "rotary_axes" layer has several positions, such as a row and a column: pair i
    rotates by the position on the axis that `axes[i]` names in `axis_names`. The frequencies of a
    "sinusoidal" layer are those of the whole encoding, with the sines first. If a "learned" table
    has frequencies, it began as such an encoding, and may have been trained further. A learned
    table, sinusoids or a convolution are added once, before the first layer, but every layer lists
    them.
    The image towers that rotate and add a learned table as well give the table's length in `rows`.

    An "offsets" layer has a learned bias for each offset between two patches of a window, or of the
    whole image, with `sides` rows and columns of patches. The table of biases has `rows` rows, of
    which the last three may belong to a class token, and `row_width` columns, one for each head.
    """

    scheme: Scheme
    # the width of a query or key head, or 0 if the layer computes no attention scores
    width: int = 0
    turned: int = 0  # the number of entries in a head that belong to rotated pairs
    frequencies: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (turned/2,)
    amplitude: float = 1.0  # multiplies cos and sin
    softmax_scale: float = 1.0  # multiplies the attention scores, in addition to 1/√width
    layout: Literal["halves", "interleaved", ""] = ""
    # how transformers' cosines and sines repeat each pair, as two blocks or side by side, if known
    repeats: Literal["halves", "interleaved", ""] = ""
    # the largest number of keys that a query sees, or the length of a chunk
    window: int | None = None
    first_position: int = 0  # the index of the table row for the first token
    # "full", "sliding", "chunked", "indexed", "compressed", "hybrid", "linear", "mamba", "conv" …
    kind: str = "full"
    part: str = "decoder"  # "decoder", "encoder", "vision" or "audio"
    start: int = 0  # the index of the first rotated entry in a head
    base: float | None = None
    scaling: str = ""  # "default", "linear", "dynamic", "yarn", "longrope", "llama3", …
    axes: NDArray[np.intp] | None = None  # (turned/2,): the axis whose position rotates each pair
    axis_names: tuple[str, ...] = ()
    unit: str = "position"  # the unit in which positions are counted
    growth: tuple[float, int, int] | None = (
        None  # what `query_scale` passes to `context.growing`, or None if queries do not grow
    )
    # the text length above which frequencies change ("dynamic" and "longrope")
    switch: int | None = None
    rows: int | None = None  # how many positions have a row in the position table
    # how many entries a row of the position table has, or of T5's table: one for each head
    row_width: int | None = None
    slopes: NDArray[np.float64] | None = None  # the slope of each head in ALiBi
    buckets: int | None = None  # the number of buckets in T5
    # T5's largest distance, or half the width of the convolution kernel
    max_distance: int | None = None
    two_sided: bool = False  # whether a query also sees later keys
    keys: int | None = None  # in an indexed layer, the largest number of keys that a query sees
    indexer: "Layer | None" = None  # the heads that choose which keys each query sees
    sink: bool = False  # whether the softmax also includes a learned score that belongs to no key
    cosine_first: bool = False  # whether a table of sinusoids has its cosines before its sines
    # how many rows and columns of patches a window or an image has, if each offset has a bias
    sides: tuple[int, int] | None = None
    # the number of the layer's stage, in a tower that merges patches between its stages
    stage: int | None = None

    def __post_init__(self) -> None:
        for array in (self.frequencies, self.axes, self.slopes):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        """Return the fields that differ from their defaults as text, with long arrays shortened."""
        parts = [repr(self.scheme)]
        for field_ in fields(self)[1:]:
            value = getattr(self, field_.name)
            if isinstance(value, np.ndarray):
                if value.size:
                    ends = f"{value[0]:.6g} … {value[-1]:.6g}"
                    parts.append(f"{field_.name}=<{value.size}: {ends}>")
            elif field_.default is MISSING or value != field_.default:
                parts.append(f"{field_.name}={value!r}")
        return f"Layer({', '.join(parts)})"

    def same(self, other: "Layer") -> bool:
        """Return whether two layers are equal in every field, including all entries of arrays."""
        return self.key() == other.key()

    def key(self) -> tuple[Any, ...]:
        """Return a hashable tuple that is equal for equal layers, for use as a dictionary key."""
        values = [getattr(self, field_.name) for field_ in fields(self)]
        plain = [value.tobytes() if isinstance(value, np.ndarray) else value for value in values]
        return tuple(value.key() if isinstance(value, Layer) else value for value in plain)

    def cos_sin(
        self, positions: ArrayLike, dtype: DTypeLike = np.float32
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the cosine and the sine of each pair's rotation angle, multiplied by `amplitude`.

        An inference engine caches these two arrays. They have the shape of `positions` +
        (turned/2,), with an entry for each pair. They are computed in float64 and rounded once to
        `dtype`. For "rotary_axes" the last axis of `positions` holds a number for each of
        `axis_names`, and the result lacks this axis. Raises ValueError for a layer that rotates
        nothing, and TypeError or ValueError for positions that are not real and finite.

        >>> yarn = Layer("rotary", 4, 4, np.array([1.0, 0.01]), amplitude=1.25)
        >>> cos, sin = yarn.cos_sin(range(2))
        >>> cos
        array([[1.25     , 1.25     ],
               [0.6753779, 1.2499375]], dtype=float32)
        """
        if not self.turned:
            raise ValueError(
                f"cos_sin needs a layer that rotates pairs; one of scheme {self.scheme!r} has no "
                "cos and sin"
            )
        t = _checks.positions("positions", positions)
        if self.axes is None:
            t = t[..., None]
        else:
            count = len(self.axis_names)
            names = f"{count} numbers ({', '.join(self.axis_names)})"
            has_axes = t.shape[-1:] == (count,)
            _checks.require(has_axes, f"positions must have a last axis of {names}", t.shape)
            t = t[..., self.axes]
        angles = t * self.frequencies
        precision = _checks.precision(dtype)
        cos, sin = self.amplitude * np.cos(angles), self.amplitude * np.sin(angles)
        return cos.astype(precision), sin.astype(precision)

    def query_scale(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Return the factor that multiplies the query at each position: shape np.shape(positions).

        >>> Layer("none", 128, growth=(0.1, 8192, 1)).query_scale([0, 8191]).round(4)
        array([1.    , 1.0693])
        """
        t = np.asarray(positions, np.float64)
        if self.growth is None:
            return np.ones_like(t)
        return context.growing(t, *self.growth)
