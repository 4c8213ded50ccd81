"""Set up pytest: strict nbval, limits of time, and which process (`-n 2`) runs which tests.

nbval compares every output of a notebook with the stored one, and a picture by its fingerprint.
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

# nbformat's jsonschema would first compile the grammars of addresses, 1.5 s in every process. To
# prevent that, nbval has to be loaded after this line, and not by its entry point.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
pytest_plugins = ["nbval.plugin", "tests.time_limit"]

# Each change is tried on the same few examples, so that it does not fail by chance; at night
# (HYPOTHESIS_PROFILE=nightly) there are many new ones, and `-m hypothesis` selects the tests that
# have them. No example fails for being slow, since the machine may be busy.
hypothesis.settings.register_profile("change", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "change"))


_SOCKETS = pytest.StashKey[str]()
# Files that take long are begun first, since one that is begun last would run alone at the end;
_LONG = ("tests/tools/", "tests/chapters/", "chapters/", "tests/course/grading/",
         "tests/classroom/", "tests/explorers/", "tests/library/doctor/",
         "tests/site/test_colours.py")  # fmt: skip
_SPLIT = ("/test_pages.py", "/test_explorers_in_use.py")
_SHORT = "tests/site/test_pages.py"  # a page is tested in seconds, so pages fill the gaps
# seconds for a test that trains, prints the whole book, or downloads and builds published models
_PATIENCE = 1800


class Together(LoadScopeScheduling):
    """Give one worker all tests that share fixtures: those of a notebook, a file or a page."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        shared = re.search(r"\[([^ \]]*)", test) if file.endswith(_SPLIT) else None
        return f"{file} {shared[1]}" if shared else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    config.option.loadscopereorder = False  # keep the order of the items
    return Together(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out nightly tests unless `-m` names them, and put those that take long first."""
    if "nightly" not in config.option.markexpr:
        nightly = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if item not in nightly]
    for item in items:
        if "nightly" in item.nodeid or any(map(item.get_closest_marker, ("nightly", "peers"))):
            item.add_marker(pytest.mark.timeout(_PATIENCE))
    items.sort(key=lambda i: (i.nodeid.startswith(_SHORT), not i.nodeid.startswith(_LONG)))


def pytest_configure(config: pytest.Config) -> None:
    """Run kernels on sockets and one thread, as processes run beside each other.

    On TCP, kernels race for ports (3 of 63 parallel runs lost one, and none of 45 on sockets). With
    two threads each, two processes that multiply small matrices get in each other's way, and
    training takes up to ten times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # from whatever folder pytest is run
    config.option.nbval_sanitize_with = str(config.rootpath / "tests" / "nbval.cfg")
    if not hasattr(config, "workerinput"):
        prepare_matplotlib()
    # node lies beside this Python; tests find it without make and without activating .venv
    beside = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])
    if os.name == "nt":  # Windows has no such sockets
        return
    import nbval.kernel

    folder = config.stash[_SOCKETS] = tempfile.mkdtemp(prefix="nbval-")
    start = nbval.kernel.KernelManager

    def start_on_a_socket(**kwargs: object) -> object:
        manager = start(transport="ipc", ip=tempfile.mkdtemp(dir=folder) + "/k", **kwargs)
        # where there are several checkouts, a kernel imports from this one
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
    """Leave out tests/nightly unless the command line names it, as `make nightly` does."""
    is_named = any("nightly" in str(arg) for arg in config.invocation_params.args)
    return True if collection_path.name == "nightly" and not is_named else None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Let nbval skip SVG, which differs with fonts; the text beside it has the fingerprint."""
    from nbval.plugin import IPyNbFile

    if isinstance(collector, IPyNbFile):
        collector.skip_compare += ("image/svg+xml",)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run with `-m peers` that skipped one: who runs it wants every comparison."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.option.markexpr == "peers" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
