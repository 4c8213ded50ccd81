"""Submissions forked from a process that has numpy and the library loaded: Linux alone.

To start Python and load them takes longer than most submissions run. This process knows no sheet,
seed or class, so that a fork of it doesn't, and runs one submission at a time, as its grader does;
it ends with its grader, and what it forked with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from classroom.running import namespaces

COLLECTS_ORPHANS = 36  # prctl, from Linux' prctl.h
LONGEST = 2**18  # bytes of a job


class Child:
    """A forked submission, as far as subprocess.Popen is needed."""

    def __init__(self, pid: int, line: socket.socket, stdin: int, stdout: int) -> None:
        self.pid, self._line, self._code = pid, line, ""
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")

    def wait(self, timeout: float) -> int:
        """The code that it ended with; all that it started has ended, too."""
        if not self._code:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("submission", timeout)
            self._code = self._line.recv(LONGEST).decode() or str(-signal.SIGKILL)
        return int(self._code)


class Nursery:
    """The process that forks, and the line to it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._line, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "classroom.running.nursery"],
                stdin=there.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )

    def fork(self, job: dict[str, Any]) -> Child:
        """Start a submission: see `namespaces.enter`. Raises OSError where this process is lost."""
        (theirs, stdin), (stdout, ours) = os.pipe(), os.pipe()
        try:
            socket.send_fds(self._line, [json.dumps(job).encode()], [theirs, ours])
            pid = self._line.recv(LONGEST).decode()
        finally:
            os.close(theirs)
            os.close(ours)
        if not pid:
            raise OSError("the process that starts submissions was lost")
        return Child(int(pid), self._line, stdin, stdout)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._line.close()


def _kill_children() -> None:
    """End and reap all children, and their orphans, who are this process's children next."""
    for _ in range(100):
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for child in map(int, children):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        if not children:
            break


def main() -> None:
    from classroom.running import submission

    namespaces.follow_parent()
    ctypes.CDLL(None).prctl(COLLECTS_ORPHANS, 1, 0, 0, 0)
    line = socket.socket(fileno=os.dup(0))
    while True:
        text, files, _, _ = socket.recv_fds(line, LONGEST, 2)
        if not text:
            return
        child = os.fork()
        if not child:
            os.setsid()
            namespaces.follow_parent()
            for number, file in enumerate([*files, os.open(os.devnull, os.O_WRONLY)]):
                os.dup2(file, number)
            os.closerange(3, 256)  # and with them the line to the grader
            namespaces.enter(json.loads(text))
            submission.main()
            os._exit(0)
        for file in files:
            os.close(file)
        line.send(str(child).encode())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _kill_children()
        line.send(str(code).encode())


if __name__ == "__main__":
    main()
