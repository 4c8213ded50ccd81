"""Write the file from which Moodle or Canvas reads grades: their own roster, with a column filled.

Moodle looks for Identifier, Grade, Last modified (grade) and the feedback's columns
(mod/assign/feedback/offline/importgradeslib.php). Canvas looks for a student's columns and those of
assignments, TITLE (NUMBER) (lib/gradebook_importer.rb). Of Canvas's assignments only the one that
was graded is written, so that no other can change.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from classroom.marks.roster import Roster
from classroom.marks.table import Mark, safe
from classroom.running.terms import Grade

FEEDBACK = "Feedback comments"
OUR_COMMENT = re.compile(r"[\d.]+ of [\d.]+ points\.")  # how a comment of an earlier run begins


def system(roster: Roster) -> str:
    """Return which system wrote the roster: 'moodle', 'canvas' or ''."""
    names = set(roster.header)
    return "moodle" if {"Identifier", "Grade"} <= names else "canvas" * ({"ID", "Section"} <= names)


def find_grade_column(roster: Roster, title: str = "") -> tuple[int, float]:
    """Return the number of the column for grades, and the points that are full marks in it.

    It is Moodle's Grade, or Canvas's assignment of this title. Raises ValueError if the file does
    not say which column it is, or how many points are full marks.
    """
    header = roster.header
    if system(roster) == "moodle":
        column, source = header.index("Grade"), "Maximum grade"
        cells = {line[header.index(source)] for line in roster.lines if source in header}
    else:
        assignments = [name for name in header if re.fullmatch(r".+ \(\d+\)", name)]
        same_title = [name for name in assignments if title in (name, name.rpartition(" (")[0])]
        matches = same_title if title else assignments
        if len(matches) != 1:
            raise ValueError(
                "name one of the gradebook's assignments with --column; there are:"
                f" {', '.join(assignments) or 'none'}"
            )
        column, source = header.index(matches[0]), "Points Possible"
        cells = {line[column] for line in roster.lines if source in line[0]}
    numbers = {text.strip().replace(",", ".") for text in cells}
    if len(numbers) == 1 and re.fullmatch(r"\d+(\.\d+)?", text := numbers.pop()) and float(text):
        return column, float(text)
    raise ValueError(
        f"the roster should have one number above 0 as {source}, and has {sorted(cells)}"
    )


def write(out: Path, roster: Roster, marks: list[Mark], total: float, title: str) -> None:
    """Write the roster with the grades, in proportion to the full marks of the system.

    The line of a student who handed nothing in stays as it is, and so does a comment of the
    teacher's own.
    """
    column, full_marks = find_grade_column(roster, title)
    header, kept_columns = roster.header, [*range(len(roster.header))]
    feedback = header.index(FEEDBACK) if FEEDBACK in header else -1
    lines = [
        [cell if n == feedback else _harmless(cell) for n, cell in enumerate(line)]
        for line in roster.lines
    ]
    for mark in marks:
        if mark.grade and mark.student.line is not None:
            line = lines[mark.student.line]
            line[column] = f"{round(mark.grade.score * full_marks / total, 2):g}"
            if feedback >= 0 and (not line[feedback].strip() or OUR_COMMENT.match(line[feedback])):
                line[feedback] = safe(comment(mark.grade, total))
    if system(roster) == "canvas":
        kept_columns = [*range(header.index("Section") + 1), column]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=roster.delimiter)
        writer.writerows([cells[n] for n in kept_columns] for cells in [header, *lines])


def _harmless(text: str) -> str:
    """Return a cell unchanged, with its spaces and line breaks, unless it could be a formula."""
    return text if safe(text) == " ".join(text.split()) else safe(text)


def comment(grade: Grade, total: float) -> str:
    """Return what a student reads beside the grade: the points, and each question's hint."""
    hints = [f"{r.question.title}: {r.hint}" for r in grade.results.values() if r.hint]
    return " ".join([f"{grade.score:g} of {total:g} points.", *hints])
