"""A time limit for code that we didn't write, on every system that Python runs on."""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from traceback import walk_stack
from types import FrameType
from typing import Any

LEAVING = (__file__, contextlib.__file__)  # what runs when the limited code is left
AGAIN = 0.1  # seconds: code that catches everything is told once more


class TooSlow(BaseException):
    """The time is up. Not an Exception, so that `except Exception` doesn't swallow it."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body after so many seconds, and again as long as it goes on.

    By a signal on the main thread of Linux and macOS; elsewhere, and in a browser, by a look at the
    clock before each line. Only the signal ends a call that waits inside compiled code, and a loop
    that catches every exception around all it does.
    """
    main = threading.current_thread() is threading.main_thread()
    with (_by_signal if main and hasattr(signal, "setitimer") else _by_line)(seconds):
        yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    outside, caught = {frame for frame, _ in walk_stack(sys._getframe())}, False

    def throw(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            raise TooSlow
        return throw

    def stop(number: int, frame: FrameType | None) -> None:
        # Code that catches everything caught this, too, if it comes again. So its frames raise it
        # once more at their next line, which is that of the `except`.
        nonlocal caught
        if frame and frame.f_code.co_filename in LEAVING:  # else the clock would never be stopped
            return
        if caught:
            for inside in {inside for inside, _ in walk_stack(frame)} - outside:
                inside.f_trace = throw
            sys.settrace(lambda *_: None)
        caught = True
        raise TooSlow

    def dropped(found: Any) -> None:
        # out of a finaliser or a callback of a weak reference nothing gets; the next alarm says it
        if not isinstance(found.exc_value, TooSlow):
            hook(found)

    traced, before = sys.gettrace(), signal.signal(signal.SIGALRM, stop)
    hook, sys.unraisablehook = sys.unraisablehook, dropped
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
        sys.settrace(traced)


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
