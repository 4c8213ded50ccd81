"""Start submissions in a sandbox, which limits the files that they can see.

In the stronger kind of sandbox, a submission can read Python and its packages, and can write to
one empty folder. It cannot see the home folder, other submissions, the network, other processes or
the teacher's environment variables.
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

OUR_PACKAGES = (pe_lib, pe_lib.course, classroom)
LIBRARY_PATHS = tuple(path for module in OUR_PACKAGES[:2] for path in module.__path__)
LINUX = "linux" in sys.platform
WORK_FOLDER = "/tmp/work"
# the option of Linux's prctl that lets or forbids other processes to read this process's memory
DUMPABLE = 4
# after its socket is closed or it is killed, a process may take this many seconds to end
LAST_SECONDS = 60.0
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
SETTINGS_FILE = Path(__file__).with_name("sandbox.toml")
SETTINGS: dict[str, Any] = tomllib.loads(SETTINGS_FILE.read_text("utf-8"))
KINDS: dict[str, str] = SETTINGS["kinds"]


def visible_paths(
    hidden: tuple[Path, ...] = (), library: Path | None = None
) -> dict[str, list[str]]:
    """Return the paths that a submission can see, and the folders that it sees as empty.

    The visible paths are those that Python needs. The empty folders are those in `hidden` that lie
    below a visible path. With the folder of a copy of the library, the submission sees this copy in
    place of the library.
    """
    paths = [*SETTINGS["system_paths"], *python_paths()]
    if library:
        paths = [path for path in paths if path not in LIBRARY_PATHS] + [f"{library}/pe_lib"]
        hidden = (*hidden, *map(Path, LIBRARY_PATHS))
    visible = [path for path in paths if Path(path).exists()]
    folders = {str(path.absolute()) for path in hidden} | {str(path.resolve()) for path in hidden}
    below = [f for f in sorted(folders) if any(Path(f).is_relative_to(path) for path in visible)]
    return {"shown": visible, "hidden": [folder for folder in below if folder not in visible]}


@cache
def python_paths() -> tuple[str, ...]:
    """Return the paths of Python itself, of installed packages and of this library."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    prefixes |= {os.path.realpath(prefix) for prefix in prefixes}
    paths = {f"{prefix}/{name}" for prefix in prefixes for name in SETTINGS["prefix_paths"]}
    paths |= {e for e in sys.path if Path(e).name in PACKAGE_FOLDERS or e.endswith(".zip")}
    return tuple(paths | {path for module in (*OUR_PACKAGES, np) for path in module.__path__})


@contextlib.contextmanager
def start_submission(
    kind: str, end: float, hidden: tuple[Path, ...] = (), library: Path | None = None
) -> Iterator[Wire]:
    """Start a submission in a sandbox, and yield the connection to its process.

    The connection works until the monotonic clock reaches `end`. `library` is the folder of a copy
    of the library, which the submission gets in place of the library.

    When the context ends, the submission's process ends, and so do all processes that it started,
    as far as the system allows. Raise ValueError for an unknown kind.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of sandbox; known are {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        our_end, their_end = socket.socketpair()
        with contextlib.closing(Wire(our_end, end)) as wire:
            with their_end:
                process = None
                if LINUX:
                    _fork_submission(kind, their_end, folder, hidden, library)
                else:
                    process = _start_python("submission", their_end, folder, folder, library)
            try:
                yield wire
            finally:
                with contextlib.suppress(OSError):
                    if process:
                        os.killpg(process.pid, 9) if os.name == "posix" else process.kill()
                    else:
                        _wait_for_hang_up(our_end)
                if process:
                    process.wait(LAST_SECONDS)


def _wait_for_hang_up(line: socket.socket) -> None:
    """Stop sending to another process, and wait until that process has closed the connection."""
    line.shutdown(socket.SHUT_WR)
    line.settimeout(LAST_SECONDS)
    end = time.monotonic() + LAST_SECONDS
    while line.recv(2**16) and time.monotonic() < end:
        pass


def _fork_submission(
    kind: str, line: socket.socket, folder: str, hidden: tuple[Path, ...], library: Path | None
) -> None:
    """Ask the fork server to start a submission, which reaches its grader by this socket."""
    job: dict[str, object] = {"work": folder, "environment": environment(folder, library)}
    if kind == "namespaces":
        environment_there = environment(WORK_FOLDER, library)
        job = {"root": folder, "work": WORK_FOLDER, "environment": environment_there}
        job |= visible_paths(hidden, library)
    message = [json.dumps(job).encode()], [line.fileno()]
    try:
        socket.send_fds(fork_server(library)[0], *message)
    # start new fork servers if this one has been killed
    except OSError:
        fork_server.cache_clear()
        socket.send_fds(fork_server(library)[0], *message)


@cache
def fork_server(library: Path | None = None) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Return the running fork server for a library, and start it if necessary.

    Return a socket to it and its process. The memory of its forks contains nothing of the library
    but this copy.
    """
    our_end, their_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with their_end:
        return our_end, _start_python("fork_server", their_end, "/", WORK_FOLDER, library)


def _start_python(
    module: str, line: socket.socket, folder: str, home: str, library: Path | None
) -> subprocess.Popen[bytes]:
    """Run a module in a new Python process whose standard input is the given socket."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"classroom.running.{module}"],
        stdin=line.fileno() if os.name == "posix" else subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(home, library),
        start_new_session=True,
    )
    # Windows cannot pass a socket to a new process. So the socket is packed into bytes, which the
    # process reads from its standard input.
    if process.stdin:
        process.stdin.write(getattr(line, "share")(process.pid))  # noqa: B009
        process.stdin.close()
    return process


def environment(home: str, library: Path | None = None) -> dict[str, str]:
    """Return environment variables for a submission, without the variables of the teacher."""
    kept = {name: os.environ[name] for name in SETTINGS["kept_variables"] if name in os.environ}
    set_by_us: dict[str, str] = SETTINGS["set_variables"]
    homes = dict.fromkeys(SETTINGS["home_variables"], home)
    roots = [str(Path(module.__path__[0]).parent) for module in (pe_lib, classroom)]
    roots = [str(library), *roots[1:]] if library else roots
    return kept | set_by_us | homes | {"PYTHONPATH": os.pathsep.join(roots)}


def hide_own_memory() -> None:
    """On Linux, prevent the user's other processes from reading this process's memory."""
    if LINUX:
        ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)


@cache
def strongest_kind() -> str:
    """Return the strongest kind of sandbox that works on this system."""
    if LINUX:
        end = time.monotonic() + LAST_SECONDS
        with contextlib.suppress(LostError), start_submission("namespaces", end) as wire:
            wire.call("run", 0, "")
            return "namespaces"
    return "none"
