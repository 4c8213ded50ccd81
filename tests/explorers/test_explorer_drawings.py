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
from pe_lib.course.explorers.leak import sequences
from pe_lib.rotary import rotate
from tests import angles, layered, patches
from tests.computed import bias, chosen, scaled, stairs
from tests.recorded import given, maps

STORIES = [(kind, name) for kind in ex.kinds() for name in ex.of_kind(kind).stories]

# By kind and state: curves and dots in the labels of their axes, hands in radii, maps by colours,
# widths of lines and heights of bars in pixels
MARKS = """
attention | chosen=2 | widths purple | 14 * one.weights()[2]
biases | head=3, offset=-20 | curve purple | on(-150, 1), bias(one, on(-150, 1))
biases | scheme="t5", causal=False, offset=33 | dot | 33, bias(one, 33)
biases | scheme="t5", offset=-20 | curve purple | stairs(one)
chooser | answers=["no", "grid"] | words | ["Do diagonals matter?"]
chord | pair=1, position=2, offset=1 | hands ink | pairs([3, 2])[1::8]
chord | pair=0, offset=8 | curve muted | on(161) / 8, 2 * abs(np.sin(on(161) / 16))
circuit | position=15, trained=False | widths purple | np.maximum(26 * np.r_[one.weights()[0][14, :15], one.weights()[1][15]], 0.3)
circuit | position=8 | widths purple | np.maximum(26 * np.r_[one.weights()[0][7, :8], one.weights()[1][8, :9]], 0.3)
context | length=2048, pair=63 | hands ink | circle(2048 * scaled(one)[[*range(64), 63]])
counter | position=6 | hands ink | counted(6, 0)
counter | position=9.25, roundness=0.5 | hands ink | counted(9.25, 0.5)
counter | position=9.25, roundness=1 | depths blue | counted(on(10), 1)[..., 0]
grid | scheme="mixed", row=2, column=12, down=4 | map | patches.scores(one)[2, 12]
grid | scheme="axial", row=5, down=4 | hands muted | circle(np.delete(np.repeat(on(14), 2), [10, 13]))
grid | scheme="axial", row=5, down=4, right=1 | hands ink | circle([5, 6, 9, 5, 7, 6])
hands | position=11 | map | encode(range(32), 16)
hands | position=20.25 | hands ink | pairs(20.25)
hands | position=20.25 | depths blue | pairs(20.25)[:, 0]
hands | position=20.25 | depths orange | pairs(20.25)[:, 1]
heatmap | d_model=16, positions=40, base=200.0 | map | encode(range(40), 16, 200)
heatmap | d_model=16, positions=40, base=200.0 | edges | [-0.5, 15.5], [-0.5, 39.5]
heatmap | d_model=16, position=31, dim=7 | hands ink | pairs(31)[[3, 3]]
heatmap | d_model=16, position=31, dim=7 | frame | 7, 31
layers | model="T5 small", query=300, key=220 | line purple log | 80
layers | model="Gemma 3 1B" | words | ["does not see it", f"tells it: {told(one, 'B')} of 128 pairs"]
leak | layers=2, shuffle=5, causal=False, encoded=True | bars | 22 * np.minimum(one.changes(), 1)
leak | layers=1, shuffle=9, letters=16, encoded=True | hands ink | circle(range(16))
leak | layers=1, shuffle=9 | signed | one.outputs(sequences()[0][one.standing()]) / 3
leak | meter="variance" | map | spread()
leak | meter="variance", causal=False | curve purple | on(16), np.sqrt(one.variances())
offset | d_model=8, position=233, offset=-37 | hands ink | np.hstack([pairs(196, 8), pairs(233, 8)])
offset | d_model=8, between="nothing" | curve green | on(-100, 101), scores(one, 150, on(-100, 101))
offset | d_model=8, between="random", position=250, offset=7 | dot | 7, scores(one, 250, 7)
order | order=[6, 5, 4, 3, 2, 1, 0] | words | [one.words[k] for k in one.standing()]
order | causal=True, word=4 | words | [f"{share:.2f}" for share in one.weights()[4]]
order | causal=True, order=[6, 3, 2, 0, 5, 1, 4], view="scores" | scores | one.scores()
phase | position=18, positions=22, digits=1, cosines=True | hands ink | circle([18])
phase | position=4, positions=22, digits=1 | shadows | np.sin([4, 18]), [4, 18]
phase | story="nearest", position=137, read=[1, 2], off=0.1 | hands ink | circle([1.27, 13.8])
rotary | key=180, shift=1234 | hands ink | unit(rotate(np.ones(64), 1414))
rotary | query=20, key=180, vectors="random" | dot | -160, rotary(one)
rotary | query=20, shift=1234 | hands purple | unit(rotate(np.ones(64), 1254))
rotary | vectors="peak" | curve green | on(-250, 251), rotary(one, on(-250, 251))
schemes | scheme="none", length=24 | curve muted | [16, 20, 24], chosen(one)["sinusoidal"][:, :3].mean(0)
spectrum | d_model=16, base=500.0 | waves ink log | wavelengths(16, 500)
spectrum | d_model=16, position=5 | hands ink | circle(5 * frequencies(16))
spectrum | length=90 | line green log | 90
training | look=5, row=7 | map | [maps(one.recording, "learned", name)[5] for name in ("similarity", "attention")]
training | look=5, row=7 | curve ink first | 4 * on(100) + 2, np.minimum(one.recording["runs"][0]["loss"], 2.5)
"""  # noqa: E501
ROWS = [line.split(" | ") for line in MARKS.strip().splitlines()]


