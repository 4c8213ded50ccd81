"""One submission, in a process of its own that may not do much.

The grader starts it (`python -m pe_lib.course.grading.running.submission`) with a job on standard
input, and reads the file that it leaves, one line a question. The job holds neither solutions nor
mistakes; whatever the code in the notebook does, it does to this process only.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import linecache
import os
import sys
from pathlib import Path
from typing import Any

from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.notebook import Sheet
from pe_lib.course.grading.outcome import attempt, packed
from pe_lib.course.grading.running.handed import cells, plain
from pe_lib.course.grading.running.shown import look
from pe_lib.course.grading.sheet import Question, Variant

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000


def confine(memory: int) -> None:
    """Take what the system lets us take: memory, file sizes, and the network."""
    with contextlib.suppress(ImportError):  # Windows has neither
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**26, 2**26))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    offline()


def offline() -> bool:
    """Leave this process without a network; says whether the system allowed it (Linux may)."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return any(libc.unshare(flags) == 0 for flags in (NEW_NETWORK, NEW_USER | NEW_NETWORK))
    except (AttributeError, OSError, TypeError):
        return False


def execute(sources: list[str], setup: str, seconds: float) -> tuple[dict[str, Any], str]:
    """The names that the cells leave, and the first thing that went wrong in them, or ''."""
    scope: dict[str, Any] = {"__name__": "__main__", "display": lambda *a, **k: None}
    first = ""
    for number, source in enumerate([setup, *sources]):
        name = f"<cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        try:
            with limit(seconds):
                exec(compile(source, name, "exec"), scope)
        except TooSlow:
            first = first or f"cell {number} ran for more than {seconds:g} seconds"
        except BaseException as error:
            said = " ".join(str(error).split())[:200]
            first = first or f"cell {number} stopped with {type(error).__name__}: {said}"
    return scope, first


def question(fields: dict[str, Any]) -> Question:
    """A question without its solution and mistakes, as the job describes it."""
    return Question(**fields, solution=Variant("", "", "", ""), title="", prompt="", level=1)


def main() -> None:
    job = json.load(sys.stdin)
    confine(job["memory"])
    for name in ("check", "hint", "solution", "again", "progress"):
        setattr(Sheet, name, lambda self, *arguments, **named: None)
    questions = [question(fields) for fields in job["questions"]]
    with Path(job["out"]).open("w", encoding="utf-8") as out:

        def tell(**said: Any) -> None:
            out.write(json.dumps(said) + "\n")
            out.flush()

        try:
            sources = [plain(source) for source in cells(Path(job["path"]).read_bytes())]
        except (OSError, ValueError) as error:
            tell(problem=str(error))
            os._exit(0)
        tell(notebook=look(sources))  # before any of it runs, which could say anything
        scope, problem = execute(sources, job["setup"], job["seconds"])
        tell(problem=problem)
        for asked, seeds in zip(questions, job["seeds"], strict=True):
            for seed in seeds:
                got = attempt(asked, scope, seed, job["seconds"])
                tell(question=asked.name, seed=seed, got=packed(got))
        tell(end=True)
    os._exit(0)  # whatever threads and exit handlers the notebook left


if __name__ == "__main__":
    main()
