"""Where a submission runs: what it finds there, and what this system lets us keep from it.

Inside it sees Python and its packages, read-only, and one empty folder that it may write to, and
nothing else: no home, no class, no network, no other process, no variable of the environment.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

import classroom
import pe_lib
import pe_lib.course

OURS = (pe_lib, pe_lib.course, classroom)
LINUX = "linux" in sys.platform
WORK = "/tmp/work"
SIZE = 2**26  # bytes that a submission may write
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
          "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
          "/etc/fonts", "/etc/localtime")  # fmt: skip
OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")  # of a prefix, which may hold a project
PACKAGES = ("site-packages", "dist-packages")
TOLD = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
        "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PYTHONUTF8")  # fmt: skip
KINDS = {
    "namespaces": "Each submission runs in namespaces of its own: it sees neither files of yours,"
    " nor a network, nor another process, and all that it started ends with it.",
    "none": "This system lets us make no namespaces: a submission runs as you, and can read and"
    " change what you can. Grade only what you trust, or in a container.",
}


def view(hide: tuple[Path, ...] = ()) -> dict[str, list[str]]:
    """All that Python needs, but not the folders in `hide`: paths shown, and shown empty."""
    shown = [path for path in SYSTEM if Path(path).exists()]
    for path in needed():
        if not any(Path(path).is_relative_to(other) for other in shown):
            shown.append(path)
    folders = {str(path.absolute()) for path in hide} | {str(path.resolve()) for path in hide}
    inside = [f for f in sorted(folders) if any(Path(f).is_relative_to(path) for path in shown)]
    return {"shown": shown, "hidden": [folder for folder in inside if folder not in shown]}


@cache
def needed() -> tuple[str, ...]:
    """Where Python, its packages and this library lie, the shortest path first."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    prefixes |= {os.path.realpath(prefix) for prefix in prefixes}
    found = {Path(prefix, name) for prefix in prefixes for name in OF_PYTHON}
    found |= {Path(e) for e in sys.path if Path(e).name in PACKAGES or e.endswith(".zip")}
    found |= {Path(path) for m in (*OURS, np) for path in m.__path__}
    there = (str(path) for path in found if path.exists())
    return tuple(sorted(there, key=lambda path: (len(path), path)))


class Inmate:
    """A submission's process, in an empty folder of its own; `line` leads to it."""

    def __init__(self, kind: str, folder: str, hide: tuple[Path, ...]) -> None:
        self.line, theirs = socket.socketpair()
        given = environment(folder if kind == "none" else WORK)
        self._process, self._life = None, None
        with theirs:
            if LINUX:
                job: dict[str, object] = {"environment": given, "work": folder}
                if kind == "namespaces":
                    job |= {**view(hide), "root": folder, "work": WORK, "size": SIZE}
                if not _started:
                    prepare()
                self._life, life = socket.socketpair()
                with life:
                    files = [theirs.fileno(), life.fileno()]
                    socket.send_fds(_started[-1][1], [json.dumps(job).encode()], files)
            else:
                self._process = _python("classroom.running.submission", theirs, folder, given)

    def code(self, seconds: float) -> int | None:
        """What it ended with, minus the signal that ended it; None if it runs on."""
        with contextlib.suppress(TimeoutError, subprocess.TimeoutExpired):
            if self._process:
                return self._process.wait(seconds)
            assert self._life
            self._life.settimeout(seconds)
            code = int(self._life.recv(20) or -9)
            return 128 - code if code > 128 else code  # as its first process says it
        return None

    def end(self) -> None:
        """End it, and what it started as far as the system lets us."""
        self.line.close()
        if self._life:
            self._life.shutdown(socket.SHUT_WR)
        if self._process:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, 9) if os.name == "posix" else self._process.kill()
        self.code(60)
        if self._life:
            self._life.close()


def _python(
    module: str, line: socket.socket, folder: str, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """A process of Python in a session of its own, with this line to it."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=line.fileno() if os.name == "posix" else subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    if process.stdin:  # Windows
        process.stdin.write(getattr(line, "share")(process.pid))  # noqa: B009
        process.stdin.close()
    return process


@contextlib.contextmanager
def started(kind: str, hide: tuple[Path, ...] = ()) -> Iterator[Inmate]:
    """A process for a submission, in a jail of that kind."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        inmate = Inmate(kind, folder, hide)
        try:
            yield inmate
        finally:
            inmate.end()


_started: list[tuple[subprocess.Popen[bytes], socket.socket]] = []


def prepare() -> None:
    """Start what forks submissions, for all who are forked from here, again where it was lost."""
    if LINUX and (not _started or _started[-1][0].poll() is not None):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = _python("classroom.running.nursery", theirs, "/", environment(WORK))
        _started.append((process, ours))
        atexit.register(_over, process, ours)


def _over(process: subprocess.Popen[bytes], line: socket.socket) -> None:
    """Let it end with us: it does as nobody speaks to it."""
    line.close()
    process.wait(60)


def environment(home: str) -> dict[str, str]:
    """The variables that a submission's process has: none of the teacher's own."""
    given = {name: os.environ[name] for name in TOLD if name in os.environ}
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    own = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home)
    own |= {"ORDER_MATTERS_HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
    own |= {
        "PYTHONPATH": os.pathsep.join(str(Path(m.__path__[0]).parent) for m in (pe_lib, classroom))
    }
    return given | quiet | own


@cache
def best() -> str:
    """The strongest kind that works here."""
    return next(kind for kind in KINDS if kind == "none" or works(kind))


def works(kind: str) -> bool:
    """Whether a submission starts inside, and ends as soon as nobody speaks to it."""
    if kind != "none" and not LINUX:
        return False
    with started(kind) as inmate:
        inmate.line.shutdown(socket.SHUT_WR)
        return inmate.code(60) == 0
