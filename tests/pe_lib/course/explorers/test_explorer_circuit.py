"""The circuit explorer: it shows the recorded weights, and what its story says of them is true."""

import json
from pathlib import Path

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import CircuitExplorer

SEEDS = Path(__file__).parents[4] / "chapters" / "data" / "seeds.json"
MAPS = json.loads(SEEDS.read_text("utf-8"))["masked"]["2"]


def test_javascript_reads_the_recorded_weights() -> None:
    found = from_module("circuit", f"{json.dumps(MAPS)}.map(m.weights)")
    np.testing.assert_allclose(found, CircuitExplorer(maps=MAPS).weights(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.sum(found, axis=-1), 1, atol=0.05)  # each a byte
    assert (np.triu(found, 1) == 0).all()


def test_the_story_and_the_task_are_true() -> None:
    first, second = CircuitExplorer(maps=MAPS).weights()
    for t in range(3, 16):  # almost even at what came before
        assert np.ptp(first[t, :t]) < 0.03
    most = second.argmax(axis=1)
    assert most[10] == 9 and most[11] == 10
    assert second[15].argmax() == 14 and second[15, 14] < 0.3
    assert list(most[:4]) == [0, 1, 2, 3]
    assert list(most[4:]) == list(range(3, 15))  # from 4 on, the word before
    assert from_module("circuit", f"m.weights({MAPS[1]!r}).map(m.most)") == list(most)


def test_without_a_recording_all_scores_are_equal() -> None:
    for weights in CircuitExplorer().weights():
        even = np.tri(16) / np.arange(1, 17)[:, None]
        np.testing.assert_allclose(weights, even, atol=0.5 / 255 + 1e-9)


def test_what_a_row_looks_at_is_said() -> None:
    row = [0.1, 0.2, 0.4, 0.3]
    assert from_module("circuit", f"m.looks({row}, 3)") == (
        "word before 0.40, itself 0.30, 2 others 0.30 together"
    )
    assert from_module("circuit", "[m.looks([1], 0), m.looks([0.4, 0.6], 1)]") == [
        "itself alone", "word before 0.40, itself 0.60",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [({"position": 16}, "position"), ({"maps": ["AA==", "AA=="]}, "256 weights each"),
     ({"maps": MAPS[:1]}, "maps")],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        CircuitExplorer(**given)


def test_caption_and_picture_show_the_weights() -> None:
    explorer = CircuitExplorer(maps=MAPS, position=10)
    assert "largest weight, 0.34, to the word before" in explorer.caption()
    assert "to itself" in CircuitExplorer(maps=MAPS, position=2).caption()
    assert CircuitExplorer(position=0).caption().startswith("Word 0 sees itself alone")
    lines = explorer.picture().axes[0].lines[:16]
    np.testing.assert_allclose([line.get_linewidth() / 12 for line in lines],
                               explorer.weights()[1, 10])  # fmt: skip
