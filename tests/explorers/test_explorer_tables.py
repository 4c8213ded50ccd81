"""The tables that explorers hold agree with the files that they were made from."""

import json
from typing import Any

from pe_lib.course.explorers.layers import MODELS
from tools.layers import models


def test_stored_layers_are_those_of_the_configurations() -> None:
    """Compare to six digits, more than a picture shows; `python -m tools.layers` writes it."""

    def nearly(table: Any) -> Any:
        return json.loads(json.dumps(table), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)
