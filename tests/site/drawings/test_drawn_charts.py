"""Arrows, curves, bars and shares are as long as pe_lib says, and labelled with what they are."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from built import ROOT
from drawn import Drawing, Show, follows, near, number
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

DATA = ROOT / "chapters" / "data"
ROUNDED = 0.00501  # two decimals

# Each cell of a table: what it says, and the percentage of its width that its bar takes
CELLS = """cells => cells.map((cell) => {
  const { backgroundSize, backgroundPosition } = getComputedStyle(cell);
  return [cell.textContent, parseFloat(backgroundSize), backgroundPosition];
})"""

# Each tile's place, row by row, and its word
TILES = "tiles => tiles.map((tile) => [tile.offsetTop, tile.offsetLeft, tile.textContent])"

# Each bar with the words before and after it, and from where to where in its track it goes
BARS = """bars => bars.map((bar) => {
  const [track, own] = [bar.parentElement, bar].map((node) => node.getBoundingClientRect());
  const ends = [own.left, own.right].map((x) => (x - track.left) / track.width);
  const around = [bar.parentElement.previousSibling, bar.parentElement.nextSibling];
  return [around.map((node) => node.textContent), ends];
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
    grid = drawing.straight("grid")  # at -3 to 3 on both axes, thick at 0
    upright = sorted({m.at[0] for m in grid if np.ptp(m.points[:, 0]) == 0})
    level = sorted({m.at[1] for m in grid if np.ptp(m.points[:, 1]) == 0}, reverse=True)
    unit, zero = upright[4] - upright[3], np.array([upright[3], level[3]])
    near([upright, level], zero[:, None] + np.outer([unit, -unit], np.arange(-3, 4)))
    near([m.at for m in grid if m.width > 1], [zero, zero])

    def places(vectors: Any) -> Any:
        return zero + np.multiply(vectors, [unit, -unit])

    arrows, inputs = drawing.straight("blue"), places(explorer.inputs())
    near([m.points for m in arrows], [[zero, tip] for tip in inputs])
    assert np.argmax([m.width for m in arrows]) == explorer.chosen
    near([m.at for m in drawing.all("dot", "blue")], inputs)
    near([m.at for m in drawing.all("arc", "orange")], places(explorer.outputs()))
    words = np.array([drawing.label(word).at for word in explorer.words])
    distances = np.linalg.norm(words[:, None] - inputs, axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), [0, 1, 2])
    if explorer.positions:
        added = [m.points for m in drawing.straight("muted", dashed=True)]
        near(added, np.stack([places(explorer.vectors), inputs], axis=1))

    numbers, shares = cells(page, 3)
    near(numbers[..., 0], explorer.weights(), ROUNDED)
    near(shares, explorer.weights(), ROUNDED)
    assert page.locator(".ex-weights th").all_inner_texts() == 2 * explorer.words


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
    (x, later), (y, variance) = drawing.axes()
    for axis in (y, variance):
        drawing.ruled(axis)
    changes = np.where(explorer.changes() < 1e-12, 0, explorer.changes())
    most = max(1, changes.max())
    assert [tick.text for tick in y.ticks] == [f"{v:.1f}" for v in (0, most / 2, most)]
    nought, _, top = (tick.at[1] for tick in y.ticks)
    bars = drawing.all("bar")
    near([bar.at[0] for bar in bars], x(np.arange(16)))
    tops = nought + (top - nought) * changes / most
    near([bar.points[:, 1] for bar in bars], [[top, nought] for top in tops])
    assert [bar.colour for bar in bars] == ["blue"] * 15 + ["orange"]
    near(drawing.label("last").at[0], x(15))

    later = replace(later, scale=np.log)
    variance = replace(variance, scale=lambda v: np.log(np.clip(v, 0.01, 10**0.6)))
    found, place = explorer.variances(), np.arange(1, 17)
    (curve,) = drawing.curves("blue")
    follows(curve, later(place), variance(found))
    near([dot.at for dot in drawing.all("dot", "blue")], curve.points)
    (line,) = drawing.straight("muted", dashed=True)
    follows(line, later([1, 16]), variance([found[0], found[0] / 16]))


@pytest.mark.parametrize("state", [
    {"order": [6, 5, 4, 3, 2, 1, 0], "positions": True},
    {"order": [1, 0, 2, 3, 6, 4, 5], "causal": True},
    {"order": [0, 1, 5, 3, 4, 2, 6], "positions": True, "pooled": True},
])  # fmt: skip
def test_order(show: Show, state: dict[str, Any]) -> None:
    explorer = OrderExplorer(**state)
    page, changes = show(explorer), explorer.changes()
    words = [explorer.words[k] for k in explorer.order]
    tiles = page.locator(".ex-word").evaluate_all(TILES)
    assert [word for _, _, word in sorted(tiles)] == words
    around, ends = zip(*page.locator(".ex-bar").evaluate_all(BARS), strict=True)
    names = ["mean"] if explorer.pooled else words
    said = ["0" if change < 1e-12 else f"{change:.4f}" for change in changes]
    assert list(around) == [list(pair) for pair in zip(names, said, strict=True)]
    near(ends, [[0, min(1, change / 2)] for change in changes], 0.002)  # a track's width holds 2


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
