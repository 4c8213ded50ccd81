"""Grading one submission: it runs in a process of its own, and is tried and judged in this one."""

from __future__ import annotations

import base64
import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from classroom.running import submission
from classroom.running.fair import explain
from classroom.running.process import Process, started
from classroom.running.shown import Shown
from classroom.running.terms import Grade, Terms
from classroom.running.wire import LostError
from pe_lib.course.grading.agreement import meant
from pe_lib.course.grading.borrowed import free
from pe_lib.course.grading.check import judge_all
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.outcome import Failure, Outcome, attempt
from pe_lib.course.grading.sheet import SHEETS, Question

MEGABYTE = 2**20
LARGEST = 32 * MEGABYTE  # of a file
CRASHED = ("its process was ended by", "its process ended before")  # of itself: no tampering
CRASHES = 3  # cells that may end the process, and are left out
MOST_WORDS = 1_000  # letters of what it says of itself
_REFUSED = {
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "it is a link, and links are not followed",
    errno.ENXIO: "it is a socket",
}


def grade_one(path: Path, terms: Terms) -> Grade:
    """Run and grade one submission. Never raises for what the submission does."""
    return judged(run_one(path, terms), terms)


@dataclass(frozen=True)
class Left:
    """What a submission left, as far as it came, and why it ended, '' if well.

    `notebook` is what it shows of itself, None if it couldn't be read, `cells` say what went wrong
    in them, `tried` are the outcomes by question and seed, and `whole` says that it ran to its end.
    """

    notebook: dict[str, Any] | None = None
    cells: dict[int, str] = field(default_factory=dict)
    tried: dict[str, dict[int, Outcome]] = field(default_factory=dict)
    whole: bool = False
    ended: str = ""


def handed_in(path: Path) -> bytes:
    """What was handed in. Raises ValueError, which says what is wrong with the file."""
    try:
        with open(path, "rb", opener=_opened) as file:
            kind, size = os.fstat(file.fileno()).st_mode, os.fstat(file.fileno()).st_size
            if not stat.S_ISREG(kind):
                raise ValueError("it is a pipe or a device")
            if size > LARGEST:
                raise ValueError(
                    f"it has {size / MEGABYTE:,.0f} MB, and {LARGEST // MEGABYTE} is most"
                )
            return file.read(LARGEST)
    except OSError as error:
        words = f"it can't be read: {error.strerror or error}"
        raise ValueError(_REFUSED.get(error.errno or 0, words)) from None


