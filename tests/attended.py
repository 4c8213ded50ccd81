"""What pe_lib computes where words look at each other: of attention, order and circuit."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib import encode
from pe_lib.course.attention import attention
from tests.recorded import packed

Array = NDArray[np.float64]


def mixed(vectors: ArrayLike, at: ArrayLike, positions: bool, causal: bool = False) -> Any:
    """Rows as they are read, their scores (-inf behind a mask), weights and outputs."""
    rows = np.array(vectors, float)
    rows += positions * encode(at, rows.shape[1])
    scores = rows @ rows.T / np.sqrt(rows.shape[1])
    return {
        "rows": rows,
        "scores": np.where(np.tri(len(rows)) > 0, scores, -np.inf) if causal else scores,
        "weights": attention(rows, rows, np.eye(len(rows)), causal=causal),
        "outputs": attention(rows, rows, rows, causal=causal),
    }


def standing(e: Any) -> list[int]:
    """The order that is read in `order`, with the chosen word at the place nearest to `place`."""
    others = [k for k in e.order if k != e.word]
    at = int(np.floor(e.place + 0.5))
    return [*others[:at], e.word, *others[at:]]


def of(e: Any) -> Any:
    """What attention makes of the words: of `attention` by word, of `order` by place."""
    if e.kind == "attention":
        places = np.arange(len(e.words))
        return mixed(e.vectors, places[::-1] if e.backwards else places, e.positions)
    return mixed(np.array(e.vectors)[standing(e)], range(len(e.words)), e.positions, e.causal)


def changes(e: Any) -> Array:
    """The largest change of the output of the word at each place of `order`."""
    before = mixed(e.vectors, range(len(e.words)), e.positions, e.causal)["outputs"][standing(e)]
    return np.asarray(np.abs(of(e)["outputs"] - before).max(axis=1))


def network(e: Any) -> dict[str, Any]:
    """What was recorded of the network that `circuit` shows."""
    found: dict[str, Any] = e.text["trained" if e.trained else "untrained"]
    return found


def layers(e: Any) -> Array:
    """Of both layers, (2, 16, 16): how much the row's word looks at the column's."""
    return np.array([packed(map_) for map_ in network(e)["maps"]]).reshape(2, 16, 16)
