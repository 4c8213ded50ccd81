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
    explorer = PhaseExplorer(position=11, digits=3)
    assert "5 (11, 55, 300, 344, 388)" in explorer.caption()
    strokes = explorer.picture().axes[0].collections[-1]
    xs = [path.vertices[0, 0] for path in strokes.get_paths()]
    np.testing.assert_array_equal(xs, explorer.candidates())
