"""Chapter 11: name the patch above, of which the model knows the number, or row and column."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode
from pe_lib.grid import encode_grid
from tools.experiments import models
from tools.experiments.models import neighbour, right
from tools.experiments.schemes import Fixed

PLACES: dict[str, Callable[[int, int], NDArray[np.float64]]] = {  # of all patches, row by row
    "numbered": lambda rows, columns: encode(range(rows * columns), 32, 100),
    "axial": lambda rows, columns: encode_grid(
        *np.divmod(np.arange(rows * columns), columns), 32, 100
    ),
}
ROWS, TRAINED, NARROW = 6, 6, 4


def narrower(kind: str, seed: int) -> list[float]:
    """Trained on 6 by 6: the share right there and on 6 by 4; and how many patches back is the one
    that the answers on 6 by 4 name most often."""
    wide, narrow = (neighbour(columns, columns) for columns in (TRAINED, NARROW))
    model = models.new(wide, "none", seed, heads=1)
    model.scheme = Fixed(PLACES[kind](ROWS, TRAINED))
    models.train(model, wide, seed, steps=300, batch=32, length=ROWS * TRAINED)
    found = [right(model, wide, ROWS * TRAINED)]
    model.scheme = Fixed(PLACES[kind](ROWS, NARROW))
    found.append(right(model, narrow, ROWS * NARROW))
    tokens, _ = narrow(np.random.default_rng(3), 64, ROWS * NARROW)
    said = model(tokens).argmax(axis=-1)
    agrees = [(said[:, back:] == tokens[:, :-back]).mean() for back in range(1, 9)]
    return [*found, int(np.argmax(agrees)) + 1]


def record_grids(seeds: int = 5) -> dict[str, list[list[float]]]:
    """Half a minute."""
    return {kind: [narrower(kind, seed) for seed in range(seeds)] for kind in PLACES}