def _opened(path: str, flags: int) -> int:
    """Open without following a link, and without waiting for another end."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def run_one(path: Path, terms: Terms, hide: tuple[Path, ...] = ()) -> Left:
    """Run one submission; what it leaves. It sees neither the folders in `hide` nor the sheets.

    For the main thread of a process, since answers are tried here under a time limit; what they
    call of the submission runs in a process of its own.
    """
    try:
        text = handed_in(path)
    except ValueError as error:
        return Left(ended=str(error))
    end, crashed = time.monotonic() + terms.total, dict[int, str]()
    while True:
        left, cell = _run(text, terms, (*(hide or (path.parent,)), SHEETS), end, crashed)
        if not (cell and left.ended.startswith(CRASHED)) or len(crashed) == CRASHES:
            return left
        crashed[cell] = f"cell {cell} was left out, since with it {left.ended}"


def _run(
    text: bytes, terms: Terms, hide: tuple[Path, ...], end: float, crashed: dict[int, str]
) -> tuple[Left, int]:
    """What it leaves without the cells that `crashed`, and the number of one that does so now."""
    found = Left()
    cell, time_left = 0, max(end - time.monotonic(), 0.0)
    with started(terms.jail, time_left, hide) as process:
        job: dict[str, Any] = {"file": base64.b64encode(text).decode(), "setup": _setup(terms)}
        job |= {"seconds": terms.seconds, "memory": terms.memory * MEGABYTE}
        with contextlib.suppress(LostError):
            process.wire.send(job | {"alone": terms.jail != "none", "skip": [*crashed]})
            said = process.wire.receive()
            if "refused" in said:
                return Left(ended=str(said["refused"])[:MOST_WORDS]), 0
            found = replace(found, notebook=said["notebook"])
            process.wire.send({"given": _numbers(said["notebook"], terms)})
            while isinstance(at := (said := process.wire.receive()).get("at"), int):
                cell = max(at, 0)
            cell = 0
            found.cells.update(crashed | _cells(said.get("cells")))
            for question in terms.content.questions.values():
                tried = found.tried[question.name] = {}
                for seed, got in _tried(process, question, terms):
                    tried[seed] = got
            found = replace(found, whole=True)
    return replace(found, ended=process.ended), cell


def _cells(said: Any) -> dict[int, str]:
    """What went wrong in which cell, in a sentence, as far as it is text and of some length."""
    found = said.items() if isinstance(said, dict) else ()
    cells = {int(n): str(wrong)[:MOST_WORDS] for n, wrong in found if re.fullmatch("[0-9]{1,6}", n)}
    return dict(list(cells.items())[: submission.CELLS])


def _numbers(said: Any, terms: Terms) -> dict[str, Any]:
    """The numbers that the notebook shows, which in an exam stand in its cells.

    They are those of each question that is answered by a value.
    """
    shown = Shown(**said).seed
    seed = terms.seed if shown is None or terms.people else shown
    asked = (q for q in terms.content.questions.values() if q.kind != "code")
    return {question.name: vars(question.given(seed)) for question in asked}


def _tried(process: Process, question: Question, terms: Terms) -> Iterator[tuple[int, Outcome]]:
    """The outcome of a question on each seed. Raises LostError when the process has ended."""
    found = _asked(process, submission.ANSWER, question.answer, *sorted(free(question)))
    there = isinstance(found, list) and len(found) == 2 and found[0] is True
    names = {question.answer: found[1]} if there else {}

    def as_found(setup: str, start: str, names: dict[str, Any]) -> bool:
        return bool(_asked(process, submission.AS_FOUND, setup, start))

    got: Outcome = {}
    for seed in terms.seeds(question):
        if not _slow(got):
            read = meant(question, names.get(question.answer), seed)
            answer = names if read is None else {question.answer: read}
            got = attempt(question, answer, seed, terms.seconds, as_found)
        if process.ended:
            raise LostError(process.ended)
        yield seed, got


def _slow(got: Outcome) -> bool:
    every = (value for values in got.values() for value in values)
    return any(isinstance(value, Failure) and value.kind == "slow" for value in every)


def _asked(process: Process, function: int, *words: str) -> Any:
    """What the submission's process says; None if it makes an error of it."""
    try:
        return process.wire.call(function, *words)
    except LostError:
        raise
    except (Exception, TooSlow):
        return None


def _setup(terms: Terms) -> str:
    sheet = f'Sheet("{terms.content.name}", seed={terms.seed}, keep=False)'
    return f"{terms.content.setup}\nfrom pe_lib.course.grading import Sheet\nsheet = {sheet}"


def judged(left: Left, terms: Terms) -> Grade:
    """The grade from what a submission left, as far as it goes.

    For the main thread: what is right is computed here, under a time limit and with its output
    caught, and neither bears a second thread that does the same.
    """
    grade = Grade()
    for name, found in left.tried.items():
        question = terms.content.questions[name]
        if set(terms.seeds(question)) <= set(found):
            grade.results[name] = judge_all(question, {n: found[n] for n in terms.seeds(question)})
    if borrowed := [name for name, got in grade.results.items() if got.relation == "borrowed"]:
        grade.flags += (f"calls the library for what it should write: {', '.join(borrowed)}",)
    grade.stopped = next(iter(left.cells.values()), "")
    if not left.whole:
        grade.stopped = left.ended or "its process ended before its time"
    if grade.stopped:
        grade.add(grade.stopped)
    if left.notebook is not None:
        explain(grade, Shown(**left.notebook), left.tried, terms, left.cells)
    return grade
