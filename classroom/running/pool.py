"""Many submissions at a time, each tried in one of a few processes that are lost without harm."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
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

    def give(self, name: str, path: Path) -> None:
        with contextlib.suppress(OSError):  # it is gone, and the report will say so
            self.line.send((name, path))

    def report(self, seconds: float) -> Left | None:
        try:
            return self.line.recv() if self.line.poll(seconds) else None
        except (EOFError, OSError):
            return None


def spread(
    paths: dict[str, Path], terms: Terms, jobs: int, hide: tuple[Path, ...]
) -> Iterator[tuple[str, Left]]:
    """What each submission left, by its name, as soon as it is known.

    One whose grader was lost is tried once more. However this ends, its processes end with it.
    """
    idle, workers, closed = list[Worker](), set[Worker](), threading.Event()

    def tried(name: str) -> Left:
        for _ in range(2):
            worker = idle.pop() if idle else _hired(terms, hide)
            workers.add(worker)
            if closed.is_set():
                worker.process.kill()
            worker.give(name, paths[name])
            if left := worker.report(terms.total + GRACE):
                idle.append(worker)
                return left
            worker.process.kill()
        return Left(ended=LOST)

    threads = ThreadPoolExecutor(jobs)
    try:
        asked = {threads.submit(tried, name): name for name in paths}
        for done in as_completed(asked):
            yield asked[done], done.result()
    finally:
        closed.set()
        for worker in [*workers]:
            worker.process.kill()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.process.join()


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
                left = Left(ended=f"{LOST} ({type(error).__name__}: {error})")
            line.send(left)
