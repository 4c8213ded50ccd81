"""Grading a folder of submissions; what is known already is kept in a file beside the table."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TextIO

import numpy as np

import pe_lib
from pe_lib.course.grading.running.cluster import spread_out
from pe_lib.course.grading.running.grader import Grade, Left, Terms, content, judged
from pe_lib.course.grading.running.pool import spread


def submissions(folder: Path) -> dict[str, Path]:
    """Whatever is called a notebook in the folder and below, by its path in it, in order.

    So are folders that can't be looked into. Links are not followed, and checkpoints no submissions.
    """
    found: dict[str, Path] = {}
    folders = [folder]
    while folders:
        try:
            entries = list(os.scandir(folders[-1]))
        except OSError:
            found[_readable(folder, folders[-1])] = folders[-1]
            entries = []
        folders.pop()
        for entry in entries:
            inside = entry.is_dir(follow_symlinks=False)
            if inside and entry.name != ".ipynb_checkpoints":
                folders.append(Path(entry.path))
            if entry.name.endswith(".ipynb") and not (inside and _holds_some(entry.path)):
                found[_readable(folder, Path(entry.path))] = Path(entry.path)
    return dict(sorted(found.items()))


def _holds_some(path: str) -> bool:
    """Whether a folder that is called like a notebook holds anything."""
    try:
        return bool(os.listdir(path))
    except OSError:
        return False


def _readable(folder: Path, path: Path) -> str:
    """The path in the folder; bytes that are no text stand in it as \\xe9."""
    return os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")


def digest(text: bytes, terms: Terms) -> str:
    """Of all that an outcome depends on."""
    told = [terms.seed, terms.secrets, terms.seconds, terms.total, terms.memory]
    system = [terms.content.text, terms.jail, library(), platform.python_version(), np.__version__]
    return hashlib.blake2b(text + repr([told, system]).encode(), digest_size=16).hexdigest()


@cache
def library() -> str:
    """Of the code and the sheets of the installed library."""
    whole = hashlib.blake2b(digest_size=16)
    for root in pe_lib.__path__:
        for path in sorted(Path(root).rglob("*")):
            if path.suffix in (".py", ".md"):
                whole.update(path.read_bytes())
    return whole.hexdigest()


def grade_folder(
    folder: Path, kept: Path, terms: Terms, jobs: int, said: TextIO, cluster: str = ""
) -> dict[str, Grade]:
    """The grade of every notebook in the folder, by its path in it, in order.

    What a submission left is written to the journal `kept` as soon as it is known, so that a run
    that was stopped can go on; what is there already, and fits, is not run again. What time,
    memory or the machine stopped is not written, and tried again by the next run. Where the address
    of a cluster is given, its machines run them, and `jobs` says nothing.
    """
    journal, paths = dict(_read(kept)), submissions(folder)
    marks: dict[str, str] = {}
    lefts: dict[str, Left] = {}
    for name, path in paths.items():
        try:
            marks[name] = digest(content(path), terms)
            if marks[name] in journal:
                lefts[name] = journal[marks[name]]
        except ValueError as error:
            lefts[name] = Left((), str(error))
    todo = {paths[name]: name for name in paths if name not in lefts}
    if again := len(marks) - len(todo):
        print(f"{again} of {len(marks)} are graded already.", file=said)
    with kept.open("a", encoding="utf-8") as file:
        if cluster:
            running = spread_out(list(todo), terms, cluster, library())
        else:
            running = spread(list(todo), terms, jobs, (folder, kept.parent))
        for count, (path, left) in enumerate(running, start=1):
            lefts[todo[path]] = left
            if left.final:
                file.write("\n" + json.dumps([marks[todo[path]], left.lines, left.ended]))
                file.flush()
            _bar(count, len(todo), said)
    return {name: judged(lefts[name], terms) for name in paths}


def _read(kept: Path) -> Iterator[tuple[str, Left]]:
    """What the journal holds; a torn line is passed over."""
    if not kept.exists():
        return
    for line in kept.read_text("utf-8", "replace").splitlines():
        try:
            mark, lines, ended = json.loads(line)
            yield mark, Left(tuple(lines), ended)
        except (ValueError, TypeError):
            continue


def _bar(count: int, total: int, said: TextIO) -> None:
    if said.isatty():
        filled = 30 * count // total
        end = "\n" if count == total else ""
        print(
            f"\r{'█' * filled}{'░' * (30 - filled)} {count}/{total}", end=end, file=said, flush=True
        )
