"""Say where a test stood that ran into its limit, and end one whose cleaning up hangs, too.

pytest-timeout keeps the time; `timeout` in pyproject.toml is the limit of each test, and
`conftest.py` gives the nightly ones more. Its own message names no line, and it rings only once.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from pytest_timeout import Settings, timeout_timer

CLEANING_UP = 60.0  # seconds that a test has after its limit to close pages and kernels


def describe_place(frame: FrameType | None, root: Path) -> str:
    """Name the innermost line below `root` that led to `frame`, and the test's own line.

    A wait lies deep in other people's code, so the lines of installed packages are left out.
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
    """Yield `frame` and what called it, also through Playwright, whose loop has a stack apart."""
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
    """Fail the test at its limit, with the line where it stood.

    Where there is no SIGALRM, pytest-timeout's thread does what it can: it ends the process.
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
    """Limit what closes pages and kernels: pytest-timeout stops the clock where a test fails."""
    if not hasattr(signal, "getitimer") or not hasattr(item, "cancel_timeout"):
        return
    if not signal.getitimer(signal.ITIMER_REAL)[0]:
        # under pytest-xdist another worker takes the place of the one that is ended here
        settings = Settings(CLEANING_UP, "signal", False, False)
        ring_after(item, CLEANING_UP, lambda signum, frame: timeout_timer(item, settings))


def ring_after(
    item: pytest.Item, seconds: float, handler: Callable[[int, FrameType | None], None]
) -> None:
    """Set the alarm, and leave with the test how pytest-timeout is to switch it off."""

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel  # type: ignore[attr-defined]
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
