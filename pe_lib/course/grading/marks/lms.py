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

from pe_lib.course.grading.marks.roster import Roster
from pe_lib.course.grading.marks.statistics import mistaken
from pe_lib.course.grading.marks.table import Mark, safe

ASSIGNMENT = re.compile(r".+ \(\d+\)$")
FEEDBACK = "Feedback comments"


def column(roster: Roster, wanted: str = "") -> int:
    """Where the grade goes: Moodle's Grade, or the assignment of Canvas that `wanted` names.

    Raises ValueError if the column can't be told, and says which there are.
    """
    if roster.system == "Moodle":
        return roster.header.index("Grade")
    found = [n for n, name in enumerate(roster.header) if ASSIGNMENT.match(name)]
    names = [roster.header[n] for n in found]
    fits = [n for n in found if roster.header[n].startswith(wanted)]
    exact = [n for n in fits if roster.header[n] in (wanted, wanted + title_number(roster, n))]
    if len(exact or fits) != 1:
        raise ValueError(
            f"{roster.path}: name one of its assignments with --column; there are:"
            f" {', '.join(names) or 'none'}"
        )
    return (exact or fits)[0]


def title_number(roster: Roster, place: int) -> str:
    """The ' (123)' behind an assignment's title."""
    return " (" + roster.header[place].rpartition(" (")[2]


def full_marks(roster: Roster, place: int) -> float:
    """The points that are full marks there. Raises ValueError if the file doesn't say."""
    if roster.system == "Moodle":
        at = roster.header.index("Maximum grade") if "Maximum grade" in roster.header else None
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
    keep = list(range(len(roster.header)))
    if roster.system == "Canvas":
        before = roster.header.index("Section")
        keep = [*range(before + 1), place]
    lines = [list(line) for line in roster.lines]
    said = roster.header.index(FEEDBACK) if FEEDBACK in roster.header else None
    untouched = {place, said}
    for line in lines:
        line[:] = [x if n in untouched else _cell(x) for n, x in enumerate(line)]
    for mark in marks:
        if mark.grade and mark.student.line is not None:
            line = lines[mark.student.line]
            line[place] = f"{round(mark.grade.score * factor, 2):g}"
            if said is not None and not line[said].strip():
                line[said] = safe(comment(mark, total))
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=roster.delimiter)
        writer.writerows([cells[n] for n in keep] for cells in [roster.header, *lines])


def _cell(text: str) -> str:
    """Canvas knows the line of points by its spaces and words, so only formulas are changed."""
    return text if safe(text) == " ".join(text.split()) else safe(text)


def comment(mark: Mark, total: float) -> str:
    """What a student reads beside the grade."""
    assert mark.grade
    said = [f"{r.question.title}: {mistaken(r)}" for r in mark.grade.results.values()]
    known = [text for text in said if not text.endswith(": ")]
    return " ".join([f"{mark.grade.score:g} of {total:g} points.", *(f"{k}." for k in known)])


def feedback(out: Path, marks: list[Mark], pages: dict[str, Path]) -> None:
    """The pages in one zip, in folders as Moodle's "Upload multiple feedback files" wants them."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for mark in marks:
            if (number := mark.student.number) and mark.grade:
                name = re.sub(r"[\W_]+", " ", mark.student.name).strip()
                folder = f"{name}_{number}_assignfeedback_file"
                packed.write(pages[mark.file], f"{folder}/feedback.html")
