"""Grading a folder of submissions; what is known already is kept in a file beside the table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TextIO

from pe_lib.course.grading.running.grader import Grade, Left, Terms, judged, run_one
from pe_lib.course.grading.running.likeness import alike
from pe_lib.course.grading.sheet import Content


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


def grade_folder(
    folder: Path, kept: Path, terms: Terms, jobs: int, said: TextIO
) -> dict[str, Grade]:
    """The grade of every notebook in the folder, by its path in it, in order.

    What a submission left is written to the journal `kept` as soon as it is known, so that a run
    that was stopped can go on; what is there already, and fits, is not run again.
    """
    names = [str(path.relative_to(folder)) for path in submissions(folder)]
    marks = {name: digest(folder / name, terms.of(name)) for name in names}
    journal = dict(_read(kept))
    todo = {name: mark for name, mark in marks.items() if mark not in journal}
    if len(todo) < len(marks):
        print(f"{len(marks) - len(todo)} of {len(marks)} are graded already.", file=said)
    pool = ThreadPoolExecutor(jobs)
    try:
        running = {pool.submit(run_one, folder / name, terms.of(name)): name for name in todo}
        with kept.open("a", encoding="utf-8") as file:
            for count, future in enumerate(as_completed(running), start=1):
                mark, left = todo[running[future]], future.result()
                journal[mark] = left
                file.write("\n" + json.dumps([mark, left.lines, left.ended]))
                file.flush()
                _bar(count, len(todo), said)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    grades = {name: judged(journal[mark], terms.of(name)) for name, mark in marks.items()}
    flag(grades, terms.content)
    return grades


def flag(grades: dict[str, Grade], content: Content) -> None:
    """Put into each grade what its code touches, and whose of the class it equals."""
    shown = {name: grade.shown for name, grade in grades.items() if grade.shown}
    same = alike({name: said.forms for name, said in shown.items()}, content)
    for name, said in shown.items():
        grades[name].flags = (*grades[name].flags, *said.touched, *same.get(name, ()))


def _read(kept: Path) -> Iterator[tuple[str, Left]]:
    """What the journal holds; a torn line is passed over."""
    if not kept.exists():
        return
    for line in kept.read_text("utf-8").splitlines():
        try:
            mark, lines, ended = json.loads(line)
            yield mark, Left(tuple(lines), ended)
        except ValueError:
            continue


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        filled = 30 * count // total
        end = "\n" if count == total else ""
        print(
            f"\r{'█' * filled}{'░' * (30 - filled)} {count}/{total}", end=end, file=said, flush=True
        )
