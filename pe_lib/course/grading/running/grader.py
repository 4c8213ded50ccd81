"""Grading one submission: it runs in a process of its own, and is tried and judged in this one."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pe_lib.course.grading.check import judge
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.outcome import Failure, Outcome, attempt, packed, unpacked
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.running import jail
from pe_lib.course.grading.running.process import Process, started
from pe_lib.course.grading.running.wire import Lost
from pe_lib.course.grading.sheet import Content, Question

MEGABYTE = 2**20
LARGEST = 32 * MEGABYTE  # of a file
MOST_WORDS = 1_000  # letters of what it says of itself
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


@dataclass(frozen=True)
class Terms:
    """Under which terms a sheet is graded.

    Questions with an answer to type in are graded on the numbers of `seed`, functions on those and
    on each of `secrets`. `seconds` is the time for one cell or one part of a question, `total` that
    for all of a submission, `memory` what it may use, in megabytes, `jail` what keeps it apart.
    """

    content: Content
    seed: int = 0
    secrets: tuple[int, ...] = ()
    seconds: float = 5.0
    total: float = 60.0
    memory: int = 2048
    jail: str = field(default_factory=jail.best)

    def seeds(self, question: Question) -> list[int]:
        return [self.seed, *self.secrets] if question.kind == "code" else [self.seed]


@dataclass
class Grade:
    """What a submission got: a result for each question that was tried, and what went wrong.

    `tried` holds a question's result on each seed, `results` what is right on all of them.
    """

    results: dict[str, Result] = field(default_factory=dict)
    reason: str = ""
    tried: dict[str, dict[int, Result]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        return sum(result.score for result in self.results.values())


def grade_one(path: Path, terms: Terms) -> Grade:
    """Run and grade one submission. Never raises for what the submission does."""
    return judged(run_one(path, terms), terms)


@dataclass(frozen=True)
class Left:
    """What a submission left: a line of JSON for each outcome, and why it ended, '' if well.

    `final` is false where time, memory or the machine stopped it: another try may do better.
    """

    lines: tuple[str, ...]
    ended: str = ""
    final: bool = True


def content(path: Path) -> bytes:
    """What was handed in. Raises ValueError, which says what is wrong with the file."""
    try:
        with open(path, "rb", opener=_opened) as file:
            kind, size = os.fstat(file.fileno()).st_mode, os.fstat(file.fileno()).st_size
            if not stat.S_ISREG(kind):
                raise ValueError(f"it is {_KINDS.get(stat.S_IFMT(kind), 'no file')}")
            if size > LARGEST:
                raise ValueError(
                    f"it has {size / MEGABYTE:,.0f} MB, and {LARGEST // MEGABYTE} is most"
                )
            return file.read(LARGEST)
    except OSError as error:
        if os.path.islink(path):
            raise ValueError("it is a link, and links are not followed") from None
        if os.path.isdir(path):  # Windows opens no folder
            raise ValueError("it is a folder") from None
        raise ValueError(f"it can't be read: {error.strerror or error}") from None


def _opened(path: str, flags: int) -> int:
    """Open without following a link, and without waiting for another end."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def run_one(path: Path, terms: Terms, hide: tuple[Path, ...] = ()) -> Left:
    """Run one submission; what it leaves. The folders in `hide` it doesn't see.

    For the main thread of a process, since answers are tried here under a time limit; what they
    call of the submission runs in a process of its own.
    """
    try:
        text = content(path)
    except ValueError as error:
        return Left((), str(error))
    lines: list[str] = []
    with started(terms.jail, terms.total, hide or (path.parent,)) as process:
        job = {"file": base64.b64encode(text).decode(), "setup": _setup(terms)}
        job |= {"seconds": terms.seconds, "memory": terms.memory * MEGABYTE}
        slow = False
        with contextlib.suppress(Lost):
            process.wire.send(job | {"alone": terms.jail != "none"})
            said = process.wire.receive()
            if "refused" in said:
                return Left((), str(said["refused"])[:MOST_WORDS])
            slow = "ran for more than" in str(said["problem"])
            lines.append(json.dumps({"problem": str(said["problem"])[:MOST_WORDS]}))
            for question in terms.content.questions.values():
                for seed, got in _tried(process, question, terms):
                    lines.append(json.dumps({"question": question.name, "seed": seed, "got": got}))
            lines.append(json.dumps({"end": True}))
    return Left(tuple(lines), process.ended, not (slow or process.ended or _short(lines)))


def _short(lines: list[str]) -> bool:
    """Whether something was short of time or memory."""
    return any('"failure": "slow"' in line or "MemoryError" in line for line in lines)


def _tried(process: Process, question: Question, terms: Terms) -> Iterator[tuple[int, Any]]:
    """The outcome of a question on each seed. Raises Lost when the process has ended."""
    names = _answer(process, question.answer)
    got: Outcome = {}
    for seed in terms.seeds(question):
        if not any(isinstance(one, Failure) and one.kind == "slow" for one in got.values()):
            got = attempt(question, names, seed, terms.seconds)
        if process.ended:
            raise Lost(process.ended)
        yield seed, packed(got)


def _answer(process: Process, name: str) -> dict[str, Any]:
    """The answer under its name; nothing where there is none that can be had."""
    try:
        found, value = process.wire.call(0, name)
        return {name: value} if found else {}
    except Lost:
        raise
    except (Exception, TooSlow):
        return {}


def _setup(terms: Terms) -> str:
    sheet = f'Sheet("{terms.content.name}", seed={terms.seed}, keep=False)'
    return f"{terms.content.setup}\nfrom pe_lib.course.grading import Sheet\nsheet = {sheet}"


def judged(left: Left, terms: Terms) -> Grade:
    """The grade from the lines that the process left, as far as they go.

    For the main thread: what is right is computed here, under a time limit and with its output
    caught, and neither bears a second thread that does the same.
    """
    grade, complete = Grade(), False
    tried = grade.tried
    for line in left.lines:
        try:
            said = json.loads(line)
            if "problem" in said:
                grade.reason = str(said["problem"])
            elif "end" in said:
                complete = True
            else:
                question = terms.content.questions[said["question"]]
                result = judge(question, unpacked(question, said["got"]), int(said["seed"]))
                tried.setdefault(question.name, {})[int(said["seed"])] = result
        except (ValueError, TypeError, KeyError):
            grade.reason = "its results can't be read"
    for name, question in terms.content.questions.items():
        results = [tried.get(name, {}).get(seed) for seed in terms.seeds(question)]
        if all(results):
            grade.results[name] = _worst([r for r in results if r])
    if not complete and not (grade.reason and not left.ended and not tried):
        grade.reason = left.ended or "its process ended before its time"
    return grade


def _worst(results: list[Result]) -> Result:
    """The result that leaves what is right on all numbers."""
    good = set(results[0].good).intersection(*(result.good for result in results))
    worst = min(results, key=lambda result: result.score)
    if set(worst.good) == good:
        return worst
    hint = "Right on some numbers, and not on others."
    return Result(worst.question, "partly" if good else "wrong", hint, good=tuple(sorted(good)))
