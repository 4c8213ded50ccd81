"""Maps show pe_lib's numbers, cell for cell, and the curves beside them rows and columns of it."""

import json
from typing import Any

import numpy as np
import pytest
from built import ROOT
from drawn import Drawing, Show, follows, near

from pe_lib import encode
from pe_lib.course.explorers import GridExplorer, HeatmapExplorer, TrainingExplorer

SHADE = 0.01  # neighbours in the colour map differ by less


@pytest.mark.parametrize("state", [
    {"d_model": 64, "positions": 64, "position": 5, "dim": 2},
    {"d_model": 16, "positions": 40, "position": 31, "dim": 7, "base": 200.0},
])  # fmt: skip
def test_heatmap(show: Show, state: dict[str, Any]) -> None:
    explorer = HeatmapExplorer(**state)
    drawing = Drawing(show(explorer))
    d_model, base, position, dim = explorer.d_model, explorer.base, explorer.position, explorer.dim
    table = encode(np.arange(explorer.positions), d_model, base)
    (heat,), ((x,), (y,)) = drawing.all("map"), drawing.axes()
    near(heat.values, table, SHADE)
    near(heat.points.T, [x([-0.5, d_model - 0.5]), y([-0.5, explorer.positions - 0.5])])
    (cell,) = drawing.all("frame", "ink")
    near(cell.at, [x(dim), y(position)])

    # Beside the map its column, below it its row, around a line at 0
    column, row = drawing.all("frame", "grid")
    upright, level = drawing.straight("grid")
    near([upright.at[0], level.at[1]], [column.at[0], row.at[1]])
    wave, sines = drawing.curves("blue", dashed=False)
    (cosines,) = drawing.curves("orange", dashed=True)
    down = (wave.points[:, 1] - y(0)) / (y(1) - y(0))
    waved, here = encode(down, d_model, base)[:, dim], table[position]
    width = np.abs(wave.points[:, 0] - upright.at[0]).max() / np.abs(waved).max()
    height = np.abs(sines.points[:, 1] - level.at[1]).max() / np.abs(here[::2]).max()
    follows(wave, upright.at[0] + width * waved, wave.points[:, 1])
    follows(sines, x(np.arange(0, d_model, 2)), level.at[1] - height * here[::2])
    follows(cosines, x(np.arange(1, d_model, 2)), level.at[1] - height * here[1::2])
    chosen = [[upright.at[0] + width * here[dim], y(position)],
              [x(dim), level.at[1] - height * here[dim]]]  # fmt: skip
    near([dot.at for dot in drawing.all("dot", "ink")], chosen)
    texts = {label.text for label in drawing.all("label")}
    assert {f"dimension {dim}", f"position {position}", "sines —  cosines - -"} <= texts


@pytest.mark.parametrize("state", [
    {"scheme": "numbered", "row": 9, "column": 4, "down": 0, "right": 3},
    {"scheme": "mixed", "row": 2, "column": 12, "down": 4, "right": 0},
    {"scheme": "rotary", "row": 5, "column": 11, "down": -2, "right": -3},
])  # fmt: skip
def test_grid(show: Show, state: dict[str, Any]) -> None:
    explorer = GridExplorer(**state)
    row, column = explorer.row, explorer.column
    other = row + explorer.down, column + explorer.right
    scores = explorer.scores()[row, column]
    drawing = Drawing(show(explorer))
    (map_,), ((x,), (y, *scales)) = drawing.all("map"), drawing.axes()
    near(map_.values, scores, SHADE)
    near(map_.points.T, [x([-0.5, 13.5]), y([-0.5, 13.5])])
    (whole,), (broken,) = drawing.curves("ink", dashed=False), drawing.curves("ink", dashed=True)
    own, *dots = (dot.at for dot in drawing.all("dot", "ink"))
    near([whole.at, own], [[x(column), y(row)]] * 2)
    near(broken.at, [x(other[1]), y(other[0])])

    second = drawing.straight("ink", dashed=True)
    for n, (name, colour, along, k, there, aside) in enumerate([
        (f"along row {row}", "blue", scores[row], column, other[1], explorer.down),
        (f"along column {column}", "orange", scores[:, column], row, other[0], explorer.right),
    ]):  # fmt: skip
        left, right = drawing.ruled(scales[n])
        place = left + (np.arange(14) + 0.5) / 14 * (right - left)
        assert drawing.above([left, scales[n](1)])[0] == name
        (curve,) = drawing.curves(colour)
        follows(curve, place, scales[n](along))
        near(dots[n], [place[k], scales[n](along[k])])
        if aside == 0:  # the second patch is in the same row or column
            near(second.pop(0).at[0], place[there])
    assert not second


@pytest.mark.parametrize("look", [5, 25])
def test_training(show: Show, look: int) -> None:
    recording = json.loads((ROOT / "chapters/data/training.json").read_text("utf-8"))
    explorer = TrainingExplorer(recording=recording, look=look)
    drawing = Drawing(show(explorer))
    (*across, steps), (*down, losses) = drawing.axes()
    places = [(n, name) for n in (0, 1) for name in ("similarity", "attention")]
    maps = zip(drawing.all("map"), across, down, places, strict=True)
    for map_, x, y, (n, name) in maps:
        values = explorer.map(n, name)
        near(map_.values, 2 * values - 1 if name == "similarity" else values, SHADE)
        near(map_.points.T, [x([-0.5, 15.5]), y([-0.5, 15.5])])
        title, scheme = drawing.above(map_.points[0])[:2]
        assert (title.split()[0].rstrip(":"), scheme) == (name, recording["runs"][n]["scheme"])

    drawing.ruled(losses)
    for n, (colour, line) in enumerate([("blue", "—"), ("orange", "- -")]):
        run = recording["runs"][n]
        (curve,) = drawing.curves(colour, dashed=bool(n))
        each = recording["steps"] / len(run["loss"])
        middles = (np.arange(len(run["loss"])) + 0.5) * each
        follows(curve, steps(middles), losses(np.minimum(run["loss"], 3)))
        assert drawing.label(f"{run['scheme']} {line}").colour == colour
    (now,) = drawing.straight("ink")
    near(now.at[0], steps(explorer.step()))
