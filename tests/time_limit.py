"""Report where a test was when its time ran out, and end a test that hangs in its teardown.

pytest-timeout keeps the time. The option `timeout` in pyproject.toml is the limit of each test.
Tests marked `nightly` or `peers`, and those in tests/nightly, have PATIENCE, unless they have a
marker of their own. The plugin's own message names no line, and its alarm rings only once.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from pytest_timeout import Settings, timeout_timer

PATIENCE = 1800.0  # seconds for tests that train models, print the book or build published models
CLEANING_UP = 60.0  # how many seconds a test may take after its limit to close pages and kernels


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give more time to all tests marked as nightly or as comparisons with peers."""
    for item in items:
        if any(map(item.get_closest_marker, ("nightly", "peers"))):
            give_patience(item)


def give_patience(item: pytest.Item) -> None:
    """Give a test more time, unless it has a limit of its own."""
    if not item.get_closest_marker("timeout"):
        item.add_marker(pytest.mark.timeout(PATIENCE))


def describe_place(frame: FrameType | None, root: Path) -> str:
    """Return the innermost line of code below `root` that led to `frame`, and the test's own line.

    The lines of installed packages are left out, because a test usually waits deep inside them.
    """
    lines = []
    for inner in walk_out(frame):
        path = Path(inner.f_code.co_filename)
        if path.is_relative_to(root) and ".venv" not in path.parts and path != Path(__file__):
            line = f"{path.relative_to(root)}:{inner.f_lineno} in {inner.f_code.co_name}"
            lines.append(line)
    tests = [line for line in lines if " in test_" in line]
    places = dict.fromkeys([*lines[:1], *tests[-1:]])
    return ", called from ".join(places) or f"a line outside {root}"


def walk_out(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield `frame` and all its callers, also those outside Playwright's separate stack."""
    stacks = [frame]
    greenlet = sys.modules.get("greenlet")
    caller = greenlet.getcurrent().parent if greenlet else None
    while caller:
        stacks.append(caller.gr_frame)
        caller = caller.parent
    for innermost in stacks:
        while innermost:
            yield innermost
            innermost = innermost.f_back


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> bool | None:
    """Make a test fail when its time is up, and report the line that it had reached.

    On systems without SIGALRM, pytest-timeout falls back on a thread that ends the process.
    """
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None

    def fail(signum: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        place = describe_place(frame, item.config.rootpath)
        pytest.fail(f"not done after its limit of {settings.timeout:g} s; it stood at {place}")

    ring_after(item, settings.timeout, fail)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Limit how long a test may take to close its pages and kernels.

    pytest-timeout stops its own clock when a test fails.
    """
    if not hasattr(signal, "getitimer") or not hasattr(item, "cancel_timeout"):
        return
    if not signal.getitimer(signal.ITIMER_REAL)[0]:
        # With pytest-xdist, another worker takes the place of the worker that is ended here.
        settings = Settings(CLEANING_UP, "signal", False, False)
        ring_after(item, CLEANING_UP, lambda signum, frame: timeout_timer(item, settings))


def ring_after(
    item: pytest.Item, seconds: float, handler: Callable[[int, FrameType | None], None]
) -> None:
    """Set the alarm for a test, and store on the test how pytest-timeout can cancel it."""

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel  # type: ignore[attr-defined]
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
