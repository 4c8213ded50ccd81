"""Compute with pe_lib the expected values of the explorers attention, order and circuit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode
from pe_lib.course.attention import attention
from tests.recorded import unpack_numbers

Array = NDArray[np.float64]


def mix_words(vectors: ArrayLike, at: ArrayLike, positions: bool, causal: bool = False) -> Any:
    """Return words plus positions, the scores (-inf where masked), weights and outputs."""
    rows = np.array(vectors, float)
    rows += positions * encode(at, rows.shape[1])
    scores = rows @ rows.T / np.sqrt(rows.shape[1])
    return {
        "rows": rows,
        "scores": np.where(np.tri(len(rows)) > 0, scores, -np.inf) if causal else scores,
        "weights": attention(rows, rows, np.eye(len(rows)), causal=causal),
        "outputs": attention(rows, rows, rows, causal=causal),
    }


def find_order(e: Any) -> list[int]:
    """Return the order of the words after the chosen word moves to the position nearest `place`."""
    others = [k for k in e.order if k != e.word]
    at = int(np.floor(e.place + 0.5))
    return [*others[:at], e.word, *others[at:]]


def of(e: Any) -> Any:
    """Return the results of attention for each word, or by position in the explorer `order`."""
    if e.kind == "attention":
        places = np.arange(len(e.words))
        return mix_words(e.vectors, places[::-1] if e.backwards else places, e.positions)
    return mix_words(np.array(e.vectors)[find_order(e)], range(len(e.words)), e.positions, e.causal)


def changes(e: Any) -> Array:
    """Return the largest change in each word's output, in the order that `order` shows."""
    before = mix_words(e.vectors, range(len(e.words)), e.positions, e.causal)["outputs"][
        find_order(e)
    ]
    return np.asarray(np.abs(of(e)["outputs"] - before).max(axis=1))


def network(e: Any) -> dict[str, Any]:
    """Return the recording of the network that the explorer `circuit` shows."""
    found: dict[str, Any] = e.text["trained" if e.trained else "untrained"]
    return found


def layers(e: Any) -> Array:
    """Return the attention weights between all words in two layers, as an array (2, 16, 16)."""
    return np.array([unpack_numbers(map_) for map_ in network(e)["maps"]]).reshape(2, 16, 16)
