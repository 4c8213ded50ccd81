"""What small explorers draw on their canvases is what pe_lib says."""

import json
from dataclasses import replace

import numpy as np
import pytest
from built import ROOT
from drawn import LEVELS, Drawing, Mark, Show, near
from numpy.typing import NDArray

from pe_lib.course.explorers import (
    CircuitExplorer,
    CounterExplorer,
    LayersExplorer,
    MaskExplorer,
    StackExplorer,
)
from pe_lib.course.explorers._stacks import STACKS
from pe_lib.course.explorers.circuit import LETTERS
from pe_lib.course.explorers.counter import rounded
from pe_lib.course.explorers.layers import FURTHEST, MODELS, marks, reach
from pe_lib.course.explorers.mask import LIMIT

TEXT = json.loads((ROOT / "chapters/data/skipping.json").read_text("utf-8"))["sentence"]


def shades(cells: list[Mark]) -> NDArray[np.float64]:
    """The values, -1 to 1, that the colours of cells stand for."""
    shown = [[int(cell.colour[n : n + 2], 16) for n in (1, 3, 5)] for cell in cells]
    found = np.abs(np.array(shown)[:, None] - LEVELS).sum(axis=-1).argmin(axis=1)
    values: NDArray[np.float64] = found / 127.5 - 1
    return values


@pytest.mark.parametrize("position, roundness", [(6, 0), (9.25, 1), (15, 0.5)])
def test_counter(show: Show, position: float, roundness: float) -> None:
    explorer = CounterExplorer(position=position, roundness=roundness)
    drawing = Drawing(show(explorer))
    _, (rows,) = drawing.axes()
    whole, digits = range(explorer.number() + 1), drawing.all("bar")
    rims = [m for m in drawing.curves("grid") if len(m.points) == 65]
    hands = [m for m in drawing.straight("blue") if len(m.points) == 2]
    dots = drawing.all("dot", "ink")
    for k, (rim, hand, wave) in enumerate(zip(rims, hands, drawing.curves("blue"), strict=True)):
        r = np.ptp(rim.points[:, 0]) / 2
        tip = explorer.hands(position)[k]
        near((hand.points[1] - rim.at) / r * [1, -1], tip)
        near(hand.points[0], rim.at)
        near(dots[2 * k].at, hand.points[1])
        near(dots[2 * k + 1].at, [hand.points[1][0], float(rows(position))])  # its shadow

        fine = (wave.points[:, 1] - float(rows(0))) / (float(rows(1)) - float(rows(0)))
        right = rounded(np.sin(np.pi * (fine + 0.5) / 2 ** (3 - k)), roundness)
        inner = np.abs(fine + 0.5 - np.round(fine + 0.5)) > 1e-6  # not at the edges of a square
        near(((wave.points[:, 0] - rim.at[0]) / r)[inner], right[inner], 1e-6)

        column = digits[k * len(whole) : (k + 1) * len(whole)]
        near([cell.at[1] for cell in column], rows(whole))
        values = explorer.hands(whole)[k, :, 0]
        near(shades(column), values, 0.01)
        written = [m.text for m in drawing.all("label") if abs(m.at[0] - column[0].at[0]) < 1]
        assert written == [*(f"{n:04b}"[k] for n in whole), f"{explorer.number():04b}"[k]]


@pytest.mark.parametrize(("position", "trained"), [(0, True), (8, True), (15, False)])
def test_circuit(show: Show, position: int, trained: bool) -> None:
    explorer = CircuitExplorer(text=TEXT, position=position, trained=trained)
    drawing = Drawing(show(explorer))
    places = drawing.axes()[0][0]
    first, second = explorer.weights()
    top = max(position - 1, 0)
    for colour, start, row in [("orange", position, second[position]), ("blue", top, first[top])]:
        lines = drawing.straight(colour)
        assert len(lines) == start + 1  # nothing behind the mask
        near([line.points[0, 0] for line in lines], places([start] * len(lines)))
        near([line.points[1, 0] for line in lines], places(range(len(lines))))
        near([line.width for line in lines], np.maximum(26 * row[: start + 1], 0.3))
    letters = sorted((m.at[0], m.text) for m in drawing.all("label") if m.text in LETTERS)
    assert [text for _, text in letters] == [LETTERS[word] for word in TEXT["words"]]
    near([x for x, _ in letters], places(range(16)))
    said = [(m.at[0], m.text) for m in drawing.all("label") if m.text.startswith(".")]
    weights = [(float(places(s)), f"{w:.2f}"[1:]) for s, w in enumerate(second[position])
               if 0.095 <= w < 0.995]  # fmt: skip
    assert [text for _, text in said] == [text for _, text in weights]


