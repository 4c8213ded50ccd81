"""Test that the tables stored with explorers agree with the files from which they were computed."""

import json
from typing import Any

from pe_lib.course.explorers.layers import MODELS
from tools.layers import models


def test_stored_layers_are_those_of_the_configurations() -> None:
    """Compare the stored layers to six digits, which is more than a picture shows.

    The file is written by `python -m tools.layers`.
    """

    def nearly(table: Any) -> Any:
        return json.loads(json.dumps(table), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)
