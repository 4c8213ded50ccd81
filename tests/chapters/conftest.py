"""What the tests of chapters share."""

from typing import Any

import pytest
from cells import executed


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> dict[str, Any]:
    """All names of the chapter that the tests are of, after its cells have run."""
    return executed(request.module.NAME)
