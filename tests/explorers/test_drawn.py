"""Every step of every story is drawn whole, and what is drawn stands where pe_lib says.

Each kind has a function that reads its drawing back: hands in radii, curves by the labels of the
axes, maps and cells by their colours. All are drawn by one node process, on a phone and wide.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawn import NEAR, Drawing, draw, near, number, shades

from pe_lib import encode, frequencies, wavelengths
from pe_lib.course import explorers as ex
from pe_lib.course.explorers.leak import sequences
from pe_lib.course.explorers.mask import LIMIT
from pe_lib.rotary import rotate, score
from tests.recorded import given

SHADE = 0.01  # neighbours in the colour map differ by less
STORIES = [(kind, name) for kind in ex.kinds() for name in ex.of_kind(kind).stories]
Judge = Callable[[Drawing, Any], None]
SHOWN: list[tuple[Judge, dict[str, Any]]] = []  # who reads a drawing, and its state


def shown(*states: dict[str, Any]) -> Callable[[Judge], Judge]:
    def take(judge: Judge) -> Judge:
        SHOWN.extend((judge, state) for state in states)
        return judge

    return take


def explorer(judge: Judge, state: dict[str, Any]) -> ex.Explorer:
    kind = judge.__name__
    return ex.of_kind(kind)(**given(kind), **state)


def steps(kind: str, name: str) -> list[ex.Explorer]:
    """A story's states and its answer."""
    made = ex.of_kind(kind)
    story, start = made.stories[name], made(story=name, **given(kind)).state()
    states = [state for _, state in story.states(start)]
    return [made(**state) for state in (*states, {**states[-1], **story.task.answer})]


@pytest.fixture(scope="session")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> list[list[Drawing]]:
    tellings = [steps(*story) for story in STORIES] + [[explorer(*one)] for one in SHOWN]
    return draw(tellings, tmp_path_factory.mktemp("drawn"))


@pytest.mark.parametrize("story", STORIES, ids="-".join)
def test_every_step_is_drawn_whole(story: tuple[str, str], drawings: list[list[Drawing]]) -> None:
    """With numbers, within its canvas, and no label over another."""
    kind, _ = story
    for drawing in drawings[STORIES.index(story)]:
        assert not drawing.problems
        assert len(drawing.marks) > 12 or kind == "chooser"  # which is made of buttons
        assert drawing.reading
        assert not {"NaN", "undefined", "null"} & set(drawing.reading.replace(".", " ").split())
        boxes = [box for label in drawing.all("label") if (box := room(label))]
        for n, (left, top, right, bottom, said) in enumerate(boxes):
            if kind != "hands":  # whose sentence runs off both sides
                assert left > -4 and right < drawing.size[0] + 4, said
            for a, b, c, d, other in boxes[:n]:
                over = min(right, c) - max(left, a) > 3 and min(bottom, d) - max(top, b) > 3
                assert not over or said == other, (said, other)


def room(label: Any) -> tuple[float, float, float, float, str] | None:
    """About what a label covers."""
    (x, y), w = label.at, 6 * len(label.text)
    left = x - {"right": w, "end": w, "center": w / 2}.get(label.align, 0)
    return (left, y - 5, left + w, y + 5, label.text) if label.text.strip() else None


def follows(line: Any, x: Any, y: Any, within: float = NEAR) -> None:
    near(line.points, np.column_stack(np.broadcast_arrays(x, y)), within)


def circle(angles: Any) -> Any:
    return np.column_stack([np.sin(angles), np.cos(angles)])


def fitted(pixels: Any, values: Any) -> Callable[[Any], Any]:
    """The place of a vector, from places that are known: one unit to the right and up."""
    pixels, values = np.array(pixels), np.array(values)
    unit = np.ptp(pixels[:, 0]) / np.ptp(values[:, 0])
    zero = pixels[0] - unit * values[0] * [1, -1]
    near(pixels, zero + unit * values * [1, -1], 0.01)
    return lambda vectors: zero + unit * np.array(vectors) * [1, -1]


