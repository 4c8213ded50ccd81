"""A class's grades as a table, one row a student."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from classroom.marks.statistics import Class, mistaken
from classroom.marks.students import Student, named
from classroom.running.terms import Grade, Terms

Row = dict[str, str]
START = ("student", "id", "submission", "points", "of", "right", "partly", "wrong", "blank",
         "not run", "note", "reason", "own", "flags", "mistakes")  # fmt: skip
STATUS = {"right": "right", "partly": "partly", "wrong": "wrong", "open": "blank"}
FORMULA = re.compile(r"(^|;)(\s*[\"']?\s*)(?=[=+\-@＝＋－＠])")


@dataclass(frozen=True)
class Mark:
    """What a student gets: the grade of `file`, None if there is none."""

    student: Student
    file: str = ""
    grade: Grade | None = None

    @property
    def note(self) -> str:
        """What to know of it: whose it is, of how many, and when."""
        return self.told(" and ".join(self.student.fits or ()))

    def told(self, names: str = "") -> str:
        """The note; for a student without the names of others whom the notebook may belong to."""
        if not self.grade:
            return "no notebook"
        notes = []
        if self.student.fits is not None:
            doubt = f"fits both {names}" if names else "its name doesn't tell whose it is"
            notes.append(doubt if self.student.fits else "not on the roster")
        if (count := len(self.student.files)) > 1:
            notes.append(f"{count} notebooks, the one with most points counts")
        if named(self.file).late:
            notes.append("late")
        return "; ".join(notes)


def marks(students: Iterable[Student], grades: dict[str, Grade]) -> list[Mark]:
    """A mark for each student; of several notebooks the one with most points counts."""
    return [_mark(student, grades) for student in students]


def _mark(student: Student, grades: dict[str, Grade]) -> Mark:
    if not student.files:
        return Mark(student)
    best = max(student.files, key=lambda file: grades[file].score)
    return Mark(student, best, grades[best])


def status(grade: Grade, question: str) -> str:
    """'right', 'partly', 'wrong', 'blank', or 'not run' where it ended before."""
    result = grade.results.get(question)
    return STATUS.get(result.status, "not run") if result else "not run"


def columns(terms: Terms) -> list[str]:
    questions = list(terms.content.questions)
    return [*START, *questions, *(f"{name}: status" for name in questions)]


def row(mark: Mark, terms: Terms) -> Row:
    """Everything as text that no spreadsheet takes for a formula."""
    cells = {"student": mark.student.name, "id": mark.student.id, "note": mark.note}
    cells |= {"submission": mark.file, "of": f"{terms.content.total:g}"}
    if grade := mark.grade:
        questions = terms.content.questions
        kinds = {name: status(grade, name) for name in questions}
        cells |= {"points": f"{grade.score:g}", "reason": grade.reason}
        cells |= {"own": "" if grade.own is None else f"{grade.own:g}"}
        cells |= {"flags": "; ".join(grade.flags)}
        counted = list(kinds.values())
        cells |= {kind: str(counted.count(kind)) for kind in (*STATUS.values(), "not run")}
        results = grade.results
        said = {r.question.title: mistaken(r) for r in results.values()}
        cells["mistakes"] = "; ".join(f"{title}: {words}" for title, words in said.items() if words)
        cells |= {n: f"{results[n].score if n in results else 0:g}" for n in questions}
        cells |= {f"{name}: status": kind for name, kind in kinds.items()}
    return {name: safe(cells.get(name, "")) for name in columns(terms)}


def safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, nor for two cells or two lines.

    A cell may begin with =, +, - or @, at its start or, where a spreadsheet splits at semicolons,
    behind one. Numbers and a lone dash stay.

    >>> safe("=1+1.ipynb"), safe("Ada;=1+1"), safe("-0.5"), safe("-")
    ("'=1+1.ipynb", "Ada;'=1+1", '-0.5', '-')
    """
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if text == "-" or re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
        return text
    return FORMULA.sub(r"\1'\2", text)


def refuse_another(out: Path, terms: Terms) -> None:
    """Raise ValueError if there is a table that this module did not make."""
    if out.exists():
        try:
            with out.open(newline="", encoding="utf-8-sig") as file:
                ours = next(csv.reader(file), None) == columns(terms)
        except UnicodeDecodeError:
            ours = False
        if not ours:
            raise ValueError(f"{out} is another table; name one that isn't there yet")


def write(out: Path, marks: list[Mark], terms: Terms) -> list[Row]:
    """Write the table, for spreadsheets too: in UTF-8 with a byte order mark."""
    rows = [row(mark, terms) for mark in marks]
    save(out, columns(terms), rows)
    return rows


def save(out: Path, header: list[str], rows: Iterable[Row]) -> None:
    """Write in one step, so that nobody reads half a table."""
    handle, temporary = tempfile.mkstemp(dir=out.parent, suffix=".part")
    with os.fdopen(handle, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(rows)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(out)


def summary(marks: list[Mark], terms: Terms, seen: Class) -> str:
    """How the class did, and which mistakes it makes, the most frequent first."""
    graded = [mark.grade for mark in marks if mark.grade]
    if not graded:
        return "There is no notebook in that folder."
    scores = sorted(grade.score for grade in graded)
    lines = [
        f"{len(graded)} students, of {terms.content.total:g} points: lowest {scores[0]:g}, median"
        f" {median(scores):g}, highest {scores[-1]:g}"
    ]
    for count, words in (
        (sum(bool(grade.reason) for grade in graded), "with a reason to look at"),
        (sum(bool(grade.flags) for grade in graded), "with flags, a reason to read them"),
        (len(marks) - len(graded), "on the roster without a notebook"),
        (sum(mark.student.fits == () for mark in marks), "not on the roster"),
        (sum(bool(mark.student.fits) for mark in marks), "that fit two of the roster"),
        (sum(len(mark.student.files) > 1 for mark in marks), "with several notebooks"),
    ):
        if count:
            lines.append(f"{count} {words}; the table says which.")
    lines += [f"{m.count:5} × {m.question.title}: {m.title}" for m in seen.known[:10]]
    return "\n".join(lines)