@pytest.mark.parametrize("order, causal", [
    ([0, 1, 2, 3, 4, 5, 6], False), ([6, 3, 2, 0, 5, 1, 4], True),
])  # fmt: skip
def test_mask(show: Show, order: list[int], causal: bool) -> None:
    explorer = MaskExplorer(order=order, causal=causal)
    page = show(explorer)
    page.wait_for_timeout(900)  # the words glide to their places
    drawing = Drawing(page)
    table = explorer.table()
    cells = sorted(drawing.all("bar"), key=lambda m: (round(m.at[1]), m.at[0]))
    assert len(cells) == np.isfinite(table).sum() == (28 if causal else 49)
    near(shades(cells), np.clip(table[np.isfinite(table)] / LIMIT, -1, 1), 0.01)
    cut = drawing.straight("muted")
    assert len(cut) == 49 - len(cells)

    rows = [m for m in drawing.all("label") if m.text in explorer.words]
    rows.sort(key=lambda m: m.at[1])
    assert [m.text for m in rows] == [explorer.words[k] for k in order]
    tiles = page.locator(".ex-head").evaluate_all(
        "all => all.map((t) => [t.offsetLeft, t.textContent])"
    )
    assert [word for _, word in sorted(tiles)] == [explorer.words[k] for k in order]
    (frame,) = drawing.all("frame", "ink")
    here = rows[order.index(2)].at[1]
    near(frame.at[1], here)


@pytest.mark.parametrize("model", STACKS)
@pytest.mark.parametrize("distance", [50, 8_191, 63_096])
def test_stack(show: Show, model: str, distance: int) -> None:
    explorer = StackExplorer(model=model, distance=distance)
    drawing = Drawing(show(explorer))
    axis = replace(drawing.axes()[0][0], scale=np.log10, within=30)  # the last label is moved in
    axis = replace(axis, ticks=axis.ticks[:-1], within=0.01)
    (word,) = drawing.straight("orange")
    near(word.at[0], axis(distance), 0.01)
    bars = sorted(drawing.all("bar"), key=lambda m: -m.at[1])  # from below
    for bar, (_, sees), found in zip(bars, explorer.layers(), explorer.seeing(), strict=True):
        assert bar.colour == ("blue" if found else "grid")
        near(bar.points[0, 0], axis(10), 0.01)
        if sees is None:
            assert bar.points[1, 0] > axis(90_000)
        else:
            near(bar.points[1, 0], axis(sees - 1), 0.01)
    assert len(drawing.all("dot", "ink")) == sum(explorer.seeing())
    dashed = [m for m in drawing.all("arc", "muted") if m.dashed]
    assert len(dashed) == sum(not turns for turns, _ in explorer.layers())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("query, key", [(500, 400), (511, 0), (500, 499)])
def test_layers(show: Show, model: str, query: int, key: int) -> None:
    explorer = LayersExplorer(model=model, query=query, key=key)
    drawing = Drawing(show(explorer))
    axis = replace(drawing.axes()[0][0], scale=np.log10)
    (line,) = [m for m in drawing.straight("orange") if np.ptp(m.points[:, 0]) < 1]
    near(line.at[0], axis(explorer.distance()), 0.01)

    # the stack: from below each layer in the column of its letter
    order, kinds, verdicts = MODELS[model]["order"], explorer.kinds(), explorer.verdicts()
    left = [m for m in drawing.marks if m.points[:, 0].max() < axis(1) - 4]
    letters = sorted((m for m in left if m.text in [*kinds]), key=lambda m: m.at[1])[-len(kinds) :]
    column = {m.text: m.at[0] for m in letters}
    boxes = [m for m in left if m.kind in ("bar", "frame")]
    looks = {"tells": ["bar blue"], "roughly": ["bar blue", "frame blue"], "seen": ["frame blue"],
             "unseen": ["bar grid"], "apart": ["bar grid"]}  # fmt: skip
    expected = [(name, look) for name in order for look in looks[verdicts[name][0]]]
    boxes.sort(key=lambda m: -m.at[1])
    found = [(min(column, key=lambda name: abs(column[name] - m.points[0, 0] - 6.5)),
              f"{m.kind} {m.colour}") for m in boxes]  # fmt: skip
    assert found == expected

    # the bands: as long as the layers see, and what tells beyond the key
    seeing = [name for name, kind in kinds.items()
              if verdicts[name][0] != "apart" and reach(kind, query)]  # fmt: skip
    for frame, name in zip(drawing.all("frame", "muted"), seeing, strict=True):
        end = max(float(axis(reach(kinds[name], query))), float(axis(1)) + 2)
        near(frame.points[:, 0], [axis(1), end], 0.01)
        assert frame.dashed == (kinds[name]["scheme"] == "none")
    places: dict[str, list[float]] = {"blue": [], "muted": []}
    for name, kind in kinds.items():
        for mark in marks(kind):
            tells = verdicts[name][0] == "tells" and mark >= explorer.distance()
            places["blue" if tells else "muted"].append(min(max(mark, 1), FURTHEST))
    for colour, at in places.items():
        near([m.at[0] for m in drawing.straight(colour)], axis(at), 0.01)
    told = [m.text for m in drawing.all("label") if m.text in {w for _, w in verdicts.values()}]
    assert told == [words for _, words in verdicts.values()]
    states = [state for state, _ in verdicts.values()]
    assert len(drawing.all("dot", "ink")) == states.count("tells") + states.count("roughly")
