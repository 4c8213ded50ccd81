"""Where a submission runs: what it finds there, and what this system lets us keep from it.

Inside it sees Python and its packages, read-only, and one empty folder that it may write to, and
nothing else: no home, no class, no network, no other process, no variable of the environment.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import classroom
import pe_lib
import pe_lib.course
from classroom.running.wire import LostError, Wire

OURS = (pe_lib, pe_lib.course, classroom)
LINUX = "linux" in sys.platform
WORK = "/tmp/work"
DUMPABLE = 4  # of Linux' prctl.h: whether others of this user may read the memory
LAST = 60.0  # seconds in which a process ends that is told to
PACKAGES = ("site-packages", "dist-packages")
FOUND: dict[str, Any] = tomllib.loads(Path(__file__).with_name("jail.toml").read_text("utf-8"))
KINDS: dict[str, str] = FOUND["kinds"]


def view(hide: tuple[Path, ...] = ()) -> dict[str, list[str]]:
    """All that Python needs, but not the folders in `hide`: paths shown, and shown empty."""
    shown = [path for path in (*FOUND["system"], *needed()) if Path(path).exists()]
    folders = {str(path.absolute()) for path in hide} | {str(path.resolve()) for path in hide}
    inside = [f for f in sorted(folders) if any(Path(f).is_relative_to(path) for path in shown)]
    return {"shown": shown, "hidden": [folder for folder in inside if folder not in shown]}


@cache
def needed() -> tuple[str, ...]:
    """Where Python, its packages and this library lie."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    prefixes |= {os.path.realpath(prefix) for prefix in prefixes}
    found = {f"{prefix}/{name}" for prefix in prefixes for name in FOUND["python"]}
    found |= {e for e in sys.path if Path(e).name in PACKAGES or e.endswith(".zip")}
    return tuple(found | {path for module in (*OURS, np) for path in module.__path__})


@contextlib.contextmanager
def started(kind: str, end: float, hide: tuple[Path, ...] = ()) -> Iterator[Wire]:
    """A wire, until the clock says `end`, to a submission's process in a jail of that kind.

    The process ends with this context, and so does what it started, as far as the system lets us.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        line, theirs = socket.socketpair()
        with contextlib.closing(Wire(line, end)) as wire:
            with theirs:
                process = None if LINUX else _python("submission", theirs, folder, folder)
                if LINUX:
                    _forked(kind, theirs, folder, hide)
            try:
                yield wire
            finally:
                with contextlib.suppress(OSError):
                    if process:
                        os.killpg(process.pid, 9) if os.name == "posix" else process.kill()
                    else:
                        line.shutdown(socket.SHUT_WR)
                        line.settimeout(LAST)
                        last = time.monotonic() + LAST
                        while line.recv(2**16) and time.monotonic() < last:
                            pass  # until nobody is at the other end
                if process:
                    process.wait(LAST)


def _forked(kind: str, line: socket.socket, folder: str, hide: tuple[Path, ...]) -> None:
    """Have a submission forked that speaks over this line."""
    job: dict[str, object] = {"work": folder, "environment": environment(folder)}
    if kind == "namespaces":
        job = {**view(hide), "root": folder, "work": WORK, "environment": environment(WORK)}
    said = [json.dumps(job).encode()], [line.fileno()]
    try:
        socket.send_fds(nursery()[0], *said)
    except OSError:  # it was lost
        nursery.cache_clear()
        socket.send_fds(nursery()[0], *said)


@cache
def nursery() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The line to what forks submissions, for all who are forked from here, and its process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        return ours, _python("nursery", theirs, "/", WORK)


def _python(module: str, line: socket.socket, folder: str, home: str) -> subprocess.Popen[bytes]:
    """A process of Python in a session of its own, with this line to it."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"classroom.running.{module}"],
        stdin=line.fileno() if os.name == "posix" else subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(home),
        start_new_session=True,
    )
    if process.stdin:  # Windows
        process.stdin.write(getattr(line, "share")(process.pid))  # noqa: B009
        process.stdin.close()
    return process


def environment(home: str) -> dict[str, str]:
    """The variables that a submission's process has: none of the teacher's own."""
    told = {name: os.environ[name] for name in FOUND["variables"] if name in os.environ}
    roots = [str(Path(module.__path__[0]).parent) for module in (pe_lib, classroom)]
    own = dict.fromkeys(FOUND["homes"], home) | {"PYTHONPATH": os.pathsep.join(roots)}
    quiet: dict[str, str] = FOUND["set"]
    return told | quiet | own


def hide_own_memory() -> None:
    """Let no other process of the same user read this one's memory: Linux alone."""
    if LINUX:
        ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)


@cache
def best() -> str:
    """The strongest kind in which a submission starts here, and does what it is told."""
    if LINUX:
        with contextlib.suppress(LostError), started("namespaces", time.monotonic() + LAST) as wire:
            wire.call("run", 0, "")
            return "namespaces"
    return "none"
