"""Grading a folder of submissions; what is known already is kept in a file beside the table."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from classroom.running.edition import library
from classroom.running.grader import Left, handed_in, judged
from classroom.running.pool import spread
from classroom.running.terms import Grade, Terms

# What students hand in for the notebook, and what is said of it
INSTEAD = {".zip": "a ZIP archive", ".7z": "an archive", ".rar": "an archive", ".gz": "an archive",
           ".py": "a program", ".pdf": "a PDF", ".docx": "a text"}  # fmt: skip


def submissions(folder: Path) -> dict[str, Path]:
    """Whatever is called a notebook in the folder and below, by its path in it, in order.

    So is what may have been handed in for one: below the folder, where no notebook is beside it; in
    the folder itself, where none has its name. And so are folders that can't be looked into. Links
    are not followed; checkpoints are passed over.
    """
    found: dict[str, Path] = {}
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            entries = list(os.scandir(here))  # which, unlike a Path, takes any length
        except OSError:
            found[_readable(folder, here, found)] = here
            continue
        beside = {Path(e.path).stem for e in entries if e.name.lower().endswith(".ipynb")}
        for entry in entries:
            path, inside = Path(entry.path), entry.is_dir(follow_symlinks=False)
            if inside and path.name != ".ipynb_checkpoints":
                folders.append(path)
            named_so = path.name.lower().endswith(".ipynb")
            if path.suffix.lower() in INSTEAD and entry.is_file(follow_symlinks=False):
                named_so = path.stem not in beside if here == folder else not beside
            if named_so and not (inside and _holds_some(path)):
                found[_readable(folder, path, found)] = path
    return dict(sorted(found.items()))


def _holds_some(folder: Path) -> bool:
    """Whether a folder that is called like a notebook holds anything."""
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def _readable(folder: Path, path: Path, taken: Container[str]) -> str:
    """The path in the folder; bytes that are no text stand in it as \\xe9.

    Where another file is called so already, an apostrophe tells them apart.
    """
    name = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
    while name in taken:
        name += "'"
    return name


def digest(text: bytes, terms: Terms) -> str:
    """Of all that an outcome depends on."""
    told = [terms.content.text, terms.seed, terms.secrets]
    limits = [float(terms.seconds), float(terms.total), terms.memory, terms.jail]
    system = [library(), platform.python_version(), np.__version__]
    words = repr([told, limits, system]).encode()
    return hashlib.blake2b(text + words, digest_size=16).hexdigest()


def grade_folder(
    folder: Path, kept: Path, terms: Terms, jobs: int, said: TextIO
) -> dict[str, Grade]:
    """The grade of every notebook in the folder, by its path in it, in order.

    What a submission left is written to the journal `kept` as soon as it is known, so that a run
    that was stopped can go on; what is there already, and fits, is not run again. What time,
    memory or the machine stopped is not written, and tried again by the next run.
    """
    journal, paths = dict(_read(kept)), submissions(folder)
    marks: dict[str, str] = {}
    lefts: dict[str, Left] = {}
    for name, path in paths.items():
        if what := INSTEAD.get(path.suffix.lower()):
            lefts[name] = Left(ended=f"it is not a notebook but {what}; the .ipynb file is wanted")
            continue
        try:
            marks[name] = digest(handed_in(path), terms.of(name))
            if marks[name] in journal:
                lefts[name] = journal[marks[name]]
        except ValueError as error:
            lefts[name] = Left(ended=str(error))
    todo = {name: path for name, path in paths.items() if name not in lefts}
    if again := len(marks) - len(todo):
        print(f"{again} of {len(marks)} are graded already.", file=said)
    with kept.open("a", encoding="utf-8") as file:
        running = spread(todo, terms, jobs, (folder, kept.parent))
        for count, (name, left) in enumerate(running, start=1):
            lefts[name] = left
            if left.final:
                file.write("\n" + json.dumps([marks[name], left.said, left.ended]))
                file.flush()
            _bar(count, len(todo), said)
    grades = {name: judged(lefts[name], terms.of(name)) for name in paths}
    for grade in grades.values():
        grade.flags += tuple(grade.shown.touched if grade.shown else ())
    return grades


def _read(kept: Path) -> Iterator[tuple[str, Left]]:
    """What the journal holds; a torn line is passed over."""
    if not kept.exists():
        return
    for line in kept.read_text("utf-8", "replace").splitlines():
        try:
            mark, left, ended = json.loads(line)
            yield mark, Left(left, ended)
        except (ValueError, TypeError):
            continue


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        filled = 30 * count // total
        end = "\n" if count == total else ""
        print(
            f"\r{'█' * filled}{'░' * (30 - filled)} {count}/{total}", end=end, file=said, flush=True
        )
