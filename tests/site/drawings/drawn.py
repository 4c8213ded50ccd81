"""What an explorer draws, read back in CSS pixels: lines, dots, labels, bars and maps.

Where a value belongs is read from the labels of the axis as drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from playwright.sync_api import Page

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

Show = Callable[[Explorer], Page]  # what the fixture `show` gives
NEAR = 1e-3  # pixels, or radii of a clock
NAMES = {code: name for name, code in figures.PALETTE.items()}
LEVELS = 255 * figures.TIDE(np.arange(256))[:, :3]  # the colours of the values -1 to 1

# Each canvas keeps the marks made since it was last cleared, which an explorer does to draw anew.
RECORD = """() => {
  const watch = (name, look) => {
    const prototype = CanvasRenderingContext2D.prototype, original = prototype[name];
    prototype[name] = function (...given) {
      look(this, this.canvas, ...given);
      return original.apply(this, given);
    };
  };
  const css = (c, ...numbers) =>
    numbers.map((v) => v * c.getTransform().a * (c.canvas.clientWidth / c.canvas.width));
  const corners = (c, x, y, w, h) => [css(c, x, y), css(c, x + w, y + h)];
  const pen = (c) =>
    ({ colour: c.strokeStyle, width: c.lineWidth, dashed: c.getLineDash().length > 0 });
  const note = (canvas, kind, mark) => (canvas.marks ??= []).push({ kind, ...mark });
  const round = (canvas) => canvas.path.filter(({ r }) => r !== undefined);
  const straight = (canvas) => canvas.path.filter(({ points }) => points.length > 1);

  watch("clearRect", (c, canvas) => { canvas.marks = []; });
  watch("beginPath", (c, canvas) => { canvas.path = []; });
  watch("moveTo", (c, { path }, x, y) => { path.push({ points: [css(c, x, y)] }); });
  watch("lineTo", (c, { path }, x, y) => {
    if (!path.length) path.push({ points: [] });
    path.at(-1).points.push(css(c, x, y));
  });
  watch("arc", (c, { path }, x, y, r, start, end) => {
    path.push({ points: [css(c, x, y)], r: css(c, r)[0], start, end });
  });
  watch("stroke", (c, canvas) => {
    for (const part of straight(canvas)) note(canvas, "line", { ...part, ...pen(c) });
    for (const part of round(canvas)) note(canvas, "arc", { ...part, ...pen(c) });
  });
  watch("fill", (c, canvas) => {
    for (const part of straight(canvas)) note(canvas, "shape", { ...part, colour: c.fillStyle });
    for (const part of round(canvas)) note(canvas, "dot", { ...part, colour: c.fillStyle });
  });
  watch("strokeRect", (c, canvas, ...box) => {
    note(canvas, "frame", { points: corners(c, ...box), ...pen(c) });
  });
  watch("fillRect", (c, canvas, ...box) => {
    note(canvas, "bar", { points: corners(c, ...box), colour: c.fillStyle });
  });
  watch("fillText", (c, canvas, said, x, y) => {
    const text = String(said), align = c.textAlign;
    note(canvas, "label", { points: [css(c, x, y)], text, align, colour: c.fillStyle });
  });
  watch("drawImage", (c, canvas, source, ...box) => {
    const { width, height } = source;
    if (width * height > 10_000) return; // a picture, not a map
    const pixels = [...source.getContext("2d").getImageData(0, 0, width, height).data];
    note(canvas, "map", { points: corners(c, ...box), shape: [height, width, 4], pixels });
  });
}"""


@dataclass(frozen=True)
class Mark:
    """One thing drawn: a label, dot or arc has one point, a bar, frame or map two corners."""

    kind: str
    points: NDArray[np.float64]
    colour: str = ""  # by its name in figures.PALETTE
    width: float = 0
    dashed: bool = False
    r: float = 0
    start: float = 0
    end: float = 0
    text: str = ""
    align: str = ""
    values: Any = None  # of a map's cells, -1 to 1

    @property
    def at(self) -> NDArray[np.float64]:
        """The middle of its extent."""
        middle: NDArray[np.float64] = (self.points.min(axis=0) + self.points.max(axis=0)) / 2
        return middle


def mark(points: list[list[float]], colour: str = "", **rest: Any) -> Mark:
    if pixels := rest.pop("pixels", None):
        rgb = np.reshape(pixels, rest.pop("shape"))[..., None, :3]
        rest["values"] = np.abs(rgb - LEVELS).sum(axis=-1).argmin(axis=-1) / 127.5 - 1
    return Mark(points=np.array(points, float), colour=NAMES.get(colour, colour), **rest)


@dataclass(frozen=True)
class Axis:
    """Values to pixels along `side` (0: x, 1: y), by the labels of the ticks."""

    side: int
    ticks: list[Mark]
    scale: Callable[[Any], Any] = np.asarray
    within: float = NEAR

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        labelled = self.scale([number(tick.text) for tick in self.ticks])
        pixels = [tick.at[self.side] for tick in self.ticks]
        slope, zero = np.polyfit(labelled, pixels, 1)
        near(pixels, slope * labelled + zero, self.within)
        place: NDArray[np.float64] = slope * self.scale(values) + zero
        return place


@dataclass(frozen=True)
class Clock:
    """A clock, with the labels beneath it; lengths are in radii, to the right and up."""

    at: NDArray[np.float64]
    r: float
    labels: list[str]
    hands: dict[str, NDArray[np.float64]]  # the tip of the hand of each colour
    dots: list[NDArray[np.float64]]  # what is marked at its rim


class Drawing:
    """The marks on a canvas, in the order in which they were made."""

    def __init__(self, page: Page, canvas: int = 0) -> None:
        # as text: Playwright takes long over thousands of small values
        look = "c => JSON.stringify([c.marks, c.clientWidth, c.clientHeight])"
        marks, *size = json.loads(page.locator("canvas").nth(canvas).evaluate(look))
        self.marks = [mark(**made) for made in marks]
        beyond = [m for m in self.marks if (m.points < 0).any() or (m.points > size).any()]
        assert not beyond, f"cut off by the edge: {beyond[:3]}, {size}"

    def all(self, kind: str, colour: str = "", dashed: bool | None = None) -> list[Mark]:
        return [
            m for m in self.marks
            if m.kind == kind and colour in ("", m.colour) and dashed in (None, m.dashed)
        ]  # fmt: skip

    def straight(self, colour: str, dashed: bool | None = None) -> list[Mark]:
        """The lines from one point to another."""
        return [line for line in self.all("line", colour, dashed) if len(line.points) == 2]

    def curves(self, colour: str, dashed: bool | None = None) -> list[Mark]:
        """The lines through more points than two."""
        return [line for line in self.all("line", colour, dashed) if len(line.points) > 2]

    def label(self, text: str) -> Mark:
        """The one label that says this."""
        (found,) = [label for label in self.all("label") if label.text == text]
        return found

    def above(self, corner: ArrayLike) -> list[str]:
        """What is written above a corner, from the same left edge on; the nearest first."""
        x, y = np.asarray(corner)
        written = [m for m in self.all("label") if close(m.at[0], x, 5) and m.at[1] < y]
        return [m.text for m in sorted(written, key=lambda m: -m.at[1]) if m.align == "left"]

    def axes(self) -> tuple[list[Axis], list[Axis]]:
        """Those along x and those along y.

        The labels of an axis are numbers, written without other words in between, on one line.
        """
        found: list[dict[tuple[int, float], list[Mark]]] = [{}]
        for label in self.all("label"):
            if number(label.text) is None:
                found.append({})
                continue
            side = 1 if label.align == "right" else 0
            found[-1].setdefault((side, label.at[1 - side].round(2)), []).append(label)
        axes = [
            Axis(side, ticks)
            for group in found for (side, _), ticks in group.items() if len(ticks) > 1
        ]  # fmt: skip
        return [a for a in axes if a.side == 0], [a for a in axes if a.side == 1]

    def ruled(self, axis: Axis) -> tuple[float, float]:
        """From where to where the lines of the grid go; each tick has one at its height."""
        lines = self.straight("grid")
        beside = [min(lines, key=lambda m: np.hypot(*(m.points[0] - t.at))) for t in axis.ticks]
        near([line.points[:, 1] for line in beside], [[tick.at[1]] * 2 for tick in axis.ticks])
        (left,), (right,) = ({line.points[n, 0] for line in beside} for n in (0, 1))
        return float(left), float(right)

    def clocks(self) -> list[Clock]:
        """From left to right, or as drawn."""
        found = []
        for rim in self.all("arc", "grid"):
            hands = [line for line in self.all("line") if close(line.points[0], rim.at)]
            dots = [(dot.at - rim.at) / rim.r * [1, -1] for dot in self.all("dot")]
            labels = [
                m for m in self.all("label")
                if close(m.at[0], rim.at[0]) and rim.r < m.at[1] - rim.at[1] < 3 * rim.r
            ]  # fmt: skip
            found.append(Clock(
                rim.at, rim.r,
                [label.text for label in sorted(labels, key=lambda label: label.at[1])],
                {hand.colour: (hand.points[1] - rim.at) / rim.r * [1, -1] for hand in hands},
                [dot for dot in dots if close(np.hypot(*dot), 1)],
            ))  # fmt: skip
        return found


def close(found: ArrayLike, expected: ArrayLike, within: float = NEAR) -> bool:
    return np.allclose(found, expected, rtol=0, atol=within)


def number(text: str) -> float | None:
    """A number as people write it, or None for other words."""
    try:
        return float(text.replace("1 million", "1e6").replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def near(found: ArrayLike, expected: ArrayLike, within: float = NEAR) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)


def follows(line: Mark, x: ArrayLike, y: ArrayLike) -> None:
    """The line goes through these points, one after another."""
    near(line.points, np.column_stack(np.broadcast_arrays(x, y)))
