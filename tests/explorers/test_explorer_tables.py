"""What explorers hold: layers, weights, recordings and advice are what they were made from."""

import json
from typing import Any

import numpy as np

from pe_lib import encode
from pe_lib.course import explorers as ex
from pe_lib.course.explorers.layers import MODELS
from tests.recorded import given, maps, places
from tools.experiments import tables
from tools.layers import models


def test_circuit_without_a_recording_looks_everywhere() -> None:
    even = np.tri(16) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(ex.CircuitExplorer().weights(), [even] * 2, atol=0.002)


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""

    def nearly(found: Any) -> Any:
        return json.loads(json.dumps(found), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)


def test_recordings_are_whole() -> None:
    recording = given("schemes")["recording"]
    assert len(recording["settings"]) == 3 * 2 * 2 * 6
    assert {np.shape(one["right"]) for one in recording["settings"]} == {(5, 9)}
    recording = given("training")["recording"]
    for one in recording["runs"]:
        assert (len(one["right"]), len(one["loss"])) == (26, 100)
        weights = maps(recording, one["scheme"], "attention")[0]
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=16 * 0.5 / 255)
    table, step = encode(range(48), 32), recording["runs"][1]["reach"] / 255
    found = places(recording, "sinusoidal")[0]
    np.testing.assert_allclose(found, tables.plane(table[None])[0], atol=1.01 * step)
