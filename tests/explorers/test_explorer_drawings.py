"""Every step of every story is drawn whole, and what is drawn stands where pe_lib says.

All are drawn by one node process, on a phone and wide, to a tenth of a pixel.
"""

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from drawn import Drawing, Mark, draw, near, number
from traitlets import TraitError

from pe_lib import encode, frequencies, wavelengths
from pe_lib.course import explorers as ex
from pe_lib.course.explorers.layers import MODELS
from pe_lib.rotary import rotate
from tests import angles, attended, layered, patches, untrained
from tests.computed import bias, scaled, stairs
from tests.recorded import given, made, maps, rows

STORIES = [(kind, name) for kind in ex.kinds() for name in ex.of_kind(kind).stories]
ROWS = rows("marks")


def steps(kind: str, name: str) -> list[ex.Explorer]:
    """A story's states and its answer."""
    type_ = ex.of_kind(kind)
    story, start = type_.stories[name], type_(story=name, **given(kind)).state()
    states = [state for _, state in story.states(start)]
    return [type_(**state) for state in (*states, {**states[-1], **story.task.answer})]


def ends(kind: str) -> list[ex.Explorer]:
    """Each trait at its least and most and in each of its choices, if the others allow it."""
    type_, found = ex.of_kind(kind), [made(kind)]
    for name, trait in type_.about()["traits"].items():
        limits = [trait.get("min"), trait.get("max")]
        for value in trait.get("values", [one for one in limits if one is not None]):
            with suppress(TraitError):
                found.append(type_(**given(kind) | {name: value}))
    return found


@pytest.fixture(scope="session")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> list[list[Drawing]]:
    tellings = [steps(*story) for story in STORIES] + [ends(kind) for kind in ex.kinds()]
    tellings += [[made(*row[:2])] for row in ROWS]
    return draw(tellings, len(STORIES), tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("kind", ex.kinds())
def test_every_step_and_end_is_drawn_whole(kind: str, drawings: list[list[Drawing]]) -> None:
    """With numbers, within its canvas, and no label over another."""
    tellings = [*STORIES, *((kind, "ends") for kind in ex.kinds())]
    for (whose, name), telling in zip(tellings, drawings, strict=False):
        story = ex.of_kind(whose).stories.get(name)
        ringed = {step.look for step in story.steps} - {""} if story else set()
        for drawing in telling if whose == kind else []:
            assert not drawing.problems
            assert ringed <= {*drawing.parts}
            assert len(drawing.marks) > 12
            assert drawing.reading and not re.search("NaN|undefined|null", drawing.reading)
            boxes = [room(label) for label in drawing.all("label") if label.text.strip()]
            for n, (left, top, right, bottom, said) in enumerate(boxes):
                assert left > -4 and right < drawing.width + 4, said
                for a, b, c, d, other in boxes[:n]:
                    over = min(right, c) - max(left, a) > 3 and min(bottom, d) - max(top, b) > 3
                    assert not over or said == other, (said, other)


def room(label: Mark) -> tuple[float, float, float, float, str]:
    """About what a label covers."""
    (x, y), wide = label.at, label.width
    left = x - {"right": wide, "end": wide, "center": wide / 2}.get(label.align, 0)
    return left, y - 5, left + wide, y + 5, label.text


def pairs(t: float, d: int = 16) -> Any:
    return encode(t, d).reshape(-1, 2)


def circle(angles: Any) -> Any:
    """Tips of hands that stand at these angles: how far right, and up."""
    return np.column_stack([np.sin(angles), np.cos(angles)])


def counted(t: Any, roundness: float) -> Any:
    """The counter's tips: a circle's, each coordinate to this power; the highest digit first."""
    digits = np.array([np.multiply.outer(2 * np.pi / 2**b, t + 0.5) for b in (4, 3, 2, 1)])
    tips = np.stack([np.sin(digits), np.cos(digits)], axis=-1).round(12)
    return np.sign(tips) * np.abs(tips) ** roundness


def unit(vector: Any) -> Any:
    """The pairs that rotary draws: how far right, and up."""
    drawn = vector.reshape(-1, 2)[[0, 4, 8, 16], ::-1]
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def told(one: Any, kind: str) -> int:
    return layered.verdict(MODELS[one.model]["kinds"][kind], one.query, one.key)[1]


KNOWN = {
    "np": np, "on": np.arange, "encode": encode, "frequencies": frequencies, "rotate": rotate,
    "wavelengths": wavelengths, "attended": attended, "untrained": untrained, "pairs": pairs,
    "circle": circle, "unit": unit, "counted": counted, "told": told,
    "maps": maps, "patches": patches,
    "scores": angles.scores, "rotary": angles.rotary,
    "bias": bias, "scaled": scaled, "stairs": stairs,
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[::2])[:40])
def test_marks_stand_where_pe_lib_says(row: list[str], drawings: list[list[Drawing]]) -> None:
    _, _, what, expected = row
    values = eval(expected, KNOWN | {"one": made(*row[:2])})
    for drawing in drawings[ROWS.index(row) - len(ROWS)]:
        compare(drawing, what, values)


