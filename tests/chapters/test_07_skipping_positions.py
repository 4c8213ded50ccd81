"""What chapter 7 prints, trained again: thresholds over five seeds, and the table it shows."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib.model import Transformer
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "schemes.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("task", "scheme", "causal", "layers", "lowest", "highest"),
    [
        ("order", "none", False, 1, 0.4, 0.6),
        ("order", "alibi", False, 1, 0.4, 0.6),
        ("order", "none", True, 1, 0.98, 1.0),
        ("order", "sinusoidal", False, 1, 0.98, 1.0),
        ("counting", "none", False, 1, 0.97, 1.0),
        ("previous", "none", True, 1, 0.3, 0.45),
        ("previous", "none", True, 2, 0.9, 1.0),
    ],
)
def test_the_table_trained_again(task, scheme, causal, layers, lowest, highest):
    again = np.array(experiments.setting(task, scheme, causal, layers)["right"])
    assert lowest <= again[:, 0].min() and again[:, 0].max() <= highest
    wanted = {"task": task, "scheme": scheme, "causal": causal, "layers": layers}
    recorded = next(cell for cell in RECORDING["settings"] if wanted.items() <= cell.items())
    np.testing.assert_allclose(again.mean(axis=0), np.mean(recorded["right"], axis=0), atol=0.08)


def test_for_a_set_no_positions_go_further():
    shares = {
        scheme: np.array(experiments.setting("counting", scheme, False, 1)["right"])
        for scheme in ("none", "sinusoidal")
    }
    assert (shares["none"][:, 1] > shares["sinusoidal"][:, 1]).all()


def test_its_probe_and_its_change_of_the_last_output():
    names = functions("07-skipping-positions", np=np, Transformer=Transformer)
    for seed in range(5):
        assert names["last_change"](1, seed) < 1e-12 < 0.1 < names["last_change"](2, seed)
        assert names["probe"](True, 1, seed) > 0.3
        assert abs(names["probe"](False, 1, seed)) < 0.05


def test_the_mean_of_what_is_seen():
    """(7.1) and (7.2) from the weights alone, exactly."""
    weights = np.tri(64) / np.arange(1, 65)[:, None]
    covariance = weights @ weights.T  # of independent values with variance 1
    t = np.arange(64)
    np.testing.assert_allclose(np.diag(covariance), 1 / (t + 1))
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    for s in (31, 16, 1):
        assert correlation[32, s] == pytest.approx(np.sqrt((s + 1) / 33))
