"""Define a fixture that runs a chapter once for all tests in a module."""

from typing import Any

import pytest
from cells import run_cells


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run the cells of the tested chapter, and return all names that they define."""
    return run_cells(request.module.NAME)
