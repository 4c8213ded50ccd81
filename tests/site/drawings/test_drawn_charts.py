"""Arrows, curves, bars and shares are as long as pe_lib says, and labelled with what they are."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from built import ROOT
from drawn import LEVELS, Drawing, Mark, Show, close, follows, near, number
from playwright.sync_api import Page

from pe_lib import context, frequencies
from pe_lib.biases import alibi_slopes
from pe_lib.course.explorers import (
    AttentionExplorer,
    BiasesExplorer,
    ContextExplorer,
    LeakExplorer,
    OrderExplorer,
    SchemesExplorer,
)
from pe_lib.course.explorers.leak import LETTERS, sequences

DATA = ROOT / "chapters" / "data"
ROUNDED = 0.00501  # two decimals

# Each cell of a table: what it says, and the percentage of its width that its bar takes
CELLS = """cells => cells.map((cell) => {
  const { backgroundSize, backgroundPosition } = getComputedStyle(cell);
  return [cell.textContent, parseFloat(backgroundSize), backgroundPosition];
})"""


def cells(page: Page, rows: int) -> tuple[Any, Any]:
    """The numbers in each cell of the table, and the shares that the cells' bars show."""
    found = page.locator("tbody td").evaluate_all(CELLS)
    assert {position for _, _, position in found} == {"0% 100%"}  # from the left, at the foot
    numbers = [[float(v) for v in re.findall(r"[\d.]+", text)] for text, _, _ in found]
    shares = [size / 100 for _, size, _ in found]
    return np.reshape(numbers, (rows, -1, len(numbers[0]))), np.reshape(shares, (rows, -1))


@pytest.mark.parametrize("state", [
    {"chosen": 2}, {"chosen": 0, "positions": True}, {"positions": True, "backwards": True},
])  # fmt: skip
def test_attention(show: Show, state: dict[str, Any]) -> None:
    explorer = AttentionExplorer(**state)
    page = show(explorer)
    drawing = Drawing(page)
    grid = drawing.straight("grid")  # at whole numbers on both axes, thick at 0
    upright = sorted({m.at[0] for m in grid if np.ptp(m.points[:, 0]) == 0})
    level = sorted({m.at[1] for m in grid if np.ptp(m.points[:, 1]) == 0}, reverse=True)
    unit = upright[4] - upright[3]
    axes = [m for m in grid if m.width > 1]
    zero = np.array([next(m.at[n] for m in axes if np.ptp(m.points[:, n]) == 0) for n in (0, 1)])
    near(upright, zero[0] + unit * np.arange(-3, 4))
    near(level, zero[1] - unit * np.arange(-2, 4))

    def places(vectors: Any) -> Any:
        return zero + np.multiply(vectors, [unit, -unit])

    inputs, outputs = places(explorer.inputs()), places(explorer.outputs())
    near([m.points[0] for m in drawing.all("shape", "blue")], inputs)  # the heads of the arrows
    widths = [m.width for m in drawing.straight("blue", dashed=False)]
    assert np.argmax(widths) == explorer.chosen
    near([m.at for m in drawing.all("arc", "orange")], outputs)
    strings = drawing.straight("orange")
    near([m.points[0] for m in strings], [outputs[explorer.chosen]] * 3)
    near([m.points[1] for m in strings], inputs)
    near([m.width for m in strings], 14 * explorer.weights()[explorer.chosen])
    rims = drawing.all("arc", "grid")
    assert len(rims) == (3 if explorer.positions else 0)
    if explorer.positions:  # a clock at each vector's own tip; its hand ends where the arrow does
        near([rim.at for rim in rims], places(explorer.vectors))
        near([rim.r for rim in rims], unit)
        hands = [m for m in drawing.straight("ink") if m.width == 2.5]
        near([m.points for m in hands], np.stack([places(explorer.vectors), inputs], axis=1))

    written = [m for m in drawing.all("label") if m.text in explorer.words]
    read = across(sorted(written, key=lambda m: m.at[1])[-3:])  # the sentence below the plane
    order = explorer.words[::-1] if explorer.backwards else explorer.words
    assert [m.text for m in read] == order
    found = page.locator(".ex-weights td").evaluate_all(
        "cells => cells.map((cell) => [cell.textContent, Number(cell.style.flexGrow)])"
    )
    assert [text for text, _ in found] == [
        f"{word}{weight:.2f}"
        for row in explorer.weights() for word, weight in zip(explorer.words, row, strict=True)
    ]  # fmt: skip
    near([share for _, share in found], explorer.weights().ravel())
    assert page.locator(".ex-weights th").all_inner_texts() == explorer.words


