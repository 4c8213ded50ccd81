"""The table, and the statistics of its questions."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small import CONTENT, TERMS, mistake, of

from pe_lib.course.grading.marks import statistics, table
from pe_lib.course.grading.marks.statistics import discrimination
from pe_lib.course.grading.marks.students import Student, students
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.running.terms import Grade

SQUARED = mistake("double", "squared")


def test_a_row_says_what_is_right_partly_wrong_blank_and_not_run(tmp_path: Path) -> None:
    partly = "def row(n):\n    return np.arange(n) if n < 10 else n"
    grade = of("it ran for more than 60 seconds", double=SQUARED, pick="blank",
               row=partly, mend="not run")  # fmt: skip
    (made,) = table.marks(students(["ada.ipynb"]), {"ada.ipynb": grade})
    out = tmp_path / "scores.csv"
    rows = table.write(out, [made], TERMS)
    data = out.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf") and b"\r\n" in data
    with out.open(newline="", encoding="utf-8-sig") as file:
        assert list(csv.DictReader(file)) == rows
    (row,) = rows
    assert {name: row[f"{name}: status"] for name in CONTENT.questions} == {
        "double": "wrong", "small_ones": "right", "three": "right", "pick": "blank",
        "row": "partly", "mend": "not run",
    }  # fmt: skip
    assert [row[kind] for kind in ("right", "partly", "wrong", "blank", "not run")] == list("21111")
    assert (row["points"], row["of"]) == ("3", "9")
    assert [row[name] for name in CONTENT.questions] == ["0", "1", "1", "0", "1", "0"]
    assert row["mistakes"].split("; ")[0] == "A number: squared"
    assert row["reason"] == "it ran for more than 60 seconds"


def test_of_several_notebooks_the_better_counts_and_who_has_none_has_a_row() -> None:
    grades = {"a.ipynb": of(double=SQUARED), "b.ipynb": of(), "c.ipynb": of(double="blank")}
    both = Student("Ada", files=("a.ipynb", "b.ipynb", "c.ipynb"))
    first, second = table.marks([both, Student("Bob")], grades)
    assert (first.file, first.grade) == ("b.ipynb", grades["b.ipynb"])
    assert first.note == "3 notebooks, the one with most points counts"
    row = table.row(second, TERMS)
    assert (row["note"], row["points"], row["double: status"]) == ("no notebook", "", "")


FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\n@x", '"=1', "＝1", "a;=1",
            "a; -2+3", "a;\t@x", "=cmd|' /C calc'!A0"]  # fmt: skip


def test_no_cell_is_a_formula_wherever_a_spreadsheet_splits(tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    for text in FORMULAS:
        name = f"{text}/{text}.ipynb"
        mark = table.Mark(Student(text, text), name, of(text, double=SQUARED), text)
        table.write(out, [mark], TERMS)
        for delimiter in (",", ";", "\t"):
            with out.open(newline="", encoding="utf-8-sig") as file:
                cells = [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]
            odd = [cell for cell in cells if re.match(r"\s*[\"']?\s*[=+\-@＝]", cell)]
            assert all(cell.startswith("'") for cell in odd), text
    for text in ("Ada", "李 明", "-", "-0.5", "12", "a, b; c", "x = 1"):
        assert table.safe(text) == text
    mark = table.Mark(Student("\udcff"), "\udcff.ipynb", of())  # bytes that are no text
    (row,) = table.write(out, [mark], TERMS)
    assert row["submission"] == "\\udcff.ipynb"


def test_statistics_agree_with_counting_by_hand() -> None:
    rng = np.random.default_rng(5)
    wrong = {"double": SQUARED, "small_ones": mistake("small_ones", "from_one"),
             "three": mistake("three", "from_one"), "pick": "blank", "row": "not run",
             "mend": mistake("mend", "last")}  # fmt: skip
    grades = [
        of(**{name: code for name, code in wrong.items() if rng.random() > able})
        for able in rng.random(40)
    ]
    blank = dict.fromkeys(CONTENT.questions, "blank")
    unusable = [of(**blank), Grade(), replace(of(), foreign=True)]
    seen = statistics.of_class(CONTENT, grades)
    assert [a.discrimination for a in statistics.of_class(CONTENT, grades + unusable).asked] == [
        a.discrimination for a in seen.asked
    ]
    points = np.array(
        [[g.results[q].score if q in g.results else 0 for q in CONTENT.questions] for g in grades]
    )
    for n, (asked, question) in enumerate(zip(seen.asked, CONTENT.questions.values(), strict=True)):
        assert asked.share == pytest.approx(points[:, n].mean() / question.total)
        rest = np.delete(points, n, axis=1).sum(axis=1)
        assert asked.discrimination == pytest.approx(np.corrcoef(points[:, n], rest)[0, 1])
        assert sum(asked.counts.values()) == 40
    made = [r.mistake for g in grades for r in g.results.values() if r.mistake]
    assert sum(m.count for m in seen.mistakes) == len(made)
    assert [m.count for m in seen.mistakes] == sorted(
        (m.count for m in seen.mistakes), reverse=True
    )
    squared = next(m for m in seen.mistakes if m.title == "squared")
    assert (squared.count, squared.text) == (made.count("squared"), "You *squared* it, `x * x`.")
    # a correlation that means nothing is none
    assert discrimination([1] * 30, list(range(30))) is None
    assert discrimination([0, 1] * 14, [0, 1] * 14) is None


def test_the_summary_counts_what_needs_a_look() -> None:
    grades = {"a": of(), "b": of("it ended", double=SQUARED), "c": of(double=SQUARED)}
    who = [Student("Ada", files=("a", "b")), Student("Bob"), Student("C", files=("c",),
           note="not on the roster")]  # fmt: skip
    marks = table.marks(who, grades)
    seen = statistics.of_class(CONTENT, [m.grade for m in marks if m.grade])
    assert table.summary(marks, TERMS, seen).splitlines() == [
        "2 students, of 9 points: lowest 7, median 8, highest 9",
        "1 on the roster without a notebook; the table says which.",
        "1 not on the roster; the table says which.",
        "1 with several notebooks; the table says which.",
        "    1 × A number: squared",
    ]
    assert table.summary([], TERMS, seen) == "There is no notebook in that folder."


def test_a_relation_is_no_known_mistake() -> None:
    result = Result(CONTENT.questions["double"], "wrong")
    object.__setattr__(result, "relation", "one_more")
    seen = statistics.of_class(CONTENT, [Grade({"double": result})])
    assert [(m.title, m.text) for m in seen.mistakes] == [("one too large; no known mistake", "")]
    assert seen.known == []
