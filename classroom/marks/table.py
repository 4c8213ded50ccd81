"""A class's grades as a table, one row a student, and what they say of the questions."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from classroom.marks.roster import Student, decode_text
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading.relation import IN_WORDS
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question, Variant

Row = dict[str, str]
START = ("student", "id", "submission", "points", "of", "right", "partly", "wrong", "blank",
         "not run", "note", "reason", "flags", "mistakes")  # fmt: skip
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
        """Whose it is, and of how many."""
        count = len(self.student.files)
        several = f"{count} notebooks, the one with most points counts" if count > 1 else ""
        found = "" if self.grade else "no notebook"
        return "; ".join(filter(None, [found, self.student.doubt, several]))


def marks(students: Iterable[Student], grades: dict[str, Grade]) -> list[Mark]:
    """A mark for each student; of several notebooks the one with most points counts."""
    best = {s: max(s.files, key=lambda file: grades[file].score, default="") for s in students}
    return [Mark(student, file, grades.get(file)) for student, file in best.items()]


def mistakes(marks: list[Mark]) -> list[tuple[Question, Variant, int]]:
    """The mistakes that a sheet has words for, and how many made each, the most frequent first."""
    results = [r for mark in marks if mark.grade for r in mark.grade.results.values() if r.mistake]
    # by name: grades come from other processes, each with a question of its own
    known = {
        (r.question.name, m.name): (r.question, m) for r in results for m in r.question.mistakes
    }
    made = Counter((r.question.name, r.mistake) for r in results)
    return [(*known[key], count) for key, count in made.most_common()]


def mistaken(result: Result) -> str:
    """The mistake in words, else the name of the value's relation to the right one, else ''."""
    words = IN_WORDS.get(result.relation, result.relation)
    if result.mistake:
        return next(m.title for m in result.question.mistakes if m.name == result.mistake)
    return f"{words}; no known mistake" if words and result.relation != "borrowed" else words


def columns(terms: Terms) -> list[str]:
    questions = list(terms.content.questions)
    return [*START, *questions, *(f"{name}: status" for name in questions)]


def row(mark: Mark, terms: Terms) -> Row:
    """Everything as text that no spreadsheet takes for a formula."""
    cells = {"student": mark.student.name, "id": mark.student.id, "note": mark.note}
    cells |= {"submission": mark.file, "of": f"{terms.content.total:g}"}
    if grade := mark.grade:
        cells |= {"points": f"{grade.score:g}", "reason": grade.reason}
        kinds = dict.fromkeys(terms.content.questions, "not run")
        kinds |= {name: STATUS.get(r.status, "not run") for name, r in grade.results.items()}
        counted = Counter(kinds.values())
        cells |= {kind: str(counted[kind]) for kind in (*STATUS.values(), "not run")}
        said = {r.question.title: mistaken(r) for r in grade.results.values()}
        cells["mistakes"] = "; ".join(f"{title}: {words}" for title, words in said.items() if words)
        cells["flags"] = "; ".join(grade.flags)
        cells |= dict.fromkeys(kinds, "0")
        cells |= {name: f"{r.score:g}" for name, r in grade.results.items()}
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
        header = decode_text(out.read_bytes()).partition("\n")[0]
        # tables were written with commas before
        headers = [next(csv.reader([header], delimiter=delimiter), None) for delimiter in "\t,"]
        if columns(terms) not in headers:
            raise ValueError(f"{out} is another table; name one that isn't there yet")


def write(out: Path, marks: list[Mark], terms: Terms) -> list[Row]:
    """Write the table in one step, as every Excel opens it.

    Excel splits a CSV file at the separator of its country, a comma or a semicolon. Only UTF-16
    with tabs it splits at the same places everywhere; a line `sep=,` would cost the accents.
    """
    rows, part = [row(mark, terms) for mark in marks], out.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-16") as file:
        writer = csv.DictWriter(file, columns(terms), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(out)
    return rows


def summary(marks: list[Mark], terms: Terms) -> str:
    """How the class did, and which mistakes it makes, the most frequent first."""
    scores = [mark.grade.score for mark in marks if mark.grade]
    if not scores:
        return "There is no notebook in that folder."
    lines = [
        f"{len(scores)} students, of {terms.content.total:g} points: lowest {min(scores):g}, median"
        f" {median(scores):g}, highest {max(scores):g}"
    ]
    if odd := sum(bool(m.grade and (m.grade.reasons or m.grade.flags or m.note)) for m in marks):
        lines.append(f"{odd} to look at; the table says which.")
    if absent := len(marks) - len(scores):
        lines.append(f"{absent} on the roster without a notebook; the table says which.")
    made = [f"{count:5} × {asked.title}: {m.title}" for asked, m, count in mistakes(marks)[:10]]
    return "\n".join(lines + made)
