"""Test that training each model again reproduces the training runs that explorers show.

The last digits may differ on another machine, and a training amplifies such differences.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.course import explorers as ex
from tests import attended
from tests.node import run
from tests.recorded import places, required_arguments
from tools.experiments import skipping, tables

VECTORS = Path(__file__).parents[2] / "vectors"


def test_circuit() -> None:
    again, text = skipping.sentence(), required_arguments("circuit")["text"]
    for trained, atol in [(True, 0.2), (False, 0.02)]:
        here, there = (
            attended.layers(ex.CircuitExplorer(text=t, trained=trained)) for t in (again, text)
        )
        np.testing.assert_allclose(here, there, atol=atol)


def test_training() -> None:
    """Train the model again, and check that the table's rows move as in the recording."""
    recording = required_arguments("training")["recording"]
    runs = [tables.training("learned"), *recording["runs"][1:]]
    again = places({**recording, "runs": runs}, "learned")
    np.testing.assert_allclose(again, places(recording, "learned"), atol=0.15)


def test_training_here(tmp_path: Path) -> None:
    """Check what the story says about seed 0, and the task's answer for texts of 24 words."""
    adapters = (VECTORS / "adapters.mjs").as_uri()

    def read_last_look(scheme: str, length: int) -> dict[str, Any]:
        settings = {"scheme": scheme, "length": length, "causal": False, "seed": 0}
        given = {"about": {}, "asked": [[adapters, "looks", [settings, 25]]]}
        found: dict[str, Any] = run(VECTORS / "run.mjs", given, tmp_path)[0][-1]
        return found

    table, longer, sinusoids = (
        read_last_look("learned", 16),
        read_last_look("learned", 24),
        read_last_look("sinusoidal", 16),
    )
    for one, length in [(table, 16), (longer, 24), (sinusoids, 16)]:
        assert np.mean(one["losses"]) < 0.1 and one["right"] > 0.98
        attention = np.reshape(one["attention"], (length, length))
        assert (attention.argmax(axis=1)[1:] == np.arange(length - 1)).all()
    for one, length in [(table, 16), (longer, 24)]:  # the list of accuracies starts at position 1
        assert min(one["far"][: length - 1]) > 0.9 and np.mean(one["far"][length - 1 :]) < 0.25
    assert np.mean(sinusoids["far"][16:]) < 0.5