@pytest.mark.parametrize("state", [
    {"heads": 8, "head": 3, "offset": -20},
    {"heads": 6, "head": 5, "offset": 40, "causal": False},
    {"scheme": "t5", "offset": -90},
    {"scheme": "t5", "buckets": 16, "max_distance": 64, "causal": False, "offset": 33},
])  # fmt: skip
def test_biases(show: Show, state: dict[str, Any]) -> None:
    explorer = BiasesExplorer(**state)
    drawing = Drawing(show(explorer))
    offsets, bias, weights = explorer.offsets(), explorer.bias(), explorer.weights()
    (x,), (y, shares) = drawing.axes()
    drawing.ruled(y)
    deepest = min(number(tick.text) for tick in y.ticks)
    seen = bias >= deepest
    (curve,) = drawing.curves("blue")
    follows(curve, x(offsets[seen]), y(bias[seen]))

    # ALiBi's heads, each down to where it leaves the picture
    thin = [m.points for m in drawing.all("line", "muted") if m.width < 1]
    slopes = alibi_slopes(explorer.heads) if explorer.scheme == "alibi" else []
    for points, slope in zip(thin, slopes, strict=True):
        end = min(150, -deepest / slope)
        knees = np.array([-end, 0] if explorer.causal else [-end, 0, end])
        near(points, np.column_stack([x(knees), y(-slope * np.abs(knees))]))

    most, nought = (tick.at[1] for tick in shares.ticks)
    assert shares.ticks[0].text == f"{weights.max():.{3 if weights.max() < 0.1 else 2}f}"
    assert shares.ticks[1].text == "0"
    tops = nought + (most - nought) * weights / weights.max()
    bars = drawing.all("bar", "blue")
    near([bar.at[0] for bar in bars], x(offsets))
    near([bar.points[:, 1] for bar in bars], [[top, nought] for top in tops])

    k = list(offsets).index(explorer.offset)
    chosen = [y(bias[k]), tops[k]] if seen[k] else [tops[k]]
    near([dot.at for dot in drawing.all("dot", "ink")], [[x(explorer.offset), v] for v in chosen])
    (line,) = drawing.straight("orange", dashed=True)
    near(line.at[0], x(explorer.offset))
    hidden = [m for m in drawing.all("label") if m.text == "hidden by the mask"]
    assert [m.at[0] > x(0) for m in hidden] == [True] * explorer.causal


@pytest.mark.parametrize("state", [
    {"method": "none", "factor": 4, "pair": 50},
    {"method": "interpolation", "factor": 3, "pair": 7},
    {"method": "dynamic", "factor": 4, "pair": 40},
    {"method": "yarn", "factor": 8, "pair": 40},
])  # fmt: skip
def test_context(show: Show, state: dict[str, Any]) -> None:
    score = json.loads((DATA / "longer.json").read_text("utf-8"))["score"]
    explorer = ContextExplorer(**state, score=score)
    drawing = Drawing(show(explorer))
    (x, offset), (y, height) = drawing.axes()
    for axis in (y, height):
        drawing.ruled(axis)
    y = replace(y, scale=np.log10)
    height = replace(height, scale=lambda v: np.sign(v) * np.log10(1 + np.abs(v)))

    pair, plain, now = np.arange(64), frequencies(128), explorer.scaled()
    (before,), (curve,) = drawing.curves("muted"), drawing.curves("blue")
    follows(before, x(pair), y(2 * np.pi / plain))
    dots = [m for m in drawing.all("dot") if m.colour in ("blue", "paper")]
    dots.sort(key=lambda dot: dot.at[0])
    near([dot.at for dot in dots], np.column_stack([x(pair), y(2 * np.pi / now)]))
    # hollow: less than a turn in training, and further in the longer text
    turned, further = context.turns(128, 2048), explorer.factor * now > plain * (1 + 1e-9)
    np.testing.assert_array_equal([m.colour == "paper" for m in dots], (turned < 1) & further)
    chosen = [x(explorer.pair), y(2 * np.pi / now[explorer.pair])]
    near([dot.at for dot in drawing.all("dot", "ink")], [chosen])

    length = 2048 * explorer.factor
    trained, edge = drawing.straight("orange", dashed=False)
    (read,) = drawing.straight("orange", dashed=True)
    near([trained.at[1], read.at[1], edge.at[0]], [y(2048), y(length), offset(2048)])
    assert drawing.above(trained.points[0])[0] == "trained: 2,048"
    assert drawing.above(read.points[0])[0] == f"read: {length:,.0f}"
    near(drawing.label(f"{length:,.0f}").at[0], offset(length))
    follows(curve, offset(explorer.offsets()), height(np.clip(explorer.scores(), -1e4, 1e4)))


