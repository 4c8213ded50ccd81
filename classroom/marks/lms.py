"""The file that Moodle or Canvas reads grades from: the roster that it gave, with a column filled.

Moodle looks for Identifier, Grade, Last modified (grade) and the feedback's columns
(mod/assign/feedback/offline/importgradeslib.php), Canvas for a student's columns and those of
assignments, TITLE (NUMBER) (lib/gradebook_importer.rb). Of Canvas' assignments only the one is
written, so that nothing else can change.
"""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path

from classroom.marks.roster import Roster
from classroom.marks.statistics import mistaken
from classroom.marks.table import Mark, safe
from classroom.running.terms import Grade

ASSIGNMENT = re.compile(r".+ \(\d+\)$")
FEEDBACK = "Feedback comments"
OURS = re.compile(r"[\d.]+ of [\d.]+ points\.")  # how a comment of an earlier run begins


def column(roster: Roster, wanted: str = "") -> int:
    """Where the grade goes: Moodle's Grade, or the assignment of Canvas that `wanted` names.

    Raises ValueError if the column can't be told, and says which there are.
    """
    if roster.system == "Moodle":
        return roster.header.index("Grade")
    found = {n: name for n, name in enumerate(roster.header) if ASSIGNMENT.match(name)}
    exact = [n for n, name in found.items() if wanted in (name, name.rpartition(" (")[0])]
    if len(exact) == 1 or (len(found) == 1 and not wanted):
        return next(iter(exact or found))
    raise ValueError(
        f"{roster.path}: name one of its assignments with --column; there are:"
        f" {', '.join(found.values()) or 'none'}"
    )


def full_marks(roster: Roster, place: int) -> float:
    """The points that are full marks there. Raises ValueError if the file doesn't say."""
    if roster.system == "Moodle":
        names = [name.casefold() for name in roster.header]
        at = names.index("maximum grade") if "maximum grade" in names else None
        said = {line[at] for line in roster.lines} if at is not None else set()
    else:
        said = {line[place] for line in roster.lines if "Points Possible" in line[0]}
    numbers = {text.strip().replace(",", ".") for text in said}
    if len(numbers) == 1 and re.fullmatch(r"\d+(\.\d+)?", text := numbers.pop()) and float(text):
        return float(text)
    where = "Maximum grade" if roster.system == "Moodle" else "Points Possible"
    raise ValueError(f"{roster.path}: one number is wanted as {where}, got {sorted(said)}")


def write(out: Path, roster: Roster, marks: list[Mark], total: float, place: int) -> None:
    """Write the roster with the grades, in proportion to the most that the system allows.

    Who handed nothing in keeps what stands there.
    """
    factor = full_marks(roster, place) / total
    said = roster.header.index(FEEDBACK) if FEEDBACK in roster.header else -1
    lines = [
        [cell if n in (place, said) else _cell(cell) for n, cell in enumerate(line)]
        for line in roster.lines
    ]
    for mark in marks:
        if mark.grade and mark.student.line is not None:
            line = lines[mark.student.line]
            line[place] = f"{round(mark.grade.score * factor, 2):g}"
            if said >= 0 and (not line[said].strip() or OURS.match(line[said])):
                line[said] = safe(comment(mark.grade, total))
    keep = list(range(len(roster.header)))
    if roster.system == "Canvas":
        keep = [*range(roster.header.index("Section") + 1), place]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=roster.delimiter)
        writer.writerows([cells[n] for n in keep] for cells in [roster.header, *lines])


def _cell(text: str) -> str:
    """As it was, spaces and line breaks too, unless a spreadsheet would take it for a formula."""
    return text if safe(text) == " ".join(text.split()) else safe(text)


def comment(grade: Grade, total: float) -> str:
    """What a student reads beside the grade."""
    known = [f"{r.question.title}: {mistaken(r)}." for r in grade.results.values() if r.mistake]
    return " ".join([f"{grade.score:g} of {total:g} points.", *known])


def feedback(out: Path, marks: list[Mark], pages: dict[str, Path]) -> None:
    """The pages in one zip, in folders as Moodle's "Upload multiple feedback files" wants them."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for mark in marks:
            if (number := mark.student.number) and mark.grade:
                name = re.sub(r"[\W_]+", " ", mark.student.name).strip()
                folder = f"{name}_{number}_assignfeedback_file"
                packed.write(pages[mark.file], f"{folder}/feedback.html")