@shown({"chosen": 2}, {"positions": True, "backwards": True})
def attention(drawn: Drawing, one: Any) -> None:
    place = fitted([head.points[0] for head in drawn.all("shape", "blue")], one.inputs())
    near([ring.at for ring in drawn.all("arc", "orange")], place(one.outputs()))
    strings = [line for line in drawn.all("line", "orange") if len(line.points) == 2]
    near([string.points[1] for string in strings], place(one.inputs()))
    near([string.width for string in strings], 14 * one.weights()[one.chosen])


@shown({"heads": 8, "head": 3, "offset": -20}, {"scheme": "t5", "causal": False, "offset": 33})
def biases(drawn: Drawing, one: Any) -> None:
    (x,), (y,) = drawn.axes(0), drawn.axes(1)
    offsets = np.arange(-150, 1 if one.causal else 151)
    kept = one.bias(offsets) >= min(number(tick.text) or 0 for tick in y.ticks)
    (curve,) = drawn.curves("blue")
    follows(curve, x(offsets[kept]), y(one.bias(offsets[kept])))
    near(drawn.all("dot", "ink")[-1].at, [x(one.offset), y(one.bias(one.offset))])


@shown({"pair": 1, "position": 2, "offset": 1}, {"pair": 0, "position": 12.5, "offset": 8})
def chord(drawn: Drawing, one: Any) -> None:
    ends = encode([one.position, one.position + one.offset], 16).reshape(2, 8, 2)[:, one.pair]
    near(drawn.hands("blue", "orange"), ends)
    (x,), (y,), (curve,) = drawn.axes(0), drawn.axes(1), drawn.curves("muted")
    k = np.linspace(0, 20, 161)
    follows(curve, x(k), y(2 * np.abs(np.sin(frequencies(16)[one.pair] * k / 2))))


@shown({"position": 8}, {"position": 15, "trained": False})
def circuit(drawn: Drawing, one: Any) -> None:
    first, second = one.weights()
    places, t = drawn.axes(0)[0], one.position
    for colour, start, row in [("orange", t, second[t]), ("blue", t - 1, first[t - 1])]:
        lines = drawn.all("line", colour)  # nothing behind the mask
        near([line.points[1, 0] for line in lines], places(range(start + 1)))
        near([line.width for line in lines], np.maximum(26 * row[: start + 1], 0.3))


@shown({"method": "none", "factor": 4.0, "length": 8192, "pair": 50},
       {"method": "dynamic", "factor": 2.5, "length": 3000, "pair": 63})  # fmt: skip
def context(drawn: Drawing, one: Any) -> None:
    (x,), length = drawn.axes(0), one.reached()
    (y,) = drawn.axes(1, lambda v: np.sign(v) * np.log10(1 + np.abs(v)))
    (inside,), (beyond,) = drawn.curves("blue"), drawn.curves("orange")
    near(inside.points[-1], beyond.points[0])
    points = np.vstack([inside.points, beyond.points[1:-1]])
    shown = one.offsets() < length
    near(points[points[:, 0] != x(2048)][: shown.sum(), 0].max(), x(one.offsets()[shown].max()))
    own = np.isin(one.offsets(), [0, *one.offsets()[shown][1::16]])
    for at, value in zip(x(one.offsets()[own]), y(one.scores()[own]), strict=True):
        near(np.hypot(*(points - [at, value]).T).min(), 0)
    now = max(1.0, length / 2048) if one.method == "dynamic" else one.factor
    near(drawn.hands("blue", "orange")[:64], circle(length * one.scaled(now)), 0.01)


@shown({"position": 6}, {"position": 9.25, "roundness": 1})
def counter(drawn: Drawing, one: Any) -> None:
    rims = [line for line in drawn.curves("grid") if len(line.points) == 65]
    hands = [line for line in drawn.all("line", "blue") if len(line.points) == 2]
    tips = [(hand.points[1] - rim.at) / (np.ptp(rim.points[:, 0]) / 2)
            for rim, hand in zip(rims, hands, strict=True)]  # fmt: skip
    near(np.array(tips) * [1, -1], one.hands(one.position))
    cells = drawn.all("bar")
    near(shades(m.colour for m in cells), one.hands(range(one.number() + 1))[..., 0].ravel(), SHADE)


