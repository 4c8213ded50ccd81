"""Every step of every story is drawn whole, and what is drawn stands where pe_lib says.

Each kind has a function that says of a state what is to be seen: "curve blue" with its points in
the labels of the axes, "hands orange" in radii, "map" by its colours, "widths" of lines in pixels.
All are drawn by one node process, on a phone and wide.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from drawn import Drawing, Mark, draw, near
from traitlets import TraitError

from pe_lib import encode, frequencies, wavelengths
from pe_lib.course import explorers as ex
from pe_lib.course.explorers.leak import sequences
from pe_lib.course.explorers.mask import LIMIT
from pe_lib.rotary import rotate, score
from tests.recorded import given

STORIES = [(kind, name) for kind in ex.kinds() for name in ex.of_kind(kind).stories]
Says = Callable[[Any], dict[str, Any]]
SHOWN: list[tuple[Says, dict[str, Any]]] = []  # what says what is to be seen, and a state


def shown(*states: dict[str, Any]) -> Callable[[Says], Says]:
    def take(says: Says) -> Says:
        SHOWN.extend((says, state) for state in states)
        return says

    return take


def explorer(says: Says, state: dict[str, Any]) -> ex.Explorer:
    kind = says.__name__
    return ex.of_kind(kind)(**given(kind), **state)


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
    tellings = [steps(*story) for story in STORIES] + [[explorer(*one)] for one in SHOWN]
    tellings += [ends(kind) for kind in ex.kinds()]
    return draw(tellings, tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("story", STORIES, ids="-".join)
def test_every_step_is_drawn_whole(story: tuple[str, str], drawings: list[list[Drawing]]) -> None:
    kind, _ = story
    for drawing in drawings[STORIES.index(story)]:
        is_whole(kind, drawing)


@pytest.mark.parametrize("kind", ex.kinds())
def test_every_end_is_drawn_whole(kind: str, drawings: list[list[Drawing]]) -> None:
    for drawing in drawings[ex.kinds().index(kind) - len(ex.kinds())]:
        is_whole(kind, drawing)


def is_whole(kind: str, drawing: Drawing) -> None:
    """With numbers, within its canvas, and no label over another."""
    assert not drawing.problems
    assert len(drawing.marks) > 12 or kind == "chooser"  # which is made of buttons
    assert drawing.reading and not set(drawing.reading.split()) & {"NaN", "undefined", "null"}
    boxes = [room(label) for label in drawing.all("label") if label.text.strip()]
    for n, (left, top, right, bottom, said) in enumerate(boxes):
        inside = left > -4 and right < drawing.size[0] + 4
        assert inside or kind == "hands", said  # whose sentence runs off both sides
        for a, b, c, d, other in boxes[:n]:
            over = min(right, c) - max(left, a) > 3 and min(bottom, d) - max(top, b) > 3
            assert not over or said == other, (said, other)


def room(label: Mark) -> tuple[float, float, float, float, str]:
    """About what a label covers."""
    (x, y), wide = label.at, 6 * len(label.text)
    left = x - {"right": wide, "end": wide, "center": wide / 2}.get(label.align, 0)
    return left, y - 5, left + wide, y + 5, label.text


def circle(angles: Any) -> Any:
    """Tips of hands that stand at these angles: how far right, and up."""
    return np.column_stack([np.sin(angles), np.cos(angles)])


def log_of_both(values: Any) -> Any:
    """For scores of both signs."""
    return np.sign(values) * np.log10(1 + np.abs(values))


@shown({"chosen": 2}, {"positions": True, "backwards": True})
def attention(one: Any) -> dict[str, Any]:
    return {"widths orange": 14 * one.weights()[one.chosen]}


@shown({"heads": 8, "head": 3, "offset": -20}, {"scheme": "t5", "causal": False, "offset": 33})
def biases(one: Any) -> dict[str, Any]:
    offsets = np.arange(-150, 1 if one.causal else 151)
    return {"curve blue": (offsets, one.bias(offsets)), "dot": (one.offset, one.bias(one.offset))}


@shown({"pair": 1, "position": 2, "offset": 1}, {"pair": 0, "position": 12.5, "offset": 8})
def chord(one: Any) -> dict[str, Any]:
    ends = encode([one.position, one.position + one.offset], 16).reshape(2, 8, 2)[:, one.pair]
    k = np.linspace(0, 20, 161)
    curve = k, 2 * np.abs(np.sin(frequencies(16)[one.pair] * k / 2))
    return {"hands blue": ends[:1], "hands orange": ends[1:], "curve muted": curve}


@shown({"position": 8}, {"position": 15, "trained": False})
def circuit(one: Any) -> dict[str, Any]:
    (first, second), t = one.weights(), one.position
    return {"widths orange": np.maximum(26 * second[t, : t + 1], 0.3),
            "widths blue": np.maximum(26 * first[t - 1, :t], 0.3)}  # fmt: skip


@shown({"method": "none", "factor": 4.0, "length": 2048, "pair": 50},
       {"method": "dynamic", "factor": 8.0, "length": 2048, "pair": 63})  # fmt: skip
def context(one: Any) -> dict[str, Any]:
    now = one.scaled(1.0) if one.method == "dynamic" else one.scaled()
    angles = 2048 * np.append(now, now[one.pair])
    before = one.offsets() <= 2048
    ends = one.offsets()[before], one.scores()[before]
    return {"hands blue": circle(angles), "curve blue signed": ends}


@shown({"position": 6}, {"position": 9.25, "roundness": 1})
def counter(one: Any) -> dict[str, Any]:
    shadows = one.hands(range(one.number() + 1))[..., 0]
    return {"cells": shadows, "hands blue": one.hands(one.position)}


@shown({"scheme": "mixed", "row": 2, "column": 12, "down": 4}, {"scheme": "axial", "row": 5})
def grid(one: Any) -> dict[str, Any]:
    return {"map": one.scores()[one.row, one.column],
            "hands blue": circle([*range(14), one.row + one.down, one.row])}  # fmt: skip


@shown({"position": 11}, {"position": 20.25})
def hands(one: Any) -> dict[str, Any]:
    row = encode(one.position, 16)
    return {"hands blue": row.reshape(-1, 2), "map": encode(range(32), 16), "cells": row}


@shown({"d_model": 16, "positions": 40, "position": 31, "dim": 7, "base": 200.0}, {"dim": 2})
def heatmap(one: Any) -> dict[str, Any]:
    table = encode(range(one.positions), one.d_model, one.base)
    pair = table[one.here()].reshape(-1, 2)[one.dim // 2]
    edges = [-0.5, one.d_model - 0.5], [-0.5, one.positions - 0.5]
    return {"map": table, "edges": edges, "hands ink": [pair], "frame": (one.dim, one.here())}


@shown({"model": "Gemma 3 1B"}, {"model": "T5 small", "query": 300, "key": 220})
def layers(one: Any) -> dict[str, Any]:
    said = [words for _, words in one.verdicts().values()]
    return {"line orange log": one.distance(), "words": said}


@shown({"layers": 2, "shuffle": 5, "causal": False}, {"layers": 1, "shuffle": 9, "encoded": True})
def leak(one: Any) -> dict[str, Any]:
    stream = one.run(sequences()[0][one.standing()])[0]
    bars = 22 * np.where(one.changes() < 1e-12, 0, np.minimum(one.changes(), 1))
    clocks = {"hands blue": circle(range(16))} if one.encoded else {}
    sums = {"cells": stream / 3} if one.layers == 1 else {}
    return clocks | sums | {"bars": bars}


@shown({"order": [6, 3, 2, 0, 5, 1, 4], "causal": True}, {})
def mask(one: Any) -> dict[str, Any]:
    table = one.table().T  # column by column
    return {"cells": table[np.isfinite(table)] / LIMIT}


@shown({"d_model": 8, "position": 233, "offset": -37, "between": "random"}, {"d_model": 8})
def offset(one: Any) -> dict[str, Any]:
    ends = encode([one.position, one.position + one.offset], 8).reshape(2, 4, 2)
    curve = np.arange(-100, 101), np.clip(one.scores(one.position), -1.3, 1.3)
    return {"hands blue": ends[0], "hands orange": ends[1], "curve blue": curve}


@shown({"order": [6, 5, 4, 3, 2, 1, 0], "positions": True}, {"causal": True, "word": 4})
def order(one: Any) -> dict[str, Any]:
    shares = one.weights()[one.standing().index(one.word)]
    words = [one.words[k] for k in one.standing()]
    return {"words": words, "words too": [f"{share:.2f}" for share in shares]}


@shown({"position": 18, "positions": 22, "digits": 1, "cosines": True},
       {"story": "decoding", "position": 137, "read": [1, 2], "digits": 1, "positions": 400},
       {"story": "nearest", "position": 137, "digits": 6, "read": [0, 1, 2, 3]})  # fmt: skip
def phase(one: Any) -> dict[str, Any]:
    angles = one.position * frequencies(8)[one.read][::-1]
    near = [f"pair {i}: near {guess:.1f}" for i, guess in one.guesses()]
    return {"hands blue": circle(angles)} | ({"words": near} if one.story == "nearest" else {})


@shown({"vectors": "random"}, {"query": 20, "key": 180, "shift": 1234, "vectors": "peak"})
def rotary(one: Any) -> dict[str, Any]:
    (q, k), offsets = one.pair(), np.arange(-250, 251)
    found = {
        "curve blue": (offsets, score(q, k, offsets)),
        "dot": (one.query - one.key, one.score()),
    }
    for colour, vector, at in [("blue", q, one.query), ("orange", k, one.key)]:
        pairs = rotate(vector, at + one.shift).reshape(-1, 2)[[4, 0, 8, 16]]  # the large one first
        found[f"hands {colour}"] = pairs / np.hypot(*pairs.T)[:, None]
    return found


@shown({"task": "previous", "causal": True, "layers": 2, "scheme": "none", "length": 30.5})
def schemes(one: Any) -> dict[str, Any]:
    first = one.chosen()["sinusoidal"][:, :4].mean(axis=0)
    ends = [16, 20, 24, 28, 30.5], [*first, one.now()["sinusoidal"].mean()]
    return {"curve muted": ends}


@shown(
    {"d_model": 16, "base": 500.0, "length": 90, "position": 5}, {"d_model": 64, "position": 777}
)
def spectrum(one: Any) -> dict[str, Any]:
    angles = one.position * frequencies(one.d_model, one.base)[one.clocks()]
    waves = wavelengths(one.d_model, one.base)
    return {"hands blue": circle(angles), "line orange log": one.length, "waves blue log": waves}


@shown({"model": "gpt-oss", "distance": 8191}, {"model": "Llama 4 Scout", "distance": 63_096})
def stack(one: Any) -> dict[str, Any]:
    return {"line orange log cut": one.distance, "dots": sum(one.seeing())}


@shown({"scheme": "learned", "causal": False, "steps": 300, "head": 1, "story": "table"})
def train(one: Any) -> dict[str, Any]:
    return {"map": np.stack([one.map("likeness"), one.map("attention")])}


@shown({"look": 5, "row": 7}, {"look": 9, "scheme": "sinusoidal"})
def training(one: Any) -> dict[str, Any]:
    similarity, attended = (one.map(one.shown(), name) for name in ("similarity", "attention"))
    loss = np.minimum(one.recording["runs"][0]["loss"], 2.5)
    curve = 4 * (np.arange(100) + 0.5), loss
    return {"map": np.stack([2 * similarity - 1, attended]), "curve blue first": curve}


@pytest.mark.parametrize("n", range(len(SHOWN)), ids=lambda n: f"{SHOWN[n][0].__name__}-{n}")
def test_marks_stand_where_pe_lib_says(n: int, drawings: list[list[Drawing]]) -> None:
    says, state = SHOWN[n]
    expected = says(explorer(says, state))
    for drawing in drawings[len(STORIES) + n]:
        for what, values in expected.items():
            compare(drawing, what, values)


def compare(drawing: Drawing, what: str, values: Any) -> None:
    name, colour, *scale = [*what.split(), ""]
    across = drawing.axes(0, np.log10 if "log" in scale else np.asarray)
    down = drawing.axes(1, log_of_both if "signed" in scale else np.asarray)
    if "cut" in scale:
        across[0].ticks.pop()  # the last label is moved in
    match name:
        case "hands":
            near(drawing.hands(colour), values, 0.01)
        case "waves":
            near(drawing.curves(colour)[0].points[:, 0], across[0](values))
        case "curve":  # up to where it leaves the picture
            curve = drawing.curves(colour)[0].points
            x, y = across[0 if "first" in scale else -1](values[0]), down[0](values[1])
            near(curve, np.column_stack([x, y])[-len(curve) :])
        case "dot":
            near(drawing.all("dot", "ink")[-1].at, [across[-1](values[0]), down[0](values[1])])
        case "frame":
            near(drawing.all("frame", "ink")[0].at, [across[0](values[0]), down[0](values[1])])
        case "line":
            lines = [line.at[0] for line in drawing.all("line", colour) if line.upright]
            near(lines, [across[0](values)] * len(lines), 0.01)
            assert lines
        case "widths":
            near([m.width for m in drawing.all("line", colour) if len(m.points) == 2], values)
        case "map":
            near(np.concatenate([m.values for m in drawing.all("map")]), np.ravel(values), 0.01)
        case "edges":
            near(drawing.all("map")[0].points.T, [across[0](values[0]), down[0](values[1])])
        case "cells":
            near(drawing.cells(), np.clip(np.ravel(values), -1, 1), 0.01)
        case "bars":
            near([np.ptp(m.points[:, 1]) for m in drawing.bars("blue", "orange")], values)
        case "dots":
            assert len(drawing.all("dot", "ink")) == values
        case "words":  # on one line, or one under another
            found = [label for label in drawing.all("label") if label.text in values]
            lines = []
            for side in (0, 1):
                ordered = sorted(found, key=lambda m: m.at[side])
                for at in {m.at[1 - side] for m in found}:
                    lines.append([m.text for m in ordered if m.at[1 - side] == at])
            assert values in lines
        case _:
            raise ValueError(what)


def test_every_kind_is_read_back() -> None:
    assert {says.__name__ for says, _ in SHOWN} == set(ex.kinds()) - {"chooser"}
