"""Skip comparisons with published implementations if they are not installed (see `make peers`)."""

from importlib.util import find_spec

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked `peers` if PyTorch or transformers is missing."""
    if item.get_closest_marker("peers") and not (find_spec("torch") and find_spec("transformers")):
        pytest.skip("needs torch and transformers, which are large: make peers")
