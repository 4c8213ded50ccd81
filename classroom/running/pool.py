"""Many submissions at a time, each tried in one of a few processes that are lost without harm."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from classroom.running.grader import MEGABYTE, Left, run_one
from classroom.running.terms import Terms
from pe_lib.course.grading.limits import unwatched

GRACE = 30.0  # seconds for the grader itself, over those of a submission
LOST = "the process that graded it was lost"


@dataclass(eq=False)
class Worker:
    """A process that tries one submission after the other, and the line to it."""

    process: BaseProcess
    line: Any  # a Connection
    name: str = ""  # of the submission that it has
    end: float = 0.0

    def give(self, name: str, path: Path, seconds: float) -> None:
        self.name, self.end = name, time.monotonic() + seconds
        with contextlib.suppress(OSError):  # it is gone, and the next look will say so
            self.line.send((name, path))


def spread(
    paths: dict[str, Path], terms: Terms, jobs: int, hide: tuple[Path, ...]
) -> Iterator[tuple[str, Left]]:
    """What each submission left, by its name, as soon as it is known.

    One whose grader was lost is tried once more. However this ends, its processes end with it.
    """
    waiting, workers, lost = deque(paths), set[Worker](), set[str]()
    try:
        while waiting or any(worker.name for worker in workers):
            idle = [worker for worker in workers if not worker.name]
            while waiting and (idle or len(workers) < jobs):
                worker = idle.pop() if idle else _hired(terms, hide)
                workers.add(worker)
                name = waiting.popleft()
                worker.give(name, paths[name], terms.total + GRACE)
            for worker in _reporting(workers):
                name, left = worker.name, _report(worker)
                worker.name = ""
                if left is None:
                    worker.process.kill()
                    workers.remove(worker)
                if left is None and name not in lost:
                    lost.add(name)
                    waiting.append(name)
                else:
                    yield name, left or Left(ended=LOST, final=False)
    finally:
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()


def _reporting(workers: set[Worker]) -> list[Worker]:
    """Those that have something to say, or have had their time."""
    busy = [worker for worker in workers if worker.name]
    first = min(worker.end for worker in busy)
    watched = [w.line for w in busy] + [w.process.sentinel for w in busy]
    ready = wait(watched, max(0.0, first - time.monotonic()))
    now = time.monotonic()
    return [
        worker
        for worker in busy
        if worker.line in ready or worker.process.sentinel in ready or worker.end <= now
    ]


def _report(worker: Worker) -> Left | None:
    try:
        return worker.line.recv() if worker.line.poll() else None
    except (EOFError, OSError):
        return None


def _hired(terms: Terms, hide: tuple[Path, ...]) -> Worker:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there,), daemon=True)
    with _undisturbed():
        process.start()
    there.close()
    with contextlib.suppress(OSError):
        here.send((terms, hide))  # not among args: start() waits for whoever reads those, even dead
    return Worker(process, here)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """What is started here doesn't hear Ctrl-C: the one who started it answers, and ends it."""
    if os.name == "nt":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(line: Any) -> None:
    terms, hide = line.recv()
    with contextlib.suppress(ImportError, ValueError):  # Windows has no such limit
        import resource

        most = terms.memory * MEGABYTE  # an answer may make a test large, too
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            name, path = line.recv()
            unwatched()
            try:
                left = run_one(path, terms.of(name), hide)
            except Exception as error:
                left = Left(ended=f"{LOST} ({type(error).__name__}: {error})", final=False)
            line.send(left)
