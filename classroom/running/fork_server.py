"""Run the fork server, a process that copies itself (forks) to start each submission on Linux.

It has already loaded numpy and the library, because starting Python and loading them takes longer
than most submissions run. The fork server knows no sheet, no seed and no class, so its forks know
nothing about them either.

For each submission the fork server forks a supervisor, which stays outside the sandbox. As soon as
the submission ends or the grader is gone, the supervisor ends everything that the submission
started. If the system allows it, the submission has its own file system, network and process table.
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

LARGEST_JOB = 2**18  # in bytes
DISK_SIZE = 2**26  # a submission may write at most this many bytes to files
MOST_PROCESSES = 64
# a submission can start processes faster than they are killed, so killing ends after this many
# rounds
KILL_ROUNDS = 100
# these numbers are constants from the headers sched.h, mount.h and prctl.h of Linux
NEW_MOUNTS, NEW_PROCESSES, NEW_USER = 0x00020000, 0x20000000, 0x10000000
NEW_NETWORK, NEW_MESSAGES, NEW_HOST_NAME = 0x40000000, 0x08000000, 0x04000000
READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
REMOUNT, BIND, RECURSIVE, PRIVATE, DETACH = 0x20, 0x1000, 0x4000, 0x40000, 2
MOUNT_SETATTR, CURRENT_FOLDER, ALL_BELOW = 442, -100, 0x8000
DIES_WITH_PARENT, COLLECTS_ORPHANS, NO_NEW_RIGHTS = 1, 36, 38
# Submissions run under user ids from this number on. No files belong to such users.
FIRST_USER = 2**30
DEVICES = ("null", "zero", "full", "random", "urandom")


def call_libc(name: str, *arguments: Any) -> None:
    """Call a function of the C library, and raise OSError if the function reports an error."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: Path | str, kind: str, flags: int, options: str = "") -> None:
    """Mount `source` at `target`. This is Linux's system call `mount`."""
    names = [os.fsencode(name) for name in (source, target, kind)]
    call_libc("mount", *names, ctypes.c_ulong(flags), options.encode())


def leave_namespaces() -> None:
    """Enter new namespaces, so that child processes see no network and no other processes."""
    user, group = os.geteuid(), os.getegid()
    flags = NEW_PROCESSES | NEW_NETWORK | NEW_MESSAGES | NEW_HOST_NAME
    # Root would lose rights over the system in a user namespace. So only other users enter one.
    call_libc("unshare", flags | NEW_USER if user else flags)
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def change_root(job: dict[str, Any]) -> None:
    """Build a file system that contains only what the submission may see, and make it the root."""
    root = Path(job["root"])
    call_libc("unshare", NEW_MOUNTS)
    mount("none", "/", "", RECURSIVE | PRIVATE)
    mount("tmpfs", root, "tmpfs", NO_SETUID, "mode=755,size=1m")
    for path in job["shown"]:
        make_read_only(bind(path, root))
    for name in DEVICES:
        bind(f"/dev/{name}", root)
    for path in job["hidden"]:
        mount("tmpfs", path_below(root, path), "tmpfs", READ_ONLY, "mode=755,size=4k")
    work = path_below(root, job["work"])
    work.mkdir(parents=True, exist_ok=True)
    options = f"mode=1777,size={DISK_SIZE},nr_inodes=10k"
    mount("tmpfs", work, "tmpfs", NO_SETUID | NO_DEVICES, options)
    mount("none", root, "", REMOUNT | BIND | READ_ONLY | NO_SETUID)
    os.chdir(root)
    call_libc("pivot_root", b".", b".")
    # pivot_root has mounted the old root on top of the new root, where it must be unmounted
    call_libc("umount2", b".", DETACH)


def path_below(root: Path, path: str) -> Path:
    """Return the place inside the new root at which a path of the system will be mounted."""
    return root / path.lstrip("/")


def bind(path: str, root: Path) -> Path:
    """Mount a file or folder of the system inside the new root, and return its path there."""
    target = path_below(root, path)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir() if Path(path).is_dir() else target.touch()
    mount(path, target, "", BIND | RECURSIVE)
    return target


def make_read_only(target: Path) -> None:
    """Make a mount and all mounts inside it read-only, using mount_setattr from Linux 5.12."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SETUID | NO_DEVICES, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = ctypes.c_char_p(os.fsencode(target))
    call_libc("syscall", MOUNT_SETATTR, CURRENT_FOLDER, path, ALL_BELOW, attributes, size)


def become_user(user: int) -> None:
    """If this process is allowed to change its user, switch to a user who owns no files."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def drop_capabilities() -> None:
    """Give up all special rights of root, such as the right to read other processes' memory."""
    version_3, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call_libc("capset", version_3, nothing)
    call_libc("prctl", NO_NEW_RIGHTS, 1, 0, 0, 0)


def enter_sandbox(job: dict[str, Any], user: int) -> None:
    """Move this process into the sandbox in which the submission runs.

    If the job has a `root`, this process stays in the sandbox as process 1, and only its child
    returns.
    """
    if "root" in job:
        change_root(job)
        become_user(user)
        drop_capabilities()
        if child := os.fork():
            # the system makes process 1 the parent of orphaned processes, for which it must wait as
            # well
            while os.wait()[0] != child:
                pass
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_NPROC, (MOST_PROCESSES, MOST_PROCESSES))
    drop_capabilities()
    call_libc("prctl", DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    os.chdir(job["work"])


def supervise(job: dict[str, Any], line: int) -> None:
    """Run a submission that communicates with the grader over the socket `line`.

    When the submission ends or the grader hangs up, all processes of the submission are killed.
    """
    from classroom.running import submission

    os.dup2(line, 0)
    # the submission must not inherit the connection between the fork server and the grader
    os.closerange(3, 256)
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.update(job["environment"])
    call_libc("prctl", COLLECTS_ORPHANS, 1, 0, 0, 0)
    user = FIRST_USER + os.getpid()
    if "root" in job:
        leave_namespaces()
    if not (child := os.fork()):
        enter_sandbox(job, user)
        submission.main(0)
    events = select.poll()
    events.register(0, select.POLLRDHUP)
    events.register(os.pidfd_open(child), select.POLLIN)
    events.poll()
    kill_children()


def kill_children() -> None:
    """Kill all child processes of this process, including adopted orphans."""
    for _ in range(KILL_ROUNDS):
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for child in map(int, children):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        if not children:
            break


def main() -> None:
    """Fork a supervisor for each job that arrives on standard input, until the input is closed."""
    from classroom.running import submission  # noqa: F401, so that each fork has it loaded

    call_libc("prctl", DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    # let the system remove supervisors that have already ended
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    jobs = socket.socket(fileno=os.dup(0))
    while True:
        text, files, _, _ = socket.recv_fds(jobs, LARGEST_JOB, 1)
        if not text:
            return
        if not os.fork():
            try:
                supervise(json.loads(text), *files)
            finally:
                os._exit(1)
        os.close(*files)


if __name__ == "__main__":
    main()
