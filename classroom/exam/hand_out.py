"""Write the files for an exam: a notebook for each student, a list of them, and a library wheel.

Each student gets different numbers. The seed of the numbers is computed from the student's id and
from a key that stays with the teacher.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from classroom.exam import wheel
from classroom.marks.roster import Roster, Student, match_students
from classroom.marks.table import escape_formulas
from classroom.packages import write_new
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.notebooks import Notebook
from pe_lib.course.grading.sheet import Content

SHORTEST_KEY = 16  # the smallest number of bytes in a teacher's secret key
# Each student's functions are tested on the numbers of the same secret seeds. This is the number of
# these seeds.
SECRET_SEEDS = 2
HAND_OUT = "hand-out.csv"  # the name of the file that says which notebook is for which student
INSTRUCTIONS = Path(__file__).with_name("instructions.md").read_text("utf-8").strip()


def write(content: Content, roster: Roster, key: bytes, out: Path) -> str:
    """Write the files for an exam into the folder `out`, and return a message about them.

    Raise FileExistsError if a file already exists, and ValueError if the file name of a notebook
    would not identify its student.
    """
    people = {file_name(content, person): person for person in roster.people}
    for person in match_students(people, roster):
        name = file_name(content, person)
        if person.files != (name,):
            raise ValueError(
                f"the file name {name!r} would not tell that it is {person.name}'s; give them an"
                " id of at least three letters or digits that nobody else has"
            )
    for name, person in people.items():
        notebook = make_notebook(content, student_seed(key, content.name, label(person)), person)
        write_new(out / "notebooks" / name, notebooks.format_notebook(notebook).encode())
    write_new(out / HAND_OUT, list_notebooks(people).encode("utf-8"))
    library, data = wheel.make_wheel(content)
    write_new(out / library, data)
    files = f"{len(people)} notebooks in {out / 'notebooks'}, {out / HAND_OUT}, {out / library}"
    return f"Written: {files}"


def list_notebooks(people: dict[str, Student]) -> str:
    """Return a CSV table of students and their notebooks, for use in a mail merge."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(["student", "id", "file"])
    table.writerows(
        [escape_formulas(person.name), escape_formulas(person.id), f"notebooks/{name}"]
        for name, person in people.items()
    )
    return text.getvalue()


def file_name(content: Content, person: Student) -> str:
    """Return the file name of a student's notebook, which tells the grader whose notebook it is."""
    name = re.sub(r"[^\w@.+-]+", "-", label(person)).strip("-.")
    return f"{content.name}_{name}.ipynb"


def make_notebook(content: Content, seed: int, person: Student) -> Notebook:
    """Return a student's notebook, which has the student's numbers but no seed and no hints."""
    notebook = notebooks.make_student(content, seed)
    notebook["cells"].pop()  # remove the cell that shows the learner's progress
    intro, setup, *_ = notebook["cells"]
    intro["source"] = f"# {content.title}: exam\n\n{content.intro}\n\n{INSTRUCTIONS}"
    imports, _, _ = setup["source"].rpartition("\nsheet = ")
    student = f"student = {json.dumps(label(person), ensure_ascii=False)}"
    setup["source"] = f'{imports}\n{student}\nsheet = Sheet("{content.name}")'
    for cell in notebook["cells"]:
        if match := re.match(r'given = sheet.given\("(\w+)"\).*\n', cell["source"]):
            numbers = content.questions[match[1]].given_numbers(seed)
            line = f"from types import SimpleNamespace as namespace\n\ngiven = {numbers!r}\n"
            cell["source"] = line + cell["source"][match.end() :]
    del notebook["metadata"]["order_matters"]
    return notebook


def read_key(path: Path, create: bool = False) -> bytes:
    """Read the secret key of the teacher from a file.

    If `create` is true and the file does not exist, create a file with a random key.

    Only the owner may read a file that is created here. Raise ValueError if the key is too short.
    """
    if create and not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32) + "\n", "ascii")
    key = path.read_bytes().strip()
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"{path} has {len(key)} bytes; a key has at least {SHORTEST_KEY}")
    return key


def student_seed(key: bytes, sheet: str, student: str) -> int:
    """Return the seed for a student's numbers, which cannot be computed without the key.

    >>> key = b"a key of the teacher"
    >>> student_seed(key, "02", "ada") == student_seed(key, "02", "ada")
    True
    """
    digest = hmac.new(key, f"{sheet}\0{student}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:4]) >> 1


def label(person: Student) -> str:
    """Return a student's id, or the student's name if there is no id."""
    return person.id or person.name


def exam_terms(terms: Terms, roster: Roster, key: bytes, paths: Iterable[str]) -> Terms:
    """Return the settings for grading an exam, in which each notebook has its student's numbers.

    The roster shows which student a notebook belongs to. Functions are tried on secret seeds, which
    are computed from the key and are the same for all students.
    """
    sheet = terms.content.name
    line_seeds = {p.line: student_seed(key, sheet, label(p)) for p in roster.people}
    path_seeds = {
        path: line_seeds[student.line]
        for student in match_students(paths, roster)
        if student.line in line_seeds
        for path in student.files
    }
    more = (student_seed(key, sheet, f"\0secret {n}") for n in range(SECRET_SEEDS))
    return replace(
        terms,
        secrets=(*terms.secrets, *more),
        path_seeds=path_seeds,
        student_seeds={label(p): line_seeds[p.line] for p in roster.people},
    )
