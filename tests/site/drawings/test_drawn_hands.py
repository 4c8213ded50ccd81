"""Clock hands stand where pe_lib's encodings point, and the curves below them are its scores."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawn import LEVELS, Clock, Drawing, Mark, Show, follows, near, number
from numpy.typing import NDArray

from pe_lib import encode, frequencies, rotation, wavelengths
from pe_lib.course.explorers import (
    ChordExplorer,
    HandsExplorer,
    OffsetExplorer,
    PhaseExplorer,
    RotaryExplorer,
    SpectrumExplorer,
)
from pe_lib.course.explorers.offset import PLACES, scrambler
from pe_lib.course.explorers.rotary import REACH
from pe_lib.rotary import rotate, score


def pairs(encoding: NDArray[np.float64], clocks: list[Clock]) -> NDArray[np.float64]:
    """Of an encoding, the pairs that the clocks are labelled with: how far right and up each is."""
    return encoding.reshape(-1, 2)[[int(clock.labels[0].split()[1]) for clock in clocks]]


def tips(clocks: list[Clock], colour: str) -> list[NDArray[np.float64]]:
    return [clock.hands[colour] for clock in clocks]


def decimals(value: float, digits: int) -> str:
    """As people write it, never minus zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def upright(lines: list[Mark]) -> list[Mark]:
    return [line for line in lines if np.ptp(line.points[:, 0]) == 0]


@pytest.mark.parametrize("between", ["nothing", "rotation", "random"])
@pytest.mark.parametrize("position, offset", [(150, 10), (233, -37)])
def test_offset(show: Show, between: str, position: int, offset: int) -> None:
    d_model, offsets = 16, np.arange(-100, 101)
    drawing = Drawing(show(OffsetExplorer(
        d_model=d_model, position=position, offset=offset, between=between
    )))  # fmt: skip

    here, there = encode([position, position + offset], d_model)
    clocks = drawing.clocks()
    assert [clock.labels for clock in clocks] == [["pair 0"], ["pair 1"], ["pair 2"], ["pair 3"]]
    near(tips(clocks, "blue"), pairs(here, clocks))
    near(tips(clocks, "orange"), pairs(there, clocks))
    near([clock.dots[0] for clock in clocks], pairs(here, clocks))

    matrices = {"nothing": np.eye(d_model), "rotation": rotation(20, d_model),
                "random": scrambler(d_model)}  # fmt: skip
    (words, x), (y,) = drawing.axes()
    drawing.ruled(y)
    for colour, place in [("blue", position), ("orange", position + offset)]:
        (word,) = drawing.all("bar", colour)
        near(word.at[0], words(place))

    def scores(place: int) -> NDArray[np.float64]:
        keys = encode(place + offsets, d_model)
        return np.clip(keys @ (encode(place, d_model) @ matrices[between]) / 8, -1.3, 1.3)

    (mine,) = drawing.curves("blue")
    follows(mine, x(offsets), y(scores(position)))
    for place, other in zip(PLACES, drawing.curves("muted"), strict=True):
        follows(other, x(offsets), y(scores(place)))
    (chosen,) = upright(drawing.straight("orange", dashed=True))
    near(chosen.at[0], x(offset))
    near(drawing.all("dot", "ink")[-1].at, [x(offset), y(scores(position)[100 + offset])])


