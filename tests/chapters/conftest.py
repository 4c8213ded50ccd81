"""Run a chapter once for all the tests that use it."""

from typing import Any

import pytest
from cells import executed


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return all names that the tested chapter defines, after its cells have run."""
    return executed(request.module.NAME)
