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

from pe_lib import frequencies
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
    {"heads": 6, "head": 5, "offset": 40, "causal": False, "query": 10},
    {"scheme": "t5", "offset": -90},
    {"scheme": "t5", "buckets": 16, "max_distance": 64, "causal": False, "offset": 33},
])  # fmt: skip
def test_biases(show: Show, state: dict[str, Any]) -> None:
    explorer = BiasesExplorer(**state)
    drawing = Drawing(show(explorer))
    query, weights = explorer.query, explorer.weights()
    words = [m for m in drawing.all("label") if m.align == "left"][: len(weights)]
    assert [m.text for m in words] == explorer.words
    assert words[query].colour == "paper"

    # behind each word that is seen a mark, and a bar under it
    seen = np.flatnonzero(weights)
    bars = drawing.all("bar", "blue")[1::2]
    near([bar.points[0, 0] for bar in bars], [words[s].at[0] - 3 - (s == query) for s in seen])
    tall = [np.ptp(bar.points[:, 1]) for bar in bars]
    most = 12 if max(m.at[0] for m in words) > 360 else 5  # wide, or on a phone
    for s, height in zip(seen, tall, strict=True):
        if s != query:
            near(height, most * weights[s] / weights.max())
    boxes = drawing.all("frame", "orange")
    key = query + explorer.offset
    if 0 <= key < len(weights):
        near(boxes[0].points[0, 0], words[key].at[0] - 4)

    offsets = np.arange(-150, 1 if explorer.causal else 151)
    bias = explorer.bias(offsets)
    (x,), (y,) = drawing.axes()
    drawing.ruled(y)
    deepest = min(number(tick.text) for tick in y.ticks)
    kept = bias >= deepest
    (curve,) = drawing.curves("blue")
    follows(curve, x(offsets[kept]), y(bias[kept]))

    # ALiBi's heads, each down to where it leaves the picture
    thin = [m.points for m in drawing.all("line", "muted") if m.width < 1]
    slopes = alibi_slopes(explorer.heads) if explorer.scheme == "alibi" else []
    for points, slope in zip(thin, slopes, strict=True):
        end = min(150, -deepest / slope)
        knees = np.array([-end, 0] if explorer.causal else [-end, 0, end])
        near(points, np.column_stack([x(knees), y(-slope * np.abs(knees))]))

    value = explorer.bias(explorer.offset)
    chosen = [[x(explorer.offset), y(value)]] if value >= deepest else []
    near(
        np.reshape([dot.at for dot in drawing.all("dot", "ink")], (-1, 2)),
        np.reshape(chosen, (-1, 2)),
    )
    (line,) = drawing.straight("orange", dashed=True)
    near(line.at[0], x(explorer.offset))


