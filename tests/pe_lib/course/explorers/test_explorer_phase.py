"""The phase explorer: JavaScript finds pe_lib's candidates, and its task has the answers given."""

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import encode
from pe_lib.course.explorers import PhaseExplorer


def test_candidates_are_those_that_print_the_same() -> None:
    for position, digits, cosines in [(11, 3, False), (11, 6, False), (0, 1, True), (377, 2, True)]:
        for read in ([0], [0, 1], [3], [0, 2, 3]):
            explorer = PhaseExplorer(position=position, digits=digits, read=read, cosines=cosines)
            dims = [2 * i + part for i in read for part in range(1 + cosines)]
            prints = [tuple(f"{v:.{digits}f}".replace("-0." + "0" * digits, "0." + "0" * digits)
                            for v in encode(k, 8)[dims]) for k in range(400)]  # fmt: skip
            expected = [k for k in range(400) if prints[k] == prints[position]]
            assert explorer.candidates().tolist() == expected


def test_javascript_agrees_with_pe_lib() -> None:
    calls, expected = [], []
    for d_model, positions, position in [(8, 400, 11), (2, 1000, 999), (12, 77, 0), (4, 10, 9)]:
        for digits, cosines in [(1, False), (3, True), (6, False)]:
            explorer = PhaseExplorer(
                d_model=d_model, positions=positions, position=position, digits=digits,
                cosines=cosines,
            )  # fmt: skip
            for pair in range(d_model // 2):
                calls.append((pair, position, positions, d_model, digits, cosines))
                expected.append(explorer.agreeing(pair).tolist())
    assert from_module("phase", f"{json.dumps(calls)}.map((c) => m.agreeing(...c))") == expected


def test_the_answers_to_the_task_are_right() -> None:
    def found(**state: Any) -> list[int]:
        return PhaseExplorer(**state).candidates().tolist()

    assert [k for k in found(position=11, digits=3) if k < 100] == [11, 55]
    assert found(position=11, digits=6) == [11, 344]
    assert found(position=11, digits=6, cosines=True) == [11]
    assert found(position=11, digits=1, read=[3]) == list(range(51))
    assert found(position=11, digits=1, read=[0, 3]) == [5, 11, 17, 30, 36, 49]
    shared = {}
    for read in combinations(range(4), 2):
        explorer, counts = PhaseExplorer(digits=1, read=list(read), cosines=True), []
        for explorer.position in range(400):
            counts.append(len(explorer.candidates()))
        shared[read] = max(counts)
    assert [read for read, most in shared.items() if most == 1] == [(0, 2)]
    assert found(position=0, digits=1, read=[0, 1], cosines=True) == [0, 377]


def test_the_picture_of_one_clock_shows_who_throws_the_same_shadow() -> None:
    explorer = PhaseExplorer(position=4, positions=22, digits=1)
    _, wall, floor, _ = explorer.picture().axes
    np.testing.assert_allclose(floor.lines[-1].get_xydata(), [[np.sin(k), k] for k in (4, 18)])
    assert not wall.lines
    explorer.cosines = True
    wall = explorer.picture().axes[1]
    np.testing.assert_allclose(wall.lines[-1].get_xydata(), [[4, np.cos(4)]])


def test_what_the_stories_say_is_so() -> None:
    def found(name: str) -> list[list[int]]:
        states = [state for _, state in PhaseExplorer.stories[name].states({})]
        return [PhaseExplorer(**state).candidates().tolist() for state in states]

    assert found("main") == [[4, 18], [4, 18], [18], [18], [4], [11, 55]]
    counts = [len(left) for left in found("decoding")]
    assert counts == [400, 100, 11, 1, 1, 2]
    assert found("decoding")[4:] == [[137], [93, 137]]
    assert [len(left) for left in found("crest")] == [21, 63, 10]
    assert found("turns") == [[5, 68, 131, 194, 256]] * 3
    steps = PhaseExplorer.stories["nearest"].states({})
    led = [PhaseExplorer(**state, story="nearest").guesses()[-1][1] for _, state in steps]
    assert [round(guess, 1) for guess in led[:4]] == [99.7, 137.3, 137.2, 137.0]
    assert round(led[4]) == 137


def test_from_guess_to_guess_as_by_hand() -> None:
    """Against the places of all turns, and the one of them that is nearest."""
    for position, d_model, digits, off in [(137, 8, 1, 0.0), (399, 8, 6, 0.2), (300, 12, 2, 0.1)]:
        explorer = PhaseExplorer(
            d_model=d_model, position=position, digits=digits, off=off, story="nearest",
            read=[*range(d_model // 2)],
        )  # fmt: skip
        row, guess, expected = encode(position, d_model).round(digits), 0.0, []
        for n, i in enumerate(reversed(range(d_model // 2))):
            w = 10_000 ** (-2 * i / d_model)
            angle = np.arctan2(row[2 * i], row[2 * i + 1]) + (-1) ** n * off
            places = (angle % (2 * np.pi) + 2 * np.pi * np.arange(5_000)) / w
            guess = places[np.abs(places - guess).argmin() if n else 0]
            expected.append(guess)
        np.testing.assert_allclose([guess for _, guess in explorer.guesses()], expected)
        asked = json.dumps({**explorer.state(), "d_model": d_model})
        led = from_module("guesses", f"m.guesses({asked}).map((one) => one.guess)")
        np.testing.assert_allclose(led, expected)


def test_hands_may_be_misread_as_far_as_the_bound_says() -> None:
    explorer = PhaseExplorer(position=137, digits=6, read=[0, 1, 2, 3], story="nearest")
    found = {}
    for explorer.off in (0.28, np.pi / 11 - 1e-5, np.pi / 11 + 1e-5, 0.29):
        found[explorer.off] = round(explorer.guesses()[-1][1])
    assert [k == 137 for k in found.values()] == [True, True, False, False]
    explorer.off = 0.0
    assert "99.7" not in explorer.caption() and "137.0 → 137.0" in explorer.caption()
    explorer.digits = 1
    assert explorer.caption().endswith("they lead to 99.7 → 137.3 → 137.2 → 137.0.")
    assert len(explorer.picture().axes) == 4
    explorer.read = []
    assert explorer.caption().endswith("they lead to nothing.") and explorer.picture()


def test_javascript_narrows_down_as_pe_lib_does() -> None:
    explorer = PhaseExplorer(position=137, digits=1, cosines=True)
    found = [{"read": explorer.agreeing(i).tolist()} for i in range(4)]
    left = from_module("narrowing", f"m.narrowed([0, 2, 3], {json.dumps(found)})")
    for row, read in zip(left, ([3], [2, 3], [0, 2, 3]), strict=True):
        explorer.read = read
        assert (row["pair"], row["left"]) == (read[0], explorer.candidates().tolist())


@pytest.mark.parametrize("left", [[], [0], [399], [51, 150], [3, 390]])
def test_a_row_shows_all_that_the_one_above_left(left: list[int]) -> None:
    low, high = from_module("narrowing", f"m.stretch({left}, 400)")
    assert 0 <= low < high <= 400 and high - low >= 6
    assert all(low <= k < high for k in left)


def test_two_clocks_tell_all_positions_apart() -> None:
    state = PhaseExplorer(digits=1, cosines=True).state()
    asked = [{**state, "read": list(read)} for read in combinations(range(4), 2)]
    assert from_module("phase", f"{json.dumps(asked)}.map(m.unique)") == [
        list(read) == [0, 2] for read in combinations(range(4), 2)
    ]


def test_nothing_read_leaves_every_position() -> None:
    assert PhaseExplorer(read=[]).candidates().tolist() == list(range(400))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_model": 7}, "d_model must be even"),
        ({"d_model": 14}, "d_model"),
        ({"position": 400}, "position must be below positions = 400, got 400"),
        ({"read": [4]}, "read must hold pairs 0 to 3"),
        ({"digits": 7}, "digits"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        PhaseExplorer(**given)


def test_fewer_positions_keep_the_position_inside() -> None:
    explorer = PhaseExplorer(position=300)
    explorer.positions = 100
    assert explorer.position == 99


def test_the_picture_and_the_caption_show_the_candidates() -> None:
    explorer = PhaseExplorer(position=11, digits=3, story="decoding")
    assert "5 (11, 55, 300, 344, 388)" in explorer.caption()
    bars = explorer.picture().axes[0].collections[-1].get_paths()
    middles = [(bar.vertices[:, 0].min() + bar.vertices[:, 0].max()) / 2 for bar in bars]
    np.testing.assert_array_equal(middles, explorer.candidates())
    explorer.read = []
    (bar,) = explorer.picture().axes[0].collections[-1].get_paths()
    assert (bar.vertices[:, 0].min(), bar.vertices[:, 0].max()) == (-0.5, 399.5)
