"""Everybody's own numbers: a seed from who they are and a key that stays with the teacher."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from classroom.marks.roster import Roster, Student, students
from classroom.running.terms import Terms

SHORTEST = 16


def key(path: Path, new: bool = False) -> bytes:
    """The key in the file; a `new` one is made, for its owner's eyes only, if it isn't there.

    Raises ValueError if it is too short to be one.
    """
    if new and not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32) + "\n", "ascii")
    held = path.read_bytes().strip()
    if len(held) < SHORTEST:
        raise ValueError(f"{path} holds {len(held)} bytes; a key has at least {SHORTEST}")
    return held


def seed(key: bytes, sheet: str, who: str) -> int:
    """The seed of a student's numbers, which nobody can tell who hasn't the key.

    >>> seed(b"a key of the teacher", "02", "ada") == seed(b"a key of the teacher", "02", "ada")
    True
    """
    digest = hmac.new(key, f"{sheet}\0{who}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:4]) >> 1


def called(person: Student) -> str:
    """What a student is called in the notebook and in its file's name: the id, else the name."""
    return person.id or person.name


def of_exam(terms: Terms, roster: Roster, key: bytes, paths: Iterable[str]) -> Terms:
    """The terms for the notebooks at these paths, whose students the roster tells.

    Functions are tried on two secret seeds, which come from the key and are the same for all.
    """
    sheet = terms.content.name
    drawn = {p.line: seed(key, sheet, called(p)) for p in roster.people}
    return replace(
        terms,
        secrets=(*terms.secrets, *(seed(key, sheet, f"\0secret {n}") for n in range(2))),
        own={p: drawn[s.line] for s in students(paths, roster) if s.line in drawn for p in s.files},
        people={called(p): drawn[p.line] for p in roster.people},
    )
