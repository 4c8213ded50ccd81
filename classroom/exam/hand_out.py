"""What a class gets for an exam: a notebook for everybody, and the library as a wheel."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from classroom.exam import seeds, wheel
from classroom.marks.roster import Person, Roster
from classroom.marks.students import students
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
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; name a folder that is new")
    (out / "notebooks").mkdir(parents=True)
    for name, person in files.items():
        who = seeds.called(person)
        made = notebook(content, seeds.seed(key, content.name, who), who)
        (out / "notebooks" / name).write_text(notebooks.written(made), "utf-8")
    (out / wheel.file_name()).write_bytes(wheel.wheel(content))
    return f"Written: {len(files)} notebooks in {out / 'notebooks'}, {out / wheel.file_name()}"


def file_names(content: Content, roster: Roster) -> dict[str, Person]:
    """Everybody by the name of their file. Raises ValueError for a file that `grade` can't tell."""
    people = seeds.people(roster)
    files = {file_name(content, person): person for person in people}
    found = {name: who.line for who in students(files, roster) for name in who.files}
    for person in people:
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
    start = f'student = {json.dumps(who, ensure_ascii=False)}\nsheet = Sheet("{content.name}")'
    imports = setup["source"].rpartition("\nsheet = ")[0].rstrip("\n")
    first, _, rest = imports.partition("\n\n")
    own = f"{first}\nfrom types import SimpleNamespace\n\n{rest}"
    setup["source"] = f"{own}\n\n{start}"
    answers = {
        f"{cell['id']}": cell
        for cell in made["cells"]
        if "answer" in cell["metadata"].get("tags", [])
    }
    for question, cell in zip(content.questions.values(), answers.values(), strict=True):
        given = f'given = sheet.given("{question.name}")'
        if cell["source"].startswith(given):
            rest = cell["source"].partition("\n")[2]
            cell["source"] = f"given = {literal(vars(question.given(seed)))}\n{rest}"
    made["metadata"] = {"kernelspec": notebooks.KERNEL, "language_info": {"name": "python"}}
    return made


def literal(given: dict[str, Any]) -> str:
    """Numbers as code that makes them."""
    return f"SimpleNamespace({', '.join(f'{name}={value!r}' for name, value in given.items())})"
