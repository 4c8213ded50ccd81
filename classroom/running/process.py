"""The process of one submission: started in a jail, spoken to, and ended with all it started."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from typing import IO, Any

from classroom.running import jail
from classroom.running.nursery import Child
from classroom.running.wire import MOST, LostError, Wire, line, read


class Process:
    """A running submission: `wire` leads to it, and `ended` says what ended it, once it did."""

    def __init__(self, process: Child | Popen[bytes], total: float) -> None:
        self._process, self._total = process, total
        self._end = time.monotonic() + total
        self._lines: queue.Queue[bytes] = queue.Queue(2)
        self.ended = ""
        self.wire = Wire(self._receive, self._send)
        threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()

    def _listen(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):  # closed, while this waited
            while text := stream.readline(MOST):
                self._lines.put(text)
        self._lines.put(b"")

    def _receive(self) -> dict[str, Any]:
        while not self.ended:
            left = self._end - time.monotonic()
            if left < 0:
                self.ended = f"it ran for more than {self._total:.3g} seconds"
                break
            with contextlib.suppress(queue.Empty):
                # in short steps: on Windows a wait can't be interrupted
                text = self._lines.get(timeout=min(left + 0.01, 0.2))
                if text:
                    return self._read(text)
                self.ended = self._how()
        raise LostError(self.ended)

    def _read(self, text: bytes) -> dict[str, Any]:
        try:
            return read(text)
        except LostError:
            self.ended = "its results can't be read"
            raise

    def _send(self, message: dict[str, Any]) -> None:
        try:
            assert self._process.stdin
            self._write(self._process.stdin, line(message))
        except OSError:  # it ended, and what it said last may say why
            self.ended = self.ended or self._how()
            raise LostError(self.ended) from None

    def _write(self, stream: IO[bytes], text: bytes) -> None:
        """Not for longer than there is time, since who doesn't read would keep us for ever.

        On Windows a pipe can't be waited for, and whoever doesn't read keeps this grader until it
        is given up.
        """
        while text and os.name != "nt":
            left = self._end - time.monotonic()
            if left < 0:
                self.ended = f"it ran for more than {self._total:.3g} seconds"
                raise LostError(self.ended)
            if select.select([], [stream], [], min(left + 0.01, 0.2))[1]:
                text = text[os.write(stream.fileno(), text[: select.PIPE_BUF]) :]
        stream.write(text)
        stream.flush()

    def _how(self) -> str:
        try:
            code = self._process.wait(max(0.1, min(5, self._end - time.monotonic())))
        except subprocess.TimeoutExpired:
            return "it closed the line to its grader"
        number = -code if code < 0 else code - 128  # namespaces, and bubblewrap, add 128
        with contextlib.suppress(ValueError):
            return f"its process was ended by {signal.Signals(number).name}"
        return (
            f"its process ended with code {code}" if code else "its process ended before its time"
        )


@contextlib.contextmanager
def started(kind: str, total: float, hide: tuple[Path, ...] = ()) -> Iterator[Process]:
    """A process for a submission, in a jail of that kind, for so many seconds in all."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = jail.start(kind, Path(folder), hide)
        try:
            yield Process(process, total)
        finally:
            _end(process)


def _end(process: Child | Popen[bytes]) -> None:
    """End a process and its group; what else it left is its jail's, or its nursery's, to end."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            os.kill(process.pid, signal.SIGTERM)
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            stream and stream.close()
