"""Limit the time of code that we did not write, on every system that Python runs on.

What counts is the processor's time, because right code must not be called too slow on a busy
machine. Code that sleeps or waits is ended later, by the clock.
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

LEAVING = (__file__, contextlib.__file__)  # the files whose code runs when limited code is left
REPEAT = 0.1  # seconds until code that caught TooSlow is interrupted again
PATIENCE = 4  # how many times the limit may pass by the clock
processor_time = getattr(time, "thread_time", time.monotonic)  # a browser has only the second


class TooSlow(BaseException):
    """The time is up. It is no Exception, so that `except Exception` does not swallow it."""


class _Deadline:
    """The moment after which code is too slow, by the processor's time and by the clock."""

    def __init__(self, seconds: float) -> None:
        self.by_processor = processor_time() + seconds
        self.by_clock = time.monotonic() + PATIENCE * seconds

    def is_over(self) -> bool:
        return processor_time() > self.by_processor or time.monotonic() > self.by_clock


class _TracingLimiter:
    """A limiter that looks at the time before each line of Python, on any system and thread.

    It cannot end a call that waits inside compiled code.
    """

    def __init__(self, seconds: float) -> None:
        self.deadline = _Deadline(seconds)
        self.trace_before = sys.gettrace()

    def start(self) -> None:
        sys.settrace(self.trace)

    def stop(self) -> None:
        sys.settrace(self.trace_before)

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Raise TooSlow in a traced frame once the time is up."""
        if frame.f_code.co_filename != __file__ and self.deadline.is_over():
            raise TooSlow
        return self.trace


class _SignalLimiter:
    """A limiter whose alarm interrupts the main thread on Linux and macOS, even in compiled code.

    The alarm repeats. Code that catches every exception may catch TooSlow as well. At the second
    alarm the limiter therefore traces the frames of this code, so that each of them raises
    TooSlow at its next line, which is the line of the `except`.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.tracing = _TracingLimiter(seconds)
        self.frames_outside = {frame for frame, _ in walk_stack(sys._getframe())}
        self.has_raised = False

    def start(self) -> None:
        self.handler_before = signal.signal(signal.SIGALRM, self.interrupt)
        self.timer_before = signal.setitimer(signal.ITIMER_REAL, self.seconds, REPEAT)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, *self.timer_before)
        signal.signal(signal.SIGALRM, self.handler_before)
        self.tracing.stop()

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise TooSlow in the limited code, unless it has time left or is just being left."""
        is_leaving = frame and frame.f_code.co_filename in LEAVING
        if is_leaving or not self.tracing.deadline.is_over():
            return
        if self.has_raised:
            self._trace_frames_inside(frame)
        self.has_raised = True
        raise TooSlow

    def _trace_frames_inside(self, innermost: FrameType | None) -> None:
        for frame in {frame for frame, _ in walk_stack(innermost)} - self.frames_outside:
            frame.f_trace = self.tracing.trace
        sys.settrace(lambda *_: None)  # without a trace function no frame is traced


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body after so many seconds, and again for as long as it goes on.

    A signal does it on the main thread of Linux and macOS; elsewhere, and in a browser, a look at
    the time before each line. Only the signal ends a call that waits inside compiled code, or a
    loop that catches every exception around everything it does.
    """
    is_main = threading.current_thread() is threading.main_thread()
    by_signal = is_main and hasattr(signal, "setitimer")
    limiter = _SignalLimiter(seconds) if by_signal else _TracingLimiter(seconds)
    report_unraisable = sys.unraisablehook

    def report_unless_too_slow(unraisable: Any) -> None:
        # No exception leaves a finaliser or the callback of a weak reference: Python reports it
        # and goes on. The next alarm raises a TooSlow again that was lost like this.
        if not isinstance(unraisable.exc_value, TooSlow):
            report_unraisable(unraisable)

    sys.unraisablehook = report_unless_too_slow
    limiter.start()
    try:
        yield
    finally:
        limiter.stop()
        sys.unraisablehook = report_unraisable
