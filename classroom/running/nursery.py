"""Submissions forked from a process that has numpy and the library loaded: Linux alone.

To start Python and load them takes longer than most submissions run. This process knows no sheet,
seed or class, so that a fork of it doesn't. For each submission it forks a keeper, who stays
outside, and ends all that the submission started as soon as that ends or the grader is gone. Where
the system lets it, the submission has a file system, a network and a table of processes of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
from pathlib import Path
from typing import Any

LONGEST = 2**18  # bytes of a job
SIZE = 2**26  # bytes that a submission may write
PROCESSES = 64
# from Linux' sched.h, mount.h and prctl.h
NEW_MOUNTS, NEW_PROCESSES, NEW_USER = 0x00020000, 0x20000000, 0x10000000
NEW_NETWORK, NEW_MESSAGES, NEW_HOST_NAME = 0x40000000, 0x08000000, 0x04000000
READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
REMOUNT, BIND, RECURSIVE, PRIVATE, DETACH = 0x20, 0x1000, 0x4000, 0x40000, 2
MOUNT_SETATTR, HERE, ALL_BELOW = 442, -100, 0x8000
DIES_WITH_PARENT, COLLECTS_ORPHANS, NO_NEW_RIGHTS = 1, 36, 38
NOBODY = 2**30  # and above: users whom no file belongs to, one for each submission
DEVICES = ("null", "zero", "full", "random", "urandom")


def call(name: str, *arguments: Any) -> None:
    """A function of the C library. Raises OSError where it fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: Path | str, kind: str, flags: int, options: str = "") -> None:
    words = [os.fsencode(word) for word in (source, target, kind)]
    call("mount", *words, ctypes.c_ulong(flags), options.encode())


def separate() -> None:
    """Leave the system's namespaces; the next child will be process 1 of its own table."""
    user, group = os.geteuid(), os.getegid()
    new = NEW_PROCESSES | NEW_NETWORK | NEW_MESSAGES | NEW_HOST_NAME
    call("unshare", new | NEW_USER if user else new)  # root needs no other root's rights
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def furnish(job: dict[str, Any]) -> None:
    """Build a root of what may be seen, and change to it."""
    root = Path(job["root"])
    call("unshare", NEW_MOUNTS)
    mount("none", "/", "", RECURSIVE | PRIVATE)
    mount("tmpfs", root, "tmpfs", NO_SETUID, "mode=755,size=1m")
    for path in job["shown"]:
        protect(show(path, root))
    for name in DEVICES:
        show(f"/dev/{name}", root)
    for path in job["hidden"]:
        mount("tmpfs", within(root, path), "tmpfs", READ_ONLY, "mode=755,size=4k")
    work = within(root, job["work"])
    work.mkdir(parents=True, exist_ok=True)
    options = f"mode=1777,size={SIZE},nr_inodes=10k"
    mount("tmpfs", work, "tmpfs", NO_SETUID | NO_DEVICES, options)
    mount("none", root, "", REMOUNT | BIND | READ_ONLY | NO_SETUID)
    os.chdir(root)
    call("pivot_root", b".", b".")  # the old root now lies over the new one
    call("umount2", b".", DETACH)


def within(root: Path, path: str) -> Path:
    """Where a path lies until the root is changed."""
    return root / path.lstrip("/")


def show(path: str, root: Path) -> Path:
    target = within(root, path)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir() if Path(path).is_dir() else target.touch()
    mount(path, target, "", BIND | RECURSIVE)
    return target


def protect(target: Path) -> None:
    """Let nothing be changed in a mount and all below it (mount_setattr, Linux 5.12)."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SETUID | NO_DEVICES, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = ctypes.c_char_p(os.fsencode(target))
    call("syscall", MOUNT_SETATTR, HERE, path, ALL_BELOW, attributes, size)


def become(nobody: int) -> None:
    """Become a user whom no file belongs to, if this process may."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(nobody, nobody, nobody)
        os.setresuid(nobody, nobody, nobody)


def drop_capabilities() -> None:
    """Give up all that root may do beside opening its files: to read other processes, to mount."""
    version_3, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call("capset", version_3, nothing)
    call("prctl", NO_NEW_RIGHTS, 1, 0, 0, 0)


def enter(job: dict[str, Any], nobody: int) -> None:
    """Go where the submission runs; with a `root`, in a child of the first process there."""
    if "root" in job:
        furnish(job)
        become(nobody)
        drop_capabilities()
        if child := os.fork():
            while os.wait()[0] != child:  # and reap all others
                pass
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
    drop_capabilities()
    call("prctl", DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    os.chdir(job["work"])


def keep(job: dict[str, Any], line: int) -> None:
    """Run a submission that speaks over `line`, until it ends or nobody listens there."""
    from classroom.running import submission

    os.dup2(line, 0)
    os.closerange(3, 256)  # and with them the line by which submissions are asked for
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.update(job["environment"])
    call("prctl", COLLECTS_ORPHANS, 1, 0, 0, 0)
    nobody = NOBODY + os.getpid()
    if "root" in job:
        separate()
    if not (child := os.fork()):
        enter(job, nobody)
        submission.main(0)
    over = select.poll()
    over.register(0, select.POLLRDHUP)
    over.register(os.pidfd_open(child), select.POLLIN)
    over.poll()
    for _ in range(100):  # it, and its orphans, who are this process's children next
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for one in map(int, children):
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
                os.waitpid(one, 0)
        if not children:
            break


def main() -> None:
    from classroom.running import submission  # noqa: F401, so that who is forked has it

    call("prctl", DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    asked = socket.socket(fileno=os.dup(0))
    while True:
        text, files, _, _ = socket.recv_fds(asked, LONGEST, 1)
        if not text:
            return
        if not os.fork():
            try:
                keep(json.loads(text), *files)
            finally:
                os._exit(1)
        os.close(*files)


if __name__ == "__main__":
    main()
