"""Configure pytest: strict notebook tests, time limits, and how tests are distributed to workers.

nbval compares each output of a notebook with the stored output, and each picture by its
fingerprint.
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

# nbval imports nbformat, which imports jsonschema, which would spend 1.3 s of each process on
# compiling the grammar of internationalised addresses (4 s on a busy machine). No option avoids
# this, and jupyter-events requires the package. So we hide it, before nbval is loaded: therefore
# pytest_plugins loads nbval below, instead of nbval's entry point.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
pytest_plugins = ["nbval.plugin", "tests.time_limit"]

# By default, Hypothesis tries the same few examples each time, so that no test fails by chance.
# The nightly run (HYPOTHESIS_PROFILE=nightly) tries many new examples in each test.
# The option `-m hypothesis` selects the tests that use generated examples.
# Examples have no time limit, because the machine may be busy.
hypothesis.settings.register_profile("change", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "change"))


_SOCKETS = pytest.StashKey[str]()
# Slow test files start first, because a slow file that starts last would run alone at the end.
_LONG = ("tests/tools/", "tests/chapters/", "chapters/", "tests/course/grading/",
         "tests/classroom/", "tests/explorers/", "tests/library/doctor/",
         "tests/site/test_colours.py")  # fmt: skip
_SPLIT = ("/test_pages.py", "/test_explorers_in_use.py")
# each test of a page takes seconds, so these tests fill the gaps at the end
_SHORT = "tests/site/test_pages.py"


class Together(LoadScopeScheduling):
    """Run all tests that share fixtures on the same worker.

    Tests share fixtures if they belong to the same notebook, file or page. xdist 3.8 could group
    them by its own marks (`--dist loadgroup`), but pytest 9.2 ignores the names that it writes.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        shared = re.search(r"\[([^ \]]*)", test) if file.endswith(_SPLIT) else None
        return f"{file} {shared[1]}" if shared else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    config.option.loadscopereorder = False  # keep the tests in their sorted order
    return Together(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow test files first."""
    items.sort(key=lambda i: (i.nodeid.startswith(_SHORT), not i.nodeid.startswith(_LONG)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were left out, unless `-m` chose others."""
    if terminalreporter.config.option.markexpr == "not nightly and not peers":
        terminalreporter.write_line(
            "Not run: tests that take long, and comparisons with published implementations. "
            "`make nightly` and `make peers` run them."
        )


def pytest_configure(config: pytest.Config) -> None:
    """Make notebook kernels use sockets and only one thread each, because tests run in parallel.

    Over TCP, kernels race for ports: 3 of 63 parallel runs lost a port, while none of 45 runs over
    sockets failed. With two threads each, two processes that multiply small matrices slow each
    other down, and training takes up to ten times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # an absolute path stays valid if a test changes the working directory
    config.option.nbval_sanitize_with = str(config.rootpath / "tests" / "nbval.cfg")
    if not hasattr(config, "workerinput"):
        prepare_matplotlib()
    # node is installed next to this Python, so tests find it without an activated environment
    beside = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])
    if os.name == "nt":  # Jupyter cannot use ipc sockets on Windows
        return
    import nbval.kernel

    folder = config.stash[_SOCKETS] = tempfile.mkdtemp(prefix="nbval-")
    start = nbval.kernel.KernelManager

    def start_on_a_socket(**kwargs: object) -> object:
        manager = start(transport="ipc", ip=tempfile.mkdtemp(dir=folder) + "/k", **kwargs)
        # if a machine has several checkouts, the kernel must import from this checkout
        env = os.environ | {"PYTHONPATH": str(config.rootpath)}
        manager.start_kernel = partial(manager.start_kernel, env=env)
        return manager

    # nbval gives its kernels no configuration, and Jupyter reads the transport from nowhere else
    nbval.kernel.KernelManager = start_on_a_socket


def prepare_matplotlib() -> None:
    """Create Matplotlib's caches here, so that an unwritable folder fails here, not in a kernel.

    In a kernel, this warning on stderr would fail the first cell of each chapter that draws.
    Matplotlib then uses a temporary folder and stores its path in an environment variable, which
    kernels inherit. That folder has no font cache yet, so we build the cache now.
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


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Make nbval ignore SVG pictures in outputs, because they depend on the installed fonts.

    The text output next to each SVG holds a fingerprint of the picture, which nbval does compare.
    """
    from nbval.plugin import IPyNbFile

    if isinstance(collector, IPyNbFile):
        collector.skip_compare += ("image/svg+xml",)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run with `-m peers` if it skipped a test.

    Whoever runs the peers wants every comparison to be made.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.option.markexpr == "peers" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
