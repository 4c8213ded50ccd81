"""Into a file system, network and table of processes of its own: Linux alone, without a tool."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path
from typing import Any

# from Linux' sched.h, mount.h and prctl.h
NEW_MOUNTS, NEW_PROCESSES, NEW_USER = 0x00020000, 0x20000000, 0x10000000
NEW_NETWORK, NEW_MESSAGES, NEW_HOST_NAME = 0x40000000, 0x08000000, 0x04000000
READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
REMOUNT, BIND, RECURSIVE, PRIVATE, DETACH = 0x20, 0x1000, 0x4000, 0x40000, 2
MOUNT_SETATTR, HERE, ALL_BELOW = 442, -100, 0x8000
DIES_WITH_PARENT, NO_NEW_RIGHTS = 1, 38
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


def follow_parent() -> None:
    """End when the process ends that started this one."""
    call("prctl", DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def separate() -> None:
    """Leave the system's namespaces; the next child will be process 1 of its own table."""
    user, group = os.geteuid(), os.getegid()
    new = NEW_MOUNTS | NEW_PROCESSES | NEW_NETWORK | NEW_MESSAGES | NEW_HOST_NAME
    call("unshare", new | NEW_USER if user else new)  # root needs no other root's rights
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def furnish(job: dict[str, Any]) -> None:
    """Build a root of what may be seen, and change to it."""
    root = Path(job["root"])
    mount("none", "/", "", RECURSIVE | PRIVATE)
    mount("tmpfs", root, "tmpfs", NO_SETUID, "mode=755,size=1m")
    for target, link in job["links"]:
        place(root, link).symlink_to(target)
    for source, inside in job["binds"]:
        show(source, place(root, inside))
        protect(place(root, inside), READ_ONLY | NO_SETUID | NO_DEVICES)
    for name in DEVICES:
        show(f"/dev/{name}", place(root, f"/dev/{name}"))
    for path in job["hidden"]:
        mount("tmpfs", place(root, path), "tmpfs", READ_ONLY, "mode=755,size=4k")
    work = place(root, job["work"])
    work.mkdir(exist_ok=True)
    options = f"mode=1777,size={job['size']},nr_inodes=10k"
    mount("tmpfs", work, "tmpfs", NO_SETUID | NO_DEVICES, options)
    mount("none", root, "", REMOUNT | BIND | READ_ONLY | NO_SETUID)
    os.chdir(root)
    call("pivot_root", b".", b".")  # the old root now lies over the new one
    call("umount2", b".", DETACH)


def place(root: Path, inside: str) -> Path:
    """Where a path inside lies until the root is changed; its parents are made."""
    path = root / inside.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def show(source: str, target: Path) -> None:
    if not target.exists():
        target.mkdir() if Path(source).is_dir() else target.touch()
    mount(source, target, "", BIND | RECURSIVE)


def protect(target: Path, flags: int) -> None:
    """Add flags to a mount and all below it (mount_setattr, Linux 5.12)."""
    attributes = (ctypes.c_uint64 * 4)(flags, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = ctypes.c_char_p(os.fsencode(target))
    call("syscall", MOUNT_SETATTR, HERE, path, ALL_BELOW, attributes, size)


def drop_rights(nobody: int) -> None:
    """Become a user without any rights over the namespaces."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(nobody, nobody, nobody)
        os.setresuid(nobody, nobody, nobody)
    version_3, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call("capset", version_3, nothing)
    call("prctl", NO_NEW_RIGHTS, 1, 0, 0, 0)


def wait_for(child: int) -> int:
    """The code a child ended with, 128 more than its signal if it was one; reaps all others."""
    while True:
        with contextlib.suppress(InterruptedError):
            ended, status = os.wait()
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code


def end_as(child: int) -> None:
    """Wait for a child in a process that has nothing else to do."""
    for descriptor in (0, 1):  # whoever reads from there learns when the child ends
        os.close(descriptor)
    os._exit(wait_for(child))


def enter(job: dict[str, Any]) -> None:
    """Go where a submission runs, in a child of this process, which ends as it does.

    `environment` are its variables, and `work` the folder that it may write to. With a `root`, an
    empty folder, it is kept apart: `links` and `binds` are lists of [source, path inside] and all
    that it sees, `hidden` are paths shown empty, `work` lies inside and may hold `size` bytes.
    """
    os.environ.clear()
    os.environ.update(job["environment"])
    if "root" in job:
        nobody = NOBODY + os.getpid()
        separate()
        if first := os.fork():
            end_as(first)
        follow_parent()
        furnish(job)
        drop_rights(nobody)
    os.chdir(job["work"])
    if child := os.fork():
        end_as(child)
    follow_parent()