@pytest.mark.parametrize("state", [
    {"position": 4, "positions": 22, "digits": 1},
    {"position": 18, "positions": 22, "digits": 1, "cosines": True},
    {"position": 50, "positions": 100, "digits": 1, "cosines": True, "read": [1]},
])  # fmt: skip
def test_phase_between_walls(show: Show, state: dict[str, Any]) -> None:
    explorer = PhaseExplorer(**state)
    drawing = Drawing(show(explorer))
    (pair,), position, here = explorer.read, explorer.here(), encode(explorer.here(), 8)
    w, (sin, cos) = frequencies(8)[pair], here[2 * pair : 2 * pair + 2]
    (clock,) = drawing.clocks()
    near(clock.hands["blue"], [sin, cos])

    def ends(aligned: str) -> list[Mark]:
        ticks = (m for m in drawing.all("label", "muted") if m.align == aligned)
        return [m for m in ticks if m.text in ("0", str(explorer.positions - 1))][:2]

    def at(k: Any, aligned: str, side: int) -> Any:
        """Where a position stands on a wall, by the labels of the first and the last."""
        first, last = (tick.at[side] for tick in ends(aligned))
        return first + np.asarray(k) * (last - first) / (explorer.positions - 1)

    same, x, y = explorer.candidates(), *clock.at
    explorer.cosines = False
    others = np.setdiff1d(explorer.agreeing(pair), same)
    explorer.cosines = bool(state.get("cosines"))
    for some, colour in ((same, "ink"), (others, "paper")):
        dots = [tuple(m.at.round(2)) for m in drawing.all("dot", colour)]
        for k in some:
            shadows = [[x + clock.r * np.sin(w * k), at(k, "right", 1)]]
            if explorer.cosines:
                shadows.append([at(k, "center", 0), y - clock.r * np.cos(w * k)])
            for shadow in shadows:
                assert np.hypot(*(np.array(dots) - shadow).T).min() < 0.02
    printed = here[2 * pair : 2 * pair + 2].round(1)
    light = drawing.all("bar")
    near(light[0].at[0], x + clock.r * printed[0])
    near(np.ptp(light[0].points[:, 0]), 0.1 * clock.r)
    if explorer.cosines:
        near(light[1].at[1], y - clock.r * printed[1])
    said = [label.text for label in drawing.all("label")]
    assert f"sine {printed[0]}".replace("-", "−") in said
    assert {2: " or ".join(map(str, same)), 1: str(position)}.get(len(same), said[-1]) in said


@pytest.mark.parametrize("state", [
    {"position": 137, "read": [1, 2], "digits": 1},
    {"position": 60, "read": [0, 1, 3], "digits": 1, "cosines": True, "positions": 100},
    {"position": 7, "read": []},
])  # fmt: skip
def test_phase_narrows_down(show: Show, state: dict[str, Any]) -> None:
    explorer = PhaseExplorer(**state, story="decoding")
    drawing, read = Drawing(show(explorer)), explorer.read
    clocks = sorted(drawing.clocks(), key=lambda clock: clock.at[1])
    here = encode(explorer.here(), 8).reshape(-1, 2)
    for i, clock in zip((3, 2, 1, 0), clocks, strict=True):
        near(clock.hands["blue" if i in read else "grid"], here[i])
        explorer.read = [j for j in read if j >= i]
        left = explorer.candidates()
        if i not in read:
            assert drawing.label(f"pair {i}: not read")
            continue
        printed = [decimals(v, explorer.digits) for v in here[i]]
        values = f"({', '.join(printed)})" if explorer.cosines else printed[0]
        title = drawing.label(f"pair {i}: {values}, {len(left)} left")
        row = [m for m in drawing.marks if 0 < m.at[1] - title.at[1] < clock.r * 2]
        bars = [m for m in row if m.kind == "bar" and m.colour == "ink"]
        low, high = (m for m in row if m.kind == "label")
        each = (high.at[0] - low.at[0]) / (int(high.text) - int(low.text) + 1)
        near([bar.at[0] for bar in bars], low.at[0] + (left - int(low.text) + 0.5) * each, 0.6)
        (pointer,) = (m for m in row if m.kind == "shape" and m.colour == "orange")
        near(pointer.points[0, 0], low.at[0] + (explorer.here() - int(low.text) + 0.5) * each)