def shown(row: list[str]) -> ex.Explorer:
    kind, state, *_ = row
    return ex.of_kind(kind)(**given(kind) | eval(f"dict({state})"))


def steps(kind: str, name: str) -> list[ex.Explorer]:
    """A story's states and its answer."""
    made = ex.of_kind(kind)
    story, start = made.stories[name], made(story=name, **given(kind)).state()
    states = [state for _, state in story.states(start)]
    return [made(**state) for state in (*states, {**states[-1], **story.task.answer})]


def ends(kind: str) -> list[ex.Explorer]:
    """Each trait at its least and most and in each of its choices, if the others allow it."""
    made = ex.of_kind(kind)
    found = [made(**given(kind))]
    for name, trait in made.about()["traits"].items():
        limits = [trait.get("min"), trait.get("max")]
        for value in trait.get("values", [one for one in limits if one is not None]):
            with suppress(TraitError):
                found.append(made(**given(kind) | {name: value}))
    return found


@pytest.fixture(scope="session")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> list[list[Drawing]]:
    tellings = [steps(*story) for story in STORIES] + [ends(kind) for kind in ex.kinds()]
    return draw(tellings + [[shown(row)] for row in ROWS], tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("kind", ex.kinds())
def test_every_step_and_end_is_drawn_whole(kind: str, drawings: list[list[Drawing]]) -> None:
    """With numbers, within its canvas, and no label over another."""
    tellings = [*STORIES, *((kind, "ends") for kind in ex.kinds())]
    for (whose, _), telling in zip(tellings, drawings, strict=False):
        for drawing in telling if whose == kind else []:
            assert not drawing.problems
            assert len(drawing.marks) > 12
            assert drawing.reading and not re.search("NaN|undefined|null", drawing.reading)
            boxes = [room(label) for label in drawing.all("label") if label.text.strip()]
            for n, (left, top, right, bottom, said) in enumerate(boxes):
                inside = left > -4 and right < drawing.width + 4
                assert inside or kind == "hands", said  # whose sentence runs off both sides
                for a, b, c, d, other in boxes[:n]:
                    over = min(right, c) - max(left, a) > 3 and min(bottom, d) - max(top, b) > 3
                    assert not over or said == other, (said, other)


def room(label: Mark) -> tuple[float, float, float, float, str]:
    """About what a label covers."""
    (x, y), wide = label.at, 6 * len(label.text)
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


def spread() -> Any:
    """How often attention adds how much, less the mean: at each position, from +3.3 down."""
    *_, before, after = ex.LeakExplorer().network().hidden(sequences())
    off = after - before
    off -= off.mean(axis=0)
    edges = np.r_[-np.inf, np.arange(-32, 33) / 10, np.inf]
    counts = np.array([np.histogram(off[:, t], edges)[0] for t in range(16)]).T[::-1]
    return counts / counts.max()


KNOWN = {
    "np": np, "on": np.arange, "encode": encode, "frequencies": frequencies, "rotate": rotate,
    "wavelengths": wavelengths, "sequences": sequences, "pairs": pairs, "circle": circle,
    "unit": unit, "counted": counted, "spread": spread, "told": told,
    "maps": maps, "patches": patches,
    "scores": angles.scores, "rotary": angles.rotary,
    "bias": bias, "chosen": chosen, "scaled": scaled, "stairs": stairs,
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[::2])[:40])
def test_marks_stand_where_pe_lib_says(row: list[str], drawings: list[list[Drawing]]) -> None:
    _, _, what, expected = row
    values = eval(expected, KNOWN | {"one": shown(row)})
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
            near(drawing.all("map")[0].points.T, [across[0](values[0]), down[0](values[1])], 0.1)
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
            rows = sorted(cells[: len(values)], key=lambda m: (m.at[1], m.at[0]))
            near([number(label.text) for label in rows], values, 0.051)
        case "words":  # from the left, or one under another
            found = [label for label in drawing.all("label") if label.text in values]
            assert [label.text for label in sorted(found, key=lambda m: tuple(m.at))] == values


def test_every_kind_is_read_back() -> None:
    assert {kind for kind, *_ in ROWS} == set(ex.kinds())
