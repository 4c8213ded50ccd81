"""The training explorer: JavaScript reads the recording as Python does; the answers are right."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import encode
from pe_lib.course.explorers import TrainingExplorer
from tools import experiments

FILE = Path(__file__).parents[4] / "chapters" / "data" / "training.json"
RECORDING = json.loads(FILE.read_text("utf-8"))
LOOKS = 26


def one_back(look: int, run: int) -> int:
    map_ = TrainingExplorer(recording=RECORDING, look=look).map(run, "attention")
    return sum(int(map_[t].argmax()) == t - 1 for t in range(1, 16))


def test_the_recording_is_whole() -> None:
    assert RECORDING["steps"] == RECORDING["every"] * (LOOKS - 1) == 4 * 100
    for run in RECORDING["runs"]:
        assert len(run["right"]) == LOOKS and len(run["loss"]) == 100
    for n in (0, 1):
        for name in ("similarity", "attention"):
            frames = [TrainingExplorer(recording=RECORDING, look=k).map(n, name)
                      for k in range(LOOKS)]  # fmt: skip
            assert {frame.shape for frame in frames} == {(16, 16)}
            if name == "attention":
                np.testing.assert_allclose(np.sum(frames, axis=2), 1, atol=16 * 0.5 / 255)


def test_javascript_reads_the_same_maps() -> None:
    for n, run in enumerate(RECORDING["runs"]):
        for name in ("similarity", "attention"):
            found = from_module("training", f"Array.from(m.unpacked({json.dumps(run[name])}))")
            frames = np.reshape(found, (LOOKS, 16, 16)) / 255
            for look in (0, 7, LOOKS - 1):
                expected = TrainingExplorer(recording=RECORDING, look=look).map(n, name)
                np.testing.assert_array_equal(frames[look], expected)
        found = from_module(
            "training",
            f"Array.from({{ length: {LOOKS} }}, (_, k) => m.backwards(m.unpacked("
            f"{json.dumps(run['attention'])}).subarray(256 * k, 256 * k + 256), 16))",
        )
        assert found == [one_back(look, n) for look in range(LOOKS)]


def test_the_answers_to_the_task_are_right() -> None:
    learned, sinusoidal = RECORDING["runs"]
    assert learned["loss"][20] < 0.5 * sinusoidal["loss"][20]  # step 80
    assert one_back(5, 0) >= 14
    last = TrainingExplorer(recording=RECORDING, look=LOOKS - 1)
    near = np.diag(2 * last.map(0, "similarity") - 1, 1)
    far = (2 * last.map(0, "similarity") - 1)[np.triu_indices(16, 2)]
    assert abs(near.mean() - far.mean()) < 0.15
    assert np.diag(2 * last.map(1, "similarity") - 1, 1).min() > 0.9


def at(look: int, scheme: str = "learned", **more: int) -> TrainingExplorer:
    return TrainingExplorer(recording=RECORDING, look=look, scheme=scheme, **more)


def test_both_find_a_row_in_its_plane() -> None:
    for n, run in enumerate(RECORDING["runs"]):
        asked = [(look, row) for look in (0, 4, 25) for row in (0, 7, 15, 16, 47)]
        found = from_module(
            "training",
            f"((p) => {json.dumps(asked)}.map((c) => m.place(p, {run['reach']}, ...c)))"
            f"(m.unpacked({json.dumps(run['plane'])}))",
        )
        places = at(0).places(n)
        np.testing.assert_allclose(found, [places[look, row] for look, row in asked], atol=1e-12)


def test_rows_beyond_the_training_and_the_sinusoidal_ones_stay() -> None:
    learned, sinusoidal = at(0).places(0), at(0).places(1)
    assert np.ptp(learned[:, 16:], axis=0).max() == 0
    assert (np.linalg.norm(learned[-1, :16] - learned[0, :16], axis=1) > 0.05).all()
    assert np.ptp(sinusoidal, axis=0).max() == 0
    table = encode(range(48), 32)
    step = RECORDING["runs"][1]["reach"] / 255
    np.testing.assert_allclose(sinusoidal[0], experiments.plane(table[None])[0], atol=1.01 * step)
    gaps = np.linalg.norm(np.diff(sinusoidal[0], axis=0), axis=1)
    assert gaps.max() < 0.4 < np.ptp(sinusoidal[0], axis=0).min()


def test_the_plane_is_the_one_in_which_rows_move_most() -> None:
    rng = np.random.default_rng(0)
    first, axes = rng.standard_normal((48, 32)), np.linalg.qr(rng.standard_normal((32, 2)))[0].T
    moved = rng.standard_normal((48, 2)) @ axes
    found = experiments.plane(np.stack([first, first + moved]))
    expected = np.linalg.norm(moved, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found[1] - found[0], axis=1), expected)


def test_trained_again_the_rows_go_the_same_way() -> None:
    again = experiments.training("learned")
    numbers = np.frombuffer(experiments.base64.b64decode(again["plane"]), np.uint8) / 255
    places = again["reach"] * (2 * numbers.reshape(-1, 48, 2) - 1)
    np.testing.assert_allclose(places, at(0).places(0), atol=0.15)


def test_the_reader_is_told_how_far_a_row_has_moved() -> None:
    gone = at(25, row=7).places(0)[[25, 0], 7]
    far = math.dist(*gone)
    assert f"Row 7 of the learned table has moved by {far:.2f}" in at(25, row=7).caption()
    for still in (at(25, row=30), at(25, "sinusoidal", row=7), at(0, row=7)):
        assert "has not moved" in still.caption()


def test_a_look_that_was_not_recorded_is_refused() -> None:
    with pytest.raises(traitlets.TraitError, match=f"look must be below {LOOKS}, got {LOOKS}"):
        at(LOOKS)
    for given in ({"row": 48}, {"scheme": "rotary"}):
        with pytest.raises(traitlets.TraitError, match=next(iter(given))):
            TrainingExplorer(recording=RECORDING, **given)


def test_the_caption_tells_the_step_and_the_text_stays_short() -> None:
    explorer = TrainingExplorer(recording=RECORDING, look=5)
    assert explorer.caption().startswith("Step 80 of 400. learned: ")
    assert len(repr(explorer)) < 600
    assert len(explorer.picture().axes) == 3
