"""A picture in patches: the score of one with all others, for five ways to say where a patch is."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer, number
from pe_lib.grid import encode_grid, rotate_grid
from pe_lib.sinusoidal import encode

SIDE = 14  # rows and columns, as in a picture of 224 by 224 pixels in patches of 16 by 16
WIDTH = 64  # of each encoding
UP, LEFT = 2, 3  # where the rotary head looks
GOLDEN = 0.6180339887498949  # its multiples, without their whole parts, spread evenly over [0, 1)
ANGLES = np.pi / 2 * (np.arange(WIDTH // 4) * GOLDEN % 1)  # one for each frequency

SCHEMES = {
    "numbered": "numbered row by row",
    "coordinates": "given as two numbers, its row and its column divided by 13",
    "axial": "encoded by row and column, half and half",
    "mixed": "encoded along many directions",
    "rotary": f"seen by a rotary head that looks {UP} up and {LEFT} to the left",
}


class GridExplorer(Explorer):
    """Scores of the patch at (`row`, `column`) with all patches of a 14 by 14 grid.

    `scheme` says how patches are encoded: by their number ("numbered"), by two numbers
    ("coordinates"), by `encode_grid` without ("axial") and with angles ("mixed"), or by
    `rotate_grid` of a fixed query and key ("rotary"). A score is the dot product divided by its
    largest value, that of a patch with itself (with two numbers: of the last patch with itself).
    `down` and `right`, -13 to 13, are the offset of a second patch, in the grid or not; `base` is
    above 1, at most 10^6. Built in chapter 11. Raises TraitError, which names it, for a value
    outside.
    """

    kind = "grid"

    scheme = t.Enum(list(SCHEMES), "numbered").tag(sync=True, explorer=True)
    base = t.Float(100.0, max=1e6).tag(sync=True, explorer=True)
    row = t.Int(6, min=0, max=SIDE - 1).tag(sync=True, explorer=True)
    column = t.Int(6, min=0, max=SIDE - 1).tag(sync=True, explorer=True)
    down = t.Int(1, min=1 - SIDE, max=SIDE - 1).tag(sync=True, explorer=True)
    right = t.Int(0, min=1 - SIDE, max=SIDE - 1).tag(sync=True, explorer=True)

    @t.validate("base")
    def _above_one(self, proposal: t.Bunch) -> float:
        if not proposal.value > 1:
            raise t.TraitError(f"base must be above 1, got {proposal.value}")
        return float(proposal.value)

    def vectors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is multiplied, for each patch: queries and keys, (14, 14, entries) each."""
        rows, columns = np.arange(SIDE)[:, None], np.arange(SIDE)
        if self.scheme == "rotary":
            key = np.tile([1.0, 0.0], WIDTH // 2)
            query = rotate_grid(key, -UP, -LEFT, self.base)
            turned = [rotate_grid(v, rows, columns, self.base) for v in (query, key)]
            queries, keys = (v.astype(np.float64, copy=False) for v in turned)
        elif self.scheme == "coordinates":
            both = np.broadcast_arrays(rows / (SIDE - 1), columns / (SIDE - 1))
            queries = keys = np.stack(both, axis=-1)
        elif self.scheme == "numbered":
            numbers = encode(SIDE * rows + columns, WIDTH, self.base)
            queries = keys = numbers.astype(np.float64, copy=False)
        else:
            angle = ANGLES if self.scheme == "mixed" else 0.0
            patches = encode_grid(rows, columns, WIDTH, self.base, angle)
            queries = keys = patches.astype(np.float64, copy=False)
        return queries, keys

    def scores(self) -> NDArray[np.float64]:
        """The score of each patch (axes 0 and 1) with each patch (2 and 3): (14, 14, 14, 14)."""
        queries, keys = self.vectors()
        most = keys[-1, -1] @ keys[-1, -1]
        scores: NDArray[np.float64] = np.einsum("rcd,RCd->rcRC", queries, keys) / most
        return scores

    def caption(self) -> str:
        scores, there = self.scores(), (self.row + self.down, self.column + self.right)
        shifted = [
            scores[r, c, r + self.down, c + self.right]
            for r in range(SIDE) for c in range(SIDE)
            if 0 <= r + self.down < SIDE and 0 <= c + self.right < SIDE
        ]  # fmt: skip
        row, column = map(number, there)
        if min(there) >= 0 and max(there) < SIDE:
            score = number(scores[(self.row, self.column, *there)], ".4f")
            second = f"its score with the patch in row {row}, column {column} is {score}"
        else:
            second = f"row {row}, column {column} is outside the grid"
        if np.ptp(shifted) < 1e-9:
            steady = "the same"
        else:
            steady = f"from {number(min(shifted), '.2f')} to {number(max(shifted), '.2f')}"
        return (
            f"The patch in row {self.row}, column {self.column} of a 14 by 14 grid,"
            f" {SCHEMES[self.scheme]}: {second}. At this offset, patches score {steady}."
        )

    def picture(self) -> Figure:
        values = self.scores()[self.row, self.column]
        fig: Figure
        fig, (grid, line) = figures.subplots(6.5, 3, 1, 2)
        grid.imshow(values, cmap=figures.TIDE, vmin=-1, vmax=1)
        for y, x, style in [(self.row, self.column, "-"),
                            (self.row + self.down, self.column + self.right, "--")]:  # fmt: skip
            grid.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, linestyle=style,
                                     edgecolor=figures.PALETTE["ink"], linewidth=1.6))  # fmt: skip
        grid.set(xlabel="column", ylabel="row", xlim=(-0.5, 13.5), ylim=(13.5, -0.5))
        line.plot(values[self.row])
        line.plot(values[:, self.column], "--")
        line.text(13.2, values[self.row, -1], "its row", color=figures.PALETTE["blue"])
        line.text(13.2, values[-1, self.column], "its column", va="top",
                  color=figures.PALETTE["orange"])  # fmt: skip
        line.set(xlabel="column or row", ylabel="score", xlim=(-0.5, 18), ylim=(-1.05, 1.05))
        return fig
