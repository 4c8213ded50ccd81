"""Where a submission runs: what it finds there, and what this system lets us keep from it.

Inside it sees Python and its packages, read-only, and one empty folder that it may write to, and
nothing else: no home, no class, no network, no other process, no variable of the environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import Popen

import numpy as np

import classroom
import pe_lib
import pe_lib.course
from classroom.running.namespaces import DEVICES
from classroom.running.nursery import Child, Nursery

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
    "bwrap": "Each submission runs in bubblewrap: it sees neither files of yours, nor a network,"
    " nor another process, and all that it started ends with it.",
    "none": "This system lets us make no namespaces, and has no bubblewrap that works: a submission"
    " runs as you, and can read and change what you can. Grade only what you trust, or in a"
    " container.",
}


@dataclass(frozen=True)
class View:
    """What there is inside: [target, link], [source, path inside], and paths shown empty."""

    links: tuple[tuple[str, str], ...]
    binds: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]


def view(hide: tuple[Path, ...] = ()) -> View:
    """All that Python needs, but not the folders in `hide`."""
    links, binds = [], []
    for path in SYSTEM:
        if Path(path).is_symlink() and Path(path).is_dir():
            links.append((str(Path(path).resolve().relative_to("/")), path))
        elif Path(path).exists():
            binds.append((path, path))
    for path in needed():
        if not any(Path(path).is_relative_to(inside) for _, inside in binds):
            binds.append((path, path))
    folders = {str(path.absolute()) for path in hide} | {str(path.resolve()) for path in hide}
    hidden = [f for f in sorted(folders) if any(_below(Path(f), inside) for _, inside in binds)]
    return View(tuple(links), tuple(binds), tuple(hidden))


def _below(path: Path, other: str) -> bool:
    return path.is_relative_to(other) and str(path) != other


@cache
def needed() -> tuple[str, ...]:
    """Where Python, its packages and this library lie, the shortest path first."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    prefixes |= {os.path.realpath(prefix) for prefix in prefixes}
    found = {Path(prefix, name) for prefix in prefixes for name in OF_PYTHON}
    found |= {Path(e) for e in sys.path if Path(e).name in PACKAGES or e.endswith(".zip")}
    found |= {Path(path) for m in (pe_lib, pe_lib.course, classroom, np) for path in m.__path__}
    found |= set(_executables())
    there = (str(path) for path in found if path.exists())
    return tuple(sorted(there, key=lambda path: (len(path), path)))


def _executables() -> Iterator[Path]:
    """The Python that runs, and each file to which one comes from there by links."""
    path = Path(sys.executable)
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def start(kind: str, folder: Path, hide: tuple[Path, ...] = ()) -> Child | Popen[bytes]:
    """A submission's process, in an empty folder of its own."""
    root, work = folder / "root", folder / "work"
    root.mkdir()
    work.mkdir()
    given = environment(str(work) if kind == "none" else WORK)
    if sys.platform != "linux" or kind == "bwrap":
        inside = _bubblewrap(view(hide)) if kind == "bwrap" else []
        return Popen(
            [*inside, sys.executable, "-m", "classroom.running.submission"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=work,
            env=given,
            start_new_session=True,
        )
    job: dict[str, object] = {"environment": given, "work": str(work)}
    if kind == "namespaces":
        job |= {**vars(view(hide)), "root": str(root), "work": WORK, "size": SIZE}
    try:
        return _nursery().fork(job)
    except OSError:  # it was lost with an earlier submission
        _nursery().end()
        _nursery.cache_clear()
        return _nursery().fork(job)


@cache
def _nursery() -> Nursery:
    return Nursery(environment(WORK))


def _bubblewrap(seen: View) -> list[str]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for target, link in seen.links:
        words += ["--symlink", target, link]
    for source, inside in seen.binds:
        words += ["--ro-bind", source, inside]
    for path in seen.hidden:
        words += ["--tmpfs", path, "--remount-ro", path]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return [*words, "--size", str(SIZE), "--tmpfs", WORK, "--remount-ro", "/", "--chdir", WORK]


def environment(home: str) -> dict[str, str]:
    """The variables that a submission's process has: none of the teacher's own."""
    given = {name: os.environ[name] for name in TOLD if name in os.environ}
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    own = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home)
    own |= {"ORDER_MATTERS_HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
    return given | quiet | own | {"PYTHONPATH": os.pathsep.join(_search_path())}


def _search_path() -> list[str]:
    """Where modules are looked for; in the folder that one stands in only if the library is."""
    here = Path.cwd()
    entries = dict.fromkeys(str(Path(entry).absolute()) for entry in sys.path)
    return [e for e in entries if Path(e) != here or (here / "pe_lib").is_dir()]


@cache
def best() -> str:
    """The strongest kind that works here: "namespaces", "bwrap" or "none"."""
    return next(kind for kind in KINDS if kind == "none" or works(kind))


def works(kind: str) -> bool:
    """Whether a submission starts inside, and ends as soon as nobody speaks to it."""
    if sys.platform != "linux" or (kind == "bwrap" and not shutil.which("bwrap")):
        return False
    with tempfile.TemporaryDirectory() as folder:
        tried = start(kind, Path(folder))
        assert tried.stdin and tried.stdout
        tried.stdin.close()
        tried.stdout.close()
        return tried.wait(60) == 0
