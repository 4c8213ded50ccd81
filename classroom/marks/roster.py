"""Read the roster of a class, and find the student to whom each notebook belongs.

A roster is any CSV file with names or ids, such as Moodle's grading worksheet or Canvas's
gradebook. Moodle's "Download all submissions" names a student's folder
NAME_NUMBER_assignsubmission_file (mod/assign/classes/downloader.php). Canvas names each file
NAME_NUMBER_NUMBER_FILE (lib/content_zipper.rb), and the first number belongs to the student.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

HEADINGS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("roster_headings.toml").read_text("utf-8")
)
# the longest run of words in a file name that is compared with students' names
MOST_WORDS = 6
MOODLE_FOLDER = re.compile(r"(.+?)_(\d+)_assignsubmission_.*")


@dataclass(frozen=True)
class Student:
    """A student of a class, with the notebooks that the student has handed in.

    `keys` contains spellings of the student's ids and names. `doubt` says why a student was not
    found on the roster.
    """

    name: str
    id: str = ""
    line: int | None = None
    keys: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    doubt: str = ""


@dataclass(frozen=True)
class Roster:
    """The columns, lines and students in a roster file."""

    header: list[str]
    lines: list[list[str]]
    delimiter: str
    people: list[Student]


def read_roster(path: Path) -> Roster:
    """Read a roster from a CSV file with commas, semicolons or tabs between cells.

    Raise ValueError if no column contains names or ids.
    """
    text = decode_text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    if not rows:
        raise ValueError(
            f"{path} is empty; a roster has a line of column names, and a line for each student"
        )
    header = [name.strip() for name in rows[0]]
    lines = [(line + [""] * len(header))[: len(header)] for line in rows[1:]]
    students = [_read_student(header, line, number) for number, line in enumerate(lines)]
    # if the roster lists a student twice, only one entry is kept
    people = {(s.name, s.id, s.keys): s for s in students if s.keys}
    if not people:
        raise ValueError(
            f"{path} has no column of names or ids among {', '.join(header)}; name one of them"
            " 'Name', 'Email' or 'Student ID'"
        )
    return Roster(header, lines, delimiter, list(people.values()))


def decode_text(data: bytes) -> str:
    """Decode a table that a spreadsheet program saved as UTF-16, UTF-8 or Windows-1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _read_student(header: list[str], line: list[str], number: int) -> Student:
    """Read a student from one line of the roster.

    If the line describes no student, the student that is returned has no keys.
    """
    cells = {name.casefold(): cell.strip() for name, cell in zip(header, line, strict=True)}
    ids, names, first_names, last_names = (
        [cells[heading] for heading in HEADINGS[kind] if cells.get(heading)]
        for kind in ("ids", "names", "first_names", "last_names")
    )
    if not names and (first_names or last_names):
        names = [" ".join(first_names[:1] + last_names[:1])]
    is_gradebook = "section" in cells
    system_ids = {cells.get("identifier", "")} | ({cells.get("id", "")} if is_gradebook else set())
    # some lines in a Canvas gradebook describe points or posting instead of a student
    if is_gradebook and not system_ids - {""}:
        ids = names = []
    name_keys = {spelling for name in names for spelling in spellings(name)}
    # Moodle and Canvas number their students. Such a number identifies a student only together with
    # the student's name.
    numbers = {match[0] for text in system_ids if (match := re.search(r"\d+$", text))}
    keys = name_keys | {name + number for name in name_keys for number in numbers}
    for text in ids:
        if not text.isdigit() or text not in system_ids:
            keys |= {fold(text), fold(text.partition("@")[0])}
    own_ids = [text for text in ids if text not in system_ids] or sorted(numbers)
    name = next(iter([*names, *ids]), "")
    return Student(name, own_ids[0] if own_ids else "", number, frozenset(keys - {""}))


def fold(text: str) -> str:
    """Return only the letters and digits of a text, in lower case and without accents.

    >>> fold("Zoë O'Neill-Ångström")
    'zoeoneillangstrom'
    """
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isalnum())


def spellings(name: str) -> set[str]:
    """Return all spellings under which a name is recognised, each beginning with another word.

    >>> sorted(spellings("Lovelace, Ada"))
    ['adalovelace', 'lovelaceada']
    """
    words = re.findall(r"[^\s,]+", name)
    return {fold("".join(words[n:] + words[:n])) for n in range(len(words))} - {""}


def match_students(files: Iterable[str], roster: Roster | None = None) -> list[Student]:
    """Return all students on the roster, each with the student's notebooks.

    For each notebook that belongs to no student on the roster, another student is added.

    A student who is not on the roster is named after the folder of their notebook, if it contains
    no other notebook. Otherwise the student is named after the path of the notebook.
    """
    paths, others = list(files), list[Student]()
    theirs: dict[Student, tuple[str, ...]] = dict.fromkeys(roster.people if roster else (), ())
    folder_sizes = Counter(PurePath(path).parts[0] for path in paths)
    for path in paths:
        owners = _find_owners(path, list(theirs))
        if len(owners) == 1:
            theirs[owners[0]] += (path,)
            continue
        top = PurePath(path).parts[0]
        is_alone = top != path and folder_sizes[top] == 1
        name = MOODLE_FOLDER.sub(r"\1", top) if is_alone else f"{PurePath(path).with_suffix('')}"
        doubt = "not on the roster" if roster else ""
        if owners:
            doubt = f"fits both {' and '.join(person.name for person in owners[:2])}"
        others.append(Student(name, files=(path,), doubt=doubt))
    return [*(replace(person, files=own) for person, own in theirs.items()), *others]


def _find_owners(path: str, people: list[Student]) -> list[Student]:
    """Return all students who may have handed in the notebook at this path.

    The owner is found in the outermost part of the path that contains an id or a name. If this part
    contains several, the longest id or name counts.
    """
    parts = PurePath(path).parts
    for part in [*filter(MOODLE_FOLDER.fullmatch, parts)] or [*parts[:-1], PurePath(path).stem]:
        names = _names_in(part)
        lengths = {
            person: max(map(len, person.keys & names)) for person in people if person.keys & names
        }
        if lengths:
            longest = max(lengths.values())
            return [person for person, length in lengths.items() if length == longest]
    return []


def _names_in(text: str) -> set[str]:
    """Return all runs of words in a text that may be a name or an id, as `fold` writes them.

    Names of one or two Latin letters are left out.
    """
    words = [fold(word) for word in re.findall(r"[^\W_]+", text)]
    lengths = range(1, MOST_WORDS + 1)
    runs = {"".join(words[start : start + n]) for start in range(len(words)) for n in lengths}
    return {run for run in runs if len(run) > 2 or not run.isascii()} | {fold(text)}
