"""What explorers hold: layers and weights are what they were made from."""

import json
from typing import Any

import numpy as np

from pe_lib.course import explorers as ex
from pe_lib.course.explorers.layers import MODELS
from tests import attended
from tools.layers import models


def test_circuit_without_a_recording_looks_everywhere() -> None:
    even = np.tri(16) / np.arange(1, 17)[:, None]
    np.testing.assert_allclose(attended.layers(ex.CircuitExplorer()), [even] * 2, atol=0.002)


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""

    def nearly(found: Any) -> Any:
        return json.loads(json.dumps(found), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)
