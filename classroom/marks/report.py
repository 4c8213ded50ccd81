"""All that comes of a class's grades: the table, and a folder beside it."""

from __future__ import annotations

import re
from pathlib import Path

from classroom.marks import lms, pages, roster, statistics, table
from classroom.marks.roster import Roster
from classroom.marks.students import students
from classroom.marks.table import Mark
from classroom.running.terms import Grade, Terms


def roster_for(path: Path | None, column: str) -> Roster | None:
    """The roster, if there is one. Raises ValueError if no grade can be put into it."""
    if path is None:
        return None
    read = roster.read(path)
    if read.system:
        lms.full_marks(read, lms.column(read, column))
    return read


def folder_of(out: Path) -> Path:
    """The folder beside the table. Raises ValueError for a table whose name doesn't end in .csv."""
    if out.suffix.lower() != ".csv":
        raise ValueError(f"the table's name must end in .csv, got {out.name}")
    return out.with_suffix("")


def write(
    out: Path, grades: dict[str, Grade], terms: Terms, known: Roster | None, column: str, site: str
) -> str:
    """Write the table `out`, and beside it a folder of its name; says how the class did.

    In the folder: class.html, feedback/ with a page for each student, and with a
    roster of Moodle's or Canvas' the file that it reads grades from.
    """
    content = terms.content
    marks = table.marks(students(grades, known), grades)
    seen = statistics.of_class(content, [mark.grade for mark in marks if mark.grade])
    table.write(out, marks, terms)
    folder = folder_of(out)
    (folder / "feedback").mkdir(parents=True, exist_ok=True)
    (folder / "class.html").write_text(pages.of_class(content, marks, seen, site), "utf-8")
    written = feedback(folder / "feedback", marks, terms, site)
    said = [table.summary(marks, terms, seen), f"Written: {out}, {folder / 'class.html'}"]
    if any(mark.student.number and mark.grade for mark in marks):
        lms.feedback(folder / "feedback-for-moodle.zip", marks, written)
    if known and known.system:
        path = folder / f"{known.system.lower()}.csv"
        lms.write(path, known, marks, content.total, lms.column(known, column))
        said.append(f"For {known.system}: {path}")
    return "\n".join(said)


def feedback(folder: Path, marks: list[Mark], terms: Terms, site: str) -> dict[str, Path]:
    """A page for each who handed in; where it is, by the notebook."""
    for old in folder.glob("*.html"):  # of an earlier run, perhaps under another name
        if pages.OURS in old.read_text("utf-8", errors="replace"):
            old.unlink()
    paths: dict[str, Path] = {}
    taken: set[str] = set()
    for mark in marks:
        if mark.grade:
            stem = re.sub(r"\W+", "-", mark.student.name).strip("-")[:80] or "student"
            name, n = stem, 2
            while name.casefold() in taken:
                name, n = f"{stem}-{n}", n + 1
            taken.add(name.casefold())
            paths[mark.file] = folder / f"{name}.html"
            paths[mark.file].write_text(pages.student(mark, terms.content, site), "utf-8")
    return paths
