"""One submission, in a process of its own that may not do much.

The grader starts it (`python -m classroom.running.submission`), sends it the notebook
and the numbers that this one shows, and then calls the functions that it defined: seeds, tests and
what is right never come here.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import linecache
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from classroom.running.handed import cells, plain
from classroom.running.shown import look
from classroom.running.wire import Wire, line, read
from pe_lib.course import grading
from pe_lib.course.grading.borrowed import unaided
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.sheet import SheetError
from pe_lib.course.grading.untouched import untouched

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
PROCESSES = 64
CELLS = 100  # of which it is told what went wrong
ANSWER, AS_FOUND = -1, -2  # what the grader may call: for an answer by name, and for what it is


def confine(memory: int, alone: bool) -> None:
    """Take what the system lets us take: memory, file sizes, and the network.

    `alone`, in a table of processes of its own, their number too; else the user's others count.
    """
    with contextlib.suppress(ImportError):  # Windows has neither
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**26, 2**26))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if alone:
            resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
    if not alone:
        offline()


def offline() -> bool:
    """Leave this process without a network; says whether the system allowed it (Linux may)."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return any(libc.unshare(flags) == 0 for flags in (NEW_NETWORK, NEW_USER | NEW_NETWORK))
    except (AttributeError, OSError, TypeError):
        return False


class Paper:
    """The sheet as a submission finds it: its numbers, and nothing of what is right or wrong.

    Whatever name and seed a notebook gives, it has these numbers.
    """

    numbers: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def given(self, question: str) -> SimpleNamespace:
        """The numbers of a question that is answered by a value."""
        if question not in self.numbers:
            raise SheetError(f"there is no question {question!r} with numbers here")
        return SimpleNamespace(**self.numbers[question])

    def check(self, *arguments: Any, **named: Any) -> None:
        """Nothing: what is right is decided elsewhere."""

    hint = solution = again = progress = review = answer = check


class Silent:
    """In place of what Jupyter brings: whatever is asked of it, nothing happens."""

    def __getattr__(self, name: str) -> Silent:
        return self

    def __call__(self, *arguments: Any, **named: Any) -> Silent:
        return self


def execute(
    sources: list[str], setup: str, seconds: float, begun: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Any], dict[int, str]]:
    """The names that the cells leave, and what went wrong in them, by the number of the cell.

    `begun` hears of each cell before it runs, which may be the last that is heard.
    """
    scope: dict[str, Any] = {"__name__": "__main__", "display": Silent(), "get_ipython": Silent()}
    wrong: dict[int, str] = {}
    for number, source in enumerate([setup, *sources]):
        name = f"<cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        begun(number)
        try:
            with limit(seconds):
                exec(compile(source, name, "exec"), scope)
        except TooSlow:
            wrong[number] = f"cell {number} ran for more than {seconds:g} seconds"
        except BaseException as error:
            kind, said = type(error).__name__, " ".join(str(error).split())[:200]
            wrong[number] = f"cell {number} stopped with {kind}: {said}"
    return scope, wrong


def answer(scope: dict[str, Any], name: str, *free: str) -> list[Any]:
    """Whether there is an answer of that name, and it; a function may call the library's `free`."""
    found = scope.get(name)
    return [name in scope, unaided(found, name, frozenset(free)) if callable(found) else found]


def main() -> None:
    """Run a notebook; then answer for what it defined, until the grader has asked for all."""
    asked, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(empty, 1)

    def receive() -> dict[str, Any]:
        text = asked.readline()
        return read(text) if text else os._exit(0)

    def send(message: dict[str, Any]) -> None:
        told.write(line(message))
        told.flush()

    job = receive()
    confine(job["memory"], job["alone"])
    file = base64.b64decode(job["file"])
    Path("submission.ipynb").write_bytes(file)
    try:
        sources = [plain(source) for source in cells(file)]
    except ValueError as error:
        send({"refused": str(error)})
        os._exit(0)
    send({"notebook": look(sources)})  # before any of it runs, which could say anything
    Paper.numbers = receive()["given"]
    grading.Sheet = Paper  # type: ignore[assignment,misc]
    left = ["" if n in job["skip"] else source for n, source in enumerate(sources, start=1)]
    begun = lambda number: send({"at": number})  # noqa: E731
    scope, wrong = execute(left, job["setup"], job["seconds"], begun)
    wire = Wire(receive, send, lambda: limit(job["seconds"]))
    wire.functions[ANSWER] = partial(answer, scope)
    wire.functions[AS_FOUND] = lambda setup, start: untouched(setup, start, scope)
    send({"cells": dict(list(wrong.items())[:CELLS])})
    while True:
        with contextlib.suppress(TooSlow):
            wire.serve(receive())


if __name__ == "__main__":
    main()
