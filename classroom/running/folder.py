"""Grade each submission in a folder in its own process, so that a crash affects only one grade."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from classroom.running import library, sandbox
from classroom.running.grader import grade_one
from classroom.running.reading import MEGABYTE, OTHER_FILES
from classroom.running.submission import limit_process
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading.outcome import reference_outcomes
from pe_lib.course.grading.trivial import idle_answers

# a grader may run this many seconds longer than its submission
GRADER_SECONDS = 30.0
LOST = "the process that graded it was lost"
BAR_WIDTH = 30


class Job(NamedTuple):
    """A submission that is being graded: its path in the folder, and the process that grades it."""

    name: str
    process: Any
    end: float  # the job is stopped if it is not finished at this time on the monotonic clock


def find_submissions(folder: Path) -> dict[str, Path]:
    """Return all submissions in a folder and its subfolders, by their paths in the folder.

    Submissions are all files and empty folders whose name ends in .ipynb, and all folders that
    cannot be read, so that each of them gets a row with a reason. Some students hand in another
    kind of file instead of a notebook. Such a file counts in a student's folder if the folder
    contains no notebook, and at the top if no notebook has the same name. Links are not followed,
    and Jupyter's checkpoints are left out.
    """
    paths = list[str]()
    for here, folders, files in os.walk(folder, onerror=lambda error: paths.append(error.filename)):
        folders[:] = [name for name in folders if name != ".ipynb_checkpoints"]
        if here.lower().endswith(".ipynb") and not folders + files:
            paths.append(here)
        stems = {Path(name).stem for name in files if name.lower().endswith(".ipynb")}
        for name in files:
            stem, suffix = Path(name).stem, Path(name).suffix.lower()
            is_instead = stem not in stems if here == str(folder) else not stems
            if suffix == ".ipynb" or (suffix in OTHER_FILES and is_instead):
                paths.append(f"{here}{os.sep}{name}")
    return {os.path.relpath(path, folder): Path(path) for path in sorted(paths)}


def grade_folder(folder: Path, terms: Terms, jobs: int, progress: TextIO) -> dict[str, Grade]:
    """Return the grades of all submissions in a folder, by their paths in the folder.

    `jobs` submissions are graded at the same time. If `progress` is a terminal, a progress bar is
    drawn there. All processes end when this function ends, even with an exception.
    """
    paths = find_submissions(folder)
    grades, waiting, running = dict[str, Grade](), [*paths][::-1], dict[Any, Job]()
    # a submission runs once with the library, and again with each reduced copy of the library
    copies = library.group_questions(terms.content.questions.values())
    runs = 1 + len(copies)
    context: Any = multiprocessing.get_context("fork" if sandbox.LINUX else "spawn")
    if sandbox.LINUX:
        sandbox.fork_server()
        for allowed in copies:
            sandbox.fork_server(library.write_copy(allowed))
        _compute_known_outcomes(terms)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                name = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                arguments = (sender, paths[name], terms.for_submission(name), (folder,))
                process = context.Process(target=_send_grade, args=arguments, daemon=True)
                process.start()
                sender.close()
                end = time.monotonic() + runs * terms.total + GRADER_SECONDS
                running[receiver] = Job(name, process, end)
            for receiver in _wait_for_some(running):
                job = running.pop(receiver)
                grades[job.name] = _receive_grade(receiver)
                job.process.kill()
                job.process.join()
                receiver.close()
                _draw_progress(len(grades), len(paths), progress)
    finally:
        for job in running.values():
            job.process.kill()
            job.process.join()
    return {name: grades[name] for name in paths}


def _wait_for_some(running: dict[Any, Job]) -> set[Any]:
    """Wait for up to a second, and return the connections to jobs that are finished or late."""
    done = wait(running, timeout=1)
    late = [receiver for receiver, job in running.items() if time.monotonic() > job.end]
    return {*done, *late}


def _receive_grade(receiver: Any) -> Grade:
    """Return the grade that a job has sent. If the job has sent none, the grade says so."""
    with contextlib.suppress(EOFError, OSError):
        if receiver.poll():
            grade: Grade = receiver.recv()
            return grade
    return Grade(reasons=[LOST])


def _compute_known_outcomes(terms: Terms) -> None:
    """Compute the outcomes of solutions and mistakes once, so that all forked graders have them.

    Ctrl-C is blocked in the meantime, because it could be taken for the outcome of an answer.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    for question in terms.content.questions.values():
        if question.kind == "code" or not terms.path_seeds:
            for seed in terms.seeds(question):
                reference_outcomes(question, seed)
            idle_answers(question, terms.seeds(question)[0])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _send_grade(sender: Any, path: Path, terms: Terms, hidden: tuple[Path, ...]) -> None:
    """Grade a submission in this process, and send the grade to the parent process."""
    # if a teacher presses Ctrl-C, the parent process ends this process, which ignores the signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # limit the grader's own memory, too, because a huge answer can exhaust it
    limit_process(terms.memory * MEGABYTE)
    sender.send(grade_one(path, terms, hidden))


def _draw_progress(count: int, total: int, terminal: TextIO) -> None:
    """Draw a bar that shows how many submissions are graded, if the output is a terminal."""
    if terminal.isatty():
        bar = "█" * (BAR_WIDTH * count // total)
        end = "\n" if count == total else ""
        print(f"\r{bar:░<{BAR_WIDTH}} {count}/{total}", end=end, file=terminal, flush=True)
