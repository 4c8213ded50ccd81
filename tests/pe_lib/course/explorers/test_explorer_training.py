"""The training explorer: JavaScript reads the recording as Python does; the answers are right."""

import json
from pathlib import Path

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import TrainingExplorer

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


def test_a_look_that_was_not_recorded_is_refused() -> None:
    with pytest.raises(traitlets.TraitError, match=f"look must be below {LOOKS}, got {LOOKS}"):
        TrainingExplorer(recording=RECORDING, look=LOOKS)


def test_the_caption_tells_the_step_and_the_text_stays_short() -> None:
    explorer = TrainingExplorer(recording=RECORDING, look=5)
    assert explorer.caption().startswith("Step 80 of 400. learned: ")
    assert len(repr(explorer)) < 500
    assert len(explorer.picture().axes) == 4
