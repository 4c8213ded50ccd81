"""Write a class's results as a table, and as pages in a folder next to the table."""

from __future__ import annotations

import re
from pathlib import Path

from classroom.marks import lms, pages, table
from classroom.marks.roster import Roster, match_students
from classroom.running.terms import Grade, Terms

LONGEST_NAME = 80  # longer file names are cut to this many characters


def check(out: Path, terms: Terms, roster: Roster | None, title: str) -> None:
    """Raise ValueError, before grading begins, if its results could not be written at the end."""
    if out.suffix.lower() != ".csv":
        raise ValueError(f"the table's name must end in .csv, got {out.name}")
    table.refuse_other_table(out, terms)
    if roster and lms.system(roster):
        lms.find_grade_column(roster, title)


def write(
    out: Path, grades: dict[str, Grade], terms: Terms, roster: Roster | None, title: str, site: str
) -> str:
    """Write a class's table of marks and a folder of pages next to it, and return a summary.

    The folder contains class.html and, in feedback/, a page for each student who handed in a
    notebook. With a roster from Moodle or Canvas it also contains the grades for that system.
    """
    content, folder = terms.content, out.with_suffix("")
    marks = table.mark_students(match_students(grades, roster), grades)
    table.write(out, marks, terms)
    _write_feedback(folder / "feedback", marks, terms, site)
    class_page = folder / "class.html"
    class_page.write_text(pages.class_page(content, marks, site), "utf-8")
    lines = [table.summary(marks, terms), f"Written: {out}, {class_page}"]
    if roster and (system := lms.system(roster)):
        path = folder / f"{system}.csv"
        lms.write(path, roster, marks, content.total, title)
        lines.append(f"For {system.title()}: {path}")
    return "\n".join(lines)


def _write_feedback(folder: Path, marks: list[table.Mark], terms: Terms, site: str) -> None:
    """Write a feedback page for each student who handed in a notebook.

    The pages of an earlier run are deleted first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # pages from an earlier run may have other names, so they are deleted and not just overwritten
    for page in folder.glob("*.html"):
        if pages.GENERATOR in page.read_text("utf-8", errors="replace"):
            page.unlink()
    for mark in marks:
        if mark.grade:
            name = re.sub(r"\W+", "-", mark.student.name).strip("-")[:LONGEST_NAME] or "student"
            # another student's page may already have this name
            while (path := folder / f"{name}.html").exists():
                name += "-"
            path.write_text(pages.student_page(mark, terms.content, site), "utf-8")
