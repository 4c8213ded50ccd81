"""Grading one submission: it runs in a process of its own and is judged in this one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pe_lib.course.grading.check import judge, judge_all
from pe_lib.course.grading.outcome import Outcome, unpacked
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question

MEGABYTE = 2**20


@dataclass(frozen=True)
class Terms:
    """Under which terms a sheet is graded.

    Questions with an answer to type in are graded on the numbers of `seed`, functions on those and
    on each of `secrets`. `seconds` is the time for one cell or one part of a question, `total` that
    for all of a submission, `memory` what it may use, in megabytes.
    """

    content: Content
    seed: int = 0
    secrets: tuple[int, ...] = ()
    seconds: float = 5.0
    total: float = 60.0
    memory: int = 2048

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
    """What a submission's process left: its lines, and how it ended, '' if well."""

    lines: tuple[str, ...]
    ended: str


def run_one(path: Path, terms: Terms) -> Left:
    """Run one submission; several threads may do so at once."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        out = Path(folder, "outcomes.jsonl")
        job = {
            "path": str(path.resolve()),
            "out": str(out),
            "setup": _setup(terms),
            "seconds": terms.seconds,
            "memory": terms.memory * MEGABYTE,
            "questions": [_stripped(q) for q in terms.content.questions.values()],
            "seeds": [terms.seeds(q) for q in terms.content.questions.values()],
        }
        ended = _run(job, Path(folder, "work"), terms.total)
        try:
            return Left(tuple(out.read_text("utf-8").splitlines()), ended)
        except (OSError, UnicodeDecodeError):
            return Left((), ended)


def _setup(terms: Terms) -> str:
    sheet = f'Sheet("{terms.content.name}", seed={terms.seed}, keep=False)'
    return f"{terms.content.setup}\nfrom pe_lib.course.grading import Sheet\nsheet = {sheet}"


def _stripped(question: Question) -> dict[str, Any]:
    """What it takes to try an answer, without what would give it away."""
    kept = ("sheet", "name", "kind", "points", "tolerance", "draws", "setup", "starter",
            "given_code", "probe_code")  # fmt: skip
    return {name: getattr(question, name) for name in kept}


def _run(job: dict[str, Any], work: Path, total: float) -> str:
    """Start the process, wait, end all that it started; says how it ended, '' if well."""
    work.mkdir()
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    quiet |= {"HOME": str(work), "ORDER_MATTERS_HOME": str(work), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pe_lib.course.grading.running.submission"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=work,
        env=os.environ | quiet | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=os.name != "nt",
        text=True,
    )
    try:
        process.communicate(json.dumps(job), timeout=total)
    except subprocess.TimeoutExpired:
        return f"it ran for more than {total:g} seconds"
    except OSError:  # it ended before it had read its job
        process.wait()
    finally:
        _kill(process)
    if process.returncode < 0:
        return f"its process was ended by {signal.Signals(-process.returncode).name}"
    return f"its process ended with code {process.returncode}" if process.returncode else ""


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def judged(left: Left, terms: Terms) -> Grade:
    """The grade from the lines that the process left, as far as they go.

    For the main thread: what is right is computed here, under a time limit and with its output
    caught, and neither bears a second thread that does the same.
    """
    grade, complete = Grade(), False
    outcomes: dict[str, dict[int, Outcome]] = {}
    tried = grade.tried
    for line in left.lines:
        try:
            said = json.loads(line)
            if "problem" in said:
                grade.reason = str(said["problem"])
            elif "end" in said:
                complete = True
            else:
                question, seed = terms.content.questions[said["question"]], int(said["seed"])
                outcome = unpacked(question, said["got"])
                tried.setdefault(question.name, {})[seed] = judge(question, outcome, seed)
                outcomes.setdefault(question.name, {})[seed] = outcome
        except (ValueError, TypeError, KeyError):
            grade.reason = "its results can't be read"
    for name, question in terms.content.questions.items():
        got = outcomes.get(name, {})
        if set(terms.seeds(question)) <= set(got):
            grade.results[name] = judge_all(question, {s: got[s] for s in terms.seeds(question)})
    if not complete and not (grade.reason and not left.ended and not tried):
        grade.reason = left.ended or "its process ended before its time"
    return grade
