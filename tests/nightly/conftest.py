"""Give every test in this folder as much time as a test marked `nightly`."""

import pytest

from tests.time_limit import give_patience


def pytest_itemcollected(item: pytest.Item) -> None:
    give_patience(item)
