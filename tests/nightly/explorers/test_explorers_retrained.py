"""What explorers show of a training is what a training gives: each is trained again.

Another machine's last digits may differ, and a training amplifies them.
"""

import numpy as np
import pytest

from pe_lib.course import explorers as ex
from tests.computed import chosen
from tests.recorded import given
from tools.experiments import page, skipping, tables


def test_circuit() -> None:
    again, text = skipping.sentence(), given("circuit")["text"]
    for trained, atol in [(True, 0.2), (False, 0.02)]:
        here, there = (ex.CircuitExplorer(text=t, trained=trained).weights() for t in (again, text))
        np.testing.assert_allclose(here, there, atol=atol)


def test_schemes() -> None:
    again = skipping.setting("order", "learned", False, 1, seeds=[4])["right"]
    one = ex.SchemesExplorer(task="order", causal=False, layers=1, **given("schemes"))
    np.testing.assert_allclose(again[0], chosen(one)["learned"][4], atol=0.1)


def test_training() -> None:
    """The rows of a table go the same way."""
    recording = given("training")["recording"]
    runs = [tables.training("learned"), *recording["runs"][1:]]
    again = ex.TrainingExplorer(recording={**recording, "runs": runs}).places(0)
    recorded = ex.TrainingExplorer(recording=recording).places(0)
    np.testing.assert_allclose(again, recorded, atol=0.15)


def test_train() -> None:
    recorded = ex.TrainExplorer(steps=300).recorded()
    assert recorded
    (again,) = page.page_run([recorded["settings"]])
    np.testing.assert_allclose(again["loss"], recorded["loss"], atol=0.05)
    assert again["right"] == pytest.approx(recorded["right"], abs=0.03)
