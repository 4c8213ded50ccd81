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

LARGEST_FILE = 2**26  # a submission may write files of at most this many bytes
LONGEST_MESSAGE = 200  # longer error messages are cut to this many characters


def limit_process(memory: int) -> None:
    """Limit this process's memory and file sizes, in bytes, where the system supports this."""
    # the module `resource` does not exist on Windows, which has no limits of this kind
    with contextlib.suppress(ImportError):
        import resource

        for name, limit in (("AS", memory), ("FSIZE", LARGEST_FILE), ("CORE", 0)):
            # ignore errors, because macOS rejects some limits and a lower limit cannot be raised
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))


class Silent(list[Any]):
    """An object that replaces what exists only in Jupyter. Any operation on it does nothing."""

    def __getattr__(self, name: str) -> Silent:
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> Silent:
        return self


class NumbersOnlySheet(Silent):
    """An object that replaces the exercise sheet, and knows nothing but the random numbers."""

    numbers: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        pass

    def given(self, question: str) -> SimpleNamespace:
        """Return the random numbers that a question shows."""
        if question not in self.numbers:
            raise SheetError(
                f"{question!r} is no question with numbers on this sheet; those with numbers are"
                f" {', '.join(self.numbers) or 'none'}"
            )
        return SimpleNamespace(**self.numbers[question])


class Submission:
    """A notebook that is being run: the names that it defines, and what its grader may ask for."""

    def __init__(self, line: socket.socket) -> None:
        self.wire = Wire(line)
        functions = (self.begin, self.run, self.answer)
        self.wire.functions = {function.__name__: function for function in functions}
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.names |= dict.fromkeys(("display", "get_ipython"), Silent())

    def begin(self, numbers: dict[str, Any], seconds: float, memory: int) -> None:
        """Limit this process, and give the notebook the random numbers that it shows."""
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
        """Find the answer with this name, and tell whether it is still the unchanged starter code.

        An answer is untouched if it equals the function that the code `starter` defines. The answer
        may call the functions of the library that are named in `free`.
        """
        answer = self.names.get(name)
        if callable(answer):
            answer = forbid_library(answer, name, frozenset(free))
        return [name in self.names, answer, is_untouched(setup, starter, self.names)]


def main(descriptor: int) -> NoReturn:
    """Answer the grader's calls, which arrive over a socket, until the socket is closed."""
    if os.name == "posix":
        line = socket.socket(fileno=os.dup(descriptor))
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    else:
        line = getattr(socket, "fromshare")(sys.stdin.buffer.read())  # noqa: B009
    Submission(line).wire.serve()
    os._exit(0)


if __name__ == "__main__":
    main(0)
