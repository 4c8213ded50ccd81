"""What explorers hold: layers are what they were made from."""

import json
from typing import Any

from pe_lib.course.explorers.layers import MODELS
from tools.layers import models


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""

    def nearly(found: Any) -> Any:
        return json.loads(json.dumps(found), parse_float=lambda digits: f"{float(digits):.6g}")

    assert nearly(models()) == nearly(MODELS)