@pytest.mark.parametrize("state", [
    {"position": 137, "digits": 1},
    {"position": 137, "digits": 6, "off": 0.29},
    {"position": 250, "digits": 3, "off": 0.1, "read": [2, 3]},
    {"position": 0, "digits": 6, "off": 0.26},
])  # fmt: skip
def test_phase_from_guess_to_guess(show: Show, state: dict[str, Any]) -> None:
    state = {"read": [0, 1, 2, 3], "cosines": True, **state}
    explorer = PhaseExplorer(**state, story="nearest")
    drawing, guesses = Drawing(show(explorer)), dict(explorer.guesses())
    clocks = sorted(drawing.clocks(), key=lambda clock: clock.at[1])
    before = None
    for n, (i, clock) in enumerate(zip((3, 2, 1, 0), clocks, strict=True)):
        w = float(frequencies(8)[i])
        angle = explorer.position * w + (-1) ** n * explorer.off
        hand = clock.hands["blue" if i in guesses else "grid"]
        near(hand, [np.sin(angle), np.cos(angle)])
        if i not in guesses:
            assert drawing.label(f"pair {i}: not read")
            continue
        title = drawing.label(f"pair {i}: near {decimals(guesses[i], 1)}")
        row = [m for m in drawing.marks if 0 < m.points[0, 1] - title.at[1] < clock.r * 2]
        ends = [m for m in row if m.kind == "label" and m.colour == "muted"]
        left, right = (end.at[0] for end in ends)
        turn = 2 * np.pi / w
        low = min(guesses[i], 0.0 if before is None else max(0.0, before - 1.25 * turn))
        high = turn if before is None else before + 1.25 * turn
        assert [end.text for end in ends] == [decimals(low, 0), decimals(high, 0)]

        def x(t: Any, *, here: Any = (low, high, left, right)) -> Any:
            low, high, left, right = here
            return left + (np.clip(t, low, high) - low) * (right - left) / (high - low)

        bars = {m.colour: m.points[0, 0] for m in row if m.kind == "line" and not m.dashed}
        near(bars["orange"], x(guesses[i]))
        if before is not None:
            (window,) = [m for m in row if m.kind == "bar"]
            near(window.points[:, 0], [x(before - turn / 2), x(before + turn / 2)])
            (dotted,) = [m for m in row if m.kind == "line" and m.dashed and m.colour == "ink"]
            near(dotted.points[:, 0], [x(before)] * 2)
        before = guesses[i]
    if 0 in guesses:
        found = round(guesses[0])
        assert drawing.label(f"{'✓' if found == explorer.position else '✗'} {found}")


@pytest.mark.parametrize("position", [0, 11, 20.25])
def test_hands(show: Show, position: float) -> None:
    explorer = HandsExplorer(position=position)
    drawing = Drawing(show(explorer))
    row = encode(position, 16)
    clocks = sorted(drawing.clocks(), key=lambda clock: clock.at[0])
    near(tips(clocks, "blue"), row.reshape(-1, 2))
    near([clock.dots[0] for clock in clocks], row.reshape(-1, 2))

    (table,) = drawing.all("map")
    assert np.abs(table.values - encode(range(32), 16)).max() < 0.01
    cells = sorted((m for m in drawing.all("bar")), key=lambda m: m.at[0])
    levels = np.array([[int(cell.colour[k : k + 2], 16) for k in (1, 3, 5)] for cell in cells])
    values = np.abs(levels[:, None] - LEVELS).sum(axis=2).argmin(axis=1) / 127.5 - 1
    near(values, row, 0.01)
    near([cell.at[0] for cell in cells], (np.arange(16) + 0.5) * table.at[0] / 8, 0.01)
    (here,) = drawing.all("frame", "ink")
    top, tall = table.points[0, 1], np.ptp(table.points[:, 1]) / 32
    near(here.points[0, 1], top + np.floor(position) * tall)
    said = explorer.words[round(position)]
    (word,) = [m for m in drawing.all("label", "ink") if not m.text[-1].isdigit()]
    assert word.text == said


@pytest.mark.parametrize("state", [
    {"query": 7, "key": 3, "vectors": "random"},
    {"query": 20, "key": 180, "shift": 1234, "vectors": "peak"},
])  # fmt: skip
def test_rotary(show: Show, state: dict[str, Any]) -> None:
    explorer, offsets = RotaryExplorer(**state), np.arange(-REACH, REACH + 1)
    drawing = Drawing(show(explorer))
    vectors = explorer.pair()
    query = rotate(vectors[0], explorer.query + explorer.shift)
    key = rotate(vectors[1], explorer.key + explorer.shift)

    # a pair's first entry is drawn to the right, its second one up
    clocks, shown = drawing.clocks(), [4, 0, 8, 16]  # the large one first
    for colour, vector in [("blue", query), ("orange", key)]:
        two = vector.reshape(-1, 2)[shown]
        near(tips(clocks, colour), two / np.hypot(*two.T)[:, None])
    added = (query * key).reshape(-1, 2).sum(axis=1)
    labels = [label.text for label in drawing.all("label")]
    said = [number(text.removeprefix("adds ")) for text in labels if text.startswith("adds ")]
    near(said, added[[0, 8, 16, 4]], 0.00501)  # two decimals
    assert [text for text in labels if text.startswith("pair ")] == ["pair 0", "pair 8", "pair 16"]
    assert "large: pair 4" in labels

    (words, x), (y,) = drawing.axes()
    for colour, place in [("blue", explorer.query), ("orange", explorer.key)]:
        (word,) = drawing.all("bar", colour)
        near(word.at[0], words(place + explorer.shift))
    drawing.ruled(y)
    (curve,) = drawing.curves("blue")
    follows(curve, x(offsets), y(score(*vectors, offsets)))
    chosen = [x(explorer.query - explorer.key), y(query @ key)]
    near(drawing.all("dot", "ink")[-1].at, chosen)
    (line,) = upright(drawing.straight("orange", dashed=True))
    near(line.at[0], chosen[0])