@pytest.mark.parametrize("state", [
    {"method": "none", "factor": 4.0, "length": 8192, "pair": 50},
    {"method": "yarn", "factor": 6.0, "length": 5000, "pair": 3},
    {"method": "dynamic", "factor": 2.5, "length": 3000, "pair": 63},
])  # fmt: skip
def test_context(show: Show, state: dict[str, Any]) -> None:
    score = json.loads((DATA / "longer.json").read_text("utf-8"))["score"]
    explorer = ContextExplorer(score=score, **state)
    drawing, length = Drawing(show(explorer)), explorer.reached()
    (x,), (y,) = drawing.axes()
    y = replace(y, scale=lambda v: np.sign(v) * np.log10(1 + np.abs(v)))
    drawing.ruled(y)

    # The score as far as the text has come, in two colours that meet
    offsets, scores = explorer.offsets(), explorer.scores()
    seen = offsets < length
    (inside,), (beyond,) = drawing.curves("blue"), drawing.curves("orange")
    points = np.vstack([inside.points[:-1], beyond.points])
    near(inside.points[-1], beyond.points[0])
    follows(replace(inside, points=points[:-1]), x(offsets[seen]), y(scores[seen]))
    near(points[-1, 0], x(length))
    assert (inside.points[:-1, 0] < x(2048)).all() and (beyond.points[:, 0] >= x(2048)).all()

    # The end of the text, and its words: blue, orange, and those to come
    (end,) = [m for m in drawing.straight("ink") if np.ptp(m.points[:, 0]) == 0]
    near(end.at[0], x(length))
    words = [m for m in drawing.all("line") if m.width == 4]
    assert {m.colour for m in words if m.points[0, 0] >= x(length)} <= {"grid"}
    assert {m.colour for m in words if m.points[0, 0] < x(2048)} == {"blue"}

    # The hands, and the sectors that training showed
    now = max(1.0, length / 2048) if explorer.method == "dynamic" else explorer.factor
    angle = length * explorer.scaled(now)
    *small, large = drawing.clocks()
    hands = [next(iter(clock.hands.values())) for clock in small]
    near(hands, np.column_stack([np.sin(angle), np.cos(angle)]), 1e-2)
    near(large.hands["orange" if "orange" in large.hands else "blue"], hands[explorer.pair], 1e-2)
    assert sum("orange" in clock.hands for clock in small) == explorer.new(length)
    assert large.labels == [f"pair {explorer.pair}"]
    arcs = [m for m in drawing.all("dot", "blue") if m.end]
    seen_arc = np.minimum(2048 * frequencies(128), 2 * np.pi)
    near([m.end - m.start for m in arcs], [*seen_arc, seen_arc[explorer.pair]])
    (box,) = drawing.all("frame", "ink")
    near(box.at, small[explorer.pair].at)


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
    {"task": "previous", "causal": True, "layers": 2, "scheme": "rotary", "length": 48.0},
    {"task": "order", "causal": False, "layers": 1, "scheme": "none", "length": 30.5},
])  # fmt: skip
def test_schemes(show: Show, state: dict[str, Any]) -> None:
    recording = json.loads((DATA / "lengths.json").read_text("utf-8"))
    explorer = SchemesExplorer(recording=recording, **state)
    page = show(explorer)
    drawing, chosen, now = Drawing(page), explorer.chosen(), explorer.now()
    (x,), (y,) = drawing.axes()
    drawing.ruled(y)
    passed = [length for length in recording["lengths"] if length < explorer.length]
    at = x([*passed, explorer.length])

    def run(scheme: str) -> Any:
        return np.column_stack([chosen[scheme][:, : len(passed)], now[scheme]])

    *seeds, mean = drawing.curves("orange")
    for line, shares in zip(seeds, run(explorer.scheme), strict=True):
        follows(line, at, y(shares))
    follows(mean, at, y(run(explorer.scheme).mean(axis=0)))
    assert mean.width > 3 * max(line.width for line in seeds)
    others = [scheme for scheme in chosen if scheme != explorer.scheme]
    for line, scheme in zip(drawing.curves("muted"), others, strict=True):
        follows(line, at, y(run(scheme).mean(axis=0)))
    places = np.array([drawing.label(scheme).at[1] for scheme in chosen])
    ends = y([now[scheme].mean() for scheme in chosen])
    assert np.diff(np.sort(places)).min() > 14 and np.abs(places - ends).max() < 75
    assert drawing.label(explorer.scheme).colour == "orange"

    page.locator("summary", has_text="numbers").click()
    heads = page.locator("thead th").all_inner_texts()
    assert heads == ["scheme", "at 16", "at 24", "at 32", "at 48"]
    numbers, shares = cells(page, 6)
    right = np.array([chosen[scheme] for scheme in chosen])[:, :, [0, 2, 4, 8]]
    means, low, high = right.mean(axis=1), right.min(axis=1), right.max(axis=1)
    near(numbers, np.stack([means, low, high], axis=-1), ROUNDED)
    near(shares, means, ROUNDED)
    page.locator("summary", has_text="numbers").click()
