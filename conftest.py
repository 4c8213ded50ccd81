"""Strict nbval: every kernel on sockets of its own and one thread; pictures by fingerprint.

And which tests go to which worker (`-n 2`): those of a file or a page to one, long files first.
"""

import importlib
import logging
import os
import re
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

try:
    import hypothesis
    import matplotlib
    from xdist.scheduler import LoadScopeScheduling
except ModuleNotFoundError as error:
    pytest.exit(
        f"{error.name} is not installed: tests need more than the course does. "
        'In its folder: python -m pip install -c constraints.txt -e ".[test]"',
        returncode=4,
    )

# nbformat's jsonschema would first compile the grammars of addresses, 1.5 s in every process; so
# nbval is loaded here and not by its entry point, which comes before
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
pytest_plugins = ["nbval.plugin", "tests.time_limit"]

# The same few examples for each change, so that no one's change fails by another's luck; at night
# (HYPOTHESIS_PROFILE=nightly) many new ones: `-m hypothesis` selects the tests that have them.
# No example fails for being slow: a busy machine is not a bug.
hypothesis.settings.register_profile("change", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "change"))


_SOCKETS = pytest.StashKey[str]()
# what prints, trains, starts kernels or grades: one of these begun last would run alone,
_LONG = ("tests/tools/", "tests/chapters/", "chapters/", "tests/course/grading/",
         "tests/classroom/", "tests/explorers/", "tests/library/doctor/",
         "tests/site/test_colours.py")  # fmt: skip
_SPLIT = ("/test_pages.py", "/test_explorers_in_use.py")
_SHORT = "tests/site/test_pages.py"  # while a page is soon judged, and fills the gaps
# seconds for a test that trains, prints the whole book, or downloads and builds published models
_PATIENCE = 1800


class Together(LoadScopeScheduling):
    """What shares fixtures: a notebook's cells, a file's tests, a page's."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        shared = re.search(r"\[([^ \]]*)", test) if file.endswith(_SPLIT) else None
        return f"{file} {shared[1]}" if shared else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    config.option.loadscopereorder = False  # by number of tests: the order is that of the items
    return Together(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "nightly" not in config.option.markexpr:
        later = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if item not in later]
    for item in items:
        if "nightly" in item.nodeid or any(map(item.get_closest_marker, ("nightly", "peers"))):
            item.add_marker(pytest.mark.timeout(_PATIENCE))
    items.sort(key=lambda i: (i.nodeid.startswith(_SHORT), not i.nodeid.startswith(_LONG)))


def pytest_configure(config: pytest.Config) -> None:
    """In parallel runs kernels race for TCP ports (3 of 63 runs lost one; on sockets 0 of 45).

    And two processes whose small matrix products take two threads each get in each other's way:
    training then runs up to ten times slower.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # from whatever folder pytest is run
    config.option.nbval_sanitize_with = str(config.rootpath / "tests" / "nbval.cfg")
    if not hasattr(config, "workerinput"):
        prepare_matplotlib()
    # node lies beside this Python, and is to be found without make and without activating, too
    beside = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])
    if os.name == "nt":  # no such sockets there
        return
    import nbval.kernel

    folder = config.stash[_SOCKETS] = tempfile.mkdtemp(prefix="nbval-")
    start = nbval.kernel.KernelManager

    def start_on_a_socket(**kwargs: object) -> object:
        manager = start(transport="ipc", ip=tempfile.mkdtemp(dir=folder) + "/k", **kwargs)
        # of several checkouts, a kernel imports from this one
        env = os.environ | {"PYTHONPATH": str(config.rootpath)}
        manager.start_kernel = partial(manager.start_kernel, env=env)
        return manager

    nbval.kernel.KernelManager = start_on_a_socket


def prepare_matplotlib() -> None:
    """Let Matplotlib say here, and not in a kernel, that its folder cannot be written.

    A line on stderr would fail the first cell of each chapter that draws. Matplotlib takes another
    folder then and leaves its name in the environment, which kernels inherit; what it must build
    there anew, we have it build at once.
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    folder = os.environ.get("MPLCONFIGDIR")
    try:
        matplotlib.get_configdir()
        matplotlib.get_cachedir()
        if os.environ.get("MPLCONFIGDIR") != folder:
            importlib.import_module("matplotlib.font_manager")
    finally:
        logger.setLevel(level)


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_SOCKETS, None):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What runs nightly runs when it is asked for: `make nightly`."""
    asked = any("nightly" in str(arg) for arg in config.invocation_params.args)
    return True if collection_path.name == "nightly" and not asked else None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """SVG differs with fonts and versions; the text output holds the fingerprint of the data."""
    from nbval.plugin import IPyNbFile

    if isinstance(collector, IPyNbFile):
        collector.skip_compare += ("image/svg+xml",)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Whoever asks for the peers wants to compare: one that is not there is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.option.markexpr == "peers" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
