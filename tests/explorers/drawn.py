"""What explorers draw, read back in pixels: lines, dots, labels, bars and maps, without a browser.

Where a value belongs is read from the labels of the axis as drawn.
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
    """Each explorer, one story or state after another, on the phone and on the wide page.

    So many of the first are stories, which hands are laid on, too.
    """
    asked = [{"module": scene(first.kind).as_uri(), "about": first.about(),
              "states": [one.state() for one in (first, *others)]}
             for first, *others in tellings]  # fmt: skip
    drawn = iter(run(TREES, {"stories": stories, "tellings": asked}, folder))
    return [[Drawing(next(drawn)) for _ in range(2 * len(telling))] for telling in tellings]


@dataclass
class Mark:
    """One thing drawn: a label, dot or arc has one point, a bar, frame or map two corners."""

    kind: str
    points: NDArray[np.float64]
    colour: str = ""
    width: float = 0
    dashed: bool = False
    r: float = 0
    text: str = ""
    align: str = ""
    cells: tuple[float, ...] = ()  # a map's values
    depth: float = 1  # of a bar: none at -1, full at 1

    def __post_init__(self) -> None:
        self.points = np.array(self.points, float)
        self.at = (self.points.min(axis=0) + self.points.max(axis=0)) / 2


def number(text: str) -> float | None:
    """A number as people write it, or None for other words."""
    try:
        return float(text.replace("1 million", "1e6").replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def near(found: ArrayLike, expected: ArrayLike, within: float = 1e-3) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)


class Drawing:
    """The marks of a picture, in the order in which they were made, and what is read beside it."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.problems, self.reading, self.width, self.parts = (
            found[name] for name in ("problems", "reading", "width", "parts")
        )
        self.marks = [Mark(**made) for made in found["marks"]]

    def all(self, kind: str, *colours: str) -> list[Mark]:
        return [m for m in self.marks if m.kind == kind and m.colour.startswith(colours or "")]

    def lines(self, colour: str, straight: bool = False) -> list[Mark]:
        return [line for line in self.all("line", colour) if straight == (len(line.points) == 2)]

    def columns(self, *colours: str) -> list[Mark]:
        """Bars, column by column, each from the top."""
        return sorted(self.all("bar", *colours), key=lambda m: (round(m.at[0]), m.at[1]))

    def hands(self, colour: str) -> list[NDArray[np.float64]]:
        """The hand of each clock as drawn, in radii: how far right and up it points."""
        bent = [rim for rim in self.lines("grid") if len(rim.points) == 64]  # of the counter
        pieces = [line.points[n : n + 2] for line in self.all("line", colour)
                  for n in range(0, len(line.points) - 1, 2)]  # fmt: skip
        return [(there - rim.at) / (rim.r or np.ptp(rim.points[:, 0]) / 2) * [1, -1]
                for rim in self.all("arc", "grid") + bent for start, there in pieces
                if np.allclose(start, rim.at, atol=0.1)]  # fmt: skip

    def axes(self, side: int, scale: Callable[[Any], Any] = np.asarray) -> list["Axis"]:
        """Those along x (side 0) or y: numbers in line, without other words in between."""
        found: list[dict[float, list[Mark]]] = [{}]
        for label in self.all("label"):
            if number(label.text) is None:
                found.append({})
            elif side == (label.align == "right"):
                found[-1].setdefault(label.at[1 - side].round(2), []).append(label)
        ticks = [one for group in found for one in group.values() if len(one) > 1]
        return [Axis(side, one, scale) for one in ticks]


@dataclass
class Axis:
    """Values to pixels, by the labels of the ticks."""

    side: int
    ticks: list[Mark]
    scale: Callable[[Any], Any]

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        labelled = self.scale(np.array([number(tick.text) for tick in self.ticks], float))
        pixels = [tick.at[self.side] for tick in self.ticks]
        slope, zero = np.polyfit(labelled, pixels, 1)
        near(pixels, slope * labelled + zero, 0.1)  # letters stand at tenths of a pixel
        place: NDArray[np.float64] = slope * self.scale(np.asarray(values)) + zero
        return place