@shown({"scheme": "mixed", "row": 2, "column": 12, "down": 4}, {"scheme": "rotary", "row": 5})
def grid(drawn: Drawing, one: Any) -> None:
    (map_,) = drawn.all("map")
    near(map_.values.reshape(14, 14), one.scores()[one.row, one.column], SHADE)
    cell = np.ptp(map_.points, axis=0) / 14
    frames = [line.at for line in drawn.curves("#010101")]
    places = [(one.column, one.row), (one.column + one.right, one.row + one.down)]
    near(
        sorted(map(list, frames)), sorted(map(list, map_.points[0] + cell * (np.add(places, 0.5))))
    )
    place = circle(range(14))  # a small clock at each row and each column
    near(drawn.hands("blue", "orange")[:28], np.repeat(place, 2, axis=0), 0.01)


@shown({"position": 11}, {"position": 20.25})
def hands(drawn: Drawing, one: Any) -> None:
    row = encode(one.position, 16)
    at = np.argsort([m.at[0] for m in drawn.all("arc", "grid")])
    near(np.array(drawn.hands("blue"))[at], row.reshape(-1, 2))
    (table,) = drawn.all("map")
    near(table.values.reshape(32, 16), encode(range(32), 16), SHADE)
    cells = sorted(drawn.all("bar"), key=lambda m: m.at[0])
    near(shades(m.colour for m in cells), row, SHADE)


