"""All that comes of a class's grades: the table, and a folder beside it."""

from __future__ import annotations

import re
from pathlib import Path

from classroom.marks import lms, pages, table
from classroom.marks.roster import Roster, students
from classroom.running.terms import Grade, Terms


def check(out: Path, terms: Terms, known: Roster | None, column: str) -> None:
    """Raise ValueError, before anything is graded, if no table or no grade could be written."""
    if out.suffix.lower() != ".csv":
        raise ValueError(f"the table's name must end in .csv, got {out.name}")
    table.refuse_another(out, terms)
    if known and lms.system(known):
        lms.place(known, column)


def write(
    out: Path, grades: dict[str, Grade], terms: Terms, known: Roster | None, column: str, site: str
) -> str:
    """Write the table `out`, and beside it a folder of its name; says how the class did.

    In the folder: class.html, feedback/ with a page for each who handed in, and with a roster of
    Moodle's or Canvas' the file that it reads grades from.
    """
    content, folder = terms.content, out.with_suffix("")
    marks = table.marks(students(grades, known), grades)
    table.write(out, marks, terms)
    feedback = folder / "feedback"
    feedback.mkdir(parents=True, exist_ok=True)
    for old in feedback.glob("*.html"):  # of an earlier run, perhaps under another name
        if pages.OURS in old.read_text("utf-8", errors="replace"):
            old.unlink()
    for mark in marks:
        if mark.grade:
            name = re.sub(r"\W+", "-", mark.student.name).strip("-")[:80] or "student"
            while (path := feedback / f"{name}.html").exists():  # of another with this name
                name += "-"
            path.write_text(pages.student(mark, content, site), "utf-8")
    (folder / "class.html").write_text(pages.of_class(content, marks, site), "utf-8")
    said = [table.summary(marks, terms), f"Written: {out}, {folder / 'class.html'}"]
    if known and (system := lms.system(known)):
        lms.write(folder / f"{system}.csv", known, marks, content.total, column)
        said.append(f"For {system.title()}: {folder / f'{system}.csv'}")
    return "\n".join(said)
