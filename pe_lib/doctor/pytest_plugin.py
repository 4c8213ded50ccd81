"""Offer the fixture `assert_positions`, which pytest finds as soon as pe-lib is installed.

    def test_positions(assert_positions):
        assert_positions(model)

This module is the only one in the library that needs pytest, and only pytest imports it.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def assert_positions() -> Callable[..., None]:
    """Return a function that fails the test if the doctor finds a mistake in a model's positions.

    The function takes a model and a configuration as `pe_lib.doctor.assert_positions` does. The
    model may also be a file, a model's folder, or the name of a model in the local cache of the
    hub, and the configuration a file, a folder or such a name. The test fails with the doctor's
    report. It is skipped, with the reason, if nothing could be compared, so that such a test never
    passes.
    """

    def check(model: Any, config: Any = None) -> None:
        # The doctor is imported here, so that other projects' tests start as fast as before.
        from pe_lib import doctor
        from pe_lib.doctor._files import read_json
        from pe_lib.doctor._folder import open_tensors
        from pe_lib.doctor._places import find_config, find_path

        __tracebackhide__ = True  # so that pytest shows the line of the test, and not this function
        if isinstance(config, str | os.PathLike):
            config = read_json(find_config(os.fspath(config)))
        notes: tuple[str, ...] = ()
        if isinstance(model, str | os.PathLike):
            model = open_tensors(find_path(os.fspath(model)))
            notes = model.notes
        report = doctor.examine(model, config)
        report.notes += notes
        if report.status == "not compared":
            pytest.skip(str(report).splitlines()[-1])
        if report.status != "healthy":
            pytest.fail(str(report), pytrace=False)

    return check
