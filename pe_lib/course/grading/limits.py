"""Limit how long untrusted code may run, on every operating system.

The limit applies to processor time, because a right answer must not be called too slow on a busy
machine. Code that sleeps or waits is stopped later, by the clock.
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

# While Python runs code in these files, the limit is about to be removed. An interruption then
# would raise TooSlow outside of the limited code.
LEAVING = (__file__, contextlib.__file__)
# if code catches TooSlow, the limiter interrupts it again after this many seconds
REPEAT = 0.1
# Code that sleeps uses no processor time. So it is stopped by the clock, when this multiple of its
# limit has passed.
PATIENCE = 4
# in a browser, Python has no time.thread_time, so the clock is used instead
processor_time = getattr(time, "thread_time", time.monotonic)


class TooSlow(BaseException):
    """Raised when the time is up. `except Exception` does not catch a BaseException."""


class _Deadline:
    """The moment at which code becomes too slow, in processor time and in time by the clock."""

    def __init__(self, seconds: float) -> None:
        self.by_processor = processor_time() + seconds
        self.by_clock = time.monotonic() + PATIENCE * seconds

    def is_over(self) -> bool:
        return processor_time() > self.by_processor or time.monotonic() > self.by_clock


class _TracingLimiter:
    """A limiter for any system and any thread, which checks the time before each line of Python.

    This limiter cannot end a call that waits inside compiled code.
    """

    def __init__(self, seconds: float) -> None:
        self.deadline = _Deadline(seconds)
        self.trace_before = sys.gettrace()

    def start(self) -> None:
        sys.settrace(self.trace)

    def stop(self) -> None:
        sys.settrace(self.trace_before)

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Raise TooSlow in a traced stack frame if the time is up."""
        if frame.f_code.co_filename != __file__ and self.deadline.is_over():
            raise TooSlow
        return self.trace


class _SignalLimiter:
    """A limiter for the main thread that can interrupt even compiled code, by an alarm.

    It works on Linux and macOS. Code that catches every exception may catch TooSlow as well, so the
    alarm repeats. From the second alarm on, the limiter also traces the frames of this code, and
    each frame raises TooSlow at its next line, which is the line of the `except`.
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
        """Raise TooSlow in the limited code if the time is up and this code is still running."""
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
        # Python calls the trace functions of single frames only if a global trace function is set
        sys.settrace(lambda *_: None)


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Return a context manager that raises TooSlow in its body after this many seconds.

    The exception is raised again for as long as the body runs.

    On the main thread of Linux and macOS a signal interrupts the body. Elsewhere, for example in a
    browser, the time is checked before each line. Only the signal ends a call that waits inside
    compiled code, or a loop whose whole body catches every exception.
    """
    is_main = threading.current_thread() is threading.main_thread()
    by_signal = is_main and hasattr(signal, "setitimer")
    limiter = _SignalLimiter(seconds) if by_signal else _TracingLimiter(seconds)
    report_unraisable = sys.unraisablehook

    def report_unless_too_slow(unraisable: Any) -> None:
        # Python prints but drops exceptions in finalisers and in callbacks of weak references.
        # If TooSlow is dropped in this way, the next alarm raises it again.
        if not isinstance(unraisable.exc_value, TooSlow):
            report_unraisable(unraisable)

    sys.unraisablehook = report_unless_too_slow
    limiter.start()
    try:
        yield
    finally:
        limiter.stop()
        sys.unraisablehook = report_unraisable
