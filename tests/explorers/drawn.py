"""What explorers draw, read back in pixels: lines, dots, labels, bars and maps, without a browser.

Where a value belongs is read from the labels of the axis as drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib.course import explorers, figures
from pe_lib.course.explorers import Explorer, TrainExplorer
from pe_lib.course.explorers._bundle import HERE
from tests.node import run

PAGE = Path(__file__).with_name("page.mjs")
LEVELS = np.round(255 * figures.TIDE(np.arange(256))[:, :3])  # the colours of the values -1 to 1
NEAR = 1e-3  # pixels, or radii of a clock
FACTORS = (1, 1.5, 2, 2.5, 3)  # the lengths at which a training is read, by its own


def sizes(kind: str) -> list[dict[str, float]]:
    """Of the canvas, on a phone's page and on one of 720 pixels."""
    found = re.search(r"ex-canvas ex-(\w+)", (HERE / f"{kind}.mjs").read_text("utf-8"))
    rule = rf"\.ex-{found[1]} \{{[^}}]*?(?<!-)height: ([\d.]+)rem" if found else "(?!)"
    heights = [float(rems) for rems in re.findall(rule, explorers.stylesheet())] or [26]
    return [{"width": 350, "height": 16 * heights[-1]}, {"width": 680, "height": 16 * heights[0]}]


def recorded(explorer: Explorer) -> Any:
    """What the training in the page would post, where it was recorded."""
    if not (isinstance(explorer, TrainExplorer) and (run := explorer.recorded())):
        return None
    looks: list[dict[str, Any]] = [{"step": 0}, {"step": 300}]
    for look, steps in zip(looks, (0, 300), strict=True):
        for name in ("likeness", "attention"):
            maps = []
            for head in range(len(run["looks"][0][name])):
                one = TrainExplorer(**explorer.state() | {"steps": steps, "head": head})
                maps.append(np.ravel(one.map(name)).tolist())
            look[name] = maps
    losses = np.repeat(run["loss"], 5).tolist()
    shares = [{"length": explorer.length * k, "right": 1, "by": [1] * int(explorer.length * k)}
              for k in FACTORS]  # fmt: skip
    for share in shares:
        share["right"] = run["right"].get(f"{share['length']:g}", 1)
    return {"step": 300, "losses": losses, "looks": looks, "shares": shares}


def draw(tellings: list[list[Explorer]], folder: Path) -> list[list[Drawing]]:
    """Each explorer, one story or state after another, on the phone and on the wide page."""
    asked: list[dict[str, Any]] = []
    for telling in tellings:
        module = folder / f"{telling[0].kind}.mjs"
        module.write_text(explorers.bundle(telling[0].kind), "utf-8")
        asked.append({
            "module": module.as_uri(), "sizes": sizes(telling[0].kind),
            "states": [one.state() for one in telling], "runs": [recorded(one) for one in telling],
        })  # fmt: skip
    drawn = iter(run(PAGE, asked, folder))
    return [[Drawing(next(drawn)) for _ in sizes("chord") for _ in telling] for telling in tellings]


@dataclass(frozen=True)
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
    values: Any = None  # of a map's cells, -1 to 1

    @property
    def at(self) -> NDArray[np.float64]:
        """The middle of its extent."""
        middle: NDArray[np.float64] = (self.points.min(axis=0) + self.points.max(axis=0)) / 2
        return middle

    @property
    def upright(self) -> bool:
        return bool(np.ptp(self.points[:, 0]) < 1 and np.ptp(self.points[:, 1]) > 50)


def mark(points: list[list[float]], cells: Any = (), **rest: Any) -> Mark:
    return Mark(points=np.array(points, float), values=shades(cells), **rest)


def shades(colours: Iterable[str]) -> NDArray[np.float64]:
    """The values, -1 to 1, that colours of the colour map stand for: "rgb(10 58 107)"."""
    rgb = [tuple(map(int, re.findall(r"\d+", colour))) for colour in colours]
    value = {one: np.abs(LEVELS - one).sum(axis=1).argmin() / 127.5 - 1 for one in set(rgb)}
    return np.array([value[one] for one in rgb])


@dataclass(frozen=True)
class Axis:
    """Values to pixels along `side` (0: x, 1: y), by the labels of the ticks."""

    side: int
    ticks: list[Mark]
    scale: Callable[[Any], Any] = np.asarray

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        labelled = self.scale(np.array([number(tick.text) for tick in self.ticks], float))
        pixels = [tick.at[self.side] for tick in self.ticks]
        slope, zero = np.polyfit(labelled, pixels, 1)
        near(pixels, slope * labelled + zero)
        place: NDArray[np.float64] = slope * self.scale(np.asarray(values)) + zero
        return place


class Drawing:
    """The marks on a canvas, in the order in which they were made, and what is read beside it."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.problems, self.reading = found["problems"], found["reading"]
        self.size = found["width"], found["height"]
        self.marks = [mark(**made) for made in found["marks"]]

    def all(self, kind: str, colour: str = "", dashed: bool | None = None) -> list[Mark]:
        return [
            m for m in self.marks
            if m.kind == kind and colour in ("", m.colour) and dashed in (None, m.dashed)
        ]  # fmt: skip

    def curves(self, colour: str, dashed: bool | None = None) -> list[Mark]:
        """The lines through more points than two."""
        return [line for line in self.all("line", colour, dashed) if len(line.points) > 2]

    def axes(self, side: int, scale: Callable[[Any], Any] = np.asarray) -> list[Axis]:
        """Those along x or y: numbers written without other words in between, on one line."""
        found: list[dict[float, list[Mark]]] = [{}]
        for label in self.all("label"):
            if number(label.text) is None:
                found.append({})
            elif side == (label.align == "right"):
                found[-1].setdefault(label.at[1 - side].round(2), []).append(label)
        lines = [ticks for group in found for ticks in group.values()]
        return [Axis(side, ticks, scale) for ticks in lines if len(ticks) > 1]

    def hands(self, colour: str) -> list[NDArray[np.float64]]:
        """The hand of each clock as drawn, in radii: how far right and up it points."""
        tips = []
        bent = [line for line in self.curves("grid") if len(line.points) == 65]  # of the counter
        for rim in self.all("arc", "grid") + bent:
            r = rim.r or np.ptp(rim.points[:, 0]) / 2
            for line in self.all("line", colour):
                if np.allclose(line.points[0], rim.at, atol=NEAR):
                    tips.append((line.points[1] - rim.at) / r * [1, -1])
        return tips

    def bars(self, *colours: str) -> list[Mark]:
        """Column by column, each from the top."""
        found = [m for m in self.all("bar") if m.colour.startswith(colours)]
        return sorted(found, key=lambda m: (round(m.at[0]), m.at[1]))

    def cells(self) -> NDArray[np.float64]:
        """The values that the colours of cells stand for."""
        return shades(m.colour for m in self.bars("rgb"))


def number(text: str) -> float | None:
    """A number as people write it, or None for other words."""
    try:
        return float(text.replace("1 million", "1e6").replace(",", "").replace("−", "-"))
    except ValueError:
        return None


def near(found: ArrayLike, expected: ArrayLike, within: float = NEAR) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)
