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
    d_model, base, position, dim = explorer.d_model, explorer.base, explorer.here(), explorer.dim
    table = encode(np.arange(explorer.positions), d_model, base)
    (heat,), ((x,), (y,)) = drawing.all("map"), drawing.axes()
    near(heat.values, table, SHADE)
    near(heat.points.T, [x([-0.5, d_model - 0.5]), y([-0.5, explorer.positions - 0.5])])
    (cell,) = drawing.all("frame", "ink")
    near(cell.at, [x(dim), y(position)])

    # Over the map its row, beside it its column; where they meet the clock, as wide and as high
    column, row = drawing.all("frame", "grid")
    *clocks, large = drawing.clocks()
    near(large.at, [column.at[0], row.at[1]])
    near([np.ptp(column.points[:, 0]), np.ptp(row.points[:, 1])], 2 * large.r)
    here, own = table[position], "orange" if dim % 2 else "blue"
    sin, cos = here[dim - dim % 2 :][:2]
    near(large.hands["ink"], [sin, cos])
    near(large.hands[own], [0, cos] if dim % 2 else [sin, 0])
    for clock in clocks:
        i = round((clock.at[0] - x(0.5)) / (x(2) - x(0)))
        near(clock.at[0], x(2 * i + 0.5))
        near(clock.hands[own if i == dim // 2 else "muted"], here[2 * i : 2 * i + 2])

    (wave,) = [m for m in drawing.curves(own, dashed=False) if m.at[0] > column.points[:, 0].min()]
    down = (wave.points[:, 1] - y(0)) / (y(1) - y(0))
    waved = encode(down, d_model, base)[:, dim]
    follows(wave, large.at[0] + large.r * waved, wave.points[:, 1])
    heights = large.at[1] - large.r * here
    for odd, colour in enumerate(("blue", "orange")):
        dims = np.arange(odd, d_model, 2)
        curves = [m for m in drawing.curves(colour, dashed=bool(odd)) if m.at[0] < x(d_model)]
        if curves:  # too many numbers for a stroke each
            follows(curves[0], x(dims), heights[odd::2])
        else:
            strokes = [m.points for m in drawing.straight(colour, dashed=False)
                       if np.ptp(m.points[:, 0]) == 0 and m.points[0, 0] < x(d_model)]  # fmt: skip
            near(strokes, [[[x(j), large.at[1]], [x(j), heights[j]]] for j in dims])
    tip, beside, above = [dot.at for dot in drawing.all("dot", "ink")[-3:]]
    near(tip, large.at + large.r * np.array([sin, -cos]))
    near(beside, [large.at[0] + large.r * here[dim], y(position)])
    near(above, [x(dim), heights[dim]])
    texts = {label.text for label in drawing.all("label")}
    assert {f"dimension {dim}", f"position {position}"} <= texts


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
