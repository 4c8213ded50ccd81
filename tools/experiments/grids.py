"""Chapter 11: name the patch above, of which the model knows the number, or row and column."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode
from pe_lib.course.model import tasks
from pe_lib.course.model.schemes import Scheme
from pe_lib.grid import encode_grid
from tools.experiments import models
from tools.experiments.models import right

Table = NDArray[np.float64]
PLACES: dict[str, Callable[[int, int], Table]] = {  # of all patches of a grid, row by row
    "numbered": lambda rows, columns: encode(range(rows * columns), 32, 100),
    "axial": lambda rows, columns: encode_grid(
        *np.divmod(np.arange(rows * columns), columns), 32, 100
    ),
}
ROWS, TRAINED, NARROW = 6, 6, 4


class Placed(Scheme):
    """Adds a fixed table."""

    table: Table

    def added(self, parameters: dict[str, Table], length: int) -> Table:
        return self.table


def above(columns: int) -> tasks.Task:
    """Name the patch above, one of eight kinds; the first row has none."""

    def draw(
        rng: np.random.Generator, batch: int, length: int
    ) -> tuple[tasks.Integers, tasks.Integers]:
        tokens = rng.integers(8, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, columns:] = tokens[:, :-columns]
        return tokens, targets

    return tasks.Task("above", 8, 8, False, draw)


def narrower(kind: str, seed: int) -> list[float]:
    """Trained on 6 by 6: the share right there and on 6 by 4; and how many patches back is the one
    that the answers on 6 by 4 name most often."""
    model = models.new(above(TRAINED), "none", seed, heads=1)
    model.scheme = placed = Placed(32, 1, ROWS * TRAINED)
    placed.table = PLACES[kind](ROWS, TRAINED)
    models.train(model, above(TRAINED), seed, steps=300, batch=32, length=ROWS * TRAINED)
    found = [right(model, above(TRAINED), ROWS * TRAINED)]
    placed.table = PLACES[kind](ROWS, NARROW)
    found.append(right(model, above(NARROW), ROWS * NARROW))
    tokens, _ = above(NARROW)(np.random.default_rng(3), 64, ROWS * NARROW)
    said = model(tokens).argmax(axis=-1)
    agrees = [(said[:, back:] == tokens[:, :-back]).mean() for back in range(1, 9)]
    return [*found, int(np.argmax(agrees)) + 1]


def record_grids(seeds: int = 5) -> dict[str, list[list[float]]]:
    """Half a minute."""
    return {kind: [narrower(kind, seed) for seed in range(seeds)] for kind in PLACES}
