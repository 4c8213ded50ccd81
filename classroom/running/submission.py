"""Run one submission in a separate process that has as few permissions as possible.

The grader calls this process over a wire to begin, to run cells, and to use the functions that the
cells define. The process never receives seeds, tests or right answers.
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

LARGEST_FILE = 2**26  # in bytes
LONGEST_MESSAGE = 200  # error messages are cut to this many characters


def limit_process(memory: int) -> None:
    """Limit this process's memory and file sizes, in bytes, where the system supports this."""
    with contextlib.suppress(ImportError):  # Windows has no limits of this kind
        import resource

        for name, limit in (("AS", memory), ("FSIZE", LARGEST_FILE), ("CORE", 0)):
            # ignore errors, because macOS rejects some limits and a lower limit cannot be raised
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))


class Silent(list[Any]):
    """A stand-in for objects that exist only in Jupyter. Every operation on it does nothing."""

    def __getattr__(self, name: str) -> Silent:
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> Silent:
        return self


class NumbersOnlySheet(Silent):
    """A stand-in for the exercise sheet that contains only the questions' random numbers."""

    numbers: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        pass

    def given(self, question: str) -> SimpleNamespace:
        """Return the random numbers of a question that does not ask for code."""
        if question not in self.numbers:
            raise SheetError(
                f"{question!r} is no question with numbers on this sheet; those with numbers are"
                f" {', '.join(self.numbers) or 'none'}"
            )
        return SimpleNamespace(**self.numbers[question])


class Submission:
    """A running notebook: the names that its cells define, and the functions for its grader."""

    def __init__(self, line: socket.socket) -> None:
        self.wire = Wire(line)
        functions = (self.begin, self.run, self.answer)
        self.wire.functions = {function.__name__: function for function in functions}
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.names |= dict.fromkeys(("display", "get_ipython"), Silent())

    def begin(self, numbers: dict[str, Any], seconds: float, memory: int) -> None:
        """Set this process's limits, and provide the random numbers that the notebook shows."""
        limit_process(memory)
        self.wire.seconds, NumbersOnlySheet.numbers = seconds, numbers
        grading.Sheet = NumbersOnlySheet  # type: ignore[assignment,misc]

    def run(self, number: int, source: str) -> str:
        """Run a cell, and return its error message, or '' if it ran without an error."""
        name = f"<cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        try:
            exec(compile(source, name, "exec"), self.names)
        except TooSlow:
            raise
        except BaseException as error:
            message = " ".join(str(error).split())[:LONGEST_MESSAGE]
            return f"cell {number} stopped with {type(error).__name__}: {message}"
        return ""

    def answer(self, name: str, setup: str, starter: str, *free: str) -> list[Any]:
        """Return whether a name is defined, its value, and whether this is unchanged starter code.

        An answer is untouched if it equals the function that the code `starter` defines. The answer
        may call the functions of the library that are named in `free`.
        """
        answer = self.names.get(name)
        if callable(answer):
            answer = forbid_library(answer, name, frozenset(free))
        return [name in self.names, answer, is_untouched(setup, starter, self.names)]


def main(descriptor: int) -> NoReturn:
    """Answer the grader's calls over this file descriptor until the connection is closed."""
    if os.name == "posix":
        line = socket.socket(fileno=os.dup(descriptor))
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    else:
        line = getattr(socket, "fromshare")(sys.stdin.buffer.read())  # noqa: B009
    Submission(line).wire.serve()
    os._exit(0)


if __name__ == "__main__":
    main(0)
