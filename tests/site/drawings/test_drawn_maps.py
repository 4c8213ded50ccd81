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
FRAME = "#010101"  # on a picture, in light and dark


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
    drawing = Drawing(show(explorer))
    (map_,) = drawing.all("map")
    near(map_.values, explorer.scores()[row, column], SHADE)
    corner, cell = map_.points[0], np.ptp(map_.points, axis=0) / 14

    def middle(r: float, c: float) -> Any:
        return corner + cell * [c + 0.5, r + 0.5]

    (whole,), (broken,) = drawing.curves(FRAME, dashed=False), drawing.curves(FRAME, dashed=True)
    near(whole.at, middle(row, column))
    near(broken.at, middle(*other))

    # A small clock at each row and each column, and large ones for the patch
    numbered = explorer.scheme == "numbered"
    clocks = drawing.clocks()
    rulers, large = clocks[:28], clocks[28:]
    rows, columns = rulers[::2], rulers[1::2]
    place = np.arange(14)
    near([clock.at[1] for clock in rows], [middle(k, 0)[1] for k in place])
    near([clock.at[0] for clock in columns], [middle(0, k)[0] for k in place])
    across = "blue" if numbered else "orange"
    for ruler, colour, angle in [(rows, "blue", 14 * place if numbered else place),
                                  (columns, across, place)]:  # fmt: skip
        hands = [clock.hands[colour] for clock in ruler]
        near(hands, np.column_stack([np.sin(angle), np.cos(angle)]), 1e-2)
    if numbered:
        wanted = [(f"number {14 * row + column}", "blue", 14 * row + column)]
    else:
        wanted = [(f"row {row}", "blue", row), (f"column {column}", "orange", column)]
    for clock, (name, _, angle) in zip(large, wanted, strict=True):
        assert clock.labels == [name]
        near(clock.dots[0], [np.sin(angle), np.cos(angle)])
    seconds = [line for line in drawing.all("line") if line.dashed and line.colour in
               ("blue", "orange")]  # fmt: skip
    ends = [14 * other[0] + other[1]] if numbered else list(other)
    tips = [(line.points[1] - line.points[0]) / clock.r * [1, -1]
            for line, clock in zip(seconds, large, strict=True)]  # fmt: skip
    near(tips, np.column_stack([np.sin(ends), np.cos(ends)]))


@pytest.mark.parametrize(
    "state", [{"look": 5, "row": 7}, {"look": 25, "row": 30}, {"look": 9, "scheme": "sinusoidal"}]
)
def test_training(show: Show, state: dict[str, Any]) -> None:
    recording = json.loads((ROOT / "chapters/data/training.json").read_text("utf-8"))
    explorer = TrainingExplorer(recording=recording, **state)
    n, places = explorer.shown(), explorer.places(explorer.shown())
    drawing = Drawing(show(explorer))
    (steps, *across), (losses, *down) = drawing.axes()
    for map_, x, y, name in zip(
        drawing.all("map"), across, down, ("similarity", "attention"), strict=True
    ):
        values = explorer.map(n, name)
        near(map_.values, 2 * values - 1 if name == "similarity" else values, SHADE)
        near(map_.points.T, [x([-0.5, 15.5]), y([-0.5, 15.5])])
        assert drawing.above(map_.points[0])[0] == name

    drawing.ruled(losses)
    for k, colour in enumerate(["blue", "orange"]):
        run = recording["runs"][k]
        curve = next(m for m in drawing.curves(colour, dashed=bool(k)) if len(m.points) == 100)
        middles = (np.arange(100) + 0.5) * recording["steps"] / 100
        follows(curve, steps(middles), losses(np.minimum(run["loss"], 2.5)))
    (now,) = drawing.straight("ink")
    near(now.at[0], steps(explorer.step()))

    # The rows where they are, one length for both axes, up is up
    box = drawing.all("frame", "grid")[0]
    dots = [m for m in drawing.all("dot") if m.r in (2, 3.5)][::-1]
    scale = np.ptp([m.at[0] for m in dots]) / np.ptp(places[explorer.look, :, 0])
    zero = dots[0].at - scale * places[explorer.look, 0] * [1, -1]

    def spot(place: Any) -> Any:
        return zero + scale * place * [1, -1]

    near([m.at for m in dots], spot(places[explorer.look]), 0.01)
    assert (box.points[0] < [m.at for m in dots]).all()
    assert ([m.at for m in dots] < box.points[1]).all()
    assert [m.colour for m in dots] == ["blue"] * 16 + ["muted"] * 32
    near(drawing.all("dot", "ink")[-1].at, dots[explorer.row].at)
    if explorer.scheme == "learned":
        paths = [m for m in drawing.all("line") if len(m.points) == explorer.look + 1]
        rows = [row for row in range(16) if row != explorer.row]
        rows += [explorer.row] * (explorer.row < 16)
        for line, row in zip(paths, rows, strict=True):
            near(line.points, spot(places[: explorer.look + 1, row]), 0.01)
            assert line.colour == ("orange" if row == explorer.row else "blue")
