"""Read the lines, dots, labels, bars and maps in explorers' pictures without a browser.

The tick labels of a drawn axis determine the pixel at which a value must be drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib.course.explorers import Explorer
from pe_lib.course.explorers._bundle import scene
from tests.node import run

TREES = Path(__file__).with_name("trees.mjs")


def draw(tellings: list[list[Explorer]], stories: int, folder: Path) -> list[list["Drawing"]]:
    """Return two drawings of each explorer: one for the width of a phone, and one for a wide page.

    The first `stories` lists hold the steps of stories. Their explorers are also tested with
    simulated drags and key presses.
    """
    request = [{"module": scene(first.kind).as_uri(), "about": first.about(),
                "states": [explorer.state() for explorer in (first, *others)]}
               for first, *others in tellings]  # fmt: skip
    drawings = iter(run(TREES, {"stories": stories, "tellings": request}, folder))
    return [[Drawing(next(drawings)) for _ in range(2 * len(telling))] for telling in tellings]


@dataclass
class Mark:
    """A drawn shape. Labels, dots and arcs have one point. Bars, frames and maps have two."""

    kind: str
    points: NDArray[np.float64]
    colour: str = ""
    width: float = 0
    dashed: bool = False
    r: float = 0
    text: str = ""
    align: str = ""
    cells: tuple[float, ...] = ()  # the values in the cells of a heatmap
    depth: float = 1  # the opacity of a bar's fill, from 0 to 1

    def __post_init__(self) -> None:
        self.points = np.array(self.points, float)
        self.at = (self.points.min(axis=0) + self.points.max(axis=0)) / 2


def number(text: str) -> float | None:
    """Return the number that a label shows, or None if the label is not a number."""
    try:
        return float(text.replace("1 million", "1e6").replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def assert_near(actual: ArrayLike, expected: ArrayLike, within: float = 1e-3) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=0, atol=within)


class Drawing:
    """The shapes in a picture, in drawing order, and the text below the picture."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.problems, self.reading, self.width, self.parts, self.unchecked = (
            result[name] for name in ("problems", "reading", "width", "parts", "unchecked")
        )
        self.marks = [Mark(**mark) for mark in result["marks"]]
        # what a reader sees in this step of the story, and what is drawn before any step
        self.seen = [Mark(**mark) for mark in result.get("seen", [])]
        self.unnamed = [Mark(**mark) for mark in result.get("unnamed", [])]
        self.told = result.get("told", "")

    def all(self, kind: str, *colours: str) -> list[Mark]:
        return [m for m in self.marks if m.kind == kind and m.colour.startswith(colours or "")]

    def lines(self, colour: str, straight: bool = False) -> list[Mark]:
        return [line for line in self.all("line", colour) if straight == (len(line.points) == 2)]

    def columns(self, *colours: str) -> list[Mark]:
        """Return the bars of the given colours, column by column, each from top to bottom."""
        return sorted(self.all("bar", *colours), key=lambda m: (round(m.at[0]), m.at[1]))

    def hands(self, colour: str) -> list[NDArray[np.float64]]:
        """Return the coordinates of each hand's tip, in units of the clock's radius."""
        square = [rim for rim in self.lines("grid") if len(rim.points) == 64]  # square clocks
        pieces = [line.points[n : n + 2] for line in self.all("line", colour)
                  for n in range(0, len(line.points) - 1, 2)]  # fmt: skip
        return [(there - rim.at) / (rim.r or np.ptp(rim.points[:, 0]) / 2) * [1, -1]
                for rim in self.all("arc", "grid") + square for start, there in pieces
                if np.allclose(start, rim.at, atol=0.1)]  # fmt: skip

    def axes(self, side: int, scale: Callable[[Any], Any] = np.asarray) -> list["Axis"]:
        """Return the horizontal axes if `side` is 0, and the vertical axes if it is 1.

        An axis is a sequence of numeric labels with no other label between them.
        """
        groups: list[dict[float, list[Mark]]] = [{}]
        for label in self.all("label"):
            if number(label.text) is None:
                groups.append({})
            elif side == (label.align == "right"):
                groups[-1].setdefault(label.at[1 - side].round(2), []).append(label)
        rows = [row for group in groups for row in group.values() if len(row) > 1]
        return [Axis(side, row, scale) for row in rows]


@dataclass
class Axis:
    """An axis in a picture, which converts values to pixels according to its tick labels."""

    side: int
    ticks: list[Mark]
    scale: Callable[[Any], Any]

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        labelled = self.scale(np.array([number(tick.text) for tick in self.ticks], float))
        pixels = [tick.at[self.side] for tick in self.ticks]
        slope, zero = np.polyfit(labelled, pixels, 1)
        # letters are placed to within a tenth of a pixel
        assert_near(pixels, slope * labelled + zero, 0.1)
        place: NDArray[np.float64] = slope * self.scale(np.asarray(values)) + zero
        return place