@pytest.mark.parametrize("state", [
    {"pair": 1, "position": 2, "offset": 1}, {"pair": 0, "position": 12.5, "offset": 8},
])  # fmt: skip
def test_chord(show: Show, state: dict[str, Any]) -> None:
    explorer = ChordExplorer(**state)
    drawing = Drawing(show(explorer))
    (clock,) = drawing.clocks()
    ends = encode([explorer.position, explorer.position + explorer.offset], 16)
    here, there = ends.reshape(2, 8, 2)[:, explorer.pair]
    near([clock.hands["blue"], clock.hands["orange"]], [here, there])

    # the chord stands in the curve, as long as it is
    chord, standing = drawing.straight("ink")
    near(chord.points, clock.at + clock.r * np.array([here, there]) * [1, -1])
    (x,), (y,) = drawing.axes()
    drawing.ruled(y)
    near(standing.points, [[x(explorer.offset), y(v)] for v in (0, explorer.chord())])
    near(np.ptp(standing.points[:, 1]), np.hypot(*np.ptp(chord.points, axis=0)))
    k = np.linspace(0, 20, 161)
    (whole,) = drawing.curves("muted")
    omega = frequencies(16)[explorer.pair]
    follows(whole, x(k), y(2 * np.abs(np.sin(omega * k / 2))))


@pytest.mark.parametrize("state", [
    {"d_model": 64, "length": 2048, "position": 777},
    {"d_model": 16, "base": 500.0, "length": 90, "position": 5},
])  # fmt: skip
def test_spectrum(show: Show, state: dict[str, Any]) -> None:
    explorer = SpectrumExplorer(**state)
    page, waves = show(explorer), wavelengths(explorer.d_model, explorer.base)
    drawing = Drawing(page)
    (x,), _ = drawing.axes()
    x = replace(x, scale=np.log10)
    clocks = sorted(drawing.clocks(), key=lambda clock: clock.at[1])

    # a later dot covers an earlier one: hollow, if the pair is longer than the context
    found = [dot for colour in ("blue", "paper") for dot in drawing.all("dot", colour)]
    dots = {tuple(dot.at.round(2)): dot for dot in found}
    dots = sorted(dots.values(), key=lambda dot: dot.at[1])
    shown = range(waves.size) if len(dots) == waves.size else explorer.clocks()
    near([dot.at[0] for dot in dots], x(waves[shown]), 0.01)
    hollow = [dot.colour == "paper" for dot in dots]
    np.testing.assert_array_equal(hollow, waves[shown] > explorer.length)
    (wave,) = drawing.curves("blue")
    near(wave.points[:, 0], x(waves))
    (line,) = [m for m in upright(drawing.straight("orange")) if np.ptp(m.points[:, 1]) > 50]
    (above,) = drawing.all("bar")
    near([line.at[0], above.points[0, 0]], x(explorer.length))
    assert drawing.label(f"context {explorer.length:,}")

    # each clock stands left of the dot of its pair, and its wavelength right of it
    here = encode(explorer.position, explorer.d_model, explorer.base).reshape(-1, 2)
    arcs = sorted(drawing.all("arc", "blue"), key=lambda arc: arc.at[1])
    arcs = [arc for arc in arcs if arc.r > 6]
    for i, clock, arc in zip(explorer.clocks(), clocks, arcs, strict=True):
        near(clock.at[1], wave.points[i, 1])
        near(clock.hands["blue"], here[i])
        turned = 2 * np.pi * (explorer.length - 1) / waves[i]
        near([arc.start, arc.end - arc.start], [-np.pi / 2, min(turned, 2 * np.pi)])
        said = drawing.label(f"{waves[i]:.2f}" if waves[i] < 100 else f"{waves[i]:,.0f}")
        near(said.at[1], clock.at[1])
