"""One submission, in a process of its own that may not do much.

Its grader calls it: to begin, to run a cell, and then what the cells defined. Seeds, tests and what
is right never come here.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import socket
import sys
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

from classroom.running.wire import Wire
from pe_lib.course import grading
from pe_lib.course.grading.borrowed import forbid_library
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.sheet import SheetError
from pe_lib.course.grading.untouched import is_untouched


def confine(memory: int) -> None:
    """Limit memory, in bytes, and the size of files, as far as the system lets us."""
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        for kind, most in (("AS", memory), ("FSIZE", 2**26), ("CORE", 0)):
            with contextlib.suppress(ValueError, OSError):  # a lower one is there; or a Mac
                resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


class Silent(list[Any]):
    """In place of what Jupyter brings: whatever is asked of it, nothing happens."""

    def __getattr__(self, name: str) -> Silent:
        return self

    def __call__(self, *arguments: Any, **named: Any) -> Silent:
        return self


class Paper(Silent):
    """The sheet as a submission finds it, whichever it asks for: its numbers, and no more."""

    numbers: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, *arguments: Any, **named: Any) -> None:
        pass

    def given(self, question: str) -> SimpleNamespace:
        """The numbers of a question that is answered by a value."""
        if question not in self.numbers:
            raise SheetError(f"there is no question {question!r} with numbers here")
        return SimpleNamespace(**self.numbers[question])


class Submission:
    """What a notebook's cells define, and what its grader may call."""

    def __init__(self, line: socket.socket) -> None:
        self.wire = Wire(line)
        own = (self.begin, self.run, self.answer)
        self.wire.functions = {function.__name__: function for function in own}
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.names |= dict.fromkeys(("display", "get_ipython"), Silent())

    def begin(self, given: dict[str, Any], seconds: float, memory: int) -> None:
        confine(memory)
        self.wire.seconds, Paper.numbers = seconds, given
        grading.Sheet = Paper  # type: ignore[assignment,misc]

    def run(self, number: int, source: str) -> str:
        """Run a cell; what went wrong in it, '' if nothing did."""
        name = f"<cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        try:
            exec(compile(source, name, "exec"), self.names)
        except TooSlow:
            raise
        except BaseException as error:
            said = " ".join(str(error).split())[:200]
            return f"cell {number} stopped with {type(error).__name__}: {said}"
        return ""

    def answer(self, name: str, setup: str, start: str, *free: str) -> list[Any]:
        """Whether there is an answer of that name, it, and whether it is what `start` makes.

        It may call the library's `free`.
        """
        found = self.names.get(name)
        held = forbid_library(found, name, frozenset(free)) if callable(found) else found
        return [name in self.names, held, is_untouched(setup, start, self.names)]


def main(line: int) -> NoReturn:
    """Do what the grader asks over this descriptor, until it has asked for all."""
    if os.name == "posix":
        there = socket.socket(fileno=os.dup(line))
        os.dup2(os.open(os.devnull, os.O_RDWR), line)
    else:
        there = getattr(socket, "fromshare")(sys.stdin.buffer.read())  # noqa: B009
    Submission(there).wire.serve()
    os._exit(0)


if __name__ == "__main__":
    main(0)
