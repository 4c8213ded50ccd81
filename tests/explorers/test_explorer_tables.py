"""Test that the layer data stored with an explorer agrees with the model configurations."""

import json
from typing import Any

from pe_lib.course.explorers.layers import MODELS
from tools.layers import models


def test_stored_layers_are_those_of_the_configurations() -> None:
    """Check that the stored layer data equals newly computed data to six digits.

    `python -m tools.layers` writes the stored file.
    """

    def round_numbers(table: Any) -> Any:
        return json.loads(json.dumps(table), parse_float=lambda digits: f"{float(digits):.6g}")

    assert round_numbers(models()) == round_numbers(MODELS)
