"""What was recorded in chapters/data, once more: cheap samples, by a few steps.

Whole trainings of several seeds run nightly, in tests/nightly/chapters. Training amplifies the last
digit of every processor, so margins are wide.
"""

import json

import numpy as np
import pytest
from cells import CHAPTERS

from tools.experiments import controls, longer, tables


def recorded(name):
    return json.loads((CHAPTERS / "data" / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("scheme", [0, 1], ids=["learned", "sinusoidal"])
def test_training(scheme):
    run = recorded("training")["runs"][scheme]
    again = tables.training(run["scheme"], steps=48)
    np.testing.assert_allclose(again["loss"], run["loss"][:12], atol=0.02)
    np.testing.assert_allclose(again["right"], run["right"][:4], atol=0.05)


@pytest.mark.parametrize(
    ("kind", "start", "causal", "seed", "steps"),
    [("frozen", "ours", False, 1, 60), ("trained", "GPT-2", True, 2, 40)],
)
def test_tables(kind, start, causal, seed, steps):
    again = tables.start_run(kind, start, causal, seed, steps)
    (found,) = [s["runs"] for s in recorded("tables")["starts"]
                if (s["start"], s["kind"], s["causal"]) == (start, kind, causal)]  # fmt: skip
    np.testing.assert_allclose(
        again["right"], found[seed]["right"][: len(again["right"])], atol=0.12
    )


def test_controls():
    again = controls.based(30, 1, steps=60)
    expected = recorded("controls")["bases"]["30"][1][: len(again)]
    np.testing.assert_allclose(again, expected, atol=0.12)


def test_longer():
    np.testing.assert_allclose(recorded("longer")["score"], longer.fitted(), atol=1e-3)


def test_slopes():
    again = longer.longer("previous", "steep", 1, tuning=0)["steep"][0]
    expected = recorded("longer")["right"]["previous"]["steep"][1][0]
    np.testing.assert_allclose(again, expected, atol=0.03)
