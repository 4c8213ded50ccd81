"""Grading a folder of submissions."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path
from typing import TextIO

from classroom.running.grader import Left, judged
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


def grade_folder(folder: Path, terms: Terms, jobs: int, said: TextIO) -> dict[str, Grade]:
    """The grade of every notebook in the folder, by its path in it, in order."""
    paths = submissions(folder)
    lefts: dict[str, Left] = {}
    for name, path in paths.items():
        if what := INSTEAD.get(path.suffix.lower()):
            lefts[name] = Left(ended=f"it is not a notebook but {what}; the .ipynb file is wanted")
    todo = {name: path for name, path in paths.items() if name not in lefts}
    for count, (name, left) in enumerate(spread(todo, terms, jobs, (folder,)), start=1):
        lefts[name] = left
        _bar(count, len(todo), said)
    grades = {name: judged(lefts[name], terms.of(name)) for name in paths}
    for grade in grades.values():
        grade.flags += tuple(grade.shown.touched if grade.shown else ())
    return grades


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        filled = 30 * count // total
        end = "\n" if count == total else ""
        print(
            f"\r{'█' * filled}{'░' * (30 - filled)} {count}/{total}", end=end, file=said, flush=True
        )
