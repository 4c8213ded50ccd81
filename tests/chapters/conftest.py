"""Run a chapter once for all tests of it."""

from typing import Any

import pytest
from cells import executed


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return all names of the chapter that the module tests, after its cells have run."""
    return executed(request.module.NAME)
