"""A time limit for code that we didn't write, on every system that Python runs on."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any


class TooSlow(BaseException):
    """The time is up. Not an Exception, so that `except Exception` doesn't swallow it."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body after so many seconds, and again as long as it goes on.

    A signal where there are signals; elsewhere (Windows, JupyterLite, a thread) a look at the clock
    before each line of Python, which can't end a call that stays inside compiled code.
    """
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        with _by_signal(seconds):
            yield
    else:
        with _by_line(seconds):
            yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_line(seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if time.monotonic() > end and frame.f_code.co_filename != __file__:
            raise TooSlow
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
