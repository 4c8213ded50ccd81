"""Write a class's grades into a roster from Moodle or Canvas, for import into the same system.

Moodle reads the columns Identifier, Grade, Last modified (grade) and those of the feedback
(mod/assign/feedback/offline/importgradeslib.php). Canvas reads the columns that describe a student,
and a column named TITLE (NUMBER) for each assignment (lib/gradebook_importer.rb). Only the column
of the graded assignment is written for Canvas, so that no other grades can change.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from classroom.marks.roster import Roster
from classroom.marks.table import Mark, escape_formulas
from classroom.running.terms import Grade

FEEDBACK = "Feedback comments"
# Each comment that this module writes begins with this text. So a later run finds the comments and
# replaces them.
OUR_COMMENT = re.compile(r"[\d.]+ of [\d.]+ points\.")


def system(roster: Roster) -> str:
    """Return from which system a roster comes: 'moodle', 'canvas' or, if unknown, ''."""
    names = set(roster.header)
    return "moodle" if {"Identifier", "Grade"} <= names else "canvas" * ({"ID", "Section"} <= names)


def find_grade_column(roster: Roster, title: str = "") -> tuple[int, float]:
    """Find the roster's column for grades, and the maximum grade that the column states.

    The column is called Grade in Moodle, and has the title of the assignment in Canvas. Raise
    ValueError if the roster does not identify the column or the maximum grade.
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
    """Write a roster with each student's grade, scaled to the maximum grade in the roster.

    The line of a student who handed in nothing stays unchanged, and so does a comment that the
    teacher wrote.
    """
    column, full_marks = find_grade_column(roster, title)
    header, kept_columns = roster.header, [*range(len(roster.header))]
    feedback = header.index(FEEDBACK) if FEEDBACK in header else -1
    lines = [
        [cell if n == feedback else _escape_if_needed(cell) for n, cell in enumerate(line)]
        for line in roster.lines
    ]
    for mark in marks:
        if mark.grade and mark.student.line is not None:
            line = lines[mark.student.line]
            line[column] = f"{round(mark.grade.score * full_marks / total, 2):g}"
            if feedback >= 0 and (not line[feedback].strip() or OUR_COMMENT.match(line[feedback])):
                line[feedback] = escape_formulas(comment(mark.grade, total))
    if system(roster) == "canvas":
        kept_columns = [*range(header.index("Section") + 1), column]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=roster.delimiter)
        writer.writerows([cells[n] for n in kept_columns] for cells in [header, *lines])


def _escape_if_needed(text: str) -> str:
    """Return a cell's text, changed only if a spreadsheet might take the text for a formula."""
    return text if escape_formulas(text) == " ".join(text.split()) else escape_formulas(text)


def comment(grade: Grade, total: float) -> str:
    """Return a comment on a student's grade, with points and hints for each question."""
    hints = [f"{r.question.title}: {r.hint}" for r in grade.results.values() if r.hint]
    return " ".join([f"{grade.score:g} of {total:g} points.", *hints])
