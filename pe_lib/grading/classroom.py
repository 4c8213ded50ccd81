"""Grading a folder of submissions: each in a process of its own, one row of a table for each."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from pe_lib.grading.check import Result, judge
from pe_lib.grading.outcome import unpacked
from pe_lib.grading.sheet import Content, Question

MEGABYTE = 2**20
Row = dict[str, str]


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

    def columns(self) -> list[str]:
        head = ["submission", "points", "of", "reason", "mistakes"]
        return [*head, *self.content.questions, "digest"]


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


def submissions(folder: Path) -> list[Path]:
    """Every notebook in the folder and below, but no links and no checkpoints."""
    return sorted(
        path
        for path in folder.rglob("*.ipynb")
        if path.is_file() and not path.is_symlink() and ".ipynb_checkpoints" not in path.parts
    )


def grade_one(path: Path, terms: Terms) -> Grade:
    """Run and grade one submission. Never raises for what the submission does."""
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
        return _read(out, terms, ended)


def _setup(terms: Terms) -> str:
    sheet = f'Sheet("{terms.content.name}", seed={terms.seed}, keep=False)'
    return f"{terms.content.setup}\nfrom pe_lib.grading import Sheet\nsheet = {sheet}"


def _stripped(question: Question) -> dict[str, Any]:
    """What it takes to try an answer, without what would give it away."""
    kept = ("sheet", "name", "kind", "points", "tolerance", "setup", "starter", "given_code",
            "probe_code")  # fmt: skip
    return {name: getattr(question, name) for name in kept}


def _run(job: dict[str, Any], work: Path, total: float) -> str:
    """Start the process, wait, end all that it started; says how it ended, '' if well."""
    work.mkdir()
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    quiet |= {"HOME": str(work), "ORDER_MATTERS_HOME": str(work), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pe_lib.grading.submission"],
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


def _read(out: Path, terms: Terms, ended: str) -> Grade:
    """The grade from the lines that the process left, as far as they go."""
    grade, complete = Grade(), False
    try:
        lines = out.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    tried = grade.tried
    for line in lines:
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
    if not complete and not (grade.reason and not ended and not tried):
        grade.reason = ended or "its process ended before its time"
    return grade


def _worst(results: list[Result]) -> Result:
    """The result that leaves what is right on all numbers."""
    good = set(results[0].good).intersection(*(result.good for result in results))
    worst = min(results, key=lambda result: result.score)
    if set(worst.good) == good:
        return worst
    hint = "Right on some numbers, and not on others."
    return Result(worst.question, "partly" if good else "wrong", hint, good=tuple(sorted(good)))


def digest(path: Path, terms: Terms) -> str:
    """Of all that a grade depends on."""
    told = repr([terms.seed, terms.secrets, [vars(q) for q in terms.content.questions.values()]])
    return hashlib.blake2b(path.read_bytes() + told.encode(), digest_size=8).hexdigest()


def row(name: str, grade: Grade, terms: Terms, mark: str) -> Row:
    mistakes = [f"{q}: {r.mistake}" for q, r in grade.results.items() if r.mistake]
    scores = {
        q: f"{grade.results[q].score:g}" if q in grade.results else "0"
        for q in terms.content.questions
    }
    return {
        "submission": safe(name),
        "points": f"{grade.score:g}",
        "of": f"{terms.content.total:g}",
        "reason": grade.reason,
        "mistakes": "; ".join(mistakes),
        "digest": mark,
    } | scores


def safe(name: str) -> str:
    """A file's name that no spreadsheet takes for a formula.

    >>> safe("=1+1.ipynb")
    "'=1+1.ipynb"
    """
    return f"'{name}" if name[:1] in "=+-@" else name


def grade_folder(folder: Path, out: Path, terms: Terms, jobs: int, said: TextIO) -> list[Row]:
    """Grade every notebook in the folder; rows that `out` has already, and that fit, stay.

    Each row is written as soon as it is known, so that a run that was stopped can go on.
    """
    paths = submissions(folder)
    marks = {safe(str(p.relative_to(folder))): (p, digest(p, terms)) for p in paths}
    done = {
        r["submission"]: r
        for r in _rows(out, terms)
        if r["submission"] in marks and marks[r["submission"]][1] == r["digest"]
    }
    _write(out, terms, done.values())
    if done:
        print(f"{len(done)} of {len(marks)} are graded already.", file=said)
    todo = {name: mark for name, mark in marks.items() if name not in done}
    pool = ThreadPoolExecutor(jobs)
    try:
        running = {pool.submit(grade_one, path, terms): name for name, (path, _) in todo.items()}
        with out.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, terms.columns())
            for count, future in enumerate(as_completed(running), start=1):
                name = running[future]
                done[name] = row(name, future.result(), terms, todo[name][1])
                writer.writerow(done[name])
                file.flush()
                _bar(count, len(todo), said)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    rows = [done[name] for name in sorted(done)]
    _write(out, terms, rows)
    return rows


def _rows(out: Path, terms: Terms) -> Iterator[Row]:
    """The whole rows of a table that this made. Raises ValueError for another table."""
    if not out.exists():
        return
    with out.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != terms.columns():
            raise ValueError(f"{out} is another table; name one that isn't there yet")
        yield from (r for r in reader if None not in r and None not in r.values())


def _write(out: Path, terms: Terms, rows: Any) -> None:
    """The table with exactly these rows, in one step."""
    handle, temporary = tempfile.mkstemp(dir=out.parent, suffix=".part")
    with os.fdopen(handle, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, terms.columns())
        writer.writeheader()
        writer.writerows(rows)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(out)


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        filled = 30 * count // total
        end = "\n" if count == total else ""
        print(
            f"\r{'█' * filled}{'░' * (30 - filled)} {count}/{total}", end=end, file=said, flush=True
        )


def summary(rows: list[Row]) -> str:
    """How the class did, and which mistakes it makes, the most frequent first."""
    if not rows:
        return "There is no notebook in that folder."
    scores = sorted(float(r["points"]) for r in rows)
    lines = [
        f"{len(rows)} submissions, of {rows[0]['of']} points: lowest {scores[0]:g}, median"
        f" {scores[len(scores) // 2]:g}, highest {scores[-1]:g}"
    ]
    if failed := [r for r in rows if r["reason"]]:
        lines.append(f"{len(failed)} did not run to their end; the table says why.")
    counts = Counter(m for r in rows for m in r["mistakes"].split("; ") if m)
    lines += [f"{count:5} × {mistake}" for mistake, count in counts.most_common(10)]
    return "\n".join(lines)
