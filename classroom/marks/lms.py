"""The file that Moodle or Canvas reads grades from: the roster that it gave, with a column filled.

Moodle looks for Identifier, Grade, Last modified (grade) and the feedback's columns
(mod/assign/feedback/offline/importgradeslib.php), Canvas for a student's columns and those of
assignments, TITLE (NUMBER) (lib/gradebook_importer.rb). Of Canvas' assignments only the one is
written, so that nothing else can change.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from classroom.marks.roster import Roster
from classroom.marks.table import Mark, safe
from classroom.running.terms import Grade

FEEDBACK = "Feedback comments"
OURS = re.compile(r"[\d.]+ of [\d.]+ points\.")  # how a comment of an earlier run begins


def system(roster: Roster) -> str:
    """Whose file it is: 'moodle', 'canvas' or ''."""
    names = set(roster.header)
    return "moodle" if {"Identifier", "Grade"} <= names else "canvas" * ({"ID", "Section"} <= names)


def place(roster: Roster, wanted: str = "") -> tuple[int, float]:
    """The column that the grade goes to, and the points that are full marks there.

    It is Moodle's Grade, or the assignment of Canvas that `wanted` names. Raises ValueError if the
    file doesn't say which column, or how many points.
    """
    header = roster.header
    if system(roster) == "moodle":
        column, where = header.index("Grade"), "Maximum grade"
        said = {line[header.index(where)] for line in roster.lines if where in header}
    else:
        found = [name for name in header if re.fullmatch(r".+ \(\d+\)", name)]
        named = [name for name in found if wanted in (name, name.rpartition(" (")[0])]
        if len(fitting := named if wanted else found) != 1:
            raise ValueError(
                "name one of the gradebook's assignments with --column; there are:"
                f" {', '.join(found) or 'none'}"
            )
        column, where = header.index(fitting[0]), "Points Possible"
        said = {line[column] for line in roster.lines if where in line[0]}
    numbers = {text.strip().replace(",", ".") for text in said}
    if len(numbers) == 1 and re.fullmatch(r"\d+(\.\d+)?", text := numbers.pop()) and float(text):
        return column, float(text)
    raise ValueError(f"the roster should have one number as {where}, got {sorted(said)}")


def write(out: Path, roster: Roster, marks: list[Mark], total: float, wanted: str) -> None:
    """Write the roster with the grades, in proportion to the most that the system allows.

    Who handed nothing in keeps what stands there, and so does a comment that is no earlier run's.
    """
    column, full = place(roster, wanted)
    header, keep = roster.header, [*range(len(roster.header))]
    said = header.index(FEEDBACK) if FEEDBACK in header else -1
    lines = [[c if n == said else _cell(c) for n, c in enumerate(line)] for line in roster.lines]
    for mark in marks:
        if mark.grade and mark.student.line is not None:
            line = lines[mark.student.line]
            line[column] = f"{round(mark.grade.score * full / total, 2):g}"
            if said >= 0 and (not line[said].strip() or OURS.match(line[said])):
                line[said] = safe(comment(mark.grade, total))
    if system(roster) == "canvas":
        keep = [*range(header.index("Section") + 1), column]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=roster.delimiter)
        writer.writerows([cells[n] for n in keep] for cells in [header, *lines])


def _cell(text: str) -> str:
    """As it was, spaces and line breaks too, unless a spreadsheet would take it for a formula."""
    return text if safe(text) == " ".join(text.split()) else safe(text)


def comment(grade: Grade, total: float) -> str:
    """What a student reads beside the grade: of each question that has one, what is told."""
    told = [f"{r.question.title}: {r.hint}" for r in grade.results.values() if r.hint]
    return " ".join([f"{grade.score:g} of {total:g} points.", *told])