@pytest.mark.parametrize("state", [
    {"causal": True, "layers": 1, "shuffle": 1},
    {"causal": False, "layers": 2, "shuffle": 5},
    {"causal": True, "layers": 3, "shuffle": 9, "encoded": True},
])  # fmt: skip
def test_leak(show: Show, state: dict[str, Any]) -> None:
    explorer = LeakExplorer(**state)
    drawing = Drawing(show(explorer))
    order, tokens = explorer.standing(), sequences()[0]
    tiles = across(m for m in drawing.all("label") if m.text in LETTERS)
    assert [m.text for m in tiles] == [LETTERS[token] for token in tokens[order]]
    columns = [tile.at[0] for tile in tiles]
    near(np.diff(columns), columns[1] - columns[0])

    # the cells of a column say what the stream holds there, from the top to the bottom
    painted = [m for m in drawing.all("bar") if m.colour.startswith("#")]
    stream = explorer.run(tokens[order])[0]
    for place, x in enumerate(columns):
        column = sorted((m for m in painted if close(m.at[0], x)), key=lambda m: m.at[1])
        assert len(column) == 8 * explorer.layers
        assert [m.colour for m in column[-8:]] == tide(stream[place] / 3)
    changes = explorer.changes()
    bars = across(m for m in drawing.all("bar") if m.colour in ("blue", "orange"))
    near([bar.at[0] for bar in bars], columns)
    heights = np.where(changes < 1e-12, 0, np.minimum(changes, 1))
    near([np.ptp(bar.points[:, 1]) for bar in bars], 22 * heights)
    assert [bar.colour for bar in bars] == ["blue"] * 15 + ["orange"]
    drawing.label(f"change {changes[-1]:.2f}" if changes[-1] > 1e-12 else "change 0")
    bottom = max(m.points[1, 1] for m in painted)
    framed = [m.at[0] for m in drawing.all("frame") if m.points[1, 1] > bottom]
    near(sorted(framed), [x for x, change in zip(columns, changes, strict=True) if change > 1e-12])
    clocks = drawing.clocks()
    assert len(clocks) == (16 if explorer.encoded else 0)
    for place, clock in enumerate(clocks):
        near(clock.hands["blue"], [np.sin(place), np.cos(place)])


@pytest.mark.parametrize("state", [{"causal": True, "layers": 2}, {"causal": False, "shuffle": 3}])
def test_the_spread_of_leak(show: Show, state: dict[str, Any]) -> None:
    explorer = LeakExplorer(story="variance", **state)
    drawing = Drawing(show(explorer))
    (x,), (y,) = drawing.axes()
    spread, first = np.sqrt(explorer.variances()), explorer.variances()[0]
    place = np.arange(16)
    for sign, curve in zip((1, -1), drawing.curves("orange"), strict=True):
        follows(curve, x(place), y(sign * spread))
    for sign, curve in zip((1, -1), drawing.curves("muted", dashed=True), strict=True):
        follows(curve, x(place), y(sign * np.sqrt(first / (place + 1))))
    added = np.stack([explorer.run(tokens)[1] for tokens in sequences()])
    (own,) = drawing.curves("ink")
    read = explorer.run(sequences()[0][explorer.standing()])[1]
    follows(own, x(place), y((read - added.mean(axis=0))[:, 0]))
    dots = [m.at[1] for m in drawing.all("bar", "blue")]
    expected = y((added - added.mean(axis=0)).transpose(1, 0, 2).ravel())
    near(dots, expected)


