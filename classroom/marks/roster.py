"""A list of a class: Moodle's grading worksheet, Canvas' gradebook, or any CSV with names.

Moodle and Canvas are known by their columns: Identifier, Full name and Grade (a worksheet that is
downloaded from an assignment), or Student, ID and Section (an exported gradebook). Sources:
moodle/moodle, mod/assign/feedback/offline and mod/assign/gradingtable.php; instructure/canvas-lms,
lib/gradebook_exporter.rb and lib/gradebook_importer.rb.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

COLUMNS = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Person:
    """A line of a roster: `number` is the system's own, `keys` are spellings of ids and names."""

    name: str
    id: str
    line: int
    number: str = ""
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Roster:
    """A roster as it was read; `system` is 'Moodle', 'Canvas' or ''."""

    path: Path
    system: str
    header: list[str]
    lines: list[list[str]]
    delimiter: str
    people: list[Person]


def read(path: Path) -> Roster:
    """The roster in a CSV file, whose columns are separated by commas, semicolons or tabs.

    Raises ValueError if there is no column with names or ids.
    """
    text = _text(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    first = text.lstrip("\n").partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = [
        row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)
    ]
    if not rows:
        raise ValueError(f"{path} is empty; a line of column names and a line a student are wanted")
    header, lines = [name.strip() for name in rows[0]], rows[1:]
    width = len(header)
    lines = [(line + [""] * width)[:width] for line in lines]
    system = _system(set(header))
    if not system and _is_foreign(header, lines):
        raise ValueError(
            f"{path} looks like a worksheet of Moodle in another language than English; choose"
            " English in Moodle and download it again"
        )
    found = [_person(header, line, n, system) for n, line in enumerate(lines)]
    # a gradebook's lines on points and posting have no number; who stands there twice counts once
    people = {(p.name, p.id, p.number): p for p in found if p.number or system != "Canvas"}
    people.pop(("", "", ""), None)
    if not people:
        raise ValueError(
            f"{path} has no column of names or ids among {', '.join(header)}; name one of them"
            " 'Name', 'Email' or 'Student ID'"
        )
    return Roster(path, system, header, lines, delimiter, list(people.values()))


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


def _text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _system(names: set[str]) -> str:
    if {"Identifier", "Grade"} <= names:
        return "Moodle"
    if {"ID", "Section"} <= names and names & {"Student", "LastName"}:
        return "Canvas"
    return ""


def _is_foreign(header: list[str], lines: list[list[str]]) -> bool:
    """Whether the first cells are 'Teilnehmer/in123' and so on: one word, and numbers."""
    found = [re.fullmatch(r"(\D{5,})\d+", line[0]) for line in lines]
    words = {match[1] if match else "" for match in found}
    return len(header) > 5 and len(words) == 1 and "" not in words


def _person(header: list[str], line: list[str], number: int, system: str) -> Person:
    cells = {name.casefold(): cell.strip() for name, cell in zip(header, line, strict=True)}

    def found(kind: str) -> list[str]:
        return [cells[name] for name in COLUMNS[kind] if cells.get(name)]

    ids, names = found("ids"), found("names")
    if not names and (parts := found("first")[:1] + found("last")[:1]):
        names = [" ".join(parts)]
    own = {"Moodle": "identifier", "Canvas": "id"}.get(system)
    digits = re.search(r"\d+$", cells.get(own, "")) if own else None
    if own:  # 'Participant 12' says nothing outside of Moodle
        ids = [x for x in ids if x != cells.get(own)] or [digits[0] if digits else ""]
    keys = {folded(x) for x in ids} | {folded(x.partition("@")[0]) for x in ids if "@" in x}
    if system == "Moodle":
        keys.add(folded(cells["identifier"]))
    elif system == "Canvas":
        keys.discard(cells["id"])
    for name in names:
        keys |= spellings(name)
    return Person(
        name=next(filter(None, [*names, cells.get(own or "", ""), *ids]), ""),
        id=ids[0] if ids else "",
        line=number,
        number=digits[0] if digits else "",
        keys=frozenset(keys - {""}),
    )
