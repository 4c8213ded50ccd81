"""Test the table of marks, and the list of the class's most frequent mistakes."""

import csv
import pickle
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from class_grades import TERMS, grade_with
from small import CONTENT, mistake

from classroom.marks import table
from classroom.marks.roster import Student, match_students

SQUARED = mistake("double", "squared")


def test_a_row_says_what_is_right_partly_wrong_blank_and_not_run(tmp_path: Path) -> None:
    partly = "def row(n):\n    return np.arange(n) if n < 10 else n"
    grade = grade_with("it ran long", double=SQUARED, pick="blank", row=partly, mend="not run")
    (mark,) = table.mark_students(match_students(["ada.ipynb"]), {"ada.ipynb": grade})
    out = tmp_path / "scores.csv"
    rows = table.write(out, [mark], TERMS)
    with out.open(newline="", encoding="utf-16") as file:
        assert list(csv.DictReader(file, delimiter="\t")) == rows
    assert out.read_bytes()[:2] == b"\xff\xfe", "the mark by which Excel knows UTF-16"
    (row,) = rows
    statuses = [row[f"{name}: status"] for name in CONTENT.questions]
    assert statuses == ["wrong", "right", "right", "blank", "partly", "not run"]
    assert [row[kind] for kind in ("right", "partly", "wrong", "blank", "not run")] == list("21111")
    assert (row["points"], row["of"], row["reason"]) == ("3", "9", "it ran long")
    assert [row[name] for name in CONTENT.questions] == ["0", "1", "1", "0", "1", "0"]
    assert row["mistakes"].split("; ")[0] == "A number: squared"


def test_of_several_notebooks_the_better_counts_and_who_has_none_has_a_row() -> None:
    grades = {
        "a.ipynb": grade_with(double=SQUARED),
        "b.ipynb": grade_with(),
        "c.ipynb": grade_with(double="blank"),
    }
    both = Student("Ada", files=("a.ipynb", "b.ipynb", "c.ipynb"))
    first, second = table.mark_students([both, Student("Bob")], grades)
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
        student = Student(text, text, (name,), doubt=f"fits both {text}")
        mark = table.Mark(student, name, grade_with(text, double=SQUARED))
        table.write(out, [mark], TERMS)
        for delimiter in (",", ";", "\t"):
            with out.open(newline="", encoding="utf-16") as file:
                cells = [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]
            odd = [cell for cell in cells if re.match(r"\s*[\"']?\s*[=+\-@＝]", cell)]
            assert all(cell.startswith("'") for cell in odd), text
    for text in ("Ada", "李 明", "-", "-0.5", "12", "a, b; c", "x = 1"):
        assert table.escape_formulas(text) == text
    mark = table.Mark(
        Student("\udcff"), "\udcff.ipynb", grade_with()
    )  # a name that is not valid UTF-8
    (row,) = table.write(out, [mark], TERMS)
    assert row["submission"] == "\\udcff.ipynb"


def test_a_table_of_an_earlier_version_is_known_as_ours(tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    table.write(out, [], TERMS)
    table.refuse_other_table(out, TERMS)
    with out.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerow(table.columns(TERMS))
    table.refuse_other_table(out, TERMS)
    out.write_bytes(out.read_bytes()[:-9])
    with pytest.raises(ValueError, match="is another table"):
        table.refuse_other_table(out, TERMS)


def test_mistakes_are_counted_the_most_frequent_first() -> None:
    rng = np.random.default_rng(5)
    wrong = {"double": SQUARED, "small_ones": mistake("small_ones", "from_one"),
             "three": mistake("three", "from_one"), "pick": "blank", "row": "not run",
             "mend": mistake("mend", "last")}  # fmt: skip
    grades = [
        pickle.loads(
            pickle.dumps(
                grade_with(**{n: code for n, code in wrong.items() if rng.random() > able})
            )
        )
        for able in rng.random(40)
    ]  # pickled, because each grade comes from a different process
    counts = Counter((q, r.mistake) for g in grades for q, r in g.results.items() if r.mistake)
    counted = table.count_mistakes([table.Mark(Student(""), "", grade) for grade in grades])
    assert {
        (question.name, known_mistake.name): count for question, known_mistake, count in counted
    } == counts
    assert [count for _, _, count in counted] == sorted(counts.values(), reverse=True)
