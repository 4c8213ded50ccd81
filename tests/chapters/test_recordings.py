"""What was recorded in chapters/data, once more: of each file a cheap sample, by a few steps.

Whole trainings of several seeds run nightly, in tests/nightly/chapters. Training amplifies the last
digit of every processor, so margins are wide.
"""

import json

import numpy as np
import pytest
from cells import CHAPTERS

from pe_lib.course.model import Transformer, tasks, train
from tools import experiments, skipping


def recorded(name):
    return json.loads((CHAPTERS / "data" / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("scheme", [0, 1], ids=["learned", "sinusoidal"])
def test_training(scheme):
    run = recorded("training")["runs"][scheme]
    again = experiments.training(run["scheme"], steps=48)
    np.testing.assert_allclose(again["loss"], run["loss"][:12], atol=0.02)
    np.testing.assert_allclose(again["right"], run["right"][:4], atol=0.05)


def test_seeds():
    """The losses of a learned table, by a training of its own."""
    model = Transformer(8, 8, "learned", max_length=48, seed=3)
    found = train(model, tasks.previous(), steps=48, length=16, seed=3, progress=False).loss
    run = recorded("seeds")["table"]["learned"][3]
    np.testing.assert_allclose(found.reshape(-1, 4).mean(axis=1), run["loss"][:12], atol=0.03)


@pytest.mark.parametrize(
    ("kind", "start", "causal", "seed", "steps"),
    [("frozen", "ours", False, 1, 60), ("trained", "GPT-2", True, 2, 40)],
)
def test_tables(kind, start, causal, seed, steps):
    again = experiments.start_run(kind, start, causal, seed, steps)
    (found,) = [s["runs"] for s in recorded("tables")["starts"]
                if (s["start"], s["kind"], s["causal"]) == (start, kind, causal)]  # fmt: skip
    np.testing.assert_allclose(
        again["right"], found[seed]["right"][: len(again["right"])], atol=0.12
    )


def test_lengths():
    (found,) = [s for s in recorded("lengths")["settings"]
                if (s["task"], s["scheme"], s["causal"], s["layers"])
                == ("order", "none", True, 1)]  # fmt: skip
    again = experiments.setting("order", "none", True, 1, [2], (16, 24))["right"][0]
    np.testing.assert_allclose(again, [found["right"][2][at] for at in (0, 2)], atol=0.08)


def test_skipping():
    """What an untrained model is right in, which is one of the controls."""
    again = np.mean(skipping.control("untrained", 4))
    expected = np.mean(recorded("skipping")["controls"]["untrained"][4])
    assert again == pytest.approx(expected, abs=0.03)


def test_longer():
    np.testing.assert_allclose(recorded("longer")["score"], experiments.fitted(), atol=1e-3)
