"""Train models for chapters 11 and 12 that name the patch above or the patch to the left.

The patches are encoded by their number, or by their row and column.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import encode
from pe_lib.grid import encode_grid, round_robin, sections
from tools.experiments import models
from tools.experiments.models import measure_accuracy, neighbour
from tools.experiments.schemes import Axes, Fixed

# for each kind of position table, a function that returns a row for each patch of a grid
PLACES: dict[str, Callable[[int, int], NDArray[np.floating[Any]]]] = {
    "numbered": lambda rows, columns: encode(range(rows * columns), 32, 100),
    "axial": lambda rows, columns: encode_grid(
        *np.divmod(np.arange(rows * columns), columns), 32, 100
    ),
}
ROWS, TRAINED, NARROW = 6, 6, 4
# SIDE is the number of patches in a row of the grid, and WIDTH the number of entries in a head
SEEDS, SIDE, STEPS, WIDTH = range(5), 12, 600, 32
SHARES = {
    "sections": sections([4, 6, 6]),
    "sections, width first": sections([4, 6, 6])[::-1],
    "round robin": round_robin([6, 5, 5]),
}


def read_narrower_grid(kind: str, seed: int) -> list[float]:
    """Train a model on grids of 6 by 6 patches, and test it on these grids and on grids of 6 by 4.

    A third number tells how many patches back the answers on 6 by 4 point most often.
    """
    wide, narrow = (neighbour(columns, columns) for columns in (TRAINED, NARROW))
    model = models.make_model(wide, "none", seed, heads=1)
    model.scheme = Fixed(PLACES[kind](ROWS, TRAINED))
    models.train(model, wide, seed, steps=300, batch=32, length=ROWS * TRAINED)
    shares = [measure_accuracy(model, wide, ROWS * TRAINED)]
    model.scheme = Fixed(PLACES[kind](ROWS, NARROW))
    shares.append(measure_accuracy(model, narrow, ROWS * NARROW))
    tokens, _ = narrow(np.random.default_rng(3), 64, ROWS * NARROW)
    answers = model(tokens).argmax(axis=-1)
    agrees = [(answers[:, back:] == tokens[:, :-back]).mean() for back in range(1, 9)]
    return [*shares, int(np.argmax(agrees)) + 1]


def record_grids() -> dict[str, list[list[float]]]:
    """Train the models for grids.json and return their results. This takes half a minute."""
    return {kind: [read_narrower_grid(kind, seed) for seed in SEEDS] for kind in PLACES}


def axes_run(share: str, base: float, axis: str, seed: int, steps: int = STEPS) -> float:
    """Train a model to name one neighbour of each patch, and return the model's accuracy."""
    task = neighbour(SIDE if axis == "row" else 1, SIDE)
    model = models.make_model(task, "none", seed, d_model=2 * WIDTH)
    model.scheme = Axes(SHARES[share], base, SIDE)
    models.train(model, task, seed, steps=steps, batch=16, length=SIDE**2)
    return measure_accuracy(model, task, SIDE**2, batch=64)


def axes_runs() -> list[dict[str, Any]]:
    """Train models with each entry of SHARES and base 1,000,000, and return their accuracies.

    Two of these entries are also trained with base 100, as controls.
    """
    arms = [(share, 1_000_000) for share in SHARES] + [("sections", 100), ("round robin", 100)]
    return [
        {"share": share, "base": base, "axis": axis,
         "right": [axes_run(share, base, axis, seed) for seed in SEEDS]}
        for share, base in arms for axis in ("row", "column")
    ]  # fmt: skip
