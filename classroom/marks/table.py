"""Write a class's grades as a table with one row for each student, and summarise the grades."""

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
MOST_MISTAKES = 10  # the summary lists at most this many different mistakes
FIRST_COLUMNS = ("student", "id", "submission", "points", "of", "right", "partly", "wrong", "blank",
         "not run", "note", "reason", "flags", "mistakes")  # fmt: skip
# maps the status of a result to the word that the table shows for it
STATUS = {
    "right": "right", "partly": "partly", "wrong": "wrong", "open": "blank", "not run": "not run"
}  # fmt: skip
FORMULA = re.compile(r"(^|;)(\s*[\"']?\s*)(?=[=+\-@＝＋－＠])")


@dataclass(frozen=True)
class Mark:
    """The mark of one student, which consists of the notebook that counts and its grade.

    `grade` is None if the student handed in no notebook.
    """

    student: Student
    file: str = ""
    grade: Grade | None = None

    @property
    def counts(self) -> bool:
        """Whether the student belongs to the class and the student's notebook could be read."""
        return bool(self.grade and self.grade.results and not self.student.doubt)

    @property
    def note(self) -> str:
        """A note that no notebook, several notebooks or an unclear student was found."""
        count = sum(file.lower().endswith(".ipynb") for file in self.student.files)
        several = f"{count} notebooks, the one with most points counts" if count > 1 else ""
        missing = "" if self.grade else "no notebook"
        return "; ".join(filter(None, [missing, self.student.doubt, several]))


def mark_students(students: Iterable[Student], grades: dict[str, Grade]) -> list[Mark]:
    """Return a mark for each student, which is that of the student's best notebook."""
    best = {s: max(s.files, key=lambda file: grades[file].score, default="") for s in students}
    return [Mark(student, file, grades.get(file)) for student, file in best.items()]


def count_mistakes(marks: list[Mark]) -> list[tuple[Question, Variant, int]]:
    """Return how often students made each known mistake, with the most frequent mistake first."""
    results = [r for mark in marks if mark.grade for r in mark.grade.results.values() if r.mistake]
    # Grades come from other processes, with copies of the questions. So questions are recognised by
    # their names.
    by_name = {
        (r.question.name, m.name): (r.question, m) for r in results for m in r.question.mistakes
    }
    counts = Counter((r.question.name, r.mistake) for r in results)
    return [(*by_name[key], count) for key, count in counts.most_common()]


def describe_mistake(result: Result) -> str:
    """Name the known mistake in an answer. If there is none, say how the answer is wrong."""
    words = IN_WORDS.get(result.relation, result.relation)
    if result.mistake:
        return next(m.title for m in result.question.mistakes if m.name == result.mistake)
    return f"{words}; no known mistake" if words and result.relation != "borrowed" else words


def columns(terms: Terms) -> list[str]:
    """Return the names of the columns in the table of marks."""
    questions = list(terms.content.questions)
    return [*FIRST_COLUMNS, *questions, *(f"{name}: status" for name in questions)]


def row(mark: Mark, terms: Terms) -> Row:
    """Return a student's row in the table of marks, in which a spreadsheet sees no formula."""
    cells = {"student": mark.student.name, "id": mark.student.id, "note": mark.note}
    cells |= {"submission": mark.file, "of": f"{terms.content.total:g}"}
    if grade := mark.grade:
        cells |= {"points": f"{grade.score:g}", "reason": grade.reason}
        statuses = dict.fromkeys(terms.content.questions, "not run")
        statuses |= {name: STATUS[r.status] for name, r in grade.results.items()}
        counts = Counter(statuses.values())
        cells |= {status: str(counts[status]) for status in STATUS.values()}
        mistakes = {r.question.title: describe_mistake(r) for r in grade.results.values()}
        texts = [f"{title}: {text}" for title, text in mistakes.items() if text]
        cells["mistakes"] = "; ".join(texts)
        cells["flags"] = "; ".join(grade.flags)
        cells |= dict.fromkeys(statuses, "0")
        cells |= {name: f"{r.score:g}" for name, r in grade.results.items()}
        cells |= {f"{name}: status": status for name, status in statuses.items()}
    return {name: escape_formulas(cells.get(name, "")) for name in columns(terms)}


def escape_formulas(text: str) -> str:
    """Return a cell's text in a form that a spreadsheet neither computes as a formula nor splits.

    An apostrophe is put before =, +, - or @ wherever a spreadsheet would see the beginning of a
    formula. These places are the start of the cell and after a semicolon, because some spreadsheets
    split a cell there. Numbers and a single dash stay unchanged.

    >>> escape_formulas("=1+1.ipynb"), escape_formulas("Ada;=1+1")
    ("'=1+1.ipynb", "Ada;'=1+1")
    >>> escape_formulas("-0.5"), escape_formulas("-")
    ('-0.5', '-')
    """
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if text == "-" or re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
        return text
    return FORMULA.sub(r"\1'\2", text)


def refuse_other_table(out: Path, terms: Terms) -> None:
    """Raise ValueError if a file exists that this module has not written."""
    if out.exists():
        header = decode_text(out.read_bytes()).partition("\n")[0]
        # earlier versions of this module wrote commas between cells, so a file with commas is
        # accepted
        headers = [next(csv.reader([header], delimiter=delimiter), None) for delimiter in "\t,"]
        if columns(terms) not in headers:
            raise ValueError(f"{out} is another table; name one that isn't there yet")


def write(out: Path, marks: list[Mark], terms: Terms) -> list[Row]:
    """Write the table in a form that Excel opens correctly, whatever the country's settings.

    Excel splits a CSV file at the separator of its country, a comma or a semicolon. But it splits a
    UTF-16 file with tabs in the same way everywhere. With a first line `sep=,` Excel would use the
    right separator, but misread accented letters. The table replaces an earlier table in one step.
    """
    rows, part = [row(mark, terms) for mark in marks], out.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-16") as file:
        writer = csv.DictWriter(file, columns(terms), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(out)
    return rows


def summary(marks: list[Mark], terms: Terms) -> str:
    """Return a summary of the class's points and its most frequent mistakes."""
    scores = [mark.grade.score for mark in marks if mark.grade and mark.counts]
    others = sum(bool(mark.grade and not mark.counts) for mark in marks)
    if not scores and not others:
        return "There is no notebook in that folder."
    lines = [_describe_scores(scores, terms)] if scores else []
    if others:
        verb = "is" if others == 1 else "are"
        lines.append(
            f"{_count(others, 'more file')} {verb} left out of these numbers, because nothing in"
            " it could be graded or it belongs to nobody on the roster."
        )
    if odd := sum(bool(m.grade and (m.grade.reasons or m.grade.flags or m.note)) for m in marks):
        lines.append(f"Look at {_count(odd, 'row')} of the table: note, reason and flags say why.")
    if absent := sum(mark.grade is None for mark in marks):
        lines.append(f"{_count(absent, 'student')} on the roster handed in no notebook.")
    mistakes = count_mistakes(marks)[:MOST_MISTAKES]
    lines += ["The mistakes that were made most often:"] * bool(mistakes)
    lines += [f"{count:5} × {question.title}: {m.title}" for question, m, count in mistakes]
    return "\n".join(lines)


def _describe_scores(scores: list[float], terms: Terms) -> str:
    return (
        f"{_count(len(scores), 'student')}. Of {terms.content.total:g} points the lowest is"
        f" {min(scores):g}, the median {median(scores):g} and the highest {max(scores):g}."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