@shown({"d_model": 16, "positions": 40, "position": 31, "dim": 7, "base": 200.0}, {"dim": 2})
def heatmap(drawn: Drawing, one: Any) -> None:
    (map_,), (x,), (y,) = drawn.all("map"), drawn.axes(0), drawn.axes(1)
    table = encode(range(one.positions), one.d_model, one.base)
    near(map_.values, table.ravel(), SHADE)
    (cell,) = drawn.all("frame", "ink")
    near(cell.at, [x(one.dim), y(one.here())])
    pair = table[one.here()].reshape(-1, 2)[one.dim // 2]
    near(drawn.hands("ink")[-1], pair)
    near(drawn.all("dot", "ink")[-2].at[1], y(one.here()))


@shown({"model": "Gemma 3 1B"}, {"model": "T5 small", "query": 300, "key": 220})
def layers(drawn: Drawing, one: Any) -> None:
    axis = drawn.axes(0, np.log10)[0]
    lines = [line.at[0] for line in drawn.all("line", "orange") if np.ptp(line.points[:, 0]) < 1]
    near(lines, [axis(one.distance())], 0.01)
    told = [words for _, words in one.verdicts().values()]
    assert [label.text for label in drawn.all("label") if label.text in told] == told


@shown({"layers": 2, "shuffle": 5, "causal": False}, {"layers": 3, "shuffle": 9, "encoded": True})
def leak(drawn: Drawing, one: Any) -> None:
    bars = sorted((m for m in drawn.all("bar") if m.colour in ("blue", "orange")),
                  key=lambda m: m.at[0])  # fmt: skip
    changes = np.where(one.changes() < 1e-12, 0, np.minimum(one.changes(), 1))
    near([np.ptp(bar.points[:, 1]) for bar in bars], 22 * changes)
    stream = one.run(sequences()[0][one.standing()])[0]
    painted = sorted((m for m in drawn.all("bar") if m.colour.startswith("rgb")),
                     key=lambda m: (round(m.at[0]), m.at[1]))  # fmt: skip
    cells = shades(m.colour for m in painted).reshape(16, one.layers, 8)
    near(cells[:, -1], np.clip(stream / 3, -1, 1), SHADE)
    near(drawn.hands("blue"), circle(range(16)) if one.encoded else [])


@shown({"order": [6, 3, 2, 0, 5, 1, 4], "causal": True}, {})
def mask(drawn: Drawing, one: Any) -> None:
    table = one.table()
    cells = sorted(drawn.all("bar"), key=lambda m: (round(m.at[1]), m.at[0]))
    near(shades(m.colour for m in cells), np.clip(table[np.isfinite(table)] / LIMIT, -1, 1), SHADE)
    rows = sorted((m for m in drawn.all("label") if m.text in one.words), key=lambda m: m.at[1])
    assert [m.text for m in rows] == [one.words[k] for k in one.order]


@shown(
    {"d_model": 16, "position": 233, "offset": -37, "between": "random"}, {"between": "rotation"}
)
def offset(drawn: Drawing, one: Any) -> None:
    here, there = encode([one.position, one.position + one.offset], one.d_model).reshape(2, -1, 2)
    pairs = [int(m.text.split()[1]) for m in drawn.all("label") if m.text.startswith("pair ")]
    near(drawn.hands("blue"), here[pairs])
    near(drawn.hands("orange"), there[pairs])
    x, (y,), (curve,) = drawn.axes(0)[-1], drawn.axes(1), drawn.curves("blue")
    follows(curve, x(range(-100, 101)), y(np.clip(one.scores(one.position), -1.3, 1.3)))


@shown({"order": [6, 5, 4, 3, 2, 1, 0], "positions": True}, {"causal": True, "word": 4})
def order(drawn: Drawing, one: Any) -> None:
    words = sorted((m for m in drawn.all("label") if m.text in one.words), key=lambda m: m.at[0])
    assert [m.text for m in words] == [one.words[k] for k in one.standing()]
    painted = [m for m in drawn.all("bar") if m.colour.startswith("rgb")]
    bars = [m for m in drawn.all("bar", "orange") if m.points[0, 1] > painted[0].points[0, 1]]
    changes = np.where(one.changes() < 1e-12, 0, np.minimum(one.changes(), 1))
    tall = [np.ptp(m.points[:, 1]) for m in sorted(bars, key=lambda m: m.at[0])]
    near(tall, 22 * changes)
    shares = one.weights()[one.standing().index(one.word)]
    said = [m.text for m in sorted(drawn.all("label", "orange"), key=lambda m: m.at[0])]
    assert [f"{share:.2f}" for share in shares] == [
        text for text in said if text[:2] in ("0.", "1.")
    ]


@shown({"position": 18, "positions": 22, "digits": 1, "cosines": True},
       {"story": "decoding", "position": 137, "read": [1, 2], "digits": 1, "positions": 400},
       {"story": "nearest", "position": 137, "digits": 6, "off": 0.1, "read": [0, 1, 2, 3]})  # fmt: skip
def phase(drawn: Drawing, one: Any) -> None:
    said, angles = [label.text for label in drawn.all("label")], one.position * frequencies(8)
    guesses = [f"pair {i}: near {guess:.1f}" for i, guess in one.guesses()]
    left = []
    for i in reversed(one.read):
        kept = ex.PhaseExplorer(**one.state() | {"read": [j for j in one.read if j >= i]})
        left.append(f"{len(kept.candidates())} left")
    if one.story == "nearest":
        near(drawn.hands("blue"), circle(np.add(angles, [-0.1, 0.1, -0.1, 0.1]))[::-1])
        assert [text for text in said if "near" in text] == guesses
    elif one.story == "decoding":
        near(drawn.hands("blue"), circle(angles[one.read])[::-1])
        assert [text.split(", ")[-1] for text in said if text.endswith("left")] == left
    else:
        near(drawn.hands("blue"), circle(angles[one.read]))
        assert {f"sine {np.sin(18):.1f}".replace("-", "−"), str(one.here())} <= set(said)


@shown({"vectors": "random"}, {"query": 20, "key": 180, "shift": 1234, "vectors": "peak"})
def rotary(drawn: Drawing, one: Any) -> None:
    q, k = one.pair()
    for colour, vector, at in [("blue", q, one.query), ("orange", k, one.key)]:
        pairs = rotate(vector, at + one.shift).reshape(-1, 2)[[4, 0, 8, 16]]  # the large one first
        near(drawn.hands(colour), pairs / np.hypot(*pairs.T)[:, None])
    x, (y,), (curve,) = drawn.axes(0)[-1], drawn.axes(1), drawn.curves("blue")
    offsets = np.arange(-250, 251)
    follows(curve, x(offsets), y(score(q, k, offsets)))
    near(drawn.all("dot", "ink")[-1].at, [x(one.query - one.key), y(one.score())])


@shown({"task": "previous", "causal": True, "layers": 2, "scheme": "rotary", "length": 30.5})
def schemes(drawn: Drawing, one: Any) -> None:
    (x,), (y,), lengths = drawn.axes(0), drawn.axes(1), np.arange(16, 30.5, 4)
    for name, curve in zip((n for n in one.chosen() if n != one.scheme), drawn.curves("muted"),
                           strict=True):  # fmt: skip
        shares = [*one.chosen()[name][:, : len(lengths)].mean(axis=0), one.now()[name].mean()]
        follows(curve, x([*lengths, 30.5]), y(shares))
    *seeds, _ = drawn.curves("orange")
    near([seed.points[-1, 1] for seed in seeds], y(one.now()["rotary"]))


@shown(
    {"d_model": 16, "base": 500.0, "length": 90, "position": 5}, {"d_model": 64, "position": 777}
)
def spectrum(drawn: Drawing, one: Any) -> None:
    x, waves = drawn.axes(0, np.log10)[0], wavelengths(one.d_model, one.base)
    (wave,) = drawn.curves("blue")
    near(wave.points[:, 0], x(waves))
    lines = [m.at[0] for m in drawn.all("line", "orange") if np.ptp(m.points[:, 1]) > 50]
    near(lines, [x(one.length)])
    rows = sorted({tuple(m.at.round(1)): m for m in drawn.all("dot") if m.r > 3}.values(),
                  key=lambda m: m.at[1])  # fmt: skip
    hollow = {round(m.at[0], 1) for m in rows if m.colour == "paper"}
    assert hollow <= {round(at, 1) for at in x(waves[waves > one.length])} and hollow
    angles = one.position * frequencies(one.d_model, one.base)[one.clocks()]
    near(drawn.hands("blue"), circle(angles))


@shown({"model": "gpt-oss", "distance": 8191}, {"model": "Llama 4 Scout", "distance": 63_096})
def stack(drawn: Drawing, one: Any) -> None:
    axis = drawn.axes(0, np.log10)[0]
    axis.ticks.pop()  # the last label is moved in
    (word,) = (line for line in drawn.all("line", "orange") if len(line.points) == 2)
    near(word.at[0], axis(one.distance), 0.01)
    bars = sorted(drawn.all("bar"), key=lambda m: -m.at[1])  # from below
    for bar, (_, sees), found in zip(bars, one.layers(), one.seeing(), strict=True):
        assert bar.colour == ("blue" if found else "grid")
        if sees:
            near(bar.points[:, 0], axis([10, sees - 1]), 0.01)


@shown({"scheme": "learned", "causal": False, "steps": 300, "head": 1, "story": "table"})
def train(drawn: Drawing, one: Any) -> None:
    for map_, name in zip(drawn.all("map"), ("likeness", "attention"), strict=True):
        near(map_.values.reshape(16, 16), one.map(name), SHADE)
    (curve,), y = drawn.curves("blue"), drawn.axes(1)[-2]
    guess = 2.08 / np.log(8)  # the axis has the loss of guessing, to two digits
    near(curve.points[:, 1], y(guess * np.array(one.recorded()["loss"])))


@shown({"look": 5, "row": 7}, {"look": 9, "scheme": "sinusoidal"})
def training(drawn: Drawing, one: Any) -> None:
    similarity, attended = (one.map(one.shown(), name) for name in ("similarity", "attention"))
    for map_, values in zip(drawn.all("map"), (2 * similarity - 1, attended), strict=True):
        near(map_.values.reshape(16, 16), values, SHADE)
    x, y, curve = drawn.axes(0)[0], drawn.axes(1)[0], drawn.curves("blue")[0]
    loss = np.minimum(one.recording["runs"][0]["loss"], 2.5)
    follows(curve, x(4 * (np.arange(100) + 0.5)), y(loss))
    dots = [m.at for m in drawn.all("dot") if m.r in (2, 3.5)][::-1]
    place = fitted(dots, one.places(one.shown())[one.look])
    near(drawn.all("dot", "ink")[-1].at, place(one.places(one.shown())[one.look, one.row]), 0.01)


@pytest.mark.parametrize("n", range(len(SHOWN)), ids=lambda n: f"{SHOWN[n][0].__name__}-{n}")
def test_marks_stand_where_pe_lib_says(n: int, drawings: list[list[Drawing]]) -> None:
    judge, state = SHOWN[n]
    for drawing in drawings[len(STORIES) + n]:
        judge(drawing, explorer(judge, state))


def test_every_kind_is_read_back() -> None:
    assert {judge.__name__ for judge, _ in SHOWN} == set(ex.kinds()) - {"chooser"}
