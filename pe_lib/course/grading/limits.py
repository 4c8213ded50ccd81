"""A time limit for code that we didn't write, on every system that Python runs on.

What counts is the processor's time, lest a busy machine make right code too slow; code that sleeps
or waits is ended by the clock, later.
"""

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
PATIENCE = 4  # times the limit, by the clock
worked = getattr(time, "thread_time", time.monotonic)  # a browser has no other


class TooSlow(BaseException):
    """The time is up. Not an Exception, so that `except Exception` doesn't swallow it."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body after so many seconds, and again as long as it goes on.

    By a signal on the main thread of Linux and macOS; elsewhere, and in a browser, by a look at the
    clock before each line. Only the signal ends a call that waits inside compiled code, and a loop
    that catches every exception around all it does.
    """
    work, late = worked() + seconds, time.monotonic() + PATIENCE * seconds
    by_signal = threading.current_thread() is threading.main_thread()
    by_signal &= hasattr(signal, "setitimer")
    outside, caught = {frame for frame, _ in walk_stack(sys._getframe())}, False
    traced = sys.gettrace()

    def over() -> bool:
        return worked() > work or time.monotonic() > late

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != __file__ and over():
            raise TooSlow
        return look

    def stop(number: int, frame: FrameType | None) -> None:
        # Code that catches everything caught this, too, if it comes again. So its frames raise it
        # once more at their next line, which is that of the `except`.
        nonlocal caught
        leaving = frame and frame.f_code.co_filename in LEAVING  # and stopping the clock
        if leaving or not over():
            return
        if caught:
            for one in {one for one, _ in walk_stack(frame)} - outside:
                one.f_trace = look
            sys.settrace(lambda *_: None)
        caught = True
        raise TooSlow

    def dropped(found: Any) -> None:
        # out of a finaliser or a callback of a weak reference nothing gets; the next alarm says it
        if not isinstance(found.exc_value, TooSlow):
            hook(found)

    hook, sys.unraisablehook = sys.unraisablehook, dropped
    if by_signal:
        before = signal.signal(signal.SIGALRM, stop)
        outer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    else:
        sys.settrace(look)
    try:
        yield
    finally:
        if by_signal:
            signal.setitimer(signal.ITIMER_REAL, *outer)
            signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
        sys.settrace(traced)
