"""Comparisons with published implementations run where these are installed: `make peers`."""

from importlib.util import find_spec

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("peers") and not (find_spec("torch") and find_spec("transformers")):
        pytest.skip("torch and transformers are large, and only compared with: make peers")
