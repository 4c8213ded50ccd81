"""What a class gets for an exam: a notebook for everybody, and the library as a wheel."""

from __future__ import annotations

import json
import re
from pathlib import Path

from classroom.exam import seeds, wheel
from classroom.marks.roster import Roster, Student, students
from classroom.packages import put
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

    Raises ValueError if a file is there already, or if its name would not tell whose it is.
    """
    files = {file_name(content, person): person for person in roster.people}
    found = {name: who.line for who in students(files, roster) for name in who.files}
    for person in roster.people:
        name = file_name(content, person)
        if found[name] != person.line:
            raise ValueError(
                f"a file {name!r} doesn't tell that it is {person.name}'s; give them an id of"
                " three letters or digits at least, that nobody else has"
            )
    for name, person in files.items():
        who = seeds.called(person)
        made = notebook(content, seeds.seed(key, content.name, who), who)
        put(out / "notebooks" / name, notebooks.written(made).encode())
    put(out / wheel.file_name(), wheel.wheel(content))
    return f"Written: {len(files)} notebooks in {out / 'notebooks'}, {out / wheel.file_name()}"


def file_name(content: Content, person: Student) -> str:
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
            given = content.questions[asked[1]].given(seed)
            line = f"from types import SimpleNamespace as namespace\n\ngiven = {given!r}\n"
            cell["source"] = line + cell["source"][asked.end() :]
    del made["metadata"]["order_matters"]
    return made