def compare(drawing: Drawing, what: str, values: Any) -> None:
    name, colour, *scale = [*what.split(), ""]
    across = drawing.axes(0, np.log10 if "log" in scale else np.asarray)
    down = drawing.axes(1)
    match name:
        case "hands":
            near(np.ravel(drawing.hands(colour)), np.ravel(values), 0.01)
        case "waves":
            near(drawing.lines(colour)[0].points[:, 0], across[0](values), 0.1)
        case "curve":  # up to where it leaves the picture
            curve = drawing.lines(colour)[0].points
            x, y = across[0 if "first" in scale else -1](values[0]), down[0](values[1])
            near(curve, np.column_stack([x, y])[-len(curve) :], 0.1)
        case "dot" | "frame":
            near(drawing.all(name, "ink")[-1].at, [across[-1](values[0]), down[0](values[1])], 0.1)
        case "shadows":  # right of the middle of a clock, and down the page
            dots, (rim, *_) = drawing.all("dot", "ink"), drawing.all("arc", "grid")
            x, y = rim.at[0] + rim.r * values[0], down[0](values[1])
            near([dot.at for dot in dots[: len(x)]], np.column_stack([x, y]), 0.1)
        case "line":
            upright = [m for m in drawing.lines(colour, True) if np.ptp(m.points[:, 1]) > 50]
            near([line.at[0] for line in upright], across[0](values), 0.1)
            assert upright
        case "widths":
            near([line.width for line in drawing.lines(colour, True)], values)
        case "map":
            cells = np.concatenate([m.cells for m in drawing.all("map")])
            near(cells, np.ravel(values), 0.01)
        case "edges":
            near(drawing.all("map")[0].points.T, [across[0](values[0]), down[0](values[1])])
        case "signed":
            cells = drawing.columns("teal", "rose")
            found = [bar.depth if bar.colour == "rose" else -bar.depth for bar in cells]
            near(found, np.clip(np.ravel(values), -1, 1), 0.01)
        case "depths":
            near([2 * bar.depth - 1 for bar in drawing.columns(colour)], np.ravel(values))
        case "bars":
            near([np.ptp(bar.points[:, 1]) for bar in drawing.columns("ink", "muted")], values)
        case "scores":  # row by row, and none where the mask cuts
            values = values[np.isfinite(values)]
            cells = [m for m in drawing.all("label") if re.fullmatch(r"−?\d\.\d+", m.text)]
            lines = sorted(cells[: len(values)], key=lambda m: (m.at[1], m.at[0]))
            near([number(label.text) for label in lines], values, 0.051)
        case "words":  # from the left, or one under another
            found = [label for label in drawing.all("label") if label.text in values]
            assert [label.text for label in sorted(found, key=lambda m: tuple(m.at))] == values


def test_every_kind_is_read_back() -> None:
    assert {kind for kind, *_ in ROWS} == set(ex.kinds())
