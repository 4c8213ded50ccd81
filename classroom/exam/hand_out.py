"""What a class gets for an exam: a notebook for everybody, and the library as a wheel."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from classroom.exam import seeds, wheel
from classroom.marks.roster import Person, Roster
from classroom.marks.students import students
from classroom.packages import new_folder
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.notebooks import Notebook
from pe_lib.course.grading.sheet import Content

HOW = (
    "Put your answer in place of each `...` and run the cell. The check below it says whether an"
    " answer is there and has the right form, not whether it is right. The numbers are yours alone."
    " Leave the first cell as it is, and hand in this file under the name that it has."
)


def write(content: Content, roster: Roster, key: bytes, out: Path) -> str:
    """Write the folder `out`; says what is in it.

    Raises ValueError if it has something in it, or if a file's name would not tell whose it is.
    """
    files = file_names(content, roster)
    new_folder(out / "notebooks")
    for name, person in files.items():
        who = seeds.called(person)
        made = notebook(content, seeds.seed(key, content.name, who), who)
        (out / "notebooks" / name).write_text(notebooks.written(made), "utf-8")
    (out / wheel.file_name()).write_bytes(wheel.wheel(content))
    return f"Written: {len(files)} notebooks in {out / 'notebooks'}, {out / wheel.file_name()}"


def file_names(content: Content, roster: Roster) -> dict[str, Person]:
    """Everybody by the name of their file. Raises ValueError for a file that `grade` can't tell."""
    files = {file_name(content, person): person for person in seeds.people(roster)}
    found = {name: who.line for who in students(files, roster) for name in who.files}
    for person in roster.people:
        name = file_name(content, person)
        if found[name] != person.line:
            raise ValueError(
                f"a file {name!r} doesn't tell that it is {person.name}'s; give them an id of"
                " three letters or digits at least, that nobody else has"
            )
    return files


def file_name(content: Content, person: Person) -> str:
    """The file of a student's notebook, with the name in it by which `grade` finds them."""
    who = re.sub(r"[^\w@.+-]+", "-", seeds.called(person)).strip("-.")
    return f"{content.name}_{who}.ipynb"


def notebook(content: Content, seed: int, who: str) -> Notebook:
    """The notebook of one student: the numbers stand in it, and neither seed nor hints."""
    made = notebooks.student(content, seed)
    made["cells"].pop()  # the progress
    intro, setup, *_ = made["cells"]
    intro["source"] = f"# {content.title}: exam\n\n{content.intro}\n\n{HOW}"
    imports, _, _ = setup["source"].rpartition("\nsheet = ")
    whose = f"student = {json.dumps(who, ensure_ascii=False)}"
    setup["source"] = f'{imports}\n{whose}\nsheet = Sheet("{content.name}")'
    for cell in made["cells"]:
        if asked := re.match(r'given = sheet.given\("(\w+)"\).*\n', cell["source"]):
            given = literal(vars(content.questions[asked[1]].given(seed)))
            line = f"from types import SimpleNamespace\n\ngiven = {given}\n"
            cell["source"] = line + cell["source"][asked.end() :]
    del made["metadata"]["order_matters"]
    return made


def literal(given: dict[str, Any]) -> str:
    """Numbers as code that makes them."""
    return f"SimpleNamespace({', '.join(f'{name}={value!r}' for name, value in given.items())})"
