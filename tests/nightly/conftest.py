"""Give every test in this folder as much time as a test marked `nightly`."""

import pytest

from tests.time_limit import PATIENCE


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.timeout(PATIENCE))
