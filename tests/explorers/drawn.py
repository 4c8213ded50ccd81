"""What explorers draw, read back in pixels: lines, dots, labels, bars and maps, without a browser.

Where a value belongs is read from the labels of the axis as drawn.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib.course import explorers, figures
from pe_lib.course.explorers import Explorer
from pe_lib.course.explorers._base import Drawn
from pe_lib.course.explorers._bundle import scene
from tests.node import run

PAGE, TREES = (Path(__file__).with_name(name) for name in ("page.mjs", "trees.mjs"))
LEVELS = np.round(255 * figures.TIDE(np.arange(256))[:, :3])  # the colours of the values -1 to 1


def sizes(kind: str) -> list[dict[str, float]]:
    """Of the canvas, on a phone's page and on one of 720 pixels."""
    found = re.search(r"ex-canvas ex-(\w+)", scene(kind).read_text("utf-8"))
    rule = rf"\.ex-{found[1]} \{{[^}}]*?(?<!-)height: ([\d.]+)rem" if found else "(?!)"
    heights = [float(rems) for rems in re.findall(rule, explorers.stylesheet())] or [26]
    return [{"width": 350, "height": 16 * heights[-1]}, {"width": 680, "height": 16 * heights[0]}]


def draw(tellings: list[list[Explorer]], folder: Path) -> list[list["Drawing"]]:
    """Each explorer, one story or state after another, on the phone and on the wide page."""
    asked: dict[Path, list[dict[str, Any]]] = {PAGE: [], TREES: []}
    for telling in tellings:
        kind, states = telling[0].kind, [one.state() for one in telling]
        if isinstance(telling[0], Drawn):
            about, module = telling[0].about(), scene(kind)
            asked[TREES].append({"module": module.as_uri(), "about": about, "states": states})
            continue
        module = folder / f"{kind}.mjs"
        module.write_text(explorers.bundle(kind), "utf-8")
        asked[PAGE].append({
            "module": module.as_uri(), "sizes": sizes(kind),
            "states": states,
        })  # fmt: skip
    drawn = {script: iter(run(script, about, folder)) for script, about in asked.items()}

    def next_of(telling: list[Explorer]) -> "Drawing":
        return Drawing(next(drawn[TREES if isinstance(telling[0], Drawn) else PAGE]))

    return [[next_of(telling) for _ in sizes("chord") for _ in telling] for telling in tellings]


@dataclass
class Mark:
    """One thing drawn: a label, dot or arc has one point, a bar, frame or map two corners."""

    kind: str
    points: NDArray[np.float64]
    colour: str = ""
    width: float = 0
    dashed: bool = False
    r: float = 0
    start: float = 0
    end: float = 0
    text: str = ""
    align: str = ""
    cells: tuple[str | float, ...] = ()  # a map's colours, or the values that a scene gives
    depth: float = 1  # of a bar: none at -1, full at 1

    def __post_init__(self) -> None:
        self.points = np.array(self.points, float)
        self.at = (self.points.min(axis=0) + self.points.max(axis=0)) / 2


def shades(colours: Iterable[str]) -> NDArray[np.float64]:
    """The values, -1 to 1, that colours of the colour map stand for: "rgb(10 58 107)"."""
    rgb = np.array([re.findall(r"\d+", colour) for colour in colours], int)
    each, back = np.unique(rgb, axis=0, return_inverse=True)
    apart = np.abs(LEVELS - each[:, None]).sum(axis=2)
    assert apart.min(axis=1).max() <= 3, "a colour that the figures do not have"
    return (apart.argmin(axis=1) / 127.5 - 1)[back.ravel()]


def number(text: str) -> float | None:
    """A number as people write it, or None for other words."""
    try:
        return float(text.replace("1 million", "1e6").replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def near(found: ArrayLike, expected: ArrayLike, within: float = 1e-3) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)


class Drawing:
    """The marks on a canvas, in the order in which they were made, and what is read beside it."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.problems, self.reading, self.width = (
            found[name] for name in ("problems", "reading", "width")
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
        near(pixels, slope * labelled + zero)
        place: NDArray[np.float64] = slope * self.scale(np.asarray(values)) + zero
        return place
