"""Strict nbval: every kernel on sockets of its own and one thread; pictures by fingerprint."""

import os
import shutil
import tempfile

import hypothesis
import nbval.kernel
import pytest
from nbval.plugin import IPyNbFile

# no example fails for being slow: a busy machine is not a bug
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

_SOCKETS = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """In parallel runs kernels race for TCP ports (3 of 63 runs lost one; on sockets 0 of 45).

    And two processes whose small matrix products take two threads each get in each other's way:
    training then runs up to ten times slower.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if os.name == "nt":  # no such sockets there
        return
    folder = config.stash[_SOCKETS] = tempfile.mkdtemp(prefix="nbval-")
    start = nbval.kernel.KernelManager

    def start_on_a_socket(**kwargs: object) -> object:
        return start(transport="ipc", ip=tempfile.mkdtemp(dir=folder) + "/k", **kwargs)

    nbval.kernel.KernelManager = start_on_a_socket


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_SOCKETS, None):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """SVG differs with fonts and versions; the text output holds the fingerprint of the data."""
    if isinstance(collector, IPyNbFile):
        collector.skip_compare += ("image/svg+xml",)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Whoever asks for the peers wants to compare: one that is not there is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.option.markexpr == "peers" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
