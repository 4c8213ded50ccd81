"""Grading a folder: each submission in a process that is forked for it, and lost without harm."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, TextIO

from classroom.running import jail
from classroom.running.grader import grade_one
from classroom.running.reading import INSTEAD, MEGABYTE
from classroom.running.submission import confine
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading.outcome import reference_outcomes
from pe_lib.course.grading.trivial import idle_answers

GRACE = 30.0  # seconds for the grader itself, over those of a submission
LOST = "the process that graded it was lost"


def submissions(folder: Path) -> dict[str, Path]:
    """Whatever is called a notebook in the folder and below, by its path in it, in order.

    So is what may have been handed in for one: below the folder, where no notebook is beside it; in
    the folder itself, where none has its name. And so are folders that can't be looked into. Links
    are not followed; checkpoints are passed over.
    """
    found = list[str]()
    for here, folders, files in os.walk(folder, onerror=lambda error: found.append(error.filename)):
        folders[:] = [name for name in folders if name != ".ipynb_checkpoints"]
        if here.lower().endswith(".ipynb") and not folders + files:
            found.append(here)
        beside = {Path(name).stem for name in files if name.lower().endswith(".ipynb")}
        for name in files:
            stem, kind = Path(name).stem, Path(name).suffix.lower()
            instead = stem not in beside if here == str(folder) else not beside
            if kind == ".ipynb" or (kind in INSTEAD and instead):
                found.append(f"{here}{os.sep}{name}")
    return {os.path.relpath(path, folder): Path(path) for path in sorted(found)}


def grade_folder(folder: Path, terms: Terms, jobs: int, said: TextIO) -> dict[str, Grade]:
    """The grade of every notebook in the folder, by its path in it, in order.

    However this ends, its processes end with it.
    """
    paths = submissions(folder)
    grades, todo, running = dict[str, Grade](), [*paths][::-1], dict[Any, tuple[str, Any, float]]()
    context: Any = multiprocessing.get_context("fork" if jail.LINUX else "spawn")
    if jail.LINUX:
        jail.nursery()
        _compute_what_is_known(terms)
    try:
        while todo or running:
            while todo and len(running) < jobs:
                name = todo.pop()
                here, there = context.Pipe(duplex=False)
                words = (there, paths[name], terms.of(name), (folder,))
                process = context.Process(target=_work, args=words, daemon=True)
                process.start()
                there.close()
                running[here] = name, process, time.monotonic() + terms.total + GRACE
            ready = wait(running, timeout=1)
            late = [line for line, (*_, end) in running.items() if time.monotonic() > end]
            for line in {*ready, *late}:
                name, process, _ = running.pop(line)
                grades[name] = Grade(reasons=[LOST])
                if line in ready:
                    with contextlib.suppress(EOFError, OSError):
                        grades[name] = line.recv()
                process.kill()
                process.join()
                line.close()
                _bar(len(grades), len(paths), said)
    finally:
        for _, process, _ in running.values():
            process.kill()
            process.join()
    return {name: grades[name] for name in paths}


def _compute_what_is_known(terms: Terms) -> None:
    """What each solution and each mistake gives, for all who are forked from here.

    Ctrl-C waits until then, lest it be taken for an outcome.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    for question in terms.content.questions.values():
        if question.kind == "code" or not terms.own:
            for seed in terms.seeds(question):
                reference_outcomes(question, seed)
            idle_answers(question, terms.seeds(question)[0])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(line: Any, path: Path, terms: Terms, hide: tuple[Path, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it answers, and ends it
    confine(terms.memory * MEGABYTE)  # an answer may make a test large, too
    line.send(grade_one(path, terms, hide))


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        bar = "█" * (30 * count // total)
        print(f"\r{bar:░<30} {count}/{total}", end="\n" * (count == total), file=said, flush=True)
