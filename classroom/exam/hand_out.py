"""What a class gets for an exam: a notebook for everybody, and the library as a wheel.

Everybody has numbers of their own, by a seed from who they are and a key that stays with the
teacher.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from classroom.exam import wheel
from classroom.marks.roster import Roster, Student, students
from classroom.packages import put
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.notebooks import Notebook
from pe_lib.course.grading.sheet import Content

SHORTEST = 16  # bytes of a key
HOW = Path(__file__).with_name("how.md").read_text("utf-8").strip()


def write(content: Content, roster: Roster, key: bytes, out: Path) -> str:
    """Write the folder `out`; says what is in it.

    Raises FileExistsError if a file is there already, ValueError if it wouldn't tell whose it is.
    """
    files = {file_name(content, person): person for person in roster.people}
    for person in students(files, roster):
        name = file_name(content, person)
        if person.files != (name,):
            raise ValueError(
                f"a file {name!r} doesn't tell that it is {person.name}'s; give them an id of"
                " three letters or digits at least, that nobody else has"
            )
    for name, person in files.items():
        who = called(person)
        made = notebook(content, seed(key, content.name, who), who)
        put(out / "notebooks" / name, notebooks.format_notebook(made).encode())
    library, data = wheel.wheel(content)
    put(out / library, data)
    return f"Written: {len(files)} notebooks in {out / 'notebooks'}, {out / library}"


def file_name(content: Content, person: Student) -> str:
    """The file of a student's notebook, with the name in it by which `grade` finds them."""
    who = re.sub(r"[^\w@.+-]+", "-", called(person)).strip("-.")
    return f"{content.name}_{who}.ipynb"


def notebook(content: Content, seed: int, who: str) -> Notebook:
    """The notebook of one student: the numbers stand in it, and neither seed nor hints."""
    made = notebooks.make_student(content, seed)
    made["cells"].pop()  # the progress
    intro, setup, *_ = made["cells"]
    intro["source"] = f"# {content.title}: exam\n\n{content.intro}\n\n{HOW}"
    imports, _, _ = setup["source"].rpartition("\nsheet = ")
    whose = f"student = {json.dumps(who, ensure_ascii=False)}"
    setup["source"] = f'{imports}\n{whose}\nsheet = Sheet("{content.name}")'
    for cell in made["cells"]:
        if asked := re.match(r'given = sheet.given\("(\w+)"\).*\n', cell["source"]):
            given = content.questions[asked[1]].given_numbers(seed)
            line = f"from types import SimpleNamespace as namespace\n\ngiven = {given!r}\n"
            cell["source"] = line + cell["source"][asked.end() :]
    del made["metadata"]["order_matters"]
    return made


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
