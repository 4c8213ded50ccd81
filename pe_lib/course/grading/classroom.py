"""Grading a folder of submissions into a table, one row each."""

from __future__ import annotations

import csv
import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TextIO

from pe_lib.course.grading.grader import Grade, Terms, judged, run_one

Row = dict[str, str]


def columns(terms: Terms) -> list[str]:
    head = ["submission", "points", "of", "reason", "mistakes"]
    return [*head, *terms.content.questions, "digest"]


def submissions(folder: Path) -> list[Path]:
    """Every notebook in the folder and below, but no links and no checkpoints."""
    return sorted(
        path
        for path in folder.rglob("*.ipynb")
        if path.is_file() and not path.is_symlink() and ".ipynb_checkpoints" not in path.parts
    )


def digest(path: Path, terms: Terms) -> str:
    """Of all that a grade depends on."""
    told = repr([terms.seed, terms.secrets, terms.content.text])
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
        running = {pool.submit(run_one, path, terms): name for name, (path, _) in todo.items()}
        with out.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns(terms))
            for count, future in enumerate(as_completed(running), start=1):
                name = running[future]
                grade = judged(future.result(), terms)
                done[name] = row(name, grade, terms, todo[name][1])
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
        if reader.fieldnames != columns(terms):
            raise ValueError(f"{out} is another table; name one that isn't there yet")
        yield from (r for r in reader if None not in r and None not in r.values())


def _write(out: Path, terms: Terms, rows: Iterable[Row]) -> None:
    """The table with exactly these rows, in one step."""
    handle, temporary = tempfile.mkstemp(dir=out.parent, suffix=".part")
    with os.fdopen(handle, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns(terms))
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
