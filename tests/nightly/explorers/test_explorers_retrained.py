"""What explorers show of a training is what a training gives: each is trained again.

Another machine's last digits may differ, and a training amplifies them.
"""

import base64
from typing import Any

import numpy as np
import pytest

from pe_lib.course.explorers import (
    CircuitExplorer,
    SchemesExplorer,
    TrainExplorer,
    TrainingExplorer,
)
from tests.recorded import given
from tools import experiments, skipping


def test_circuit() -> None:
    again, text = skipping.sentence(), given("circuit")["text"]
    assert again["words"] == text["words"]
    for trained, atol in [(True, 0.2), (False, 0.02)]:
        here, there = (CircuitExplorer(text=t, trained=trained).weights() for t in (again, text))
        np.testing.assert_allclose(here, there, atol=atol)


@pytest.mark.parametrize(
    ("setting", "seed"), [(("previous", "rotary", True, 1), 2), (("order", "learned", False, 1), 4)]
)
def test_schemes(setting: Any, seed: int) -> None:
    task, scheme, causal, layers = setting
    again = experiments.setting(*setting, seeds=[seed])["right"]
    one = SchemesExplorer(task=task, causal=causal, layers=layers, **given("schemes"))
    np.testing.assert_allclose(again[0], one.chosen()[scheme][seed], atol=0.1)


def test_the_rows_of_a_table_go_the_same_way() -> None:
    again = experiments.training("learned")
    numbers = np.frombuffer(base64.b64decode(again["plane"]), np.uint8) / 255
    places = again["reach"] * (2 * numbers.reshape(-1, 48, 2) - 1)
    recorded = TrainingExplorer(**given("training")).places(0)
    np.testing.assert_allclose(places, recorded, atol=0.15)


def test_the_page_trains_what_was_recorded() -> None:
    recorded = TrainExplorer(steps=300).recorded()
    assert recorded
    (again,) = experiments.page_run([recorded["settings"]])
    np.testing.assert_allclose(again["loss"], recorded["loss"], atol=0.05)
    for length, share in recorded["right"].items():
        assert again["right"][length] == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize(
    ("scheme", "causal", "lasts"),
    [("alibi", True, True), ("none", True, True), ("sinusoidal", False, False)],
)
def test_the_task_of_train_can_be_done_and_does_not_do_itself(
    scheme: str, causal: bool, lasts: bool
) -> None:
    settings = {"task": "order", "layers": 1, "length": 16, "seed": 0, "causal": causal}
    (run,) = experiments.page_run([settings | {"scheme": scheme}])
    own, far = run["right"]["16"], run["right"]["48"]
    assert (own >= 0.98 and far >= own - 0.01) == lasts
