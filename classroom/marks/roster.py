"""A list of a class, any CSV with names or ids, and whose notebook is whose.

Moodle's grading worksheet and Canvas' gradebook are such lists. Moodle's "Download all submissions"
names a student's folder NAME_NUMBER_assignsubmission_file (mod/assign/classes/downloader.php), and
Canvas each file NAME_NUMBER_NUMBER_FILE (lib/content_zipper.rb), where the first number is the
student's.
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

COLUMNS = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))
WORDS = 6  # of a file's name, at most, that together are a student's
MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission_.*")


@dataclass(frozen=True)
class Student:
    """Who, the notebooks that came from them, and the line of the roster that they are on.

    `keys` are spellings of ids and names. `doubt` says why they are on no line of a roster.
    """

    name: str
    id: str = ""
    line: int | None = None
    keys: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    doubt: str = ""


@dataclass(frozen=True)
class Roster:
    """A roster as it was read."""

    header: list[str]
    lines: list[list[str]]
    delimiter: str
    people: list[Student]


def read(path: Path) -> Roster:
    """The roster in a CSV file, whose columns are separated by commas, semicolons or tabs.

    Raises ValueError if there is no column with names or ids.
    """
    text = decode_text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    if not rows:
        raise ValueError(f"{path} is empty; a line of column names and a line a student are wanted")
    header = [name.strip() for name in rows[0]]
    lines = [(line + [""] * len(header))[: len(header)] for line in rows[1:]]
    found = [_person(header, line, n) for n, line in enumerate(lines)]
    # who stands there twice counts once
    people = {(p.name, p.id, p.keys): p for p in found if p.keys}
    if not people:
        raise ValueError(
            f"{path} has no column of names or ids among {', '.join(header)}; name one of them"
            " 'Name', 'Email' or 'Student ID'"
        )
    return Roster(header, lines, delimiter, list(people.values()))


def decode_text(data: bytes) -> str:
    """Return a table's text, in whichever encoding a spreadsheet wrote it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _person(header: list[str], line: list[str], number: int) -> Student:
    cells = {name.casefold(): cell.strip() for name, cell in zip(header, line, strict=True)}
    ids, names, first, last = (
        [cells[name] for name in COLUMNS[kind] if cells.get(name)]
        for kind in ("ids", "names", "first", "last")
    )
    if not names and (first or last):
        names = [" ".join(first[:1] + last[:1])]
    own = {cells.get("identifier", "")} | ({cells.get("id", "")} if "section" in cells else set())
    if "section" in cells and not own - {""}:  # a gradebook's lines on points and posting
        ids = names = []
    spelled = {word for name in names for word in spellings(name)}
    # a system's own number says who, but not without the name
    numbers = {match[0] for one in own if (match := re.search(r"\d+$", one))}
    keys = spelled | {name + n for name in spelled for n in numbers}
    keys |= {folded(x) for one in ids if not one.isdigit() or one not in own
             for x in (one, one.partition("@")[0])}  # fmt: skip
    told = [one for one in ids if one not in own] or sorted(numbers)
    name = next(iter([*names, *ids]), "")
    return Student(name, told[0] if told else "", number, frozenset(keys - {""}))


def folded(text: str) -> str:
    """Letters and digits only, without case and accents.

    >>> folded("Zoë O'Neill-Ångström")
    'zoeoneillangstrom'
    """
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isalnum())


def spellings(name: str) -> set[str]:
    """A name folded, whichever of its words comes first.

    >>> sorted(spellings("Lovelace, Ada"))
    ['adalovelace', 'lovelaceada']
    """
    words = re.findall(r"[^\s,]+", name)
    return {folded("".join(words[n:] + words[:n])) for n in range(len(words))} - {""}


def students(files: Iterable[str], roster: Roster | None = None) -> list[Student]:
    """Everybody on the roster, with their notebooks, then each notebook that is on no roster.

    That one is called by its folder, where no other is in it, else by its path.
    """
    paths, others = list(files), list[Student]()
    theirs: dict[Student, tuple[str, ...]] = dict.fromkeys(roster.people if roster else (), ())
    held = Counter(PurePath(path).parts[0] for path in paths)
    for path in paths:
        found = _fitting(path, list(theirs))
        if len(found) == 1:
            theirs[found[0]] += (path,)
            continue
        top = PurePath(path).parts[0]
        alone = top != path and held[top] == 1
        name = MOODLE.sub(r"\1", top) if alone else f"{PurePath(path).with_suffix('')}"
        both = f"fits both {' and '.join(person.name for person in found[:2])}"
        doubt = both if found else "not on the roster" if roster else ""
        others.append(Student(name, files=(path,), doubt=doubt))
    return [*(replace(person, files=own) for person, own in theirs.items()), *others]


def _fitting(path: str, people: list[Student]) -> list[Student]:
    """Whom the path may belong to: by the longest id or name in its outermost part with one."""
    parts = PurePath(path).parts
    for part in [*filter(MOODLE.fullmatch, parts)] or [*parts[:-1], PurePath(path).stem]:
        runs = _runs(part)
        fits = {person: max(map(len, hit)) for person in people if (hit := person.keys & runs)}
        if fits:
            return [person for person, length in fits.items() if length == max(fits.values())]
    return []


def _runs(text: str) -> set[str]:
    """The text as one word, and each row of words in it, folded; no one or two Latin letters."""
    words = [folded(word) for word in re.findall(r"[^\W_]+", text)]
    ends = range(1, WORDS + 1)
    rows = {"".join(words[start : start + n]) for start in range(len(words)) for n in ends}
    return {row for row in rows if len(row) > 2 or not row.isascii()} | {folded(text)}
