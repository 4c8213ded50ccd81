"""Whose notebook is it? From the names of files and folders, and a roster where there is one.

Moodle's "Download all submissions" names a student's folder NAME_NUMBER_assignsubmission_file, or
puts that before the file's name (mod/assign/classes/downloader.php). Canvas names each file
NAME[_LATE]_NUMBER_NUMBER_FILE, where the first number is the student's; with anonymous grading
anon_CODE takes the place of name and number (lib/content_zipper.rb).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath

from classroom.marks.roster import Person, Roster, folded

MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_")
CANVAS = re.compile(r"((?=[\d_]*[^\W\d_])\w+?)(_LATE)?_([1-9]\d*)_[1-9]\d*_.")
ANONYMOUS = re.compile(r"anon(_LATE)?_(\w+?)_[1-9]\d*_.")
WORDS = 6  # of a file's name, at most, that together are a student's


@dataclass(frozen=True)
class Student:
    """Who, and the notebooks that came from them.

    `number` is what Moodle calls them by, `line` their line in the roster. Where there is a roster
    and they are on no line of it, `fits` names those whom they may be.
    """

    name: str
    id: str = ""
    files: tuple[str, ...] = ()
    fits: tuple[str, ...] | None = None
    number: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Named:
    """What a path says of a student: the system that named it, a name, a number."""

    system: str = ""
    name: str = ""
    number: str = ""
    late: bool = False


def named(path: str) -> Named:
    """What Moodle or Canvas wrote into a path.

    >>> named("Ada Lovelace_123_assignsubmission_file/02.ipynb")
    Named(system='Moodle', name='Ada Lovelace', number='123', late=False)
    >>> named("lovelaceada_LATE_45_678_02.ipynb")
    Named(system='Canvas', name='lovelaceada', number='45', late=True)
    """
    parts = PurePath(path).parts
    for part in parts:
        if match := MOODLE.match(part):
            return Named("Moodle", match[1], match[2])
    if match := ANONYMOUS.match(parts[-1]):
        return Named("Canvas", f"anon {match[2]}", match[2], bool(match[1]))
    if match := CANVAS.match(parts[-1]):
        return Named("Canvas", match[1], match[3], bool(match[2]))
    return Named()


def students(files: Iterable[str], roster: Roster | None = None) -> list[Student]:
    """Everybody on the roster, with their notebooks, then those who are on no roster.

    Two notebooks are one student's only if a number or the roster says so; otherwise each has a
    line of its own.
    """
    paths = list(files)
    plain = _plain_names(paths)
    by_person: dict[int, list[str]] = defaultdict(list)
    others: dict[tuple[str, str], Student] = {}
    for path in paths:
        found = _on_roster(path, roster) if roster else []
        if len(found) == 1:
            by_person[found[0].line].append(path)
            continue
        said = named(path)
        fits = tuple(person.name for person in found[:2]) if roster else None
        key = (said.system, said.number) if said.system else ("", path)
        number = said.number if said.system == "Moodle" else ""
        who = Student(said.name or plain[path], said.number, fits=fits, number=number)
        others.setdefault(key, who)
        others[key] = replace(others[key], files=(*others[key].files, path))
    on_list = []
    for p in roster.people if roster else []:
        number = p.number if roster and roster.system == "Moodle" else ""
        on_list.append(Student(p.name, p.id, tuple(by_person[p.line]), None, number, p.line))
    seen = Counter(who.name for who in others.values())
    return on_list + [
        replace(who, name=f"{who.name} {who.id}".strip()) if seen[who.name] > 1 else who
        for who in others.values()
    ]


def _on_roster(path: str, roster: Roster) -> list[Person]:
    """Whom the path may belong to: by number, else by the longest id or name in it."""
    said = named(path)
    own = said.number if said.system == roster.system else ""
    if people := [p for p in roster.people if own and p.number == own and _agrees(p, said)]:
        return people
    parts = PurePath(path).parts
    for part in [said.name] if said.name else [*parts[:-1], PurePath(path).stem]:
        runs = _runs(part)
        fits = {p.line: max(map(len, hit)) for p in roster.people if (hit := p.keys & runs)}
        if fits:
            longest = max(fits.values())
            return [p for p in roster.people if fits.get(p.line) == longest]
    return []


def _agrees(person: Person, said: Named) -> bool:
    """Whether the name goes with the number: before a team's folder Moodle puts the team's own."""
    words = _runs(f"{said.name} {said.number}")  # without names it is Participant_12
    return said.system != "Moodle" or bool(person.keys & words)


def _runs(text: str) -> set[str]:
    """The text as one word, and each row of words in it, folded; no one or two Latin letters."""
    words = [folded(word) for word in re.findall(r"[^\W_]+", text)]
    rows = {
        "".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + WORDS, len(words)) + 1)
    }
    return {row for row in rows if len(row) > 2 or not row.isascii()} | {folded(text)}


def _plain_names(paths: list[str]) -> dict[str, str]:
    """A name for each notebook: of the outermost folder that holds no other, else its own."""
    parts = {path: PurePath(path).parts for path in paths}
    held = Counter(p[:depth] for p in parts.values() for depth in range(1, len(p)))
    short, whole = {}, {}
    common = dict.fromkeys(paths, 0)
    if len(paths) > 1:
        common = {
            path: max((d for d in range(1, len(p)) if held[p[:d]] == len(paths)), default=0)
            for path, p in parts.items()
        }
    for path, p in parts.items():
        alone = next((p[:d] for d in range(1, len(p)) if held[p[:d]] == 1), None)
        own = alone or (*p[:-1], PurePath(path).stem)
        whole[path] = "/".join(own[common[path] :])
        short[path] = own[-1] if alone else whole[path]
    seen = Counter(short.values())
    return {path: short[path] if seen[short[path]] == 1 else whole[path] for path in paths}