@pytest.mark.parametrize("state", [
    {"order": [6, 5, 4, 3, 2, 1, 0], "positions": True},
    {"order": [1, 0, 2, 3, 6, 4, 5], "causal": True, "word": 4},
    {"order": [0, 1, 5, 3, 4, 2, 6], "positions": True, "pooled": True},
])  # fmt: skip
def test_order(show: Show, state: dict[str, Any]) -> None:
    explorer = OrderExplorer(**state)
    drawing = Drawing(show(explorer))
    order, changes, weights = explorer.standing(), explorer.changes(), explorer.weights()
    words = across(m for m in drawing.all("label") if m.text in explorer.words)
    assert [m.text for m in words] == [explorer.words[k] for k in order]
    columns, slot = [m.at[0] for m in words], words[1].at[0] - words[0].at[0]
    near(np.diff(columns), slot)
    chosen = order.index(explorer.word)
    said = [m for m in drawing.all("label", "orange") if m.at[1] < words[0].at[1] + 30]
    for place, x in enumerate(columns):
        (weight,) = [m.text for m in said if close(m.at[0], x) and m.at[1] > words[0].at[1]]
        assert weight == f"{weights[chosen, place]:.2f}"

    # each word's shares stand on its foot, side by side, and ribbons land on them
    feet = [m for m in drawing.all("bar") if m.points[0, 1] < words[0].at[1] - 20]
    line = feet[0].points[0, 1]
    for place, x in enumerate(columns):
        own = across(m for m in feet if abs(m.at[0] - x) < 0.4 * slot)
        shares = sorted(weights[place][weights[place] * 0.78 * slot > 0.1])
        widths = [np.ptp(m.points[:, 0]) for m in own]
        near(sorted(widths), 0.78 * slot * np.array(shares))
        assert {m.colour for m in own} == {"orange" if place == chosen else "blue"}
    ribbons = [m for m in drawing.all("shape") if close(m.points[0, 1], line)]
    assert len(ribbons) == 21
    assert sum(m.colour == "orange" for m in ribbons) == 6

    painted = [m for m in drawing.all("bar") if m.colour.startswith("#")]
    outputs = explorer.outputs()
    for place, x in enumerate(columns):
        row = [m for m in painted if abs(m.at[0] - x) < slot / 2 and m.at[1] < painted[0].at[1] + 1]
        assert [m.colour for m in row] == tide(outputs[place] / 2)
    bars = [m for m in drawing.all("bar", "orange") if m.points[0, 1] > painted[0].points[0, 1]]
    heights = 22 * np.minimum(np.where(changes < 1e-12, 0, changes), 1)
    near([np.ptp(m.points[:, 1]) for m in across(bars)], heights)
    clocks = drawing.clocks()
    assert len(clocks) == (7 if explorer.positions else 0)
    for place, clock in enumerate(clocks):
        near(clock.hands["blue"], [np.sin(place), np.cos(place)])
    if explorer.pooled:
        mean = across(m for m in painted if m.at[1] > painted[0].at[1] + 1)
        assert [m.colour for m in mean] == tide(outputs.mean(axis=0) / 2)


def tide(values: Any) -> list[str]:
    """The colours of values from -1 to 1, as a canvas gives them back."""
    levels = (np.clip(values, -1, 1) * 127.5 + 128).astype(int)
    return [f"#{bytes(LEVELS[level].round().astype(np.uint8)).hex()}" for level in levels]


def across(marks: Iterable[Mark]) -> list[Mark]:
    """From left to right."""
    return sorted(marks, key=lambda m: m.at[0])


@pytest.mark.parametrize("state", [
    {"task": "previous", "causal": True, "layers": 1},
    {"task": "order", "causal": False, "layers": 2},
])  # fmt: skip
def test_schemes(show: Show, state: dict[str, Any]) -> None:
    recording = json.loads((DATA / "schemes.json").read_text("utf-8"))
    page = show(SchemesExplorer(recording=recording, **state))
    rows = [row for row in recording["settings"] if state.items() <= row.items()]
    right = np.array([row["right"] for row in rows])  # (schemes, seeds, lengths)
    assert page.locator("tbody th").all_inner_texts() == [row["scheme"] for row in rows]
    heads = page.locator("thead th").all_inner_texts()
    assert heads == ["scheme", *(f"at {length}" for length in recording["lengths"])]
    numbers, shares = cells(page, len(rows))
    mean, low, high = right.mean(axis=1), right.min(axis=1), right.max(axis=1)
    near(numbers, np.stack([mean, low, high], axis=-1), ROUNDED)
    near(shares, mean, ROUNDED)
