"""Define position schemes that are used as controls in experiments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import frequencies
from pe_lib.course.model.schemes import Scheme
from pe_lib.grid import rotate_axes

Rows = NDArray[np.floating[Any]]


class Fixed(Scheme):
    """Add position rows that never change in training, as a control for a learned table."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def added(self, parameters: dict[str, Any], length: int) -> Rows:
        return self.rows[:length]


class Anywhere(Scheme):
    """Add the rows of a table, beginning at a random row for each text in training.

    The first row is drawn for each text.
    """

    def __init__(self, rows: Rows, starts: Sequence[int], seed: int, batch: int) -> None:
        self.rows, self.starts, self.training, self.start = rows, np.array(starts), True, 0
        self.rng, self.batch = np.random.default_rng(1000 + seed), batch

    def added(self, parameters: dict[str, Any], length: int) -> Rows:
        choices = self.rng.integers(len(self.starts), size=(self.batch, 1))
        first = self.starts[choices] if self.training else self.start
        self.at = (first + np.arange(length)).reshape(-1, length)
        table: Rows = parameters.get("positions", self.rows)
        return table[self.at]

    def gradients(self, inputs: Any, scores: Any) -> dict[str, Any]:
        table = np.zeros_like(self.rows)
        np.add.at(table, self.at, inputs)
        return {"positions": table}


class Sloped(Scheme):
    """Add biases to attention scores as ALiBi does, with one given slope for each head."""

    def __init__(self, *slopes: float) -> None:
        self.slopes = np.array(slopes)[:, None, None]

    def bias(self, parameters: dict[str, Any], length: int) -> Any:
        t = np.arange(length)
        return -self.slopes * np.abs(t[:, None] - t)


class Axes(Scheme):
    """Rotate each pair by the position on one of the axes of a square grid.

    The axes are frame, row and column, and the frame is always 0.
    """

    def __init__(self, axes: NDArray[np.intp], base: float, side: int) -> None:
        self.axes, self.frequencies = axes, frequencies(2 * len(axes), base)
        row, column = np.divmod(np.arange(side * side), side)
        self.places = np.stack([0 * row, row, column], axis=1)

    def turned(self, heads: NDArray[Any], back: bool = False) -> NDArray[Any]:
        places = -self.places if back else self.places
        return rotate_axes(heads, places, self.axes, frequencies=self.frequencies)
